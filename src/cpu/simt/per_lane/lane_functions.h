// SPDX-License-Identifier: MIT
// Code of a kernel that passes have put into functions of its own, for one lane.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

namespace llvm {
class Function;
class Module;
class Value;
}  // namespace llvm

namespace pycuda::cpu::simt {

/// Whether `function` is called for one active lane after the other. It returns nothing.
bool is_lane_function(const llvm::Function& function);

/// A new function of that kind, for such arguments; `label` says what it does.
llvm::Function* make_lane_function(llvm::Module& module, llvm::ArrayRef<llvm::Value*> arguments,
                                   llvm::StringRef label);

/// Of such a function: whether it is what lanes do in turn (serialise_block.h).
bool is_serial_block(const llvm::Function& function);

/// What plans say of a call of `function`.
llvm::StringRef form_of_lane_function(const llvm::Function& function);

/// Afterwards `gang` has the code of the functions that it calls for lanes.
void inline_lane_functions(llvm::Function& gang);

/// Drops those that are not called.
void drop_lane_functions(llvm::Module& module);

}  // namespace pycuda::cpu::simt
