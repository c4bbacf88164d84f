// SPDX-License-Identifier: MIT
// The functions that compiled kernels call. The executor defines them; the JIT hands their
// addresses to the linker by name.
//
// All are extern "C" and named pycuda_cpu_*. A call that does not return (trap, assertion) leaves
// the compiled code by longjmp to the scheduler that entered it; compiled code has nothing to clean
// up. The list of names with their addresses is `runtime_symbols()`: add a function there and the
// JIT finds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu {

enum class FaultKind : std::uint32_t {
  IllegalAddress = 0,  ///< CUDA_ERROR_ILLEGAL_ADDRESS 700
  MisalignedAddress,   ///< CUDA_ERROR_MISALIGNED_ADDRESS 716
  Trap,                ///< CUDA_ERROR_LAUNCH_FAILED 719
  Assert,              ///< CUDA_ERROR_ASSERT 710
  StackOverflow,       ///< CUDA_ERROR_LAUNCH_FAILED 719 (a GPU's answer to a hardware stack error)
  IllegalInstruction,  ///< CUDA_ERROR_ILLEGAL_INSTRUCTION 715
  InvalidProgramCounter,  ///< CUDA_ERROR_INVALID_PC 718: a call through a pointer that is no
                          ///< function
  BranchTarget,           ///< the same error: an indexed branch beyond its table
  Timeout,                ///< CUDA_ERROR_LAUNCH_TIMEOUT 702
  Deadlock,      ///< every thread of a block waits and none can go on: CUDA_ERROR_LAUNCH_FAILED 719
  OtherProcess,  ///< that was to do what is waited for has ended: CUDA_ERROR_EXTERNAL_DEVICE 911
  OutOfMemory,   ///< to run the threads: CUDA_ERROR_OUT_OF_MEMORY 2
};

/// Of memory that pycuda_cpu_local_push gives.
inline constexpr std::uint64_t local_alignment = 256;

struct RuntimeSymbol {
  const char* name;
  void* address;
};

template <class Function>
RuntimeSymbol runtime_symbol(const char* name, Function* function) {
  return {name, reinterpret_cast<void*>(function)};
}

/// Every function that compiled code may call, C library functions included. Defined by the
/// executor.
std::span<const RuntimeSymbol> runtime_symbols();

}  // namespace pycuda::cpu

extern "C" {
/// Ends the launch with a fault of `kind` (a pycuda::cpu::FaultKind) at `address` (0 if none). Does
/// not return.
[[noreturn]] void pycuda_cpu_fault(pycuda::cpu::ThreadFrame* thread, std::uint32_t kind,
                                   std::uint64_t address);
/// PTX `brkpt` and `trap`.
[[noreturn]] void pycuda_cpu_trap(pycuda::cpu::ThreadFrame* thread);
/// CUDA's __assertfail.
[[noreturn]] void pycuda_cpu_assert_fail(pycuda::cpu::ThreadFrame* thread, const char* message,
                                         const char* file, std::uint32_t line, const char* function,
                                         std::uint64_t char_size);
/// CUDA's vprintf(format, packed arguments): the number of arguments, or -1. Output is whole per
/// call.
std::int32_t pycuda_cpu_vprintf(pycuda::cpu::ThreadFrame* thread, const char* format,
                                const void* arguments);
/// Device-side malloc and free: null when the heap (CU_LIMIT_MALLOC_HEAP_SIZE) is full.
void* pycuda_cpu_malloc(pycuda::cpu::ThreadFrame* thread, std::uint64_t bytes);
void pycuda_cpu_free(pycuda::cpu::ThreadFrame* thread, void* memory);
/// CUDA's cudaGraphSetConditional. Faults where no graph has such a handle.
void pycuda_cpu_set_condition(pycuda::cpu::ThreadFrame* thread, std::uint64_t handle,
                              std::uint32_t value);
/// Checked mode: before each access. Faults unless [address, address + bytes) lies in one live
/// allocation. `site` is for vector code, which numbers its accesses.
void pycuda_cpu_check_access(pycuda::cpu::ThreadFrame* thread, std::uint64_t address,
                             std::uint32_t bytes, std::uint32_t is_write, std::uint32_t site);
/// The same for a gang, whose first thread's frame `gang` is: for each lane of `lanes`, in their
/// order, an access of AccessOfGang::bytes at addresses[lane]. Where all of them lie in one
/// allocation, `allowed` says so from then on.
void pycuda_cpu_check_gang(pycuda::cpu::ThreadFrame* gang, const std::uint64_t* addresses,
                           std::uint64_t lanes, std::uint64_t access,
                           pycuda::cpu::AllowedRange* allowed);
/// isspacep: 1 if `address` lies in the .local memory of the thread (its worker's stack, its
/// coroutine's frame, memory from pycuda_cpu_frame_push), else 0.
std::uint32_t pycuda_cpu_is_local(pycuda::cpu::ThreadFrame* thread, std::uint64_t address);
/// The same of a module's .const variables, and of the kernel's parameters.
std::uint32_t pycuda_cpu_is_constant(pycuda::cpu::ThreadFrame* thread, std::uint64_t address);
std::uint32_t pycuda_cpu_is_parameter(pycuda::cpu::ThreadFrame* thread, std::uint64_t address);
/// As on a GPU, what lies neither in .local, .const nor the shared memory of the cluster is
/// .global: parameters, host memory and addresses of nothing, too.
std::uint32_t pycuda_cpu_is_global(pycuda::cpu::ThreadFrame* thread, std::uint64_t address);
/// Memory for the frame of a coroutine that another one calls (device functions that suspend), last
/// in, first out per thread, aligned to 64 bytes. A push of 0 bytes marks a place; popping frees
/// everything pushed since `memory`, itself included.
void* pycuda_cpu_frame_push(pycuda::cpu::ThreadFrame* thread, std::uint64_t bytes);
void pycuda_cpu_frame_pop(pycuda::cpu::ThreadFrame* thread, void* memory);
/// A ThreadFunction's work for a thread that runs `body` on a stack of its own, in `memory`, which
/// has `bytes` and, for each byte of the launch's limit of stacks, `by_stack_limit` more.
void pycuda_cpu_begin_on_stack(pycuda::cpu::ThreadFrame* thread, void* memory,
                               void (*body)(pycuda::cpu::ThreadFrame* thread), std::uint64_t bytes,
                               std::uint32_t by_stack_limit);
/// Such a thread, whose state says why, waits: returns when the scheduler lets it go on.
void pycuda_cpu_wait_on_stack(pycuda::cpu::ThreadFrame* thread);
/// Memory that device code has by address, to the byte, until the next pop beyond it: PTX's alloca
/// (`counts`: it uses up the thread's stack, CU_LIMIT_STACK_SIZE), in checked mode .local
/// variables, and the local arrays of functions that suspend.
void* pycuda_cpu_variable_push(pycuda::cpu::ThreadFrame* thread, std::uint64_t bytes,
                               std::uint32_t alignment, std::uint32_t counts);
/// Memory for the local arrays of a function that runs from start to end at once, apart from the
/// stack: an index out of bounds meets other arrays or nothing. `bytes` is a multiple of
/// `local_alignment`, to which the memory is aligned. Last in, first out.
void* pycuda_cpu_local_push(std::uint64_t bytes);
void pycuda_cpu_local_pop(void* memory, std::uint64_t bytes);
/// mbarrier.arrive: `count` arrivals, which later phases do not wait for either if it `drops` them,
/// after `bytes` more bytes are expected; the bits before. And bytes alone, expected or (negative)
/// come.
std::uint64_t pycuda_cpu_mbarrier_arrive(std::uint64_t* barrier, std::uint32_t count,
                                         std::uint32_t drops, std::uint32_t bytes);
void pycuda_cpu_mbarrier_add_bytes(std::uint64_t* barrier, std::uint32_t bytes);
/// %clock, %clock64, %globaltimer, nanosleep.
std::uint64_t pycuda_cpu_clock();
std::uint64_t pycuda_cpu_globaltimer();
void pycuda_cpu_nanosleep(pycuda::cpu::ThreadFrame* thread, std::uint32_t nanoseconds);
}
