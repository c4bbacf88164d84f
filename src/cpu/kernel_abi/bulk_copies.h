// SPDX-License-Identifier: MIT
// How compiled code asks for copies of many bytes at once: cp.async.bulk, cp.reduce.async.bulk,
// st.async and red.async. They are complete when the call returns, which PTX allows.
#pragma once

#include <cstdint>

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu {

/// What a reduction does with each element of the destination.
enum class BulkOperation : std::uint32_t { Add = 0, Min, Max, Inc, Dec, And, Or, Xor };

enum class BulkType : std::uint32_t { U32 = 0, S32, U64, S64, F16, BF16, F32, F64 };

/// Both in one number.
constexpr std::uint32_t bulk_code(BulkOperation operation, BulkType type) {
  return static_cast<std::uint32_t>(operation) | static_cast<std::uint32_t>(type) << 8;
}
constexpr BulkOperation bulk_operation(std::uint32_t code) {
  return static_cast<BulkOperation>(code & 0xff);
}
constexpr BulkType bulk_type(std::uint32_t code) { return static_cast<BulkType>(code >> 8 & 0xff); }

}  // namespace pycuda::cpu

// Addresses are those of the host. `barrier`: the mbarrier that counts the bytes, or null.
// Addresses that are not multiples of 16 are faults; numbers of bytes are rounded down to one.
extern "C" {
void pycuda_cpu_bulk_copy(pycuda::cpu::ThreadFrame* thread, void* to, const void* from,
                          std::uint32_t bytes, std::uint64_t* barrier);
/// The same to all blocks of the cluster whose bits are in `blocks`: to the place that `to` is in
/// its block; each has its barrier where `barrier` is in that block.
void pycuda_cpu_bulk_multicast(pycuda::cpu::ThreadFrame* thread, void* to, const void* from,
                               std::uint32_t bytes, std::uint64_t* barrier, std::uint32_t blocks);
/// `code`: bulk_code. Each element is updated in one step.
void pycuda_cpu_bulk_reduce(pycuda::cpu::ThreadFrame* thread, void* to, const void* from,
                            std::uint32_t bytes, std::uint64_t* barrier, std::uint32_t code);
/// Tells an mbarrier that `bytes` have come, for what was stored before.
void pycuda_cpu_bulk_complete(pycuda::cpu::ThreadFrame* thread, std::uint64_t* barrier,
                              std::uint32_t bytes);
}
