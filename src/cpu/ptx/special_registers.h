// SPDX-License-Identifier: MIT
// The names of special registers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cpu/ptx/types.h"

namespace pycuda::cpu::ptx {

struct SpecialName {
  SpecialRegister special{};
  std::uint32_t index = 0;
  bool has_components = false;  ///< `special` is then its .x
};

/// What "%tid" or "%envreg7" names. `has_components` asks for .x, .y or .z after it.
std::optional<SpecialName> find_special_register(std::string_view name);

/// The bits of its value: 1 for a predicate.
std::uint32_t bits_of(SpecialRegister special, std::uint32_t index);

/// Whether it was a register of 16 bits once, and can still be read as one.
bool has_16_bit_form(SpecialRegister special);

/// "%tid.y", "%envreg7".
std::string name_of(SpecialRegister special, std::uint32_t index);

}  // namespace pycuda::cpu::ptx
