// SPDX-License-Identifier: MIT
// What this library needs of CUPTI, NVIDIA's profiling interface, which is opened at run time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "driver/cuda_types.h"

namespace pycuda::cuda::cupti {

using Status = int;  ///< 0: success
struct Subscriber;   ///< opaque
struct Activity {    ///< what all records begin with
  std::int32_t kind;
};

/// CUDA 12.6's: before it, launches of graphs may hang or crash while CUPTI collects.
constexpr std::uint32_t least_version = 24;
constexpr std::uint32_t flush_forced = 1;

/// A kind of record with times, and where its start (8 bytes in ns, the end follows) and the
/// number of the call that caused it (4 bytes) stand: in every version at the same place.
struct Layout {
  std::uint8_t kind, start, correlation;
};
constexpr std::uint8_t memcpy_kind = 1, memset_kind = 2, kernel_kind = 3, driver_call_kind = 4,
                       concurrent_kernel_kind = 10, peer_copy_kind = 22, external_kind = 39;
constexpr Layout layouts[] = {{memcpy_kind, 16, 44},
                              {memset_kind, 16, 44},
                              {concurrent_kernel_kind, 16, 92},
                              {kernel_kind, 16, 92},
                              {peer_copy_kind, 16, 60}};
/// What is asked for: numbers come with records of calls. Kernels of kernel_kind would run one
/// after the other.
constexpr std::uint8_t needed_kinds[] = {driver_call_kind, external_kind, memcpy_kind, memset_kind,
                                         concurrent_kernel_kind};
/// Not known to all drivers. Graphs have no kind here: their kernels count as parts of the launch.
/// Records of whole graphs would decide how later profilers in the process see graphs.
constexpr std::uint8_t more_kinds[] = {peer_copy_kind};

/// Says which call was made between a push and a pop of which number.
struct External : Activity {
  std::int32_t external_kind;
  std::uint64_t id;
  std::uint32_t correlation;
  std::uint32_t reserved;
};
/// The kind of numbers that are this library's: the third of those for any use.
constexpr int our_numbers = 5;

using RequestBuffer = void (*)(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records);
using BufferIsFull = void (*)(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t bytes,
                              std::size_t valid_bytes);
using Callback = void (*)(void*, int, std::uint32_t, const void*);

/// The functions, by their names after "cupti".
#define PYCUDA_CUPTI_FUNCTIONS(FUNCTION)                                           \
  FUNCTION(GetVersion, (std::uint32_t*))                                           \
  FUNCTION(GetResultString, (Status, const char**))                                \
  FUNCTION(GetTimestamp, (std::uint64_t*))                                         \
  FUNCTION(Subscribe, (Subscriber**, Callback, void*))                             \
  FUNCTION(Unsubscribe, (Subscriber*))                                             \
  FUNCTION(ActivityRegisterCallbacks, (RequestBuffer, BufferIsFull))               \
  FUNCTION(ActivityEnable, (int kind))                                             \
  FUNCTION(ActivityDisable, (int kind))                                            \
  FUNCTION(ActivityFlushAll, (std::uint32_t flags))                                \
  FUNCTION(ActivityGetNextRecord, (std::uint8_t*, std::size_t, Activity**))        \
  FUNCTION(ActivityGetNumDroppedRecords, (CUcontext, std::uint32_t, std::size_t*)) \
  FUNCTION(ActivityPushExternalCorrelationId, (int kind, std::uint64_t))           \
  FUNCTION(ActivityPopExternalCorrelationId, (int kind, std::uint64_t*))

struct Table {
#define PYCUDA_CUPTI_SLOT(name, parameters) Status(*name) parameters = nullptr;
  PYCUDA_CUPTI_FUNCTIONS(PYCUDA_CUPTI_SLOT)
#undef PYCUDA_CUPTI_SLOT
};

}  // namespace pycuda::cuda::cupti
