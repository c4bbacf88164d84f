// SPDX-License-Identifier: MIT
// cuMemPoolCreate, cuMemGetMemPool and its relatives: pools of device memory, of page-locked and of
// managed memory.
#include "cpu/api/pool_places.h"

#include <map>
#include <memory>
#include <mutex>

#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/memory_pool.h"
#include "cpu/api/virtual_device.h"

namespace pycuda::cpu::api {
namespace {

/// The kind, the place and, of a device, its number.
struct Place {
  CUmemAllocationType type;
  CUmemLocationType where;
  int device;
  auto operator<=>(const Place&) const = default;
};

struct PlacePools {
  std::unique_ptr<MemoryPool> default_pool;
  CUmemoryPool current = nullptr;
};

struct Places {
  std::mutex mutex;  ///< protects the rest
  std::map<Place, PlacePools> pools;
};

Places& places() {
  static auto& all = *new Places;
  return all;
}

bool is_device_memory(CUmemAllocationType type, const CUmemLocation& place) {
  return type == CU_MEM_ALLOCATION_TYPE_PINNED && place.type == CU_MEM_LOCATION_TYPE_DEVICE;
}

/// Against whose memory a pool there is counted.
VirtualDevice& device_at(const CUmemLocation& place) {
  return *find_device(place.type == CU_MEM_LOCATION_TYPE_DEVICE ? place.id : 0);
}

Place place_of(CUmemAllocationType type, const CUmemLocation& place) {
  return {type, place.type, place.type == CU_MEM_LOCATION_TYPE_DEVICE ? place.id : 0};
}

/// With the lock held.
PlacePools& pools_at(Places& all, CUmemAllocationType type, const CUmemLocation& place) {
  PlacePools& pools = all.pools[place_of(type, place)];
  if (pools.default_pool == nullptr) {
    VirtualDevice& device = device_at(place);
    pools.default_pool =
        std::make_unique<MemoryPool>(device, device.memory().total_bytes(), type, place);
    pools.current = pools.default_pool->handle();
  }
  return pools;
}

/// Whether a place can have current pools: those "of the current thread" cannot.
CUresult check_place(const CUmemLocation* place, CUmemAllocationType type) {
  if (place == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (type != CU_MEM_ALLOCATION_TYPE_PINNED && type != CU_MEM_ALLOCATION_TYPE_MANAGED)
    return CUDA_ERROR_INVALID_VALUE;
  if (place->type >= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT) return CUDA_ERROR_NOT_SUPPORTED;
  return is_pool_place(type, *place) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult pool_at(CUmemoryPool* pool, const CUmemLocation* place, CUmemAllocationType type,
                 bool default_one) {
  return with_driver([&]() -> CUresult {
    if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult status = check_place(place, type); status != CUDA_SUCCESS) return status;
    if (is_device_memory(type, *place)) {
      VirtualDevice& device = device_at(*place);
      *pool = default_one ? device.default_pool().handle() : device.current_pool();
      return CUDA_SUCCESS;
    }
    Places& all = places();
    const std::lock_guard lock(all.mutex);
    const PlacePools& pools = pools_at(all, type, *place);
    *pool = default_one ? pools.default_pool->handle() : pools.current;
    return CUDA_SUCCESS;
  });
}

/// Pools of device memory and of a node of the host are shared, by file descriptors alone.
CUresult check_sharing(const CUmemPoolProps& properties) {
  if (properties.handleTypes == CU_MEM_HANDLE_TYPE_NONE) return CUDA_SUCCESS;
  const bool on_node = properties.allocType == CU_MEM_ALLOCATION_TYPE_PINNED &&
                       properties.location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA;
  if (!on_node && !is_device_memory(properties.allocType, properties.location)) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "cuMemPoolCreate: only pools of page-locked memory at a device or at a node of the "
                "host have handleTypes");
  }
  if (properties.handleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_SUCCESS;
  if (properties.handleTypes != CU_MEM_HANDLE_TYPE_FABRIC) return CUDA_ERROR_INVALID_VALUE;
  return fail(CUDA_ERROR_NOT_SUPPORTED,
              "cuMemPoolCreate: the CPU driver shares pools by file descriptors alone");
}

}  // namespace

bool is_pool_place(CUmemAllocationType type, const CUmemLocation& place) {
  const bool managed = type == CU_MEM_ALLOCATION_TYPE_MANAGED;
  if (!managed && type != CU_MEM_ALLOCATION_TYPE_PINNED) return false;
  switch (place.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
      return find_device(place.id) != nullptr;
    case CU_MEM_LOCATION_TYPE_HOST:
      return true;
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
      return place.id == 0;
    case CU_MEM_LOCATION_TYPE_INVALID:  // "none": it is nowhere in particular
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
      return managed;
    default:
      return false;
  }
}

bool is_default_elsewhere(const MemoryPool& pool) {
  Places& all = places();
  const std::lock_guard lock(all.mutex);
  const auto found = all.pools.find(place_of(pool.type(), pool.place()));
  return found != all.pools.end() && found->second.default_pool.get() == &pool;
}

CUresult choose_pool(MemoryPool& pool) {
  if (pool.is_of_device_memory()) {
    pool.device().set_current_pool(pool.handle());
    return CUDA_SUCCESS;
  }
  Places& all = places();
  const std::lock_guard lock(all.mutex);
  pools_at(all, pool.type(), pool.place()).current = pool.handle();
  return CUDA_SUCCESS;
}

void leave_places(const MemoryPool& pool) {
  Places& all = places();
  const std::lock_guard lock(all.mutex);
  for (auto& [place, pools] : all.pools) {
    if (pools.current == pool.handle()) pools.current = pools.default_pool->handle();
  }
}

}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* poolProps) {
  return with_driver([&]() -> CUresult {
    if (pool == nullptr || poolProps == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!is_pool_place(poolProps->allocType, poolProps->location)) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult status = check_sharing(*poolProps); status != CUDA_SUCCESS) return status;
    return create_pool(device_at(poolProps->location), *poolProps, pool);
  });
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool_out, CUmemLocation* location,
                                CUmemAllocationType type) {
  return pool_at(pool_out, location, type, true);
}

CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
  return pool_at(pool, location, type, false);
}

CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool pool) {
  return with_driver([&]() -> CUresult {
    if (const CUresult status = check_place(location, type); status != CUDA_SUCCESS) return status;
    MemoryPool* const found = registry.pools.find(pool);
    if (found == nullptr || found->type() != type || found->place().type != location->type ||
        (location->type == CU_MEM_LOCATION_TYPE_DEVICE && found->place().id != location->id)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    return choose_pool(*found);
  });
}

}  // extern "C"
