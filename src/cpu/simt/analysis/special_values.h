// SPDX-License-Identifier: MIT
// Special registers by name. Pass: the pseudo functions that only read (special registers, the
// shared window, parameters) become loads from frames.
#pragma once

#include <llvm/ADT/StringMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

namespace pycuda::cpu::simt {

/// The special register that `value` reads ("tid.x"), or empty.
llvm::StringRef special_register(const llvm::Value* value);
bool reads_special_register(const llvm::Function& function, llvm::StringRef name);

/// Field `offset` of the struct at `frame`, loaded as `type`.
llvm::Value* load_field(llvm::IRBuilder<>& builder, llvm::Value* frame, std::size_t offset,
                        llvm::Type* type, bool invariant);

/// A number of 32 bits there.
llvm::Value* load_word(llvm::IRBuilder<>& builder, llvm::Value* frame, std::size_t offset,
                       bool invariant);

/// The frame of a thread's block, and that of a block's launch.
llvm::Value* load_block(llvm::IRBuilder<>& builder, llvm::Value* thread);
llvm::Value* load_launch(llvm::IRBuilder<>& builder, llvm::Value* block);

/// Stores `value`, of 32 or 64 bits, to field `offset` of the struct at `frame`.
llvm::StoreInst* store_field(llvm::IRBuilder<>& builder, llvm::Value* frame, std::size_t offset,
                             llvm::Value* value);

/// The address of the kernel's parameters, from the launch's frame. If `bytes` is not 0, LLVM is
/// assured that so many can be read. Of several such loads that become one only what all promise is
/// kept.
llvm::Value* load_parameters(llvm::IRBuilder<>& builder, llvm::Value* launch, std::uint64_t bytes);

/// Replaces the reading pseudo functions in `function`. `known` gives values that need no load
/// ("tid.x", "linear", "block"). With `hoist_to`, values that are the same for all threads of a
/// block are computed once, before that instruction; else each is loaded where it is used. If
/// `parameter_bytes` is not 0, LLVM may assume that so many can be read: it may load them before
/// a loop that may not need them.
void replace_special_values(llvm::Function& function, const llvm::StringMap<llvm::Value*>& known,
                            llvm::Instruction* hoist_to, std::uint64_t parameter_bytes = 0);

}  // namespace pycuda::cpu::simt
