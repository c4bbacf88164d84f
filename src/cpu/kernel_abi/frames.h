// SPDX-License-Identifier: MIT
// What compiled kernels and the executor share: plain structs whose layout both sides know.
//
// The compiled side reads and writes these fields by byte offset (offsetof), so every struct here
// is standard layout and every change to one changes `kernel_abi_version`, which is part of each
// cached object's key.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pycuda::cpu {

inline constexpr std::uint32_t kernel_abi_version = 25;

/// CU_LIMIT_STACK_SIZE of a new context, as on a GPU.
inline constexpr std::uint32_t default_stack_bytes = 1024;

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
};

/// Warps that a multiprocessor of compute capability 8.0 holds.
inline constexpr std::uint32_t default_processor_warps = 64;

inline constexpr std::uint32_t parameter_alignment = 64;

/// Of each block's shared memory, the first bytes are the system's, as on a device of compute
/// capability 8.0. Cooperative groups keep the state of tiles of more than 32 threads there.
inline constexpr std::uint32_t reserved_shared_bytes = 1024;
inline constexpr std::uint32_t shared_allocation_unit = 128;

/// One per launch, constant while it runs.
struct LaunchFrame {
  Dim3 grid;                          ///< %nctaid
  Dim3 block;                         ///< %ntid
  Dim3 rows;                          ///< how the gangs' threads lie: as in `block`, or in one row
  const std::byte* params = nullptr;  ///< the kernel's .param space, aligned to parameter_alignment
  /// %total_smem_size: what the block uses, in units of shared_allocation_unit, without the
  /// system's reserved_shared_bytes.
  std::uint32_t total_shared_bytes = 0;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t dynamic_shared_offset = 0;                  ///< their address in the .shared space
  std::uint32_t processor_count = 1;                        ///< %nsmid
  std::uint32_t processor_warps = default_processor_warps;  ///< %nwarpid
  std::uint64_t grid_id = 0;                                ///< %gridid
  std::uint64_t env_regs[4] = {
      0, 0, 0, 0};         ///< %envreg0..: cooperative launches keep a barrier's address here
  void* launch = nullptr;  ///< the executor's own record (exec::Launch)
  std::uint32_t stack_bytes = default_stack_bytes;  ///< of a thread: CU_LIMIT_STACK_SIZE
};

inline constexpr std::uint32_t block_barrier_sums = 3;

/// Where an access of checked vector code may begin: from `begin` on, `room` bytes further at most.
/// The access itself fits in behind. As made, it allows nothing.
struct AllowedRange {
  /// No address: whatever lies there faults.
  static constexpr std::uint64_t nowhere = std::uint64_t{1} << 63;
  std::uint64_t begin = nowhere, room = 0;
};

/// One per block that is running.
struct BlockFrame {
  const LaunchFrame* launch = nullptr;
  Dim3 ctaid{0, 0, 0};
  std::uint32_t row_threads =
      0;  ///< of the vector form: ntid.x, or that of several blocks that run as one
  std::uint32_t processor = 0;  ///< %smid: the worker's number
  /// Address 0 of the .shared space: the system's reserved_shared_bytes, then the block's own.
  std::byte* shared = nullptr;
  void* block = nullptr;  ///< the executor's own record (exec::BlockRun)
  std::uint64_t barrier_sums[block_barrier_sums] =
      {};                             ///< of the vector form: zeros when it starts
  std::uint64_t* counters = nullptr;  ///< of code that counts: the words of its places
  AllowedRange* allowed = nullptr;    ///< of checked vector code: KernelFacts::check_sites of them
};

/// Where the block's own shared memory begins.
inline std::byte* own_shared(const BlockFrame& block) {
  return block.shared + reserved_shared_bytes;
}

/// Why a thread handed control back to the block's scheduler.
enum class ThreadState : std::uint32_t {
  Ready = 0,  ///< may run
  Exited,     ///< finished, or executed `exit`
  AtBarrier,  ///< bar.sync / barrier.sync (operand[0]: id, operand[1]: thread count or 0 for all)
  AtBarrierArrive,  ///< bar.arrive: counted, does not wait (the scheduler makes it Ready at once)
  AtBarrierReduce,  ///< bar.red (also operand[2]: predicate; `detail`: BarrierReduce)
  AtWarpOp,         ///< a warp operation (`detail`: WarpOp, `mask`: member lanes)
  Yielded,          ///< a spin-wait gave others a chance
};

enum class BarrierReduce : std::uint32_t { Popc = 0, And, Or };

/// Warp operations. operand[0] is the lane's value, operand[1] and operand[2] as named; results as
/// named.
enum class WarpOp : std::uint32_t {
  Sync = 0,    ///< bar.warp.sync
  ActiveMask,  ///< result[0]: lanes that stand at the same site
  ShuffleUp,  ///< operand[0] value, operand[1] b, operand[2] c; result[0] value, result[1] in-range
              ///< predicate
  ShuffleDown,
  ShuffleButterfly,
  ShuffleIndex,
  VoteAll,  ///< operand[0] predicate; result[0]
  VoteAny,
  VoteUniform,
  VoteBallot,
  MatchAny,   ///< operand[0] value; result[0] mask
  MatchAll,   ///< operand[0] value; result[0] mask or 0, result[1] predicate
  ReduceAdd,  ///< 32-bit redux: operand[0] value; result[0]
  ReduceMinU32,
  ReduceMaxU32,
  ReduceMinS32,
  ReduceMaxS32,
  ReduceAnd,
  ReduceOr,
  ReduceXor,
  // Of code that counts (kernel_abi/counters.h). operand[1]: the place's first word, and in the
  // upper half how it is counted.
  CountRun,
  CountBranch,  ///< operand[0]: which way the lane goes
  CountAccess,  ///< operand[0]: the lane's address
};

/// Whether `op` is not an operation of the program.
constexpr bool counts(WarpOp op) { return op >= WarpOp::CountRun && op <= WarpOp::CountAccess; }

constexpr bool is_shuffle(WarpOp op) {
  return op >= WarpOp::ShuffleUp && op <= WarpOp::ShuffleIndex;
}

/// One per CUDA thread of a block that is running (a kernel that never suspends reuses one for
/// all).
struct ThreadFrame {
  BlockFrame* block = nullptr;
  Dim3 tid{0, 0, 0};
  std::uint32_t linear =
      0;  ///< tid.x + ntid.x * (tid.y + ntid.y * tid.z); lane = linear % 32, warp = linear / 32
  ThreadState state = ThreadState::Ready;
  std::uint32_t detail = 0;  ///< BarrierReduce or WarpOp
  std::uint32_t mask =
      0;  ///< member mask of a warp operation; 0: the lanes that stand at the same site
  std::uint32_t site =
      0;  ///< the number of the instruction in its function: which operations belong together
  std::uint64_t operand[3] = {0, 0, 0};
  std::uint64_t result[2] = {0, 0};
  void* coroutine = nullptr;  ///< the thread's suspended coroutine (it resumes those it called);
                              ///< its first word is the function that resumes it
  std::uint32_t source_line =
      0;  ///< last .loc passed, when compiled with line tracking (checked mode)
  std::uint32_t source_file = 0;
  std::uint64_t scratch = 0;     ///< for the executor
  std::uint32_t stack_used = 0;  ///< bytes of frames of functions that may call themselves
};

/// A kernel whose threads never suspend: runs all threads of one block, one after the other.
/// `thread` is one frame that the code updates (tid, linear) before each thread. If its mask is not
/// 0, only so many threads are run, from the one that it names on.
using BlockFunction = void (*)(BlockFrame* block, ThreadFrame* thread);

/// A kernel whose threads may suspend. `memory` holds the coroutine's frame (64-byte aligned). Runs
/// the thread to its first suspension or end, setting `thread->state` (and `thread->coroutine`
/// unless Exited). With memory == null it runs nothing and stores the frame's size in bytes to
/// thread->scratch, and how many bytes more it needs for each one of LaunchFrame::stack_bytes to
/// thread->stack_used. If the frame is a stack of the thread's own, it stores 1 to thread->detail.
using ThreadFunction = void (*)(ThreadFrame* thread, std::byte* memory);

/// The first word of a suspended coroutine: call it with the coroutine to go on.
using ResumeFunction = void (*)(void* coroutine);

static_assert(sizeof(ThreadFrame) <= 128);

}  // namespace pycuda::cpu
