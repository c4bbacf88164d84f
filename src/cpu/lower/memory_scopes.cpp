// SPDX-License-Identifier: MIT
#include "cpu/lower/memory_scopes.h"

#include <llvm/IR/Metadata.h>

namespace pycuda::cpu::lower {
namespace {

/// A list of the one scope of this name. Nodes of names are the same for all who ask.
llvm::MDNode* list_of(llvm::LLVMContext& context, const char* name) {
  const auto text = [&](const char* what) { return llvm::MDString::get(context, what); };
  llvm::MDNode* domain = llvm::MDNode::get(context, {text("ptx spaces")});
  return llvm::MDNode::get(context, {llvm::MDNode::get(context, {text(name), domain})});
}

}  // namespace

void set_memory_scope(llvm::Instruction& access, ptx::Space space) {
  if (space != ptx::Space::Shared && space != ptx::Space::Global) return;
  llvm::LLVMContext& context = access.getContext();
  llvm::MDNode* shared = list_of(context, "shared");
  llvm::MDNode* global = list_of(context, "global");
  const bool is_shared = space == ptx::Space::Shared;
  access.setMetadata(llvm::LLVMContext::MD_alias_scope, is_shared ? shared : global);
  access.setMetadata(llvm::LLVMContext::MD_noalias, is_shared ? global : shared);
}

void mark_generic_access(llvm::Instruction& access) {
  access.setMetadata(generic_access, llvm::MDNode::get(access.getContext(), {}));
}

bool are_in_other_spaces(const llvm::Instruction& left, const llvm::Instruction& right) {
  const llvm::MDNode* own = left.getMetadata(llvm::LLVMContext::MD_alias_scope);
  const llvm::MDNode* others = right.getMetadata(llvm::LLVMContext::MD_noalias);
  return own != nullptr && own == others;
}

}  // namespace pycuda::cpu::lower
