// SPDX-License-Identifier: MIT
// Pass: NaNs are made canonical only where somebody can see their bits.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// The lowering makes the NaN of every f32 result canonical. Only stores, moves to integers, calls
/// and the like can tell NaNs apart; comparisons cannot, and arithmetic hands the question on to
/// whoever reads its result, as moves of vectors' lanes do. Gives those that cannot tell x instead
/// of `isnan(x) ? NaN : x`: what can be observed stays the same to the bit. Says whether there were
/// any.
bool drop_unseen_payloads(llvm::Function& function);

}  // namespace pycuda::cpu::simt
