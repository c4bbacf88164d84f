// SPDX-License-Identifier: MIT
// A limit of registers that a linker, assembler or compiler was given. It stays with the PTX that
// they make, as a comment in front.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pycuda::cpu::ptx {

/// As ptxas has it for 8.0: lower limits are raised, higher ones are none.
inline constexpr unsigned least_registers = 24, most_registers = 255;

/// The value of an option: 0 where it limits nothing; none if it is not a number.
std::optional<unsigned> read_register_limit(std::string_view value);

/// The comment; empty for 0, which stands for no limit.
std::string register_limit_note(unsigned limit);
/// 0: there is none.
unsigned register_limit_of(std::string_view ptx);

}  // namespace pycuda::cpu::ptx
