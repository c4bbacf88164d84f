// SPDX-License-Identifier: MIT
// PTX to scalar LLVM IR: one function per PTX function, for one thread.
//
// Each PTX function f becomes an LLVM function whose first parameter is `ptr %thread`, the
// ThreadFrame of the CUDA thread that runs it. Registers are allocas. Whatever depends on the other
// threads or on where the thread stands stays a call to a pseudo function (pseudo.h); the simt
// stage replaces them.
//
// Names in the LLVM module have a prefix, so that none is a C library function's: "v.<name>" is the
// external symbol of a .global or .const variable, "f.<name>" a function. A function whose address
// is taken has external linkage, and its symbol's address is what PTX code sees; an alias has no
// symbol of its own. "k.<name>" is what code sees as the address of a kernel: it is not called, the
// device run-time library launches what it stands for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cpu/kernel_abi/checks.h"
#include "cpu/kernel_abi/facts.h"
#include "cpu/ptx/diagnostic.h"
#include "cpu/ptx/module.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace pycuda::cpu::lower {

/// What debug locations of LLVM instructions name; the scope is the PTX function.
enum class Locations : std::uint8_t {
  None,
  Instructions,  ///< the PTX instruction's number in it, from 1
  SourceLines,   ///< the source file and line that .loc gives
};

struct Options {
  Checks checks = {};  ///< calls before every access to memory, as these need them
  bool track_lines =
      false;  ///< store .loc lines to the ThreadFrame (fault messages name the source line)
  Locations locations = Locations::None;
  /// Where the debug information describes variables, functions keep them in memory (Lowered).
  bool variables = false;
  /// Kernels that the processor can flush subnormal numbers for leave that to it.
  bool processor_flushes = false;
  /// The processor can round single operations up, down and toward zero: these stay calls of
  /// pseudo functions (pseudo.h).
  bool rounds_operations = false;
  /// In functions that would be longer, what many PTX instructions become is shared
  /// (shared_expansions.h).
  std::uint64_t longest_unshared = ~std::uint64_t{0};
  /// These kernels alone, with the functions they may reach; empty: all.
  std::vector<std::string> only_kernels = {};
};

struct Lowered {
  std::unique_ptr<llvm::Module> module;
  std::vector<KernelFacts> kernels;  ///< `suspends` is not known yet
  bool processor_flushes = false;    ///< while they run (processor_flushes.h)
  bool has_variables = false;        ///< functions have subprograms, and variables for debuggers
};

/// Lowers every defined function. Errors (an instruction or form that is not supported, a type that
/// does not fit) name the instruction as written and its line; all of them are collected, not only
/// the first.
base::Result<Lowered, ptx::Diagnostics> lower_module(const ptx::Module& parsed,
                                                     llvm::LLVMContext& context,
                                                     const Options& options);

}  // namespace pycuda::cpu::lower
