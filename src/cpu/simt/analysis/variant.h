// SPDX-License-Identifier: MIT
// A variant: a kernel's copies that become vector code, and what has been decided about it.
#pragma once

#include <cstddef>
#include <string>

#include "cpu/simt/analysis/shape.h"
#include "cpu/target/target.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace pycuda::cpu::simt {

/// A kernel on its way to vector code for gangs of one shape.
struct KernelVariant {
  llvm::Function* function = nullptr;  ///< a copy of the kernel with all its calls inlined
  llvm::Function* uniform =
      nullptr;             ///< its uniform copy (versioning/versioning_passes.h), or null
  std::size_t kernel = 0;  ///< index in the facts
  GangSize size{0};
  bool warps = false;      ///< every gang must be a warp
  bool chosen = false;     ///< the size is our choice, and so is not to have gangs
  bool versioned = false;  ///< `uniform` has uniform branches; else it only checks what `function`
                           ///< leaves open
  bool rolled = false;     ///< loops that were unrolled go trip by trip
  bool promoted = false;   ///< loops keep in registers what they access at one address
  bool turns = false;      ///< in `uniform`, lanes that loop once more than others do so in turns
  unsigned narrow = 0;     ///< operations that became narrow (numbers/number_passes.h)
  std::string scalar_reason = {};  ///< why the kernel is faster without vectors, if it is
  const target::Processor* processor = nullptr;
};

}  // namespace pycuda::cpu::simt
