// SPDX-License-Identifier: MIT
#include "cpu/exec/constant_writes.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "cpu/exec/code_tokens.h"
#include "cpu/exec/source_places.h"
#include "cpu/exec/stream.h"

namespace pycuda::cpu::exec {
namespace {

constexpr std::string_view assignments[] = {
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--", "<<=", ">>="};

bool is_assignment(std::string_view token) {
  return std::find(std::begin(assignments), std::end(assignments), token) != std::end(assignments);
}

bool is_step(std::string_view token) { return token == "++" || token == "--"; }

/// Whether a name behind the token is that of a variable that is declared there.
bool is_type(std::string_view token) {
  return is_name(token) && token != "else" && token != "do" && token != "return";
}

/// Whether a variable of this name is declared at `at`, a local one that hides the __constant__.
bool is_declarator(const Tokens& code, std::size_t at) {
  if (at == 0) return false;
  if (is_type(code[at - 1])) return true;
  const bool is_pointer = code[at - 1] == "*" || code[at - 1] == "&";
  return is_pointer && at > 1 && is_type(code[at - 2]);
}

/// Behind the declaration that a __constant__ at `at` belongs to; adds the variables' names.
std::size_t take_declaration(const Tokens& code, std::size_t at,
                             std::set<std::string_view>& names) {
  while (at < code.size() && code[at] != ";") {
    const std::string_view next = at + 1 < code.size() ? code[at + 1] : std::string_view();
    if (is_name(code[at]) &&
        (next == "[" || next == ";" || next == "," || next == "=" || next == "{"))
      names.insert(code[at]);
    const bool opens = code[at] == "[" || code[at] == "{" || code[at] == "(";
    at = opens ? behind_bracket(code, at) : at + 1;
  }
  return at;
}

}  // namespace

std::optional<ConstantWrite> find_constant_write(std::string_view source) {
  const Tokens code = tokens_of(source);
  std::set<std::string_view> names;
  std::vector<bool> declares(code.size() + 1, false);
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at] == "__trap" || code[at] == "__builtin_trap" || code[at] == "asm")
      return std::nullopt;
    if (code[at] != "__constant__") continue;
    const std::size_t end = take_declaration(code, at + 1, names);
    std::fill(declares.begin() + static_cast<std::ptrdiff_t>(at),
              declares.begin() + static_cast<std::ptrdiff_t>(std::min(end, code.size())), true);
    at = end;
  }
  if (names.empty()) return std::nullopt;
  const auto mentions = mentions_of(code);
  for (const Mention& mention : mentions) {
    if (!declares[mention.begin] && is_declarator(code, mention.begin)) names.erase(mention.name);
  }
  for (const Mention& mention : mentions) {
    if (declares[mention.begin] || !names.contains(mention.name)) continue;
    const bool is_written = (mention.end < code.size() && is_assignment(code[mention.end])) ||
                            (mention.begin > 0 && is_step(code[mention.begin - 1]));
    if (!is_written) continue;
    const auto offset = static_cast<std::size_t>(code[mention.begin].data() - source.data());
    const auto lines =
        std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
    return ConstantWrite{mention.name, static_cast<std::size_t>(lines) + 1};
  }
  return std::nullopt;
}

std::string constant_write_text(const LaunchContext& launch) {
  const void* const code = launch.request.keep_alive.get();
  for (const std::string& file : launch.kernel.facts.source_files) {
    const std::optional<ReadableSource> source = read_source(code, file);
    if (!source) continue;
    const std::optional<ConstantWrite> write = find_constant_write(source->text);
    if (!write) continue;
    const SourceLine line = find_source_line(code, file, static_cast<std::uint32_t>(write->line));
    return "the compiler makes a trap of a store to __constant__ memory, and '" + write->name +
           "' is written to" + line.place +
           "; only the host can: memcpy_htod to what get_global(\"" + write->name + "\") returns";
  }
  return {};
}

}  // namespace pycuda::cpu::exec
