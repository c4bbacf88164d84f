// SPDX-License-Identifier: MIT
// Analysis: why lanes go different ways.
#pragma once

#include <llvm/IR/Value.h>

#include "cpu/simt/analysis/shape.h"

namespace pycuda::cpu::simt {

/// Whether lanes may part for reasons that lie in data, not in their numbers alone.
bool diverges_by_data(const llvm::Value* condition, const Shapes& shapes);

}  // namespace pycuda::cpu::simt
