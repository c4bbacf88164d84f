// SPDX-License-Identifier: MIT
// Declarations of variables, parameters and function headers as text.
#pragma once

#include <string>
#include <string_view>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

/// "name + 8", without the addend where it is zero.
std::string with_offset(std::string_view name, std::int64_t offset);

/// `.global .align 4 .u32 name[2] = {1, 2};`, under another name if asked for.
std::string print_variable(const Module& module, const Variable& variable, std::string_view name);

/// `(.param .b32 a, .param .align 8 .b8 b[16])`.
std::string print_parameters(const std::vector<Parameter>& parameters);

/// `.visible .func (...) name (...) .noreturn`, without what comes after.
std::string print_header(const Function& function);

}  // namespace pycuda::cpu::ptx
