// SPDX-License-Identifier: MIT
// Pools and blocks of the stream-ordered allocator.
#include "cuda/stream_ordered_memory.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "cuda/capture.h"
#include "cuda/cleanup.h"
#include "cuda/deferred_release.h"
#include "cuda/device_memory.h"
#include "cuda/release_after_work.h"
#include "cuda/stream.h"

namespace pycuda::cuda {

using driver::DriverError;

std::shared_ptr<StreamOrderedPool> StreamOrderedPool::create(std::size_t release_threshold_bytes) {
  PoolKind kind;
  kind.place.type = CU_MEM_LOCATION_TYPE_DEVICE;
  kind.place.id = require_context()->device().handle();
  auto pool = create(kind);
  if (release_threshold_bytes != 0) pool->set_release_threshold(release_threshold_bytes);
  return pool;
}

std::shared_ptr<StreamOrderedPool> StreamOrderedPool::create(const PoolKind& kind) {
  auto pool = std::make_shared<StreamOrderedPool>(Key{}, require_context());
  CUmemPoolProps properties{};
  properties.allocType =
      kind.managed ? CU_MEM_ALLOCATION_TYPE_MANAGED : CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.handleTypes = kind.handle_types;
  properties.location = kind.place;
  properties.maxSize = kind.most_bytes;
  pool->pool_.driver().cuMemPoolCreate(pool->pool_.out(), &properties);
  return pool;
}

std::shared_ptr<StreamOrderedPool> StreamOrderedPool::of_device() {
  const ContextPtr context = require_context();
  CUmemoryPool handle = nullptr;
  context->driver().cuDeviceGetDefaultMemPool(&handle, context->device().handle());
  auto pool = std::make_shared<StreamOrderedPool>(Key{}, context);
  pool->pool_ = decltype(pool->pool_)::borrow(context, handle);
  return pool;
}

std::shared_ptr<StreamOrderedPool> StreamOrderedPool::current() {
  const ContextPtr context = require_context();
  CUmemoryPool handle = nullptr;
  context->driver().cuDeviceGetMemPool(&handle, context->device().handle());
  auto pool = std::make_shared<StreamOrderedPool>(Key{}, context);
  pool->pool_ = decltype(pool->pool_)::borrow(context, handle);
  return pool;
}

std::shared_ptr<StreamOrderedPool> StreamOrderedPool::of_place(CUmemLocation place, bool current) {
  const ContextPtr context = require_context();
  const driver::DriverTable& driver = context->driver();
  CUmemoryPool handle = nullptr;
  const auto& get = current ? driver.cuMemGetMemPool : driver.cuMemGetDefaultMemPool;
  get(&handle, &place, CU_MEM_ALLOCATION_TYPE_PINNED);
  auto pool = std::make_shared<StreamOrderedPool>(Key{}, context);
  pool->pool_ = decltype(pool->pool_)::borrow(context, handle);
  return pool;
}

std::shared_ptr<StreamOrderedPool> StreamOrderedPool::from_descriptor(int descriptor) {
  auto pool = std::make_shared<StreamOrderedPool>(Key{}, require_context());
  pool->pool_.driver().cuMemPoolImportFromShareableHandle(
      pool->pool_.out(), reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)),
      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  return pool;
}

void StreamOrderedPool::make_current() const {
  pool_.driver().cuDeviceSetMemPool(context()->device().handle(), handle());
}

void StreamOrderedPool::make_current_of(CUmemLocation place) const {
  pool_.driver().cuMemSetMemPool(&place, CU_MEM_ALLOCATION_TYPE_PINNED, handle());
}

void StreamOrderedPool::set_access(const CUmemLocation& place, CUmemAccess_flags flags) const {
  CUmemAccessDesc access{};
  access.location = place;
  access.flags = flags;
  const auto& set = pool_.driver().cuMemPoolSetAccess;
  const CUresult code = set.status(handle(), &access, 1);
  if (code != CUDA_SUCCESS) {
    throw set.error(code, driver::unknown_member(driver::given_member(flags), code));
  }
}

CUmemAccess_flags StreamOrderedPool::access(const CUmemLocation& place) const {
  CUmemLocation from = place;
  CUmemAccess_flags flags{};
  pool_.driver().cuMemPoolGetAccess(&flags, handle(), &from);
  return flags;
}

int StreamOrderedPool::share() const {
  int descriptor = -1;
  pool_.driver().cuMemPoolExportToShareableHandle(&descriptor, handle(),
                                                  CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  return descriptor;
}

StreamOrderedMemory StreamOrderedPool::open(const CUmemPoolPtrExportData& block,
                                            std::size_t bytes) {
  StreamOrderedMemory memory(shared_from_this(), nullptr, bytes);
  CUmemPoolPtrExportData data = block;
  pool_.driver().cuMemPoolImportPointer(&memory.address_, handle(), &data);
  return memory;
}

StreamOrderedMemory StreamOrderedPool::allocate(std::size_t bytes, CUstream stream) {
  if (goes_into_graph(stream)) return allocate_for_graph(bytes);
  StreamOrderedMemory memory(shared_from_this(), stream, bytes);
  const auto& allocate = pool_.driver().cuMemAllocFromPoolAsync;
  const std::size_t at_least_one = std::max<std::size_t>(bytes, 1);
  const auto attempt = [&] {
    const ContextScope scope(context());
    const CaptureTolerance tolerance(pool_.driver());
    return allocate.status(&memory.address_, at_least_one, handle(), stream);
  };
  CUresult code = attempt();
  if (code == CUDA_ERROR_OUT_OF_MEMORY && relieve_memory_pressure()) code = attempt();
  if (code != CUDA_SUCCESS) throw allocate.error(code);
  return memory;
}

// In a captured stream this would become a node of the graph, and the memory be gone before and
// after each launch; the default stream may not be used meanwhile.
StreamOrderedMemory StreamOrderedPool::allocate_for_graph(std::size_t bytes) {
  const ContextScope scope(context());
  const Stream aside(CU_STREAM_NON_BLOCKING);
  StreamOrderedMemory memory = allocate(bytes, aside.handle());
  pool_.driver().cuStreamSynchronize(aside.handle());
  memory.stream_ = nullptr;
  return memory;
}

void StreamOrderedPool::trim(std::size_t keep_bytes) const {
  pool_.driver().cuMemPoolTrimTo(handle(), keep_bytes);
}

namespace {

/// Those of the attributes that are an int; the others are sizes.
bool is_flag(CUmemPool_attribute attribute) {
  return attribute == CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES ||
         attribute == CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC ||
         attribute == CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
}

}  // namespace

cuuint64_t StreamOrderedPool::attribute(CUmemPool_attribute attribute) const {
  const auto& get = pool_.driver().cuMemPoolGetAttribute;
  cuuint64_t value = 0;
  int flag = 0;
  if (is_flag(attribute)) {
    get(handle(), attribute, &flag);
    return flag != 0 ? 1 : 0;
  }
  get(handle(), attribute, &value);
  return value;
}

void StreamOrderedPool::set_attribute(CUmemPool_attribute attribute, cuuint64_t value) const {
  const auto& set = pool_.driver().cuMemPoolSetAttribute;
  int flag = value != 0 ? 1 : 0;
  is_flag(attribute) ? set(handle(), attribute, &flag) : set(handle(), attribute, &value);
}

std::size_t StreamOrderedPool::used_bytes() const {
  return attribute(CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
}

std::size_t StreamOrderedPool::reserved_bytes() const {
  return attribute(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
}

std::size_t StreamOrderedPool::release_threshold_bytes() const {
  return attribute(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
}

void StreamOrderedPool::set_release_threshold(std::size_t bytes) const {
  set_attribute(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, bytes);
}

StreamOrderedMemory::StreamOrderedMemory(StreamOrderedMemory&& other) noexcept
    : pool_(std::move(other.pool_)),
      stream_(other.stream_),
      bytes_(other.bytes_),
      address_(std::exchange(other.address_, 0)) {}

StreamOrderedMemory& StreamOrderedMemory::operator=(StreamOrderedMemory&& other) noexcept {
  if (this != &other) {
    drop();
    pool_ = std::move(other.pool_);
    stream_ = other.stream_;
    bytes_ = other.bytes_;
    address_ = std::exchange(other.address_, 0);
  }
  return *this;
}

StreamOrderedMemory::~StreamOrderedMemory() { drop(); }

CUresult StreamOrderedMemory::give_back(CUstream stream) noexcept {
  if (Capture::in_context(*context())) {
    // What is captured may use it, and to free it would be captured too.
    try {
      stream_ = nullptr;
      const ContextPtr of_pool = context();
      release_escaped_memory(of_pool, std::make_shared<StreamOrderedMemory>(std::move(*this)));
      return CUDA_SUCCESS;
    } catch (...) {
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
  }
  const CUdeviceptr address = std::exchange(address_, 0);
  return context()->release(
      [&] { return context()->driver().cuMemFreeAsync.status(address, stream); });
}

void StreamOrderedMemory::drop() noexcept {
  if (address_ == 0) return;
  const CUdeviceptr address = address_;
  const CUresult code = give_back(stream_);
  if (code == CUDA_ERROR_NOT_PERMITTED && postpone_free(address)) return;
  if (code != CUDA_SUCCESS && (!driver::is_sticky(code) || context()->first_fault_report())) {
    report_cleanup_failure(context()->driver(), "cuMemFreeAsync", code);
  }
}

bool StreamOrderedMemory::postpone_free(CUdeviceptr address) noexcept {
  // By then the stream may be gone.
  return defer_release(context(), "cuMemFreeAsync", [pool = pool_, address] {
    const Context& context = *pool->context();
    Capture::wait_for_work(context);
    return context.driver().cuMemFreeAsync.status(address, nullptr);
  });
}

CUmemPoolPtrExportData StreamOrderedMemory::share() const {
  const ContextScope scope(context());
  const auto& driver = context()->driver();
  // Drivers export pointers of pools alone that have been exported themselves.
  int descriptor = -1;
  if (driver.cuMemPoolExportToShareableHandle.status(&descriptor, pool_->handle(),
                                                     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                                     0) == CUDA_SUCCESS) {
    ::close(descriptor);
  }
  CUmemPoolPtrExportData data{};
  driver.cuMemPoolExportPointer(&data, address_);
  return data;
}

void StreamOrderedMemory::free(CUstream stream) {
  if (address_ == 0) {
    throw DriverError("stream_ordered_allocation::free", CUDA_ERROR_INVALID_HANDLE,
                      "it has been released before");
  }
  if (const CUresult code = give_back(stream); code != CUDA_SUCCESS) {
    throw context()->driver().cuMemFreeAsync.error(code);
  }
}

}  // namespace pycuda::cuda
