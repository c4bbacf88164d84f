// SPDX-License-Identifier: MIT
// What a step of the pipeline is. The steps themselves, in order, are in stages.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cpu/jit/compilation.h"

namespace pycuda::cpu::jit {

/// What a step runs on: once for the module, or once for each of these.
enum class On : std::uint8_t {
  Module,
  Functions,      ///< every function of the module, declarations too
  Kernels,        ///< by its facts; the function may be missing
  Variants,       ///< a kernel's gangs of one shape: rows, or tiles
  Copies,         ///< the variants' divergent copies, and their uniform ones where there are any
  UniformCopies,  ///< the variants' uniform copies
  VectorForms,    ///< `f.<kernel>.gang`, `.tail` and `.tile`, where there are such
};

/// The form of the IR between two steps. A step needs the form that the one before it gives.
enum class Ir : std::uint8_t {
  Lowered,     ///< lower's output: registers are variables, and pseudo functions (lower/pseudo.h)
               ///< stand for what depends on other threads
  Clean,       ///< registers are SSA values, dead code is gone
  Copied,      ///< Clean; kernels have copies into which calls are inlined
  Structured,  ///< Copied; the copies have two-way branches, simple and reducible loops in LCSSA
               ///< form, one return and no critical edges, as ControlFlow needs
  Demoted,     ///< as Structured, but uniform copies keep values that cross blocks in memory
  Vectors,     ///< Clean; kernels also have vector forms, whose pseudo functions are dialect.h's
  Callable,    ///< no pseudo functions; blocks are functions or coroutines that are not split yet
  Optimised,   ///< plain LLVM IR, ready for the code generator
};
const char* name_of(On on);
const char* name_of(Ir form);

/// What a step's function is given: the members that its On asks for, and always `all`.
struct Subject {
  Compilation& all;
  llvm::Function* function = nullptr;
  simt::KernelVariant* variant = nullptr;
  std::size_t kernel = 0;
  KernelFacts& facts() const { return all.kernels()[kernel]; }
};

struct Step {
  const char* name;  ///< as PYCUDA_CPU_DUMP, the log and ptx-opt use it; may occur more than once
  On on;
  Ir needs, gives;
  void (*run)(const Subject&);
  /// Whether the step is to run at all; null: always.
  bool (*wanted)(const Compilation&) = nullptr;
  /// The step that must have run because it finds what this one reads in the Compilation; null:
  /// none, the module says everything.
  const char* follows = nullptr;
};

struct Stage {
  const char* name;
  const char* dump;  ///< the name of the dump that follows the stage, or null
  std::span<const Step> steps;
};

/// A step that runs inside LLVM's default pipeline, at one of its extension points, on each
/// function. It leaves blocks and branches as they are and says whether it changed anything.
struct InnerStep {
  enum class Point : std::uint8_t { Peephole, VectorizerStart };
  const char* name;
  Point point;
  bool (*run)(llvm::Function&);
};

}  // namespace pycuda::cpu::jit
