// SPDX-License-Identifier: MIT
// cuMemAdvise, cuMemPrefetchAsync and cuMemRangeGetAttribute: advice about where managed memory
// should be.
#include <sys/mman.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "cpu/api/advice.h"
#include "cpu/api/batch.h"
#include "cpu/api/device_memory.h"
#include "cpu/api/stream_guard.h"
#include "cpu/exec/untouched_pages.h"

using namespace pycuda::cpu::api;
using pycuda::cpu::exec::AddressTable;
using pycuda::cpu::exec::MemoryKind;
using pycuda::cpu::exec::WholePages;

namespace {

constexpr CUmemLocation location(CUmemLocationType type, int id) {
  CUmemLocation made{};
  made.type = type;
  made.id = id;
  return made;
}

// The managed allocation that holds the whole range.
std::optional<pycuda::cpu::exec::Allocation> managed_range(CUdeviceptr address, std::size_t bytes) {
  const auto found = AddressTable::instance().find(address);
  if (!found || (found->kind != MemoryKind::Managed && found->kind != MemoryKind::ManagedPool) ||
      bytes > found->bytes - (address - found->begin)) {
    return std::nullopt;
  }
  return found;
}

CUmemLocation location_of(CUdevice device) {
  return device == CU_DEVICE_CPU ? location(CU_MEM_LOCATION_TYPE_HOST, 0)
                                 : location(CU_MEM_LOCATION_TYPE_DEVICE, device);
}

/// The number that the older functions know a place by. There is one NUMA node of the host's.
CUresult device_of(const CUmemLocation& place, CUdevice* device) {
  if (place.type == CU_MEM_LOCATION_TYPE_DEVICE) {
    *device = place.id;
  } else if (place.type == CU_MEM_LOCATION_TYPE_HOST ||
             (place.type == CU_MEM_LOCATION_TYPE_HOST_NUMA && place.id == 0)) {
    *device = CU_DEVICE_CPU;
  } else {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

int device_or_none(const CUmemLocation& place) {
  CUdevice device = CU_DEVICE_INVALID;
  return device_of(place, &device) == CUDA_SUCCESS ? device : CU_DEVICE_INVALID;
}

bool is_place(CUdevice device) { return device == CU_DEVICE_CPU || find_device(device) != nullptr; }

CUresult advise(CUdeviceptr address, std::size_t bytes, CUmem_advise advice,
                const CUmemLocation& place) {
  const CUdevice device = device_or_none(place);
  return with_context([&](Context&) -> CUresult {
    const auto found = managed_range(address, bytes);
    if (!found || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    const auto change = [&](const std::function<void(Advice&)>& how) {
      change_advice(found->id, address, bytes, how);
      return CUDA_SUCCESS;
    };
    switch (advice) {
      case CU_MEM_ADVISE_SET_READ_MOSTLY:
        return change([](Advice& known) { known.read_mostly = true; });
      case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
        return change([](Advice& known) { known.read_mostly = false; });
      case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
        if (!is_place(device)) return CUDA_ERROR_INVALID_DEVICE;
        return change([&](Advice& known) { known.preferred_location = place; });
      case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
        return change([](Advice& known) { known.preferred_location = Advice::nowhere; });
      case CU_MEM_ADVISE_SET_ACCESSED_BY:
        if (!is_place(device)) return CUDA_ERROR_INVALID_DEVICE;
        return change([&](Advice& known) { known.accessed_by.insert(device); });
      case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
        if (!is_place(device)) return CUDA_ERROR_INVALID_DEVICE;
        return change([&](Advice& known) { known.accessed_by.erase(device); });
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
  });
}

CUresult prefetch(CUdeviceptr address, std::size_t bytes, const CUmemLocation& place,
                  CUstream stream) {
  return with_stream(stream, [&](Stream&) -> CUresult {
    const auto found = managed_range(address, bytes);
    if (!found || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    if (!is_place(device_or_none(place))) return CUDA_ERROR_INVALID_DEVICE;
    change_advice(found->id, address, bytes, [&](Advice& known) { known.last_prefetch = place; });
    return CUDA_SUCCESS;
  });
}

/// The location of each range of a batch, checked.
struct PrefetchList {
  const CUdeviceptr* addresses;
  const std::size_t* bytes;
  std::size_t count;
  const CUmemLocation* locations;
  const std::size_t* indices;
  std::size_t location_count;
};

CUresult check_ranges(const CUdeviceptr* addresses, const std::size_t* bytes, std::size_t count) {
  if (addresses == nullptr || bytes == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < count; ++i) {
    if (bytes[i] == 0 || !managed_range(addresses[i], bytes[i])) return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult prefetch_all(const PrefetchList& list, CUstream stream) {
  return with_batch_stream(stream, [&]() -> CUresult {
    CUresult status = check_ranges(list.addresses, list.bytes, list.count);
    if (status != CUDA_SUCCESS) return status;
    if (list.locations == nullptr ||
        !are_group_indices(list.indices, list.location_count, list.count))
      return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t i = 0; i < list.location_count; ++i) {
      if (!is_place(device_or_none(list.locations[i]))) return CUDA_ERROR_INVALID_VALUE;
    }
    std::size_t group = 0;
    for (std::size_t i = 0; i < list.count && status == CUDA_SUCCESS; ++i) {
      if (group + 1 < list.location_count && i == list.indices[group + 1]) ++group;
      status = prefetch(list.addresses[i], list.bytes[i], list.locations[group], stream);
    }
    return status;
  });
}

/// Whole pages are given back: their contents are not wanted any more.
void discard(CUdeviceptr address, std::size_t bytes) {
  const WholePages pages =
      pycuda::cpu::exec::whole_pages(reinterpret_cast<unsigned char*>(address), bytes);
  if (pages.bytes != 0) madvise(pages.begin, pages.bytes, MADV_DONTNEED);
}

CUresult discard_all(const CUdeviceptr* addresses, const std::size_t* bytes, std::size_t count,
                     CUstream handle) {
  return with_batch_stream(handle, [&]() -> CUresult {
    const CUresult status = check_ranges(addresses, bytes, count);
    if (status != CUDA_SUCCESS) return status;
    return with_stream(handle, [&](Stream& stream) -> CUresult {
      std::vector<std::pair<CUdeviceptr, std::size_t>> ranges;
      ranges.reserve(count);
      for (std::size_t i = 0; i < count; ++i) ranges.emplace_back(addresses[i], bytes[i]);
      return stream.start(
          [ranges] {
            for (const auto& [address, size] : ranges) discard(address, size);
          },
          true);
    });
  });
}

}  // namespace

extern "C" {

CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device) {
  return advise(devPtr, count, advice, location_of(device));
}

CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
                        CUmemLocation location) {
  CUdevice device = CU_DEVICE_INVALID;
  const bool has_place = advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION ||
                         advice == CU_MEM_ADVISE_SET_ACCESSED_BY ||
                         advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
  if (has_place && device_of(location, &device) != CUDA_SUCCESS) {
    return with_context([](Context&) { return CUDA_ERROR_INVALID_VALUE; });
  }
  return advise(devPtr, count, advice, location);
}

CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice,
                            CUstream hStream) {
  return prefetch(devPtr, count, location_of(dstDevice), hStream);
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location,
                               unsigned int flags, CUstream hStream) {
  CUdevice device = CU_DEVICE_INVALID;
  if (flags != 0 || device_of(location, &device) != CUDA_SUCCESS) {
    return with_context([](Context&) { return CUDA_ERROR_INVALID_VALUE; });
  }
  return prefetch(devPtr, count, location, hStream);
}

CUresult cuMemPrefetchBatchAsync(CUdeviceptr* dptrs, size_t* sizes, size_t count,
                                 CUmemLocation* prefetchLocs, size_t* prefetchLocIdxs,
                                 size_t numPrefetchLocs, unsigned long long flags,
                                 CUstream hStream) {
  if (flags != 0) return with_context([](Context&) { return CUDA_ERROR_INVALID_VALUE; });
  return prefetch_all({dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs},
                      hStream);
}

CUresult cuMemDiscardBatchAsync(CUdeviceptr* dptrs, size_t* sizes, size_t count,
                                unsigned long long flags, CUstream hStream) {
  if (flags != 0) return with_context([](Context&) { return CUDA_ERROR_INVALID_VALUE; });
  return discard_all(dptrs, sizes, count, hStream);
}

CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr* dptrs, size_t* sizes, size_t count,
                                           CUmemLocation* prefetchLocs, size_t* prefetchLocIdxs,
                                           size_t numPrefetchLocs, unsigned long long flags,
                                           CUstream hStream) {
  if (flags != 0) return with_context([](Context&) { return CUDA_ERROR_INVALID_VALUE; });
  const CUresult status =
      prefetch_all({dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs}, hStream);
  return status == CUDA_SUCCESS ? discard_all(dptrs, sizes, count, hStream) : status;
}

CUresult cuMemRangeGetAttribute(void* data, size_t dataSize, CUmem_range_attribute attribute,
                                CUdeviceptr devPtr, size_t count) {
  return with_context([&](Context&) -> CUresult {
    const auto found = managed_range(devPtr, count);
    if (data == nullptr || !found || count == 0 || dataSize < sizeof(int) ||
        dataSize % sizeof(int) != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (attribute != CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY && dataSize != sizeof(int))
      return CUDA_ERROR_INVALID_VALUE;
    const Advice known = common_advice(found->id, devPtr, count);
    int* numbers = static_cast<int*>(data);
    switch (attribute) {
      case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
        *numbers = known.read_mostly ? 1 : 0;
        return CUDA_SUCCESS;
      case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
        *numbers = device_or_none(known.preferred_location);
        return CUDA_SUCCESS;
      case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
        *numbers = known.preferred_location.type;
        return CUDA_SUCCESS;
      case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
        *numbers = known.preferred_location.id;
        return CUDA_SUCCESS;
      case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
        *numbers = device_or_none(known.last_prefetch);
        return CUDA_SUCCESS;
      case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
        *numbers = known.last_prefetch.type;
        return CUDA_SUCCESS;
      case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
        *numbers = known.last_prefetch.id;
        return CUDA_SUCCESS;
      case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY: {
        // As many as there is room for, devices before the host, then filled up.
        std::vector<CUdevice> devices(known.accessed_by.begin(), known.accessed_by.end());
        std::ranges::stable_partition(devices,
                                      [](CUdevice device) { return device != CU_DEVICE_CPU; });
        const std::size_t room = dataSize / sizeof(int);
        devices.resize(room, CU_DEVICE_INVALID);
        std::ranges::copy(devices, numbers);
        return CUDA_SUCCESS;
      }
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
  });
}

CUresult cuMemRangeGetAttributes(void** data, size_t* dataSizes, CUmem_range_attribute* attributes,
                                 size_t numAttributes, CUdeviceptr devPtr, size_t count) {
  return with_context([&](Context&) -> CUresult {
    if (data == nullptr || dataSizes == nullptr || attributes == nullptr || numAttributes == 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    for (std::size_t i = 0; i < numAttributes; ++i) {
      const CUresult status =
          cuMemRangeGetAttribute(data[i], dataSizes[i], attributes[i], devPtr, count);
      if (status != CUDA_SUCCESS) return status;
    }
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
