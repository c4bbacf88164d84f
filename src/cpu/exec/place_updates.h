// SPDX-License-Identifier: MIT
// Statements of CUDA C++ that read a place in memory, change the value and write it back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pycuda::cpu::exec {

struct PlaceUpdate {
  enum class Kind : std::uint8_t {
    Add,
    Subtract,
    And,
    Or,
    Xor,
    Maximum,
    Minimum,
    Claim,   ///< a condition on the value, and then another one is written
    Stored,  ///< an atomic operation has updated it, and its result is written to it
    Other,
  };
  std::string place;  ///< "bins[data[i]]", as the code has it
  std::string name;   ///< "bins"
  Kind kind{};
  /// One statement reads and another one, or what is behind a condition, writes.
  bool in_two_steps = false;
};

/// The places in memory that `code`, a line or a few, updates: by one statement, by a value that it
/// takes to a variable before, or behind a condition on it. Without those whose array or pointer
/// the code uses otherwise, as in `part[i] += part[i + half]`. `shared`: the variable that is
/// meant, if that is known; else it may be empty.
std::vector<PlaceUpdate> find_updates(std::string_view code, std::string_view shared);

/// Whether `code` has the place, not one that only begins like it.
bool mentions(std::string_view code, std::string_view place);

}  // namespace pycuda::cpu::exec
