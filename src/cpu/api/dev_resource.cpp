// SPDX-License-Identifier: MIT
// cuDeviceGetDevResource, and how resources are split and put together again.
#include "cpu/api/dev_resource.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/registry.h"

namespace exec = pycuda::cpu::exec;

namespace pycuda::cpu::api {
namespace {

// In the part of a CUdevResource that is the driver's own.
struct OwnPart {
  std::uint64_t mark = 0;
  std::uint64_t split = 0;  ///< the number of the split that it came from; 0: of none
  const exec::ProcessorSet* processors = nullptr;
  CUdevice device = 0;
  bool is_group = false;  ///< of a split, not what was left
};
static_assert(sizeof(OwnPart) <= sizeof(CUdevResource::_internal_padding));

constexpr std::uint64_t known_mark = 0x70796375646152e5;

const exec::ProcessorSet* all_processors(const VirtualDevice& device) {
  std::vector<unsigned> all(static_cast<std::size_t>(device.processor_count()));
  std::iota(all.begin(), all.end(), 0u);
  return exec::ProcessorSet::of(std::move(all));
}

void write(const OwnPart& own, CUdevResource* resource) {
  *resource = CUdevResource{};
  resource->type = CU_DEV_RESOURCE_TYPE_SM;
  resource->sm.smCount = own.processors->size();
  // Workers are alike, and none depends on another.
  resource->sm.minSmPartitionSize = 1;
  resource->sm.smCoscheduledAlignment = 1;
  std::memcpy(static_cast<void*>(resource->_internal_padding), &own, sizeof own);
}

// The resource as this driver wrote it, or why it is none.
CUresult read(const CUdevResource& resource, OwnPart* own) {
  if (resource.type != CU_DEV_RESOURCE_TYPE_SM) {
    return fail(CUDA_ERROR_INVALID_RESOURCE_TYPE,
                "the resource is none of multiprocessors (CU_DEV_RESOURCE_TYPE_SM)");
  }
  std::memcpy(own, static_cast<const void*>(resource._internal_padding), sizeof *own);
  if (own->mark == known_mark && own->processors != nullptr) return CUDA_SUCCESS;
  return fail(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
              "the resource was not made by cuDeviceGetDevResource or a function like it");
}

std::uint64_t next_split() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

CUresult split(CUdevResource* result, unsigned* groups, const CUdevResource& input,
               CUdevResource* remainder, unsigned least) {
  OwnPart own;
  if (const CUresult status = read(input, &own); status != CUDA_SUCCESS) return status;
  if (own.is_group) {
    return fail(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                "a group of a split is not split again: make a green context of it and split that "
                "one's resource");
  }
  const std::vector<unsigned>& all = own.processors->processors();
  const unsigned size = std::max(least, 1u);
  if (size > all.size()) {
    return fail(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                "groups of " + std::to_string(size) + " multiprocessors are asked for, of " +
                    std::to_string(all.size()));
  }
  const auto most = static_cast<unsigned>(all.size()) / size;
  if (result == nullptr) {
    *groups = most;
    return CUDA_SUCCESS;
  }
  if (*groups == 0) return fail(CUDA_ERROR_INVALID_VALUE, "there is room for no group");
  const unsigned made = std::min(*groups, most);
  const std::uint64_t number = next_split();
  const auto part = [&](std::size_t begin, std::size_t end, bool is_group) {
    const auto first = all.begin();
    return OwnPart{known_mark, number,
                   exec::ProcessorSet::of({first + static_cast<std::ptrdiff_t>(begin),
                                           first + static_cast<std::ptrdiff_t>(end)}),
                   own.device, is_group};
  };
  for (unsigned i = 0; i < made; ++i)
    write(part(std::size_t{i} * size, (std::size_t{i} + 1) * size, true), &result[i]);
  if (remainder != nullptr) {
    *remainder = CUdevResource{};  // of no type where nothing is left
    if (const std::size_t used = std::size_t{made} * size; used < all.size())
      write(part(used, all.size(), false), remainder);
  }
  *groups = made;
  return CUDA_SUCCESS;
}

CUresult describe(CUdevResourceDesc* description, const CUdevResource* resources, unsigned count) {
  std::vector<unsigned> processors;
  OwnPart first;
  for (unsigned i = 0; i < count; ++i) {
    OwnPart own;
    if (const CUresult status = read(resources[i], &own); status != CUDA_SUCCESS) return status;
    if (i == 0) first = own;
    if (i != 0 && (own.device != first.device || own.split == 0 || own.split != first.split)) {
      return fail(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
                  "several resources of one green context come from one split");
    }
    const std::vector<unsigned>& more = own.processors->processors();
    processors.insert(processors.end(), more.begin(), more.end());
  }
  std::ranges::sort(processors);
  const auto twice = std::ranges::unique(processors);
  processors.erase(twice.begin(), twice.end());
  auto made = std::make_unique<ResourceDescription>(*find_device(first.device),
                                                    exec::ProcessorSet::of(std::move(processors)));
  *description = registry.resource_descriptions.insert(made.get());
  static_cast<void>(made.release());  // descriptions are never destroyed
  return CUDA_SUCCESS;
}

}  // namespace

CUresult give_resource(const VirtualDevice& device, const exec::ProcessorSet* processors,
                       CUdevResourceType type, CUdevResource* resource) {
  if (resource == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (type != CU_DEV_RESOURCE_TYPE_SM) {
    return fail(CUDA_ERROR_INVALID_RESOURCE_TYPE,
                "the CPU driver has resources of multiprocessors only (CU_DEV_RESOURCE_TYPE_SM)");
  }
  if (processors == nullptr) processors = all_processors(device);
  write({known_mark, 0, processors, device.ordinal(), false}, resource);
  return CUDA_SUCCESS;
}

}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource* resource, CUdevResourceType type) {
  return with_driver([&]() -> CUresult {
    const VirtualDevice* const found = find_device(device);
    if (found == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    return give_resource(*found, nullptr, type, resource);
  });
}

// The flags concern clusters, and how multiprocessors share resources: any two workers do alike.
// NVIDIA's driver accepts unknown ones.
CUresult cuDevSmResourceSplitByCount(CUdevResource* result, unsigned int* nbGroups,
                                     const CUdevResource* input, CUdevResource* remainder,
                                     unsigned int, unsigned int minCount) {
  return with_driver([&]() -> CUresult {
    if (nbGroups == nullptr || input == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUdevResource given = *input;  // which may be one of the outputs
    return split(result, nbGroups, given, remainder, minCount);
  });
}

CUresult cuDevResourceGenerateDesc(CUdevResourceDesc* phDesc, CUdevResource* resources,
                                   unsigned int nbResources) {
  return with_driver([&]() -> CUresult {
    if (phDesc == nullptr || resources == nullptr || nbResources == 0)
      return CUDA_ERROR_INVALID_VALUE;
    return describe(phDesc, resources, nbResources);
  });
}

}  // extern "C"
