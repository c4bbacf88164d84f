// SPDX-License-Identifier: MIT
// What a module's debug information says of its functions, for debuggers that stop in their code.
#pragma once

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string_view>
#include <vector>

#include "cpu/lower/source_types.h"
#include "cpu/ptx/debug_entries.h"
#include "cpu/ptx/module.h"

namespace pycuda::cpu::lower {

class SourceInformation {
 public:
  /// Null where variables are not described, or in a way that is not known, which the log says.
  static std::unique_ptr<SourceInformation> read(const ptx::Module& source, llvm::Module& target);

  const ptx::DebugEntries& entries() const { return entries_; }
  llvm::DIBuilder& builder() { return builder_; }
  SourceTypes& types() { return types_; }

  /// The entry of a function; null if it has none.
  const ptx::DebugEntry* entry_of(const ptx::Function& function) const;
  /// What names an entry: itself, or the one that it is an instance of.
  const ptx::DebugEntry& origin_of(const ptx::DebugEntry& entry) const;
  /// The function that an entry describes; one of several instances.
  llvm::DISubprogram* subprogram_of(const ptx::DebugEntry& entry);
  /// The type of a variable of the file; null if it has no entry.
  llvm::DIType* type_of_symbol(std::string_view symbol);
  /// Resolves what refers to each other. Once, at the end.
  void finish() { builder_.finalize(); }

 private:
  SourceInformation(const ptx::Module& source, llvm::Module& target, ptx::DebugEntries entries);
  bool describes_variables() const;

  ptx::DebugEntries entries_;
  llvm::DIBuilder builder_;
  SourceTypes types_;
  ptx::NumbersByName by_label_, by_symbol_;       ///< entries of functions and variables
  std::vector<llvm::DISubprogram*> subprograms_;  ///< by entry
  llvm::DIFile* first_file_;
};

}  // namespace pycuda::cpu::lower
