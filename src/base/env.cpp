// SPDX-License-Identifier: MIT
// getenv, with the unset and the empty told apart.
#include "base/env.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

#include "base/log.h"

namespace pycuda::base {

namespace {

/// What a program asks for in vain it should hear of.
void warn_once(const char* name, const char* value) {
  static std::mutex mutex;
  static std::set<std::string> told;
  const std::lock_guard lock(mutex);
  if (!told.insert(name).second) return;
  log(LogLevel::Warning, std::string(name) + "=" + value + " is no whole number: ignored");
}

}  // namespace

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
  if (failure == std::errc() && rest == end) return number;
  if (value != end) warn_once(name, value);
  return std::nullopt;
}

}  // namespace pycuda::base
