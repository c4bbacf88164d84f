// SPDX-License-Identifier: MIT
// The IR after stages or steps as text, when PYCUDA_CPU_DUMP asks for it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace pycuda::cpu::jit {

/// What PYCUDA_CPU_DUMP asks for.
struct DumpRequest {
  std::string folder;              ///< empty: the standard error stream, or no dumps of stages
  bool stages = false;             ///< after each stage
  std::vector<std::string> steps;  ///< after these
  bool all_steps = false;
  std::string unknown;  ///< a step that does not exist: nothing is dumped then
};

/// `<folder>`, or `step:<name>,...`, or `step:<name>,...:<folder>`; the name `all` is every step.
DumpRequest parse_dump(std::string_view text, std::span<const std::string_view> step_names);

/// Writes `<folder>/<number>-<stage>.ll`; numbers count the dumps of the process. Does nothing
/// unless stages are asked for.
void dump(const char* stage, const llvm::Module& module);

/// Whether steps are asked for.
bool dumps_steps();

/// Prints what this step has made of a module or function, if it is asked for, to a file as
/// above or to the standard error stream. A name that is none is reported once, with all names.
void dump_step(const char* step, const llvm::Module& module);
void dump_step(const char* step, const llvm::Function& function);

}  // namespace pycuda::cpu::jit
