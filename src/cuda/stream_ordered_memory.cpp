// SPDX-License-Identifier: MIT
// Pools and blocks of the stream-ordered allocator.
#include "cuda/stream_ordered_memory.h"

#include <algorithm>
#include <utility>

#include "cuda/after_work.h"
#include "cuda/capture.h"
#include "cuda/cleanup.h"
#include "cuda/device_memory.h"
#include "cuda/postponed.h"
#include "cuda/stream.h"

namespace pycuda::cuda {

using driver::DriverError;

std::shared_ptr<StreamOrderedPool> StreamOrderedPool::create(std::size_t release_threshold_bytes) {
  auto pool = std::make_shared<StreamOrderedPool>(Key{}, require_context());
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.handleTypes = CU_MEM_HANDLE_TYPE_NONE;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = pool->context()->device().handle();
  pool->pool_.driver().cuMemPoolCreate(pool->pool_.out(), &properties);
  if (release_threshold_bytes != 0) pool->set_release_threshold(release_threshold_bytes);
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

std::size_t StreamOrderedPool::attribute(CUmemPool_attribute attribute) const {
  cuuint64_t value = 0;
  pool_.driver().cuMemPoolGetAttribute(handle(), attribute, &value);
  return value;
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
  cuuint64_t value = bytes;
  pool_.driver().cuMemPoolSetAttribute(handle(), CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value);
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
      drop_known_memory(of_pool, std::make_shared<StreamOrderedMemory>(std::move(*this)));
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
  return postpone(context(), "cuMemFreeAsync", [pool = pool_, address] {
    const Context& context = *pool->context();
    Capture::wait_for_work(context);
    return context.driver().cuMemFreeAsync.status(address, nullptr);
  });
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
