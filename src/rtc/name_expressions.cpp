// SPDX-License-Identifier: MIT
#include "rtc/name_expressions.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace pycuda::rtc {
namespace {

/// A template of kernels that is declared in the implicit header and never defined: the mangled
/// name of an instance tells a function's type, and no code is made.
constexpr std::string_view kBefore = "pycuda_type_of<decltype(::";
constexpr std::string_view kBehind = ")>";
/// Of enumerations: of a function that takes a pointer to one.
constexpr std::string_view kEnumeration = "enum ";
constexpr std::string_view kBeforeEnumeration = "pycuda_type_of<void(::";
constexpr std::string_view kBehindEnumeration = " *)>";
/// The file that the compiler reads the expressions from.
constexpr std::string_view kExpressionsFile = "__nv_name_map(";

bool is_enumeration(std::string_view kernel) { return kernel.starts_with(kEnumeration); }

std::string type_expression(const std::string& kernel) {
  if (is_enumeration(kernel)) {
    return std::string(kBeforeEnumeration)
        .append(kernel, kEnumeration.size())
        .append(kBehindEnumeration);
  }
  return std::string(kBefore).append(kernel).append(kBehind);
}

/// The line of the log that quotes an expression.
bool is_quoted(const std::string& log, const std::string& expression) {
  return log.find("nv_mangled_name " + expression + "\n") != std::string::npos;
}

/// The kernel's name without its namespaces; an enumeration's expression stands for itself.
std::string_view kernel_of(std::string_view expression) {
  if (expression.starts_with(kBeforeEnumeration)) return expression;
  if (!expression.starts_with(kBefore) || !expression.ends_with(kBehind)) return {};
  expression.remove_prefix(kBefore.size());
  expression.remove_suffix(kBehind.size());
  const std::size_t colons = expression.substr(0, expression.find('<')).rfind("::");
  return colons == std::string_view::npos ? expression : expression.substr(colons + 2);
}

}  // namespace

NvrtcResult compile_with_types(const Nvrtc& nvrtc, const NvrtcRequest& request,
                               std::vector<std::string>& kernels) {
  for (bool some_are_unknown = false;; some_are_unknown = true) {
    std::vector<std::string> names = request.names;
    for (const std::string& kernel : kernels) {
      if (some_are_unknown || !is_enumeration(kernel)) names.push_back(type_expression(kernel));
    }
    NvrtcResult result = nvrtc.compile(request.source, request.name, request.options,
                                       request.machine_code, request.headers, names);
    if (result.ok || kernels.empty() || result.log.find(kExpressionsFile) == std::string::npos) {
      return result;
    }
    const std::size_t before = kernels.size();
    std::erase_if(kernels, [&](const std::string& kernel) {
      return is_quoted(result.log, type_expression(kernel));
    });
    if (kernels.size() == before) kernels.clear();
  }
}

NamePairs kernel_types(const NamePairs& names) {
  NamePairs types;
  for (const auto& [expression, name] : names) {
    const std::string_view kernel = kernel_of(expression);
    if (kernel.empty()) continue;
    const auto known =
        std::ranges::find_if(types, [&](const auto& pair) { return pair.first == kernel; });
    if (known == types.end()) {
      types.emplace_back(kernel, name);
    } else if (known->second != name) {
      known->second.clear();
    }
  }
  std::erase_if(types, [](const auto& pair) { return pair.second.empty(); });
  return types;
}

NamePairs plain_names(const NamePairs& names) {
  NamePairs plain;
  for (const auto& pair : names) {
    if (kernel_of(pair.first).empty()) plain.push_back(pair);
  }
  return plain;
}

std::string cache_entry(const std::string& image, const NamePairs& names) {
  std::string entry = image;
  for (const auto& [expression, name] : names) entry += expression + "\t" + name + "\n";
  const std::uint64_t bytes = image.size();
  return entry.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
}

bool read_cache_entry(const std::string& entry, std::shared_ptr<const std::string>& image,
                      NamePairs& names) {
  std::uint64_t bytes = 0;
  if (entry.size() < sizeof bytes) return false;
  const std::size_t end = entry.size() - sizeof bytes;
  std::memcpy(&bytes, entry.data() + end, sizeof bytes);
  if (bytes > end) return false;
  image = std::make_shared<const std::string>(entry, 0, bytes);
  for (std::size_t at = bytes; at < end;) {
    const std::size_t tab = entry.find('\t', at);
    const std::size_t line_end = entry.find('\n', at);
    if (tab > line_end || line_end >= end) return false;
    names.emplace_back(entry.substr(at, tab - at), entry.substr(tab + 1, line_end - tab - 1));
    at = line_end + 1;
  }
  return true;
}

}  // namespace pycuda::rtc
