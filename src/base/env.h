// SPDX-License-Identifier: MIT
// Environment variables: the only place that reads them, and the one way to report a value that is
// not allowed.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace pycuda::base {

/// The variable's value now, or nothing when it is unset.
std::optional<std::string> environment(const char* name);

// All that follow take an empty value for an unset one. Of any other value that is not allowed they
// tell, in one line of the log for each variable, with what is allowed and what is used `instead`:
// the default, always.

/// A whole decimal number from `least` to `most`.
std::optional<long long> environment_integer(const char* name, long long least, long long most,
                                             std::string_view instead);
/// A decimal number from `least` to `most`, perhaps with a fraction or an exponent.
std::optional<double> environment_decimal(const char* name, double least, double most,
                                          std::string_view instead);
/// One of these words.
std::optional<std::string> environment_choice(const char* name,
                                              std::initializer_list<std::string_view> choices,
                                              std::string_view instead);
/// 1 or 0.
bool environment_switch(const char* name, bool by_default);

/// The line that the functions above write, for values of other kinds. `allowed` as in "it may be
/// one of ...".
void refuse_environment(const char* name, std::string_view value, std::string_view allowed,
                        std::string_view instead);
/// Its text, for those who have to write it themselves.
std::string environment_refusal(const char* name, std::string_view value, std::string_view allowed,
                                std::string_view instead);

}  // namespace pycuda::base
