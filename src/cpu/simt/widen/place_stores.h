// SPDX-License-Identifier: MIT
// Pass: which threads run is recorded only where it may be read.
#pragma once

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace pycuda::cpu::simt {

/// The block that starts a gang, the stores in it that say where in its block the gang lies, and
/// what the gang keeps in memory from one region to the next. Each such block writes the same
/// fields.
struct Place {
  llvm::BasicBlock* start;
  std::vector<llvm::StoreInst*> stores;
  std::vector<const llvm::Value*> kept;
};

/// Moves the stores towards accesses that may fault and calls, on whose behalf they are made: a
/// gang that has nothing to do in its region writes nothing. Reading the launch, and fixed places
/// of the gang's own frame, cannot fault. It is not read after the function's end.
void sink_places(const std::vector<Place>& places);

/// Keeps the stores of places in the frame of `thread` from being dropped: where all that follows
/// are stores, only the report of a fault reads the place. After sink_places.
void keep_places(llvm::Function& gangs, const llvm::Value& thread);

/// Whether a gang's code, or what it calls on its thread's behalf, may ask for the thread's number
/// in its block (ThreadFrame::linear). Fault messages do not.
bool asks_for_number(const llvm::Function& gang);

}  // namespace pycuda::cpu::simt
