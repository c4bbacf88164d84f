// SPDX-License-Identifier: MIT
// Memory of one CUDA thread, last in, first out: frames of called coroutines and, apart from these,
// variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cpu/exec/local_area.h"

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
  /// Pops `memory`, a frame or a variable, and all that was pushed after it.
  void pop(const void* memory);
  /// Forgets all; keeps the first chunk of either kind.
  void clear();
  /// Whether [address, address + bytes) lies in what is pushed now.
  bool holds(std::uintptr_t address, std::uint64_t bytes) const;
  /// Whether it lies in one variable, to the byte.
  bool holds_in_variable(std::uintptr_t address, std::uint64_t bytes) const;
  /// Takes what a few variables need ahead, where nothing is pushed.
  void prepare();
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
  template <class Memory>
  struct Chunk {
    Memory memory;
    std::uint64_t bytes = 0;
    std::uint64_t used = 0;
  };
  using Frames = std::vector<Chunk<std::unique_ptr<std::byte, Free>>>;
  /// A kernel that overruns a variable must not meet a frame.
  using Variables = std::vector<Chunk<LocalArea::Memory>>;
  struct Placed {
    Variable variable;
    std::uint64_t counted = 0;
    std::uint64_t taken = 0;  ///< of its chunk
    /// The chunks of frames that there were, and the bytes of the last: a variable goes with the
    /// frames that it was pushed after.
    std::size_t frame_chunks = 0;
    std::uint64_t frames_used = 0;
  };
  void forget_last_variable();
  void forget_variables(std::size_t chunks, std::uint64_t used);
  void pop_variables_from(std::size_t index);

  Frames frames_;
  Variables variable_memory_;
  std::vector<Placed> variables_;
  std::uint64_t total_ = 0;
  std::uint64_t counted_ = 0;
};

}  // namespace pycuda::cpu::exec
