// SPDX-License-Identifier: MIT
// cuCtx*: flags, limits, cache preference and the other settings of a context.
#include "cpu/api/context_flags.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"
#include "cpu/exec/device_heap.h"

namespace pycuda::cpu::api {
namespace {

// Local memory of one thread, on GPUs of every architecture.
constexpr std::size_t largest_stack = std::size_t{512} << 10;

std::size_t default_limit(CUlimit limit) {
  switch (limit) {
    case CU_LIMIT_STACK_SIZE:
      return default_stack_bytes;
    case CU_LIMIT_PRINTF_FIFO_SIZE:
      return exec::PrintfFifo::default_bytes;
    case CU_LIMIT_MALLOC_HEAP_SIZE:
      return exec::DeviceHeap::default_limit_bytes;
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
      return exec::DeviceRuntime::default_most_pending;
    case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
      return 2;
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
      return 64;
    default:
      return 0;
  }
}

CUresult refuse_limit(const char* what, std::size_t most) {
  return fail(CUDA_ERROR_INVALID_VALUE,
              std::string("limit: ") + what + " has at most " + std::to_string(most) + " bytes");
}

}  // namespace

CUresult Context::set_limit(CUlimit limit, std::size_t value) {
  switch (limit) {
    case CU_LIMIT_STACK_SIZE:
      if (value > largest_stack) return refuse_limit("a thread's stack", largest_stack);
      value = (value + 15) / 16 * 16;
      stack_bytes_.store(static_cast<std::uint32_t>(value), std::memory_order_relaxed);
      break;
    case CU_LIMIT_PRINTF_FIFO_SIZE:
      printed_.resize(value);
      break;
    case CU_LIMIT_MALLOC_HEAP_SIZE:
      if (value > device_.memory().total_bytes())
        return refuse_limit("the heap", device_.memory().total_bytes());
      exec::DeviceHeap::instance().set_limit(static_cast<exec::FaultSink*>(this), value);
      break;
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
      if (value > 128) return refuse_limit("what is fetched", 128);
      break;
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
      return value == 0 ? CUDA_SUCCESS : refuse_limit("the part of the L2 cache that persists", 0);
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
      device_runtime_.set_most_pending(value);
      break;
    case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
      // As on GPUs before compute capability 9.0; it bounds nothing, since kernels cannot wait for
      // those they launch.
      if (value > exec::DeviceRuntime::most_levels) return CUDA_ERROR_INVALID_VALUE;
      break;
    case CU_LIMIT_SHMEM_SIZE:
    case CU_LIMIT_CIG_ENABLED:
      return CUDA_ERROR_NOT_PERMITTED;
    case CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED:
      return CUDA_ERROR_UNSUPPORTED_LIMIT;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  const std::lock_guard lock(limits_mutex_);
  limits_[limit] = value;
  return CUDA_SUCCESS;
}

CUresult Context::get_limit(CUlimit limit, std::size_t* value) const {
  switch (limit) {
    case CU_LIMIT_STACK_SIZE:
    case CU_LIMIT_PRINTF_FIFO_SIZE:
    case CU_LIMIT_MALLOC_HEAP_SIZE:
    case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY: {
      const std::lock_guard lock(limits_mutex_);
      const auto found = limits_.find(limit);
      *value = found != limits_.end() ? found->second : default_limit(limit);
      return CUDA_SUCCESS;
    }
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
    case CU_LIMIT_CIG_ENABLED:
      *value = 0;
      return CUDA_SUCCESS;
    case CU_LIMIT_SHMEM_SIZE:
      *value = claimed_architecture().shared_bytes_per_block_optin;
      return CUDA_SUCCESS;
    case CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED:
      return CUDA_ERROR_UNSUPPORTED_LIMIT;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuCtxGetFlags(unsigned int* flags) {
  return with_any_context([&](Context& context) -> CUresult {
    if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = context.flags();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetFlags(unsigned int flags) {
  return with_any_context([&](Context& context) -> CUresult {
    if (!are_context_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
    context.flags() = flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return with_context([&](Context& context) { return context.set_limit(limit, value); });
}

CUresult cuCtxGetLimit(size_t* pvalue, CUlimit limit) {
  return with_context([&](Context& context) -> CUresult {
    return pvalue != nullptr ? context.get_limit(limit, pvalue) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* pconfig) {
  return with_context([&](Context& context) -> CUresult {
    if (pconfig == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pconfig = context.cache_preference();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return with_context([&](Context& context) -> CUresult {
    if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL)
      return CUDA_ERROR_INVALID_VALUE;
    context.cache_preference() = config;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig* pConfig) {
  return with_context([&](Context& context) -> CUresult {
    if (pConfig == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pConfig = context.shared_banks();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  return with_context([&](Context&) -> CUresult {
    // As on every GPU since Maxwell: accepted, and the banks stay four bytes wide.
    if (config < CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE ||
        config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  return with_context([&](Context&) -> CUresult {
    if (leastPriority != nullptr) *leastPriority = DeviceLimits::stream_priority_lowest;
    if (greatestPriority != nullptr) *greatestPriority = DeviceLimits::stream_priority_highest;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxResetPersistingL2Cache() {
  return with_context([](Context&) { return CUDA_SUCCESS; });  // nothing is ever set aside
}

CUresult cuCtxGetExecAffinity(CUexecAffinityParam* pExecAffinity, CUexecAffinityType type) {
  return with_context([&](Context& context) -> CUresult {
    if (pExecAffinity == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (type != CU_EXEC_AFFINITY_TYPE_SM_COUNT) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    pExecAffinity->type = type;
    pExecAffinity->param.smCount.val = static_cast<unsigned>(context.device().processor_count());
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
