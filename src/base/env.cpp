// SPDX-License-Identifier: MIT
// getenv, with the unset and the empty told apart, and values that must be read whole.
#include "base/env.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <set>

#include "base/log.h"

namespace pycuda::base {

namespace {

/// The value unless it is empty.
std::optional<std::string> value_of(const char* name) {
  std::optional<std::string> value = environment(name);
  if (value && value->empty()) value.reset();
  return value;
}

template <class Number>
std::optional<Number> whole_number(const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc() || rest != end) return std::nullopt;
  return number;
}

std::string decimal_text(double number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number);
  return std::string(text.data(), end.ptr);
}

}  // namespace

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::optional<long long> environment_integer(const char* name, long long least, long long most,
                                             std::string_view instead) {
  const auto value = value_of(name);
  if (!value) return std::nullopt;
  const auto number = whole_number<long long>(*value);
  if (number && *number >= least && *number <= most) return number;
  refuse_environment(name, *value,
                     "a whole number from " + std::to_string(least) + " to " + std::to_string(most),
                     instead);
  return std::nullopt;
}

std::optional<double> environment_decimal(const char* name, double least, double most,
                                          std::string_view instead) {
  const auto value = value_of(name);
  if (!value) return std::nullopt;
  const auto number = whole_number<double>(*value);
  // What is no number compares with nothing.
  if (number && *number >= least && *number <= most) return number;
  refuse_environment(name, *value,
                     "a number from " + decimal_text(least) + " to " + decimal_text(most), instead);
  return std::nullopt;
}

std::optional<std::string> environment_choice(const char* name,
                                              std::initializer_list<std::string_view> choices,
                                              std::string_view instead) {
  auto value = value_of(name);
  if (!value) return std::nullopt;
  std::string allowed;
  std::size_t left = choices.size();
  for (const std::string_view choice : choices) {
    if (*value == choice) return value;
    --left;
    allowed.append(choice).append(left > 1 ? ", " : left == 1 ? " or " : "");
  }
  refuse_environment(name, *value, allowed, instead);
  return std::nullopt;
}

bool environment_switch(const char* name, bool by_default) {
  const auto chosen = environment_choice(name, {"0", "1"}, by_default ? "1" : "0");
  return chosen ? *chosen == "1" : by_default;
}

std::string environment_refusal(const char* name, std::string_view value, std::string_view allowed,
                                std::string_view instead) {
  std::string text = name;
  text.append("=").append(value).append(" is not understood: it may be ").append(allowed);
  return text.append("; used instead: ").append(instead);
}

void refuse_environment(const char* name, std::string_view value, std::string_view allowed,
                        std::string_view instead) {
  static std::mutex mutex;
  static std::set<std::string> told;
  {
    const std::lock_guard lock(mutex);
    if (!told.insert(name).second) return;
  }
  log(LogLevel::Warning, environment_refusal(name, value, allowed, instead));
}

}  // namespace pycuda::base
