// SPDX-License-Identifier: MIT
// getenv, with the unset and the empty told apart.
#include "base/env.h"

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace pycuda::base {

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::optional<long long> environment_number(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  const char* end = value + std::strlen(value);
  long long number = 0;
  const auto [rest, failure] = std::from_chars(value, end, number);
  if (failure != std::errc() || rest != end) return std::nullopt;
  return number;
}

}  // namespace pycuda::base
