// SPDX-License-Identifier: MIT
// Types of the source, of a module's debug information as LLVM's.
#pragma once

#include <llvm/IR/DIBuilder.h>

#include <cstdint>
#include <vector>

#include "cpu/ptx/debug_entries.h"
#include "cpu/ptx/module.h"

namespace pycuda::cpu::lower {

class SourceTypes {
 public:
  SourceTypes(const ptx::Module& source, const ptx::DebugEntries& entries, llvm::DIBuilder& builder,
              llvm::LLVMContext& context)
      : source_(source),
        entries_(entries),
        builder_(builder),
        context_(context),
        known_(entries.all().size()) {}

  /// Of what `entry` describes; null for void, and where there is none or it makes no sense.
  llvm::DIType* type_of(const ptx::DebugEntry& entry) { return follow(entry, true); }
  /// A structure of three unsigned numbers x, y and z.
  llvm::DIType* triple();
  /// Of a variable of which the source says nothing: a number, or an array of what is accessed
  /// there. At least one element, for memory of unknown size.
  llvm::DIType* of_variable(const ptx::Variable& variable, ptx::Type accessed);
  llvm::DIFile* file(std::uint64_t number);
  /// Where `entry` stands in the source.
  llvm::DIFile* file_of(const ptx::DebugEntry& entry);

 private:
  llvm::DIType* follow(const ptx::DebugEntry& entry, bool needs_size);
  llvm::DIType* make(const ptx::DebugEntry& entry, bool needs_size);
  llvm::DIBasicType* number(ptx::Type type);
  llvm::DIType* enumeration(const ptx::DebugEntry& entry);
  llvm::DIType* array(const ptx::DebugEntry& entry);
  llvm::DIType* structure(const ptx::DebugEntry& entry);
  llvm::DIType* function(const ptx::DebugEntry& entry);
  llvm::DINode* member(const ptx::DebugEntry& entry, llvm::DICompositeType& of);

  const ptx::Module& source_;
  const ptx::DebugEntries& entries_;
  llvm::DIBuilder& builder_;
  llvm::LLVMContext& context_;
  struct Known {
    llvm::DIType* type = nullptr;
    bool is_made = false, is_open = false;
  };
  std::vector<Known> known_;  ///< by entry
  unsigned open_ = 0;         ///< types that are being made
  llvm::DIType* triple_ = nullptr;
};

/// As people write it, where the compiler has mangled it.
std::string source_name(std::string_view name);

}  // namespace pycuda::cpu::lower
