// SPDX-License-Identifier: MIT
// Memory of one CUDA thread, last in, first out: frames of called coroutines, alloca.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace pycuda::cpu::exec {

class FrameStack {
 public:
  /// Null when the thread's calls are too deep (1 MiB of frames) or memory is exhausted.
  std::byte* push(std::uint64_t bytes);
  /// Pops `memory` and all that was pushed after it.
  void pop(const void* memory);
  /// Forgets all frames; keeps the first chunk.
  void clear();
  bool holds(std::uintptr_t address, std::uint64_t bytes) const;

  static constexpr std::uint64_t limit_bytes = std::uint64_t{1} << 20;

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  struct Chunk {
    std::unique_ptr<std::byte, Free> memory;
    std::uint64_t bytes = 0;
    std::uint64_t used = 0;
  };
  std::vector<Chunk> chunks_;
  std::uint64_t total_ = 0;
};

}  // namespace pycuda::cpu::exec
