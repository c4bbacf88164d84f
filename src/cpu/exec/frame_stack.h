// SPDX-License-Identifier: MIT
// Memory of one CUDA thread, last in, first out: frames of called coroutines, variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace pycuda::cpu::exec {

class FrameStack {
 public:
  /// Null when more than `most` bytes would be in use (the thread's calls are too deep) or memory
  /// is exhausted.
  std::byte* push(std::uint64_t bytes, std::uint64_t most = default_most_bytes);
  /// The same for memory that device code has by address. `counted` bytes add up in
  /// `counted_bytes()` until they are popped. `alignment` is a power of two.
  std::byte* push_variable(std::uint64_t bytes, std::uint64_t alignment, std::uint64_t counted,
                           std::uint64_t most = default_most_bytes);
  /// Pops `memory` and all that was pushed after it.
  void pop(const void* memory);
  /// Forgets all frames; keeps the first chunk.
  void clear();
  /// Whether [address, address + bytes) lies in what is pushed now.
  bool holds(std::uintptr_t address, std::uint64_t bytes) const;
  /// Whether it lies in one variable, to the byte.
  bool holds_in_variable(std::uintptr_t address, std::uint64_t bytes) const;
  std::uint64_t counted_bytes() const { return counted_; }

  /// A variable: the one that holds `address` or lies nearest to it, for messages.
  struct Variable {
    std::uintptr_t begin = 0;
    std::uint64_t bytes = 0;
  };
  /// Empty (no bytes) when there is none.
  Variable nearest_variable(std::uintptr_t address) const;

  static constexpr std::uint64_t default_most_bytes = std::uint64_t{1} << 20;

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  struct Chunk {
    std::unique_ptr<std::byte, Free> memory;
    std::uint64_t bytes = 0;
    std::uint64_t used = 0;
  };
  struct Placed {
    Variable variable;
    std::uint64_t counted = 0;
    std::size_t chunk = 0;  ///< where it lies: variables go with what they were pushed after
    std::uint64_t offset = 0;
  };
  void forget_variables(std::size_t chunk, std::uint64_t offset);

  std::vector<Chunk> chunks_;
  std::vector<Placed> variables_;
  std::uint64_t total_ = 0;
  std::uint64_t counted_ = 0;
};

}  // namespace pycuda::cpu::exec
