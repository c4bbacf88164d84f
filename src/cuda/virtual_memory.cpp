// SPDX-License-Identifier: MIT
// Virtual memory over the driver's.
#include "cuda/virtual_memory.h"

#include <cstdint>
#include <string>
#include <utility>

#include "cuda/cleanup.h"
#include "cuda/context_stack.h"
#include "cuda/deferred_release.h"
#include "cuda/device_memory.h"
#include "driver/error.h"

namespace pycuda::cuda {

using driver::DriverError;

namespace {

CUmemAllocationProp properties_of(const CUmemLocation& place, CUmemAllocationHandleType types) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = types;
  properties.location = place;
  return properties;
}

}  // namespace

std::size_t allocation_granularity(const CUmemLocation& place,
                                   CUmemAllocationGranularity_flags flags) {
  const CUmemAllocationProp properties = properties_of(place, CU_MEM_HANDLE_TYPE_NONE);
  std::size_t bytes = 0;
  require_context()->driver().cuMemGetAllocationGranularity(&bytes, &properties, flags);
  return bytes;
}

PhysicalMemory::PhysicalMemory(std::size_t bytes, const CUmemLocation& place,
                               CUmemAllocationHandleType handle_types, unsigned short usage)
    : PhysicalMemory(require_context(), bytes) {
  CUmemAllocationProp properties = properties_of(place, handle_types);
  properties.allocFlags.usage = usage;
  const auto& create = driver().cuMemCreate;
  CUresult code = create.status(&handle_, bytes, &properties, 0);
  if (code == CUDA_ERROR_OUT_OF_MEMORY && relieve_memory_pressure())
    code = create.status(&handle_, bytes, &properties, 0);
  if (code == CUDA_ERROR_OUT_OF_MEMORY) throw create.error(code, std::to_string(bytes) + " bytes");
  if (code != CUDA_SUCCESS) throw create.error(code);
}

PhysicalMemory PhysicalMemory::from_descriptor(int descriptor, std::size_t bytes) {
  PhysicalMemory memory(require_context(), bytes);
  memory.driver().cuMemImportFromShareableHandle(
      &memory.handle_, reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)),
      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  return memory;
}

PhysicalMemory PhysicalMemory::adopt(CUmemGenericAllocationHandle handle, std::size_t bytes) {
  PhysicalMemory memory(require_context(), bytes);
  memory.handle_ = handle;
  return memory;
}

PhysicalMemory PhysicalMemory::of_address(CUdeviceptr address, std::size_t bytes) {
  PhysicalMemory memory(require_context(), bytes);
  memory.driver().cuMemRetainAllocationHandle(&memory.handle_, reinterpret_cast<void*>(address));
  return memory;
}

PhysicalMemory::PhysicalMemory(PhysicalMemory&& other) noexcept
    : context_(std::move(other.context_)),
      handle_(std::exchange(other.handle_, 0)),
      bytes_(other.bytes_) {}

PhysicalMemory::~PhysicalMemory() {
  if (handle_ == 0) return;
  const driver::DriverTable& table = driver();
  const CUmemGenericAllocationHandle handle = handle_;
  const CUresult code = table.cuMemRelease.status(handle);
  const auto again = [&table, handle] { return table.cuMemRelease.status(handle); };
  if (code == CUDA_ERROR_NOT_PERMITTED && defer_release(context_, "cuMemRelease", again)) return;
  if (code != CUDA_SUCCESS) report_cleanup_failure(table, "cuMemRelease", code);
}

CUmemGenericAllocationHandle PhysicalMemory::require_handle() const {
  if (handle_ == 0)
    throw DriverError("PhysicalMemory", CUDA_ERROR_INVALID_HANDLE, "it has been released");
  return handle_;
}

void PhysicalMemory::release() {
  driver().cuMemRelease(require_handle());
  handle_ = 0;
}

CUmemAllocationProp PhysicalMemory::properties() const {
  CUmemAllocationProp properties{};
  driver().cuMemGetAllocationPropertiesFromHandle(&properties, require_handle());
  return properties;
}

int PhysicalMemory::share() const {
  int descriptor = -1;
  driver().cuMemExportToShareableHandle(&descriptor, require_handle(),
                                        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  return descriptor;
}

ReservedAddresses::ReservedAddresses(std::size_t bytes, std::size_t alignment, CUdeviceptr wanted)
    : context_(require_context()), bytes_(bytes) {
  context_->driver().cuMemAddressReserve(&begin_, bytes, alignment, wanted, 0);
}

ReservedAddresses::ReservedAddresses(ReservedAddresses&& other) noexcept
    : context_(std::move(other.context_)),
      begin_(std::exchange(other.begin_, 0)),
      bytes_(other.bytes_),
      mapped_(std::move(other.mapped_)) {}

ReservedAddresses::~ReservedAddresses() {
  if (begin_ == 0) return;
  const CUresult code = give_back();
  if (code == CUDA_SUCCESS) return;
  if (code == CUDA_ERROR_NOT_PERMITTED) {
    // Of a thread of the driver's, which may not call it.
    try {
      const auto kept = std::make_shared<ReservedAddresses>(std::move(*this));
      if (defer_release(kept->context_, "cuMemAddressFree", [kept] { return kept->give_back(); }))
        return;
    } catch (...) {  // no memory to put it off: the addresses stay reserved
    }
  }
  report_cleanup_failure(context_->driver(), "cuMemAddressFree", code);
}

CUdeviceptr ReservedAddresses::require_address() const {
  if (begin_ == 0)
    throw DriverError("ReservedAddresses", CUDA_ERROR_INVALID_HANDLE, "they have been freed");
  return begin_;
}

std::size_t ReservedAddresses::mapped_bytes_at(std::size_t offset) const {
  const auto found = mapped_.find(offset);
  if (found == mapped_.end()) {
    throw context_->driver().cuMemUnmap.error(
        CUDA_ERROR_INVALID_VALUE, "nothing was mapped at offset " + std::to_string(offset));
  }
  return found->second;
}

void ReservedAddresses::map(std::size_t offset, const PhysicalMemory& memory) {
  const CUdeviceptr begin = require_address();
  const auto& map = context_->driver().cuMemMap;
  // NVIDIA's driver maps across the end where other addresses are reserved behind it.
  const bool fits = offset <= bytes_ && memory.bytes() <= bytes_ - offset;
  const CUresult code =
      fits ? map.status(begin + offset, memory.bytes(), 0, memory.require_handle(), 0)
           : CUDA_ERROR_INVALID_VALUE;
  if (code != CUDA_SUCCESS) {
    throw map.error(code, std::to_string(memory.bytes()) + " bytes at offset " +
                              std::to_string(offset) + " of " + std::to_string(bytes_) +
                              " bytes of reserved addresses");
  }
  try {
    mapped_.emplace(offset, memory.bytes());
  } catch (...) {
    static_cast<void>(context_->driver().cuMemUnmap.status(begin + offset, memory.bytes()));
    throw;
  }
}

void ReservedAddresses::set_access(std::size_t offset, std::size_t bytes,
                                   const CUmemLocation& place, CUmemAccess_flags flags) const {
  CUmemAccessDesc access{};
  access.location = place;
  access.flags = flags;
  context_->driver().cuMemSetAccess(require_address() + offset, bytes, &access, 1);
}

CUmemAccess_flags ReservedAddresses::access(std::size_t offset, const CUmemLocation& place) const {
  unsigned long long flags = 0;
  context_->driver().cuMemGetAccess(&flags, &place, require_address() + offset);
  return static_cast<CUmemAccess_flags>(flags);
}

void ReservedAddresses::unmap(std::size_t offset) {
  const CUdeviceptr begin = require_address();
  const std::size_t bytes = mapped_bytes_at(offset);
  const ContextScope scope(context_);
  context_->driver().cuCtxSynchronize();
  context_->driver().cuMemUnmap(begin + offset, bytes);
  mapped_.erase(offset);
}

void ReservedAddresses::free() {
  require_address();
  if (const CUresult code = give_back(); code != CUDA_SUCCESS)
    throw context_->driver().cuMemAddressFree.error(code);
}

CUresult ReservedAddresses::give_back() noexcept {
  const driver::DriverTable& driver = context_->driver();
  // The context's work may use the memory; in one that has failed or ended nothing runs any more.
  if (!mapped_.empty()) context_->release([&] { return driver.cuCtxSynchronize.status(); });
  while (!mapped_.empty()) {
    const auto& [offset, bytes] = *mapped_.begin();
    const CUresult code = driver.cuMemUnmap.status(begin_ + offset, bytes);
    if (code != CUDA_SUCCESS) return code;
    mapped_.erase(mapped_.begin());
  }
  const CUresult code = driver.cuMemAddressFree.status(begin_, bytes_);
  if (code == CUDA_SUCCESS) begin_ = 0;
  return code;
}

}  // namespace pycuda::cuda
