// SPDX-License-Identifier: MIT
// cuMemAllocAsync, cuMemFreeAsync and cuMemPool*: stream-ordered memory.
//
// Allocation is immediate, which is earlier than the stream's order asks for; freeing happens at
// its place in the order.
#include "cpu/api/memory_pool.h"

#include <unordered_map>
#include <unordered_set>

#include "cpu/api/capture.h"
#include "cpu/api/device_memory.h"
#include "cpu/api/graph_memory.h"
#include "cpu/api/pool_places.h"
#include "cpu/api/stream_guard.h"

namespace pycuda::cpu::api {
namespace {

struct PoolBlock {
  std::shared_ptr<MemoryPool> pool;  // keeps a destroyed pool until its last block is freed
  std::uint64_t bytes = 0;
  bool being_freed = false;
  std::optional<exec::PagesName> name;  ///< of a block of another process's pool
};

struct PoolTable {
  std::mutex mutex;  // protects what follows
  std::unordered_map<const void*, PoolBlock> blocks;
  std::unordered_map<MemoryPool*, std::shared_ptr<MemoryPool>>
      pools;  // made by cuMemPoolCreate, not yet destroyed
};

PoolTable& table() {
  static auto& all = *new PoolTable;
  return all;
}

// A share in the pool: an own one of a program's pool, an empty one of a device's default pool,
// which lives for ever.
std::shared_ptr<MemoryPool> share(MemoryPool* pool) {
  PoolTable& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.pools.find(pool);
  return found != all.pools.end() ? found->second
                                  : std::shared_ptr<MemoryPool>(std::shared_ptr<void>(), pool);
}

bool is_default(const MemoryPool& pool) {
  return &pool.device().default_pool() == &pool || is_default_elsewhere(pool);
}

CUresult allocate_from(MemoryPool* pool, CUdeviceptr* pointer, std::size_t bytes, Stream& stream) {
  if (pointer == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (bytes == 0) {
    *pointer = 0;
    return CUDA_SUCCESS;
  }
  auto shared = share(pool);
  void* memory = shared->allocate(bytes);
  if (memory == nullptr && !stream.idle()) {
    // What was freed in the stream's order before is free by then.
    static_cast<void>(stream.synchronize());
    memory = shared->allocate(bytes);
  }
  if (memory == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  PoolTable& all = table();
  const std::lock_guard lock(all.mutex);
  all.blocks[memory] = PoolBlock{std::move(shared), bytes, false, std::nullopt};
  *pointer = reinterpret_cast<CUdeviceptr>(memory);
  return CUDA_SUCCESS;
}

// Marks the block as on its way out; false if it is none or was so already.
bool begin_free(void* memory) {
  PoolTable& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.blocks.find(memory);
  if (found == all.blocks.end() || found->second.being_freed) return false;
  found->second.being_freed = true;
  return true;
}

void finish_free(void* memory) {
  PoolTable& all = table();
  PoolBlock block;
  {
    const std::lock_guard lock(all.mutex);
    const auto node = all.blocks.extract(memory);
    if (node.empty()) return;
    block = node.mapped();
  }
  block.pool->release(memory, block.bytes);
}

// Frees when its last copy goes: also when the queue drops the task because of a fault.
class PendingFree {
 public:
  explicit PendingFree(void* memory) : memory_(memory) {}
  ~PendingFree() { finish_free(memory_); }
  PendingFree(const PendingFree&) = delete;
  PendingFree& operator=(const PendingFree&) = delete;

 private:
  void* memory_;
};

}  // namespace

namespace {

CUmemLocation place_of_device(int ordinal) {
  CUmemLocation place{};
  place.type = CU_MEM_LOCATION_TYPE_DEVICE;
  place.id = ordinal;
  return place;
}

}  // namespace

MemoryPool::MemoryPool(VirtualDevice& device, std::uint64_t limit_bytes, CUmemAllocationType type,
                       const CUmemLocation& place)
    : device_(device),
      limit_bytes_(limit_bytes),
      type_(type),
      place_(place),
      handle_(registry.pools.insert(this)) {}

MemoryPool::MemoryPool(VirtualDevice& device, std::uint64_t limit_bytes, CUmemAllocationType type)
    : MemoryPool(device, limit_bytes, type, place_of_device(device.ordinal())) {}

exec::MemoryKind MemoryPool::kind() const {
  if (type_ == CU_MEM_ALLOCATION_TYPE_MANAGED) return exec::MemoryKind::ManagedPool;
  return place_.type == CU_MEM_LOCATION_TYPE_DEVICE ? exec::MemoryKind::Pool
                                                    : exec::MemoryKind::HostPool;
}

exec::DeviceMemory& MemoryPool::memory() const {
  return kind() == exec::MemoryKind::HostPool ? device_.host_memory() : device_.memory();
}

MemoryPool::~MemoryPool() { registry.pools.erase(handle_, this); }

void* MemoryPool::allocate(std::uint64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (bytes > limit_bytes_ - used_bytes_) return nullptr;
    used_bytes_ += bytes;
  }
  // Blocks that other processes may have share no page with others.
  void* memory = this->memory().allocate(bytes, kind(), nullptr, shared_ ? 4096 : 256);
  const std::lock_guard lock(mutex_);
  if (memory == nullptr) {
    used_bytes_ -= bytes;
  } else {
    used_high_bytes_ = std::max(used_high_bytes_, used_bytes_);
    reserved_high_bytes_ = std::max(reserved_high_bytes_, used_bytes_);
  }
  return memory;
}

void MemoryPool::release(void* memory, std::uint64_t bytes) {
  this->memory().release(memory);
  const std::lock_guard lock(mutex_);
  used_bytes_ -= bytes;
}

CUresult MemoryPool::get(CUmemPool_attribute attribute, void* value) const {
  const std::lock_guard lock(mutex_);
  const auto number = [&](std::uint64_t bytes) {
    *static_cast<cuuint64_t*>(value) = bytes;
    return CUDA_SUCCESS;
  };
  const auto flag = [&](int on) {
    *static_cast<int*>(value) = on;
    return CUDA_SUCCESS;
  };
  switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      return flag(reuse_follow_events_);
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
      return flag(reuse_opportunistic_);
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      return flag(reuse_internal_);
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      return number(release_threshold_bytes_);
    // Nothing is kept back after a free, so what is reserved is what is used.
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      return number(used_bytes_);
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      return number(reserved_high_bytes_);
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      return number(used_high_bytes_);
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult MemoryPool::set(CUmemPool_attribute attribute, const void* value) {
  const std::lock_guard lock(mutex_);
  const auto flag = [&](int& on) {
    on = *static_cast<const int*>(value) != 0 ? 1 : 0;
    return CUDA_SUCCESS;
  };
  const auto reset = [&](std::uint64_t& high) -> CUresult {
    if (*static_cast<const cuuint64_t*>(value) != 0) return CUDA_ERROR_INVALID_VALUE;
    high = used_bytes_;
    return CUDA_SUCCESS;
  };
  switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      return flag(reuse_follow_events_);
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
      return flag(reuse_opportunistic_);
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      return flag(reuse_internal_);
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      release_threshold_bytes_ = *static_cast<const cuuint64_t*>(value);
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      return reset(reserved_high_bytes_);
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      return reset(used_high_bytes_);
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

namespace {

CUmemoryPool enter(std::shared_ptr<MemoryPool> made) {
  const CUmemoryPool handle = made->handle();
  PoolTable& all = table();
  const std::lock_guard lock(all.mutex);
  MemoryPool* const key = made.get();
  all.pools.emplace(key, std::move(made));
  return handle;
}

}  // namespace

CUresult create_pool(VirtualDevice& device, const CUmemPoolProps& properties, CUmemoryPool* pool) {
  const std::uint64_t limit =
      properties.maxSize != 0 ? properties.maxSize : device.memory().total_bytes();
  auto made =
      std::make_shared<MemoryPool>(device, limit, properties.allocType, properties.location);
  if (properties.handleTypes != CU_MEM_HANDLE_TYPE_NONE) {
    if (const CUresult status = made->become_shared(); status != CUDA_SUCCESS) return status;
  }
  *pool = enter(std::move(made));
  return CUDA_SUCCESS;
}

CUmemoryPool import_pool(VirtualDevice& device, const exec::PagesName& name) {
  CUmemLocation place = place_of_device(device.ordinal());
  if (name.purpose == exec::host_pool_pages)
    place = {.type = CU_MEM_LOCATION_TYPE_HOST_NUMA, .id = 0};
  auto made = std::make_shared<MemoryPool>(device, device.memory().total_bytes(),
                                           CU_MEM_ALLOCATION_TYPE_PINNED, place);
  made->become_import_of(name);
  return enter(std::move(made));
}

CUresult import_pool_block(MemoryPool& pool, const exec::PagesName& name, CUdeviceptr* pointer) {
  auto shared = share(&pool);
  {
    // It is mapped once, and freed once.
    PoolTable& all = table();
    const std::lock_guard lock(all.mutex);
    for (const auto& [known, block] : all.blocks) {
      if (block.pool != shared || block.name != name || block.being_freed) continue;
      *pointer = reinterpret_cast<CUdeviceptr>(known);
      return CUDA_SUCCESS;
    }
  }
  void* memory = nullptr;
  if (const CUresult status = shared->open(name, &memory); status != CUDA_SUCCESS) return status;
  PoolTable& all = table();
  const std::lock_guard lock(all.mutex);
  all.blocks[memory] = PoolBlock{std::move(shared), name.bytes, false, name};
  *pointer = reinterpret_cast<CUdeviceptr>(memory);
  return CUDA_SUCCESS;
}

bool release_pool_block(void* memory) {
  if (!begin_free(memory)) return false;
  finish_free(memory);
  return true;
}

std::shared_ptr<const MemoryPool> find_pool_of(const void* memory) {
  PoolTable& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.blocks.find(memory);
  return found != all.blocks.end() ? found->second.pool : nullptr;
}

CUmemoryPool pool_of(const void* memory) {
  const auto pool = find_pool_of(memory);
  return pool != nullptr ? pool->handle() : nullptr;
}

namespace {

template <class Body>
CUresult with_pool(CUmemoryPool handle, Body&& body,
                   const char* entry = __builtin_FUNCTION()) noexcept {
  return with_driver(
      [&]() -> CUresult {
        MemoryPool* pool = registry.pools.find(handle);
        return pool != nullptr ? body(*pool) : CUDA_ERROR_INVALID_VALUE;
      },
      entry);
}

/// With a pool of this process's own: what another one made is asked and told there.
template <class Body>
CUresult with_own_pool(CUmemoryPool handle, Body&& body,
                       const char* entry = __builtin_FUNCTION()) noexcept {
  return with_pool(
      handle,
      [&](MemoryPool& pool) -> CUresult {
        return pool.origin() ? CUDA_ERROR_INVALID_VALUE : body(pool);
      },
      entry);
}

CUresult pool_of_device(CUmemoryPool* pool, CUdevice ordinal, bool default_one) {
  return with_driver([&]() -> CUresult {
    if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
    VirtualDevice* device = find_device(ordinal);
    if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    *pool = default_one ? device->default_pool().handle() : device->current_pool();
    return CUDA_SUCCESS;
  });
}

}  // namespace
}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuMemAllocAsync(CUdeviceptr* dptr, size_t bytesize, CUstream hStream) {
  return with_stream(hStream, [&](Stream& stream) -> CUresult {
    MemoryPool* pool = registry.pools.find(stream.context().device().current_pool());
    if (pool == nullptr)
      pool = &stream.context().device().default_pool();  // the chosen one was destroyed
    if (stream.in_capture()) return capture_allocation(stream, *pool, bytesize, dptr);
    return allocate_from(pool, dptr, bytesize, stream);
  });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* dptr, size_t bytesize, CUmemoryPool pool,
                                 CUstream hStream) {
  return with_stream(hStream, [&](Stream& stream) -> CUresult {
    MemoryPool* found = registry.pools.find(pool);
    // What another process made gives memory there alone.
    if (found != nullptr && found->origin()) return CUDA_ERROR_INVALID_VALUE;
    if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (stream.in_capture()) return capture_allocation(stream, *found, bytesize, dptr);
    return allocate_from(found, dptr, bytesize, stream);
  });
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
  return with_stream(hStream, [&](Stream& stream) -> CUresult {
    if (dptr == 0) return CUDA_SUCCESS;
    if (stream.in_capture()) return capture_free(stream, dptr);
    if (SharedAllocation of_graph = find_graph_allocation(dptr)) {
      if (!free_graph_allocation(of_graph)) return CUDA_ERROR_INVALID_VALUE;
      // Until its turn comes, what was launched before may use it.
      return stream.start([kept = std::move(of_graph)]() mutable { kept.reset(); }, true);
    }
    void* memory = reinterpret_cast<void*>(dptr);
    if (!begin_free(memory)) {
      // Memory of cuMemAlloc may be freed in a stream's order too.
      if (pool_of(memory) != nullptr || !is_device_block(dptr)) return CUDA_ERROR_INVALID_VALUE;
      return stream.start([dptr] { free_device_block(dptr); }, true);
    }
    return stream.start(
        [pending = std::make_shared<PendingFree>(memory)]() mutable { pending.reset(); }, true);
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return with_pool(pool, [&](MemoryPool& found) -> CUresult {
    if (is_default(found)) return CUDA_ERROR_INVALID_VALUE;
    VirtualDevice& device = found.device();
    leave_places(found);
    if (device.current_pool() == pool) device.set_current_pool(device.default_pool().handle());
    registry.pools.erase(pool);
    PoolTable& all = table();
    std::shared_ptr<MemoryPool> last;  // let go of after the lock
    const std::lock_guard lock(all.mutex);
    auto node = all.pools.extract(&found);
    if (!node.empty()) last = std::move(node.mapped());
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t) {
  return with_own_pool(pool, [](MemoryPool&) { return CUDA_SUCCESS; });  // nothing is kept back
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value) {
  return with_own_pool(pool, [&](MemoryPool& found) -> CUresult {
    return value != nullptr ? found.get(attr, value) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value) {
  return with_own_pool(pool, [&](MemoryPool& found) -> CUresult {
    return value != nullptr ? found.set(attr, value) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool_out, CUdevice dev) {
  return pool_of_device(pool_out, dev, true);
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice dev) {
  return pool_of_device(pool, dev, false);
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
  return with_pool(pool, [&](MemoryPool& found) -> CUresult {
    VirtualDevice* device = find_device(dev);
    if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    if (&found.device() != device || found.place().type != CU_MEM_LOCATION_TYPE_DEVICE ||
        found.origin())
      return CUDA_ERROR_INVALID_VALUE;
    return choose_pool(found);
  });
}

}  // extern "C"
