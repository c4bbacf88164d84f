// SPDX-License-Identifier: MIT
// What a coroutine computes again behind a suspension instead of keeping it in its frame.
#pragma once

#include <functional>

namespace llvm {
class Instruction;
}  // namespace llvm

namespace pycuda::cpu::jit {

/// For LLVM's CoroSplit: whether an instruction is computed again. Those are that it takes by
/// itself, with few others that its value needs. LLVM copies all of these for each use, however
/// many: a chain of a thousand that is read in a thousand places would become a million
/// instructions. A longer chain is kept in the frame here and there.
std::function<bool(llvm::Instruction&)> recomputed_values();

}  // namespace pycuda::cpu::jit
