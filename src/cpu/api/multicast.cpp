// SPDX-License-Identifier: MIT
// cuMulticast*: memory of several virtual devices under one address, for multimem instructions.
#include "cpu/exec/multicast.h"

#include <memory>
#include <string>

#include "cpu/api/claimed_architecture.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/virtual_device.h"
#include "cpu/api/virtual_memory.h"
#include "cpu/exec/address_space.h"
#include "cpu/exec/fault_message.h"

namespace pycuda::cpu::api {
namespace {

using exec::AddressSpace;
using exec::AddressTable;
using exec::Multicast;

constexpr std::uint64_t granularity = AddressSpace::granularity;

bool is_whole(std::uint64_t bytes) { return bytes % granularity == 0; }

bool lies_in(std::uint64_t begin, std::uint64_t bytes, std::uint64_t size) {
  return bytes != 0 && begin <= size && bytes <= size - begin;
}

CUresult refuse(const char* call, const std::string& why) {
  return fail(CUDA_ERROR_INVALID_VALUE, std::string(call) + ": " + why);
}

CUresult check_device() {
  if (claimed_architecture().has_clusters()) return CUDA_SUCCESS;
  return fail(CUDA_ERROR_NOT_SUPPORTED,
              "devices before compute capability 9.0 have no multicast objects; PYCUDA_CPU_ARCH=90 "
              "makes the CPU driver one that has");
}

CUresult check(const char* call, const CUmulticastObjectProp& prop) {
  if (prop.flags != 0) return refuse(call, "flags are 0");
  if (prop.numDevices == 0 || prop.numDevices > static_cast<unsigned>(device_count()))
    return refuse(call, "there are " + std::to_string(device_count()) + " devices, and not " +
                            std::to_string(prop.numDevices) + " (PYCUDA_CPU_DEVICES)");
  if (prop.handleTypes == CU_MEM_HANDLE_TYPE_NONE) return CUDA_SUCCESS;
  return fail(CUDA_ERROR_NOT_SUPPORTED,
              std::string(call) + ": on the CPU driver other processes have no part in them");
}

Multicast::Pointer find(const char* call, CUmemGenericAllocationHandle handle) {
  const auto found = MemoryHandle::find(handle);
  if (found != nullptr && found->multicast() != nullptr) return found->multicast();
  static_cast<void>(refuse(call, "the handle is no multicast object's, or was released"));
  return nullptr;
}

/// A part of the object and of the memory, whose size is `bytes_there`.
struct Part {
  std::uint64_t offset, memory_offset, bytes;
};

CUresult check(const char* call, const Multicast& object, const Part& part,
               std::uint64_t bytes_there) {
  if (!is_whole(part.offset) || !is_whole(part.memory_offset) || !is_whole(part.bytes))
    return refuse(call, "offsets and size are multiples of " + std::to_string(granularity));
  if (!lies_in(part.offset, part.bytes, object.bytes()))
    return refuse(call, "the part is not in the object, which has " +
                            std::to_string(object.bytes()) + " bytes");
  if (!lies_in(part.memory_offset, part.bytes, bytes_there))
    return refuse(
        call, "the part is not in the memory, which has " + std::to_string(bytes_there) + " bytes");
  return CUDA_SUCCESS;
}

CUresult check_member(const char* call, const Multicast& object, bool of_device, int device) {
  if (of_device && object.has(device)) return CUDA_SUCCESS;
  return fail(CUDA_ERROR_INVALID_DEVICE,
              std::string(call) + ": the memory is of no device that was added to the object");
}

CUresult result_of(const char* call, Multicast::Bound bound) {
  if (bound == Multicast::Bound::NoRoom) return CUDA_ERROR_OUT_OF_MEMORY;
  if (bound == Multicast::Bound::Done) return CUDA_SUCCESS;
  return refuse(call, "memory of the device is bound there already");
}

CUresult bind_memory(const char* call, Multicast& object, const exec::PhysicalMemory::Pointer& from,
                     const Part& part) {
  const exec::PhysicalFacts& facts = from->facts();
  if (const CUresult status = check(call, object, part, facts.bytes); status != CUDA_SUCCESS)
    return status;
  object.wait_until_whole(call);
  const bool of_device = facts.place_type == CU_MEM_LOCATION_TYPE_DEVICE;
  const CUresult status = check_member(call, object, of_device, facts.place_id);
  if (status != CUDA_SUCCESS) return status;
  return result_of(call,
                   object.bind(facts.place_id, part.offset, from, part.memory_offset, part.bytes));
}

CUresult bind_address(Multicast& object, std::uint64_t offset, CUdeviceptr address,
                      std::uint64_t bytes) {
  constexpr const char* call = "cuMulticastBindAddr";
  if (const auto mapping = AddressSpace::instance().find(address)) {
    const std::uint64_t behind = address - mapping->begin;
    if (mapping->memory == nullptr) return refuse(call, "the address is a multicast object's");
    if (!lies_in(behind, bytes, mapping->bytes))
      return refuse(call, "the memory is mapped in several parts, or ends before");
    return bind_memory(call, object, mapping->memory, {offset, mapping->offset + behind, bytes});
  }
  const auto found = AddressTable::instance().find(address);
  if (!found || found->kind != exec::MemoryKind::Pool)
    return refuse(call, exec::hexadecimal(address) +
                            " is no address of memory of cuMemCreate or cuMemAllocAsync");
  if (address % granularity != 0)
    return refuse(call, "the address is no multiple of " + std::to_string(granularity));
  const CUresult status =
      check(call, object, {offset, 0, bytes}, found->begin + found->bytes - address);
  if (status != CUDA_SUCCESS) return status;
  object.wait_until_whole(call);
  const CUresult of_member = check_member(call, object, true, found->device);
  if (of_member != CUDA_SUCCESS) return of_member;
  return result_of(
      call, object.bind(found->device, offset, reinterpret_cast<std::byte*>(address), bytes));
}

}  // namespace
}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;
using pycuda::cpu::exec::Multicast;

extern "C" {

CUresult cuMulticastGetGranularity(size_t* bytes, const CUmulticastObjectProp* prop,
                                   CUmulticastGranularity_flags option) {
  return with_driver([&]() -> CUresult {
    if (const CUresult status = check_device(); status != CUDA_SUCCESS) return status;
    if (bytes == nullptr || prop == nullptr ||
        (option != CU_MULTICAST_GRANULARITY_MINIMUM &&
         option != CU_MULTICAST_GRANULARITY_RECOMMENDED))
      return CUDA_ERROR_INVALID_VALUE;
    const CUresult status = check("cuMulticastGetGranularity", *prop);
    if (status == CUDA_SUCCESS) *bytes = granularity;
    return status;
  });
}

CUresult cuMulticastCreate(CUmemGenericAllocationHandle* mcHandle,
                           const CUmulticastObjectProp* prop) {
  return with_driver([&]() -> CUresult {
    constexpr const char* call = "cuMulticastCreate";
    if (const CUresult status = check_device(); status != CUDA_SUCCESS) return status;
    if (mcHandle == nullptr || prop == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult status = check(call, *prop); status != CUDA_SUCCESS) return status;
    if (prop->size == 0 || !is_whole(prop->size))
      return refuse(call, "the size is a multiple of " + std::to_string(granularity));
    *mcHandle = MemoryHandle::give(std::make_shared<Multicast>(prop->numDevices, prop->size));
    return CUDA_SUCCESS;
  });
}

CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle mcHandle, CUdevice dev) {
  return with_driver([&]() -> CUresult {
    constexpr const char* call = "cuMulticastAddDevice";
    const auto object = find(call, mcHandle);
    if (object == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (find_device(dev) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    if (object->add(dev)) return CUDA_SUCCESS;
    return refuse(call, "the device was added before, or all " + std::to_string(object->size()) +
                            " devices were");
  });
}

CUresult cuMulticastBindMem(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
                            CUmemGenericAllocationHandle memHandle, size_t memOffset, size_t size,
                            unsigned long long flags) {
  return with_driver([&]() -> CUresult {
    constexpr const char* call = "cuMulticastBindMem";
    const auto object = find(call, mcHandle);
    if (object == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    const auto memory = find_memory(memHandle);
    if (memory == nullptr) return refuse(call, "the handle is no memory's, or was released");
    return bind_memory(call, *object, memory->memory(), {mcOffset, memOffset, size});
  });
}

CUresult cuMulticastBindAddr(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
                             CUdeviceptr memptr, size_t size, unsigned long long flags) {
  return with_driver([&]() -> CUresult {
    const auto object = find("cuMulticastBindAddr", mcHandle);
    if (object == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    return bind_address(*object, mcOffset, memptr, size);
  });
}

CUresult cuMulticastUnbind(CUmemGenericAllocationHandle mcHandle, CUdevice dev, size_t mcOffset,
                           size_t size) {
  return with_driver([&]() -> CUresult {
    constexpr const char* call = "cuMulticastUnbind";
    const auto object = find(call, mcHandle);
    if (object == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (find_device(dev) == nullptr || !object->has(dev)) return CUDA_ERROR_INVALID_DEVICE;
    static_cast<void>(wait_for_mapped_work());
    if (object->unbind(dev, mcOffset, size)) return CUDA_SUCCESS;
    return refuse(call, "no memory of the device was bound so");
  });
}

}  // extern "C"
