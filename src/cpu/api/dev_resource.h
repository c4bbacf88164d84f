// SPDX-License-Identifier: MIT
// Parts of a device's multiprocessors, which are workers, as CUdevResource describes them.
#pragma once

#include "cpu/api/cuda_abi.h"
#include "cpu/api/virtual_device.h"
#include "cpu/exec/processor_set.h"

namespace pycuda::cpu::api {

/// Green contexts are made of it. Lives as long as the process.
class ResourceDescription {
 public:
  ResourceDescription(VirtualDevice& device, const exec::ProcessorSet* processors)
      : device_(device), processors_(processors) {}
  VirtualDevice& device() const { return device_; }
  const exec::ProcessorSet* processors() const { return processors_; }

 private:
  VirtualDevice& device_;
  const exec::ProcessorSet* processors_;
};

/// Writes the resource of these multiprocessors to `resource`; null: of all. `type` must be that of
/// multiprocessors, the only one there is: INVALID_RESOURCE_TYPE otherwise.
CUresult give_resource(const VirtualDevice& device, const exec::ProcessorSet* processors,
                       CUdevResourceType type, CUdevResource* resource);

}  // namespace pycuda::cpu::api
