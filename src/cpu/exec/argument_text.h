// SPDX-License-Identifier: MIT
// Which arguments of a launch a message is about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cpu/exec/address_table.h"
#include "cpu/exec/launch_context.h"
#include "cpu/kernel_abi/facts.h"

namespace pycuda::cpu::exec {

/// The arguments of a launch, and what leads to their declarations.
struct PassedArguments {
  std::string_view kernel;
  const std::vector<std::string>& source_files;
  const std::vector<KernelParameter>& parameters;
  const char* values;
  const void* code;  ///< LaunchRequest::keep_alive; null: it is gone
};

/// The pointers among the arguments that point into the allocation; where none does, what else
/// holds such an address: "'float *x', argument #1 (0-based)". Without the declaration where the
/// source is not known, without the number where it is generated; empty where there is no such
/// argument.
std::string arguments_in(const PassedArguments& arguments, const Allocation& allocation);

/// The same of a launch, after ", passed as ".
std::string passed_as(const LaunchContext& launch, const Allocation& allocation);

/// The pointers among the arguments that are null: "null among the arguments: 'float *x', argument
/// #1 (0-based)". They need not be why a kernel came to a null pointer. Empty where none is, or the
/// source is not known.
std::string null_arguments(const LaunchContext& launch);

/// For an address that is far from every allocation: the index of an argument's elements that leads
/// there, if it is one that an int or an unsigned int has by mistake: ", at index -1794967296 of
/// 'float *x', argument #1 (0-based), as of an int that overflowed (long long does not)". Else
/// empty.
std::string index_text(const LaunchContext& launch, std::uint64_t address);

/// For an address in or behind no memory of the device: the pointer among the arguments that it
/// comes from: ", which is 'const float *a', argument #1 (0-based): memory of the host, ...", or
/// ", near ..." of an element behind it. Empty if there is none, or what it holds is not known.
std::string stray_argument(const LaunchContext& launch, std::uint64_t address);

}  // namespace pycuda::cpu::exec
