// SPDX-License-Identifier: MIT
// Environment variables: the only place that reads them.
#include "base/env.h"

#include <charconv>
#include <cstdlib>

namespace pycuda::base {

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::optional<long long> environment_number(const char* name) {
  const std::optional<std::string> text = environment(name);
  if (!text) return std::nullopt;
  long long number = 0;
  const char* end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

}  // namespace pycuda::base
