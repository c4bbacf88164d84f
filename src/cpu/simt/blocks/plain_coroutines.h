// SPDX-License-Identifier: MIT
// Pass: coroutines that wait at many places, split in time that grows with their length.
#pragma once

#include <cstddef>

namespace llvm {
class Function;
}

namespace pycuda::cpu::simt {

/// The places at which `function` suspends.
std::size_t suspensions_of(const llvm::Function& function);

/// Splits a coroutine as coroutine.h writes them, as CoroSplit would: a ramp, and a function that
/// goes on where the thread has stopped. What LLVM computes, which value is needed behind which
/// suspension, grows with the square of their number; here every value that another block reads is
/// kept in the frame. False, and nothing changed, if `function` has variables whose size is not
/// known.
bool split_plainly(llvm::Function& function);

/// Whether `function` is what goes on, of a coroutine split so: its values are in memory already,
/// and passes that look for others find few.
bool is_split_plainly(const llvm::Function& function);

}  // namespace pycuda::cpu::simt
