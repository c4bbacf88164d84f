// SPDX-License-Identifier: MIT
// Pass: long blocks become several, since much takes time that grows with the square of a block.
#pragma once

namespace llvm {
class Function;
}

namespace pycuda::cpu::jit {

/// Cuts blocks of more than `most` instructions into pieces of as many, each of which jumps to the
/// next. Splitting a block moves all that follows, and code is selected and scheduled for whole
/// blocks.
void split_blocks(llvm::Function& function, unsigned most);

}  // namespace pycuda::cpu::jit
