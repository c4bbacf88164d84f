// SPDX-License-Identifier: MIT
// Beyond NVIDIA's interface: what a program's own pools tell the driver about their blocks.
#include "cpu/api/entry_guard.h"
#include "cpu/exec/address_table.h"
#include "cpu/exec/check_settings.h"
#include "cpu/exec/launch_context.h"

extern "C" {

/// Whether PYCUDA_CPU_CHECK or cuCpuSetChecks asks for checks of what kernels access, or read
/// uninitialised, for now, or kernels that were launched with them are queued or run. A pool that
/// keeps freed blocks, or gives more bytes than it was asked for, hides mistakes from both; one
/// that marks a block as kept while queued kernels use it makes findings of correct programs.
/// Callable in any state.
CUresult cuCpuIsChecked(int* checked) {
  using namespace pycuda::cpu;
  return api::guarded([&]() -> CUresult {
    if (checked == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *checked = exec::has_reason_to_check() ? 1 : 0;
    return CUDA_SUCCESS;
  });
}

/// From now on `*bytes` says how many bytes of the block that begins at `block` are used; its
/// highest bit is set while a pool keeps the block, of which so many were used before. With
/// UINT64_MAX these are all of it. Messages count these bytes, and the checked mode allows
/// no access beyond them. The program changes the number when it likes and ends this with a null
/// pointer before the number's memory goes. INVALID_VALUE if no block begins there.
CUresult cuCpuWatchUse(CUdeviceptr block, const unsigned long long* bytes) {
  using namespace pycuda::cpu;
  static_assert(sizeof *bytes == sizeof(std::uint64_t));
  return api::guarded([&]() -> CUresult {
    return exec::AddressTable::instance().watch_use(block,
                                                    reinterpret_cast<const std::uint64_t*>(bytes))
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
  });
}

}  // extern "C"
