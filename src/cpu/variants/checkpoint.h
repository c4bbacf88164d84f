// SPDX-License-Identifier: MIT
// Background compilation must end with the process: it can be abandoned between LLVM's passes.
#pragma once

namespace pycuda::cpu::variants {

/// While it lives, compiling on this thread calls `visit` often: between LLVM's passes. `visit`
/// need not return.
class Checkpoints {
 public:
  explicit Checkpoints(void (*visit)());
  ~Checkpoints();
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;
};

/// Called by the compiler; cheap.
void checkpoint();

}  // namespace pycuda::cpu::variants
