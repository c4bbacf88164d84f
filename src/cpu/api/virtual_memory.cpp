// SPDX-License-Identifier: MIT
// cuMemAddressReserve, cuMemMap and their relatives.
#include "cpu/api/virtual_memory.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <string>
#include <unordered_map>

#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/ipc_memory.h"
#include "cpu/api/virtual_device.h"
#include "cpu/exec/fault_message.h"

using namespace pycuda::cpu::api;
using pycuda::cpu::exec::AddressSpace;
using pycuda::cpu::exec::AddressTable;
using pycuda::cpu::exec::Allocation;
using pycuda::cpu::exec::hexadecimal;
using pycuda::cpu::exec::MemoryKind;
using pycuda::cpu::exec::PageAccess;

namespace {

constexpr std::uint64_t granularity = AddressSpace::granularity;
constexpr std::uint64_t page = 4096;

bool is_whole(std::uint64_t bytes) { return bytes != 0 && bytes % granularity == 0; }

CUresult refuse_range(const char* call, CUdeviceptr begin, std::size_t bytes, const char* why) {
  return fail(CUDA_ERROR_INVALID_VALUE, std::string(call) + ": " + std::to_string(bytes) +
                                            " bytes at " + hexadecimal(begin) + " " + why);
}

CUresult map(CUdeviceptr begin, std::size_t bytes, std::size_t offset,
             CUmemGenericAllocationHandle number) {
  const auto handle = MemoryHandle::find(number);
  if (handle == nullptr)
    return fail(CUDA_ERROR_INVALID_VALUE, "cuMemMap: the handle is none, or was released");
  const auto& multicast = handle->multicast();
  const std::uint64_t whole = multicast ? multicast->bytes() : handle->memory()->facts().bytes;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  // As with NVIDIA's driver.
  if (offset != 0 || bytes != whole) {
    return fail(CUDA_ERROR_NOT_SUPPORTED, "cuMemMap: memory is mapped as a whole, all " +
                                              std::to_string(whole) + " bytes of it");
  }
  if (begin % granularity != 0)
    return refuse_range("cuMemMap", begin, bytes, "do not begin at a multiple of the granularity");
  AddressSpace& space = AddressSpace::instance();
  if (!space.is_free(begin, bytes))
    return refuse_range("cuMemMap", begin, bytes, "are not reserved, or something is mapped there");
  if (multicast) multicast->wait_until_whole("cuMemMap");
  const bool of_device =
      multicast || handle->memory()->facts().place_type == CU_MEM_LOCATION_TYPE_DEVICE;
  AddressSpace::Mapping mapping;
  mapping.begin = begin;
  mapping.bytes = bytes;
  mapping.offset = offset;
  mapping.memory = handle->memory();
  mapping.multicast = multicast;
  mapping.owner = handle;
  Allocation allocation;
  allocation.begin = begin;
  allocation.bytes = bytes;
  allocation.kind = of_device ? MemoryKind::Mapped : MemoryKind::MappedHost;
  allocation.device = of_device && !multicast ? handle->memory()->facts().place_id : 0;
  return space.map(std::move(mapping), allocation) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult refuse(const char* why) { return fail(CUDA_ERROR_INVALID_VALUE, why); }

CUresult refuse_size(const char* call, std::uint64_t bytes) {
  return fail(CUDA_ERROR_INVALID_VALUE,
              std::string(call) + ": " + std::to_string(bytes) + " bytes are no multiple of " +
                  std::to_string(granularity) + " (cuMemGetAllocationGranularity)");
}

CUresult check_access(const CUmemAccessDesc& access, const AddressSpace::Mapping& mapping) {
  if (!access_of(access.flags))
    return refuse("cuMemSetAccess: the access is none, reading, or reading and writing");
  switch (access.location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
      return find_device(access.location.id) != nullptr
                 ? CUDA_SUCCESS
                 : refuse("cuMemSetAccess: there is no such device");
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
      if (mapping.memory != nullptr &&
          mapping.memory->facts().place_type != CU_MEM_LOCATION_TYPE_DEVICE)
        return CUDA_SUCCESS;
      // Programs that reached a device's memory so would not run on a GPU.
      return fail(CUDA_ERROR_NOT_SUPPORTED,
                  "cuMemSetAccess: the host has no access to memory of a device");
    default:
      return refuse("cuMemSetAccess: a location is a device or the host");
  }
}

CUresult set_access(CUdeviceptr begin, std::size_t bytes, const CUmemAccessDesc* all,
                    std::size_t count) {
  if (all == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
  AddressSpace& space = AddressSpace::instance();
  const auto mappings = space.mappings(begin, bytes);
  if (bytes == 0 || mappings.empty())
    return refuse_range("cuMemSetAccess", begin, bytes, "are not what was mapped there");
  for (std::size_t i = 0; i < count; ++i) {
    for (const AddressSpace::Mapping& mapping : mappings) {
      const CUresult status = check_access(all[i], mapping);
      if (status != CUDA_SUCCESS) return status;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!space.set_access(begin, bytes, place_of(all[i].location), *access_of(all[i].flags)))
      return CUDA_ERROR_OUT_OF_MEMORY;
  }
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp* prop,
                                       CUmemAllocationGranularity_flags option) {
  return with_driver([&]() -> CUresult {
    if (bytes == nullptr || prop == nullptr ||
        (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM &&
         option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED))
      return CUDA_ERROR_INVALID_VALUE;
    *bytes = granularity;  // wherever the memory is to be
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAddressReserve(CUdeviceptr* ptr, size_t size, size_t alignment, CUdeviceptr addr,
                             unsigned long long flags) {
  return with_driver([&]() -> CUresult {
    if (ptr == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (!is_whole(size)) return refuse_size("cuMemAddressReserve", size);
    if (addr % page != 0 || (alignment != 0 && !std::has_single_bit(alignment)))
      return refuse("cuMemAddressReserve: an alignment is a power of two, an address a page's");
    const std::uintptr_t begin = AddressSpace::instance().reserve(
        size, std::max<std::uint64_t>(alignment, granularity), addr);
    if (begin == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    *ptr = begin;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size) {
  return with_driver([&]() -> CUresult {
    if (AddressSpace::instance().release(ptr, size)) return CUDA_SUCCESS;
    return refuse_range("cuMemAddressFree", ptr, size,
                        "were not reserved so, or something is mapped there");
  });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t size,
                     const CUmemAllocationProp* prop, unsigned long long flags) {
  return with_driver([&]() -> CUresult {
    if (handle == nullptr || prop == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (!is_whole(size)) return refuse_size("cuMemCreate", size);
    if (const CUresult status = check_properties(*prop); status != CUDA_SUCCESS) return status;
    pycuda::cpu::exec::PhysicalFacts facts;
    facts.bytes = size;
    // Memory of the host is that of a node, of the only one here.
    const bool of_host = prop->location.type == CU_MEM_LOCATION_TYPE_HOST;
    facts.place_type = of_host ? CU_MEM_LOCATION_TYPE_HOST_NUMA : prop->location.type;
    facts.place_id = of_host ? 0 : prop->location.id;
    facts.handle_types = prop->requestedHandleTypes;
    facts.usage = prop->allocFlags.usage;
    VirtualDevice* const device = prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE
                                      ? find_device(prop->location.id)
                                      : nullptr;
    auto made = pycuda::cpu::exec::PhysicalMemory::make(
        facts, device != nullptr ? &device->memory() : nullptr);
    if (!made) return refuse_pages(made.error(), CUDA_ERROR_INVALID_VALUE);
    *handle = MemoryHandle::give(std::move(*made));
    return CUDA_SUCCESS;
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return with_driver([&]() -> CUresult {
    return MemoryHandle::release(handle)
               ? CUDA_SUCCESS
               : refuse("cuMemRelease: the handle is none, or was released");
  });
}

CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  return with_driver([&]() -> CUresult {
    return flags == 0 ? map(ptr, size, offset, handle) : refuse("cuMemMap: flags are 0");
  });
}

CUresult cuMemUnmap(CUdeviceptr ptr, size_t size) {
  return with_driver([&]() -> CUresult {
    if (size == 0) return CUDA_ERROR_INVALID_VALUE;
    // A context that has failed runs nothing any more.
    static_cast<void>(wait_for_mapped_work());
    if (AddressSpace::instance().unmap(ptr, size)) return CUDA_SUCCESS;
    return refuse_range("cuMemUnmap", ptr, size,
                        "are not reserved, or a mapping is not wholly in them");
  });
}

CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc* desc, size_t count) {
  return with_driver([&] { return set_access(ptr, size, desc, count); });
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location, CUdeviceptr ptr) {
  return with_driver([&]() -> CUresult {
    if (flags == nullptr || location == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const bool of_device = location->type == CU_MEM_LOCATION_TYPE_DEVICE;
    const bool of_host = location->type == CU_MEM_LOCATION_TYPE_HOST ||
                         location->type == CU_MEM_LOCATION_TYPE_HOST_NUMA;
    if (!of_host && (!of_device || find_device(location->id) == nullptr))
      return CUDA_ERROR_INVALID_DEVICE;
    const auto mapping = AddressSpace::instance().find(ptr);
    if (!mapping) {
      // All other memory can be reached from everywhere.
      if (!AddressTable::instance().find(ptr))
        return refuse("cuMemGetAccess: nothing is mapped there");
      *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
      return CUDA_SUCCESS;
    }
    const auto found = mapping->access.find(place_of(*location));
    *flags =
        found != mapping->access.end() ? flags_of(found->second) : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* addr) {
  return with_driver([&]() -> CUresult {
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto mapping = AddressSpace::instance().find(reinterpret_cast<std::uintptr_t>(addr));
    if (!mapping) return refuse("cuMemRetainAllocationHandle: nothing is mapped there");
    *handle = static_cast<MemoryHandle*>(mapping->owner.get())->retain();
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* prop,
                                                CUmemGenericAllocationHandle handle) {
  return with_driver([&]() -> CUresult {
    const auto found = find_memory(handle);
    if (prop == nullptr || found == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto& facts = found->memory()->facts();
    *prop = {};
    prop->type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop->requestedHandleTypes = static_cast<CUmemAllocationHandleType>(facts.handle_types);
    prop->location.type = static_cast<CUmemLocationType>(facts.place_type);
    prop->location.id = facts.place_id;
    prop->allocFlags.usage = static_cast<unsigned short>(facts.usage);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemExportToShareableHandle(void* shareableHandle, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType handleType,
                                      unsigned long long flags) {
  return with_driver([&]() -> CUresult {
    const auto found = find_memory(handle);
    if (shareableHandle == nullptr || found == nullptr || flags != 0 ||
        handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
      return CUDA_ERROR_INVALID_VALUE;
    if ((found->memory()->facts().handle_types & unsigned{handleType}) == 0) {
      return fail(CUDA_ERROR_INVALID_VALUE,
                  "cuMemExportToShareableHandle: the memory was made without this type in "
                  "requestedHandleTypes");
    }
    const int descriptor = found->memory()->export_descriptor();
    if (descriptor < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    *static_cast<int*>(shareableHandle) = descriptor;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* osHandle,
                                        CUmemAllocationHandleType shHandleType) {
  return with_driver([&]() -> CUresult {
    if (handle == nullptr || shHandleType == CU_MEM_HANDLE_TYPE_NONE)
      return CUDA_ERROR_INVALID_VALUE;
    if (shHandleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
    auto memory = pycuda::cpu::exec::PhysicalMemory::import(
        static_cast<int>(reinterpret_cast<std::intptr_t>(osHandle)));
    if (!memory) return refuse_pages(memory.error(), CUDA_ERROR_UNKNOWN);
    *handle = MemoryHandle::give(std::move(*memory));
    return CUDA_SUCCESS;
  });
}

}  // extern "C"

namespace pycuda::cpu::api {
namespace {

struct Handles {
  std::mutex mutex;  ///< protects what follows, and the handles' references
  std::unordered_map<const MemoryHandle*, std::shared_ptr<MemoryHandle>> given;
};

Handles& handles() {
  static auto& all = *new Handles;
  return all;
}

MemoryHandleSlot* slot_of(CUmemGenericAllocationHandle handle) {
  return reinterpret_cast<MemoryHandleSlot*>(static_cast<std::uintptr_t>(handle));
}

CUmemGenericAllocationHandle number_of(MemoryHandleSlot* slot) {
  return reinterpret_cast<std::uintptr_t>(slot);
}

}  // namespace

MemoryHandle::MemoryHandle(Key, exec::PhysicalMemory::Pointer memory,
                           exec::Multicast::Pointer multicast)
    : memory_(std::move(memory)),
      multicast_(std::move(multicast)),
      slot_(registry.memory_handles.insert(this)) {}

MemoryHandle::~MemoryHandle() { registry.memory_handles.erase(slot_, this); }

CUmemGenericAllocationHandle MemoryHandle::give(exec::PhysicalMemory::Pointer memory) {
  return std::make_shared<MemoryHandle>(Key{}, std::move(memory), nullptr)->retain();
}

CUmemGenericAllocationHandle MemoryHandle::give(exec::Multicast::Pointer multicast) {
  return std::make_shared<MemoryHandle>(Key{}, nullptr, std::move(multicast))->retain();
}

std::shared_ptr<MemoryHandle> find_memory(CUmemGenericAllocationHandle handle) {
  auto found = MemoryHandle::find(handle);
  return found != nullptr && found->memory() != nullptr ? found : nullptr;
}

CUresult wait_for_mapped_work() {
  Context* const context = registry.contexts.find(this_thread.current);
  return context != nullptr ? context->synchronize() : CUDA_SUCCESS;
}

CUmemGenericAllocationHandle MemoryHandle::retain() {
  Handles& all = handles();
  const std::lock_guard lock(all.mutex);
  if (references_++ == 0) all.given.emplace(this, shared_from_this());
  return number_of(slot_);
}

std::shared_ptr<MemoryHandle> MemoryHandle::find(CUmemGenericAllocationHandle handle) {
  Handles& all = handles();
  const std::lock_guard lock(all.mutex);
  const auto found = all.given.find(registry.memory_handles.find(slot_of(handle)));
  return found != all.given.end() ? found->second : nullptr;
}

bool MemoryHandle::release(CUmemGenericAllocationHandle handle) {
  std::shared_ptr<MemoryHandle> last;  // goes after the lock
  Handles& all = handles();
  const std::lock_guard lock(all.mutex);
  const auto found = all.given.find(registry.memory_handles.find(slot_of(handle)));
  if (found == all.given.end()) return false;
  if (--found->second->references_ == 0) {
    last = std::move(found->second);
    all.given.erase(found);
  }
  return true;
}

CUresult check_properties(const CUmemAllocationProp& properties) {
  if (properties.type != CU_MEM_ALLOCATION_TYPE_PINNED)
    return fail(CUDA_ERROR_INVALID_VALUE, "the type of memory is CU_MEM_ALLOCATION_TYPE_PINNED");
  const unsigned types = properties.requestedHandleTypes;
  switch (properties.location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
      if (find_device(properties.location.id) == nullptr)
        return fail(CUDA_ERROR_INVALID_DEVICE,
                    "there is no device " + std::to_string(properties.location.id));
      break;
    case CU_MEM_LOCATION_TYPE_HOST:
      if (types != CU_MEM_HANDLE_TYPE_NONE)
        return fail(CUDA_ERROR_INVALID_VALUE,
                    "memory of the host is shared if it is of a node: "
                    "CU_MEM_LOCATION_TYPE_HOST_NUMA");
      break;
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
      if (properties.location.id != 0)
        return fail(CUDA_ERROR_INVALID_VALUE, "the only node of the host's memory is 0");
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  if (types == CU_MEM_HANDLE_TYPE_FABRIC) {
    return fail(CUDA_ERROR_NOT_SUPPORTED,
                "memory is shared by file descriptors alone on the CPU driver");
  }
  if ((types & ~unsigned{CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR}) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

std::pair<int, int> place_of(const CUmemLocation& location) {
  return {location.type, location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : 0};
}

std::optional<exec::PageAccess> access_of(CUmemAccess_flags flags) {
  switch (flags) {
    case CU_MEM_ACCESS_FLAGS_PROT_NONE:
      return PageAccess::None;
    case CU_MEM_ACCESS_FLAGS_PROT_READ:
      return PageAccess::Read;
    case CU_MEM_ACCESS_FLAGS_PROT_READWRITE:
      return PageAccess::ReadWrite;
    default:
      return std::nullopt;
  }
}

CUmemAccess_flags flags_of(exec::PageAccess access) {
  switch (access) {
    case PageAccess::None:
      return CU_MEM_ACCESS_FLAGS_PROT_NONE;
    case PageAccess::Read:
      return CU_MEM_ACCESS_FLAGS_PROT_READ;
    case PageAccess::ReadWrite:
      return CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  }
  return CU_MEM_ACCESS_FLAGS_PROT_NONE;
}

}  // namespace pycuda::cpu::api
