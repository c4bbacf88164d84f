// SPDX-License-Identifier: MIT
// Pass: what was stored a few instructions ago is not loaded again.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// In functions that have the attribute, gives loads of vectors, and of parts of vectors, the
/// values that the stores before them have left there. As LLVM's GVN, with three differences: parts
/// of vectors and places that several stores have filled together are built by shuffles; the
/// executor's frames, which say where a gang lies and what its source line is, are known to be no
/// memory of the kernel's; and stores stay.
bool forward_vector_stores(llvm::Function& function);

}  // namespace pycuda::cpu::simt
