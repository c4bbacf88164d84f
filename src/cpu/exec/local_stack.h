// SPDX-License-Identifier: MIT
// The local arrays of the functions that an OS thread runs now, apart from its own stack.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/exec/local_area.h"

namespace pycuda::cpu::exec {

/// Last in, first out, downwards. Of one OS thread.
class LocalStack {
 public:
  /// Null when it is full. `bytes`: a multiple of the alignment that is wanted, up to a page.
  std::byte* push(std::uint64_t bytes);
  /// Where the next push begins: what `pop` goes back to.
  std::uintptr_t top() const { return top_; }
  /// Pops all that was pushed since `top()` was `before`.
  void pop(std::uintptr_t before) { top_ = before == 0 ? end_ : before; }
  /// Whether [address, address + bytes) lies in what is pushed now.
  bool holds(std::uintptr_t address, std::uint64_t bytes) const;

  static constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;

 private:
  LocalArea::Memory memory_;
  std::uintptr_t end_ = 0;
  std::uintptr_t top_ = 0;  ///< 0: nothing was ever pushed
};

}  // namespace pycuda::cpu::exec
