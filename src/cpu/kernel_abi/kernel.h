// SPDX-License-Identifier: MIT
// A kernel's code in this process: its facts and its entry points.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/kernel_abi/facts.h"
#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu {

namespace variants {
class Table;
}

/// When stores go past the caches in kernels that write whole lines (KernelFacts::streamed).
enum class Streaming : std::uint8_t { Never, InLargeLaunches, WhereverPossible };

/// A kernel ready to run. Only the functions of facts.forms are there.
struct Kernel {
  KernelFacts facts;
  BlockFunction run_block = nullptr;  ///< null if facts.suspends
  ThreadFunction start_thread = nullptr;
  std::uint64_t coroutine_bytes = 0;  ///< per thread
  bool own_stacks = false;            ///< its threads have stacks of their own, for debuggers
  /// The same as `coroutine_bytes` for each byte of LaunchFrame::stack_bytes, of such threads.
  std::uint64_t bytes_by_stack_limit = 0;

  /// Of a coroutine, or of a stack.
  std::uint64_t bytes_of_thread(std::uint32_t stack_bytes) const {
    return coroutine_bytes + bytes_by_stack_limit * stack_bytes;
  }

  /// The vector form: lanes of a gang are consecutive threads along x, of one row. It needs
  /// launches in which ctaid * ntid + tid stays below 2^31 - 4096 in every dimension. A gang has
  /// one ThreadFrame, its first thread's.
  /// Runs all gangs of BlockFrame::row_threads threads in each of the block's rows. With
  /// gang_frame_bytes, ThreadFrame::scratch is the address, aligned to 256 bytes, of 32 bits for
  /// each gang and then, at the next multiple of 256 bytes, of as many frames. A row of threads has
  /// gangs of its own.
  BlockFunction run_gangs = nullptr;
  BlockFunction run_tiles = nullptr;  ///< the same with tiles for gangs, or null
  ThreadFunction start_gang =
      nullptr;  ///< a gang whose lanes all have threads; it suspends AtBarrier 0 only
  ThreadFunction start_tail = nullptr;  ///< a gang of ThreadFrame::mask threads
  std::uint64_t gang_bytes = 0;         ///< per gang, in memory aligned to 256 bytes

  /// The table of the kernel's codes, this one among them; null where launches have no choice.
  variants::Table* table = nullptr;
  /// Which launches may run code whose stores go past the caches (variants::Variant::streaming).
  Streaming streaming = Streaming::Never;
};

}  // namespace pycuda::cpu
