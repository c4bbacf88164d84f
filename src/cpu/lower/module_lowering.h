// SPDX-License-Identifier: MIT
// The state while a PTX module becomes an LLVM module: symbols, layouts, diagnostics.
#pragma once

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <vector>

#include "cpu/lower/call_graph.h"
#include "cpu/lower/lower.h"
#include "cpu/lower/shared_layout.h"
#include "cpu/lower/source_information.h"
#include "cpu/ptx/diagnostic.h"
#include "cpu/ptx/module.h"

namespace pycuda::cpu::lower {

/// The LLVM signature of a PTX function, direct or through a prototype. `ptr %thread` comes first;
/// then a pointer to the caller's memory for each returned array; then the parameters: scalars as
/// iN, arrays as a pointer to the caller's copy. One returned scalar is the result; several are a
/// struct of iN.
struct Signature {
  llvm::FunctionType* type = nullptr;
  std::vector<std::uint32_t> memory_returns;  ///< indices of returns that are pointers
  std::vector<std::uint32_t> scalar_returns;  ///< indices of returns in the result
};

class ModuleLowering {
 public:
  ModuleLowering(const ptx::Module& source, llvm::Module& target, const Options& options,
                 ptx::Diagnostics& diagnostics);

  const ptx::Module& source() const { return source_; }
  llvm::Module& target() { return target_; }
  const Options& options() const { return options_; }
  const CallGraph& calls() const { return calls_; }
  const SharedLayout& shared() const { return shared_; }

  /// Before the first function is made: see processor_flushes.h.
  void leave_flushes_to_processor() { processor_flushes_ = true; }
  bool processor_flushes() const { return processor_flushes_; }

  /// The LLVM function of a defined PTX function, "f.<name>".
  llvm::Function* function(std::uint32_t index);
  /// A function of ours, not of the PTX, that takes the thread first. Its name starts with no "f.".
  llvm::Function* own_function(llvm::FunctionType* type, const std::string& name);
  /// The external symbol that stands for a kernel where code takes its address, "k.<name>".
  llvm::GlobalVariable* kernel_address(std::uint32_t index);
  /// The external symbol of a .global or .const variable, "v.<name>".
  llvm::GlobalVariable* variable(std::uint32_t index);
  /// The scope of debug locations in `function`, made of `source`; null without
  /// Options::locations. The function does not have it itself: no pass need keep it true
  /// (jit/debug_scopes.h).
  llvm::DISubprogram* scope_of(const ptx::Function& source, const llvm::Function& function);
  /// The debug location of an instruction in that scope.
  llvm::DILocation* location(const ptx::Function& source, const ptx::Instruction& instruction,
                             llvm::DISubprogram* scope);
  Signature signature(const std::vector<ptx::Parameter>& returns,
                      const std::vector<ptx::Parameter>& parameters);
  std::uint32_t index_of(const ptx::Function& function) const {
    return static_cast<std::uint32_t>(&function - source_.functions.data());
  }

  /// What debuggers are to know of variables; null without Options::variables, or if there are
  /// none.
  SourceInformation* source_information() { return source_information_.get(); }

  /// What code of this module counts; null if it counts nothing.
  CountedPlaces* counted() { return options_.checks.has(Check::Counters) ? &counted_ : nullptr; }

  void error(ptx::SourcePosition position, std::string message);
  bool failed() const { return !diagnostics_.empty(); }

 private:
  /// Null if .loc names none.
  llvm::DIFile* file_of(const ptx::Instruction& instruction);

  const ptx::Module& source_;
  llvm::Module& target_;
  const Options& options_;
  ptx::Diagnostics& diagnostics_;
  CallGraph calls_;
  SharedLayout shared_;
  std::vector<llvm::Function*> functions_;
  std::vector<llvm::GlobalVariable*> variables_, kernel_addresses_;
  llvm::DICompileUnit* unit_ = nullptr;
  bool processor_flushes_ = false;
  CountedPlaces counted_;
  std::unique_ptr<SourceInformation> source_information_;

  void set_attributes(llvm::Function& function) const;
};

/// Offsets of a kernel's parameters in its .param space, and its size at the end.
std::vector<std::uint32_t> parameter_offsets(const ptx::Function& kernel);

}  // namespace pycuda::cpu::lower
