// SPDX-License-Identifier: MIT
// Pass: NaNs are made canonical only where their bits can be observed.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// The lowering makes the NaN of every f32 result canonical. Only stores, moves to integers, calls
/// and so on can distinguish NaNs; comparisons cannot, and arithmetic hands the question on to
/// the users of its result, as moves of vectors' lanes do. What can be observed stays the same to
/// the bit. All say whether they have changed anything.

/// Removes the selects `isnan(x) ? NaN : x` whose effect is not observed.
bool drop_unseen_payloads(llvm::Function& function);
/// Gives each reader that cannot tell x instead of the select, also where others can: so that both
/// stay alive. Comes after recognise_math, which knows no sequences that read both.
bool bypass_unseen_payloads(llvm::Function& function);

/// A choice between values that have been made canonical is made canonical itself, once.
bool canonicalise_behind_choices(llvm::Function& function);

}  // namespace pycuda::cpu::simt
