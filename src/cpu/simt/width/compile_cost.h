// SPDX-License-Identifier: MIT
// Analysis: how long LLVM will take for a kernel's vector form, before it is made.
#pragma once

#include <llvm/IR/Function.h>

#include <chrono>
#include <cstdint>

namespace pycuda::cpu::simt {

/// What LLVM has to do for the vector form of a kernel. For processors whose vector registers have
/// `register_bytes` together.
class CompileCost {
 public:
  explicit CompileCost(const llvm::Function& kernel);

  /// Grows with what is written, in vector registers, and with how often what is live at a time
  /// exceeds the registers: LLVM's allocator takes most of the time then. Within a factor of two or
  /// three.
  std::chrono::milliseconds time(unsigned lanes, std::uint64_t register_bytes) const;

  /// `lanes`, or so many fewer that a form for them is compiled soon, but at least `narrowest`.
  unsigned fit(unsigned lanes, unsigned narrowest, std::uint64_t register_bytes) const;

 private:
  std::uint64_t words_written_, live_words_;
};

}  // namespace pycuda::cpu::simt
