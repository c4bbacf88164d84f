// SPDX-License-Identifier: MIT
#include "cuda/ptx_signatures.h"

#include <optional>

namespace pycuda::cuda {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kNone = "";

/// The next word of `text`, which is taken off it.
std::string_view take_word(std::string_view& text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return kNone;
  const std::size_t end = std::min(text.find_first_of(" \t\r\n(", begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

/// Of ".param .u64 .ptr .align 4 name": the first type in it.
ParameterKind kind_of(std::string_view parameter) {
  if (parameter.find('[') != std::string_view::npos) return ParameterKind::Unknown;
  for (std::string_view word = take_word(parameter); !word.empty(); word = take_word(parameter)) {
    if (word == ".f32" || word == ".f64") return ParameterKind::Float;
    if (word.size() < 3 || word[0] != '.' ||
        word.substr(2).find_first_not_of("0123456789") != std::string_view::npos)
      continue;
    if (word[1] == 'u' || word[1] == 's') return ParameterKind::Integer;
    if (word[1] == 'b' || word[1] == 'f') return ParameterKind::Unknown;
  }
  return ParameterKind::Unknown;
}

/// Of the text between the parentheses; nothing when there is a comment in it.
std::optional<std::vector<ParameterKind>> kinds_of(std::string_view parameters) {
  if (parameters.find('/') != std::string_view::npos) return std::nullopt;
  std::vector<ParameterKind> kinds;
  if (parameters.find_first_not_of(kBlanks) == std::string_view::npos) return kinds;
  for (;;) {
    const std::size_t comma = parameters.find(',');
    kinds.push_back(kind_of(parameters.substr(0, comma)));
    if (comma == std::string_view::npos) return kinds;
    parameters.remove_prefix(comma + 1);
  }
}

}  // namespace

std::map<std::string, std::vector<ParameterKind>, std::less<>> read_signatures(
    std::string_view ptx) {
  constexpr std::string_view kEntry = ".entry";
  std::map<std::string, std::vector<ParameterKind>, std::less<>> signatures;
  for (std::size_t at = ptx.find(kEntry); at != std::string_view::npos; at = ptx.find(kEntry)) {
    ptx.remove_prefix(at + kEntry.size());
    std::string_view rest = ptx;
    const std::string_view name = take_word(rest);
    const std::size_t open = rest.find_first_not_of(kBlanks);
    if (name.empty() || open == std::string_view::npos || rest[open] != '(') continue;
    const std::size_t close = rest.find(')', open);
    if (close == std::string_view::npos) break;
    if (auto kinds = kinds_of(rest.substr(open + 1, close - open - 1))) {
      signatures.insert_or_assign(std::string(name), std::move(*kinds));
    }
  }
  return signatures;
}

}  // namespace pycuda::cuda
