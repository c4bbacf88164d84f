// SPDX-License-Identifier: MIT
// The module's variables: what memory they need and what it holds at first.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cpu/jit/program.h"
#include "cpu/ptx/diagnostic.h"
#include "cpu/ptx/module.h"

namespace pycuda::cpu::jit {

/// An address that goes into a variable: of another variable or of a function, by symbol.
struct Relocation {
  std::uint64_t offset = 0;
  std::uint32_t bytes = 8;
  std::uint32_t shift = 0;
  std::int64_t addend = 0;
  std::string symbol;
};

struct VariableImage {
  GlobalVariable variable;
  std::string initial;  ///< may be shorter than the variable: the rest is zero
  std::vector<Relocation> relocations;
};

/// The symbols that lowered code uses for a PTX variable and for the address of a PTX function or
/// kernel.
std::string variable_symbol(std::string_view name);
std::string function_symbol(std::string_view name);
std::string kernel_symbol(std::string_view name);

/// The images of all .global and .const variables that `parsed` defines. Errors: a variable that is
/// declared, used and defined nowhere; an initialiser that asks for an address which is not known
/// when the module is loaded.
base::Result<std::vector<VariableImage>, ptx::Diagnostics> images_of(const ptx::Module& parsed);

/// Writes the initial value to `memory` (zeroed, of the variable's size). `address_of` knows every
/// symbol of the relocations.
void write_initial_value(const VariableImage& image, std::byte* memory,
                         const std::function<std::uint64_t(std::string_view)>& address_of);

}  // namespace pycuda::cpu::jit
