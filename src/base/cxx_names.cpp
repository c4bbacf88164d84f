// SPDX-License-Identifier: MIT
#include "base/cxx_names.h"

#include <cxxabi.h>

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace pycuda::base {

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return {};  // "f" alone would be the type float
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : std::string();
}

std::string readable_name(const std::string& name) {
  std::string readable = demangled(name);
  if (readable.empty()) return name;
  if (readable.starts_with("void ")) readable.erase(0, 5);
  for (std::size_t tag = 0; (tag = readable.find("[abi:", tag)) != readable.npos;)
    readable.erase(tag, readable.find(']', tag) - tag + 1);
  return readable;
}

}  // namespace pycuda::base
