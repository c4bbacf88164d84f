// SPDX-License-Identifier: MIT
#include "cuda/launch_attributes.h"

#include <array>

#include "cuda/launch.h"

namespace pycuda::cuda {
namespace {

int device_attribute(const Kernel& kernel, CUdevice_attribute which) {
  int value = 0;
  const CUdevice device = kernel.context()->device().handle();
  return kernel.driver().cuDeviceGetAttribute.status(&value, which, device) == CUDA_SUCCESS ? value
                                                                                            : 0;
}

std::string capability_text(const Kernel& kernel) {
  return std::to_string(device_attribute(kernel, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)) +
         "." +
         std::to_string(device_attribute(kernel, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
}

std::string cooperative_refusal(const Kernel& kernel, const LaunchShape& shape) {
  const unsigned int threads = shape.block.x * shape.block.y * shape.block.z;
  int resident = 0;
  if (kernel.driver().cuOccupancyMaxActiveBlocksPerMultiprocessor.status(
          &resident, kernel.handle(), static_cast<int>(threads), shape.shared_bytes) !=
      CUDA_SUCCESS) {
    return {};
  }
  const std::int64_t most =
      std::int64_t{resident} * device_attribute(kernel, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  const std::uint64_t blocks = std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
  return ": a cooperative launch of " + std::to_string(blocks) +
         " blocks, of which the device runs at most " + std::to_string(most) + " at once";
}

std::string dim_text(const Dim3& dim) {
  return std::to_string(dim.x) + "x" + std::to_string(dim.y) + "x" + std::to_string(dim.z);
}

/// The clusters that the kernel is compiled for; of no blocks when any will do.
Dim3 required_cluster(const Kernel& kernel) {
  const auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    const CUresult code = kernel.driver().cuFuncGetAttribute.status(&value, which, kernel.handle());
    return code == CUDA_SUCCESS ? static_cast<unsigned int>(value) : 0u;
  };
  return {attribute(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH),
          attribute(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT),
          attribute(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH)};
}

std::string cluster_refusal(const Kernel& kernel, const LaunchAttributes& wanted) {
  const Dim3 required = required_cluster(kernel);
  const Dim3& cluster = wanted.has_cluster ? wanted.cluster : required;
  const std::string text = ": clusters of " + dim_text(cluster) + " blocks";
  if (device_attribute(kernel, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) == 0) {
    return text + ", but the device (compute capability " + capability_text(kernel) +
           ") has no clusters";
  }
  if (required.x != 0 && dim_text(required) != dim_text(cluster))
    return text + ", but the kernel is compiled for clusters of " + dim_text(required);
  return text +
         ": the grid must be made of whole clusters, of at most 8 blocks unless the kernel "
         "allows more";
}

/// Whether the clusters are what was refused. Drivers of devices without any have no code for it.
bool is_about_clusters(const Kernel& kernel, const LaunchAttributes& wanted, CUresult code) {
  if (code == CUDA_ERROR_INVALID_CLUSTER_SIZE) return true;
  const Dim3& cluster = wanted.cluster;
  return wanted.has_cluster && (cluster.x > 1 || cluster.y > 1 || cluster.z > 1) &&
         device_attribute(kernel, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) == 0;
}

}  // namespace

CUresult launch_extended(const Kernel& kernel, const LaunchShape& shape, CUstream stream,
                         void** extra) {
  const LaunchAttributes& wanted = shape.attributes;
  std::array<CUlaunchAttribute, 4> attributes{};
  unsigned int count = 0;
  const auto add = [&](CUlaunchAttributeID id) -> CUlaunchAttributeValue& {
    attributes[count].id = id;
    return attributes[count++].value;
  };
  if (wanted.cooperative) add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
  if (wanted.programmatic) {
    add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
        .programmaticStreamSerializationAllowed = 1;
  }
  if (wanted.has_priority) add(CU_LAUNCH_ATTRIBUTE_PRIORITY).priority = wanted.priority;
  if (wanted.has_cluster) {
    auto& cluster = add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim;
    cluster.x = wanted.cluster.x;
    cluster.y = wanted.cluster.y;
    cluster.z = wanted.cluster.z;
  }
  CUlaunchConfig config{};
  config.gridDimX = shape.grid.x;
  config.gridDimY = shape.grid.y;
  config.gridDimZ = shape.grid.z;
  config.blockDimX = shape.block.x;
  config.blockDimY = shape.block.y;
  config.blockDimZ = shape.block.z;
  config.sharedMemBytes = shape.shared_bytes;
  config.hStream = stream;
  config.attrs = attributes.data();
  config.numAttrs = count;
  return kernel.driver().cuLaunchKernelEx.status(&config, kernel.handle(), nullptr, extra);
}

std::string attribute_refusal(const Kernel& kernel, const LaunchShape& shape, CUresult code) {
  const LaunchAttributes& wanted = shape.attributes;
  if (code == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE) return cooperative_refusal(kernel, shape);
  if (is_about_clusters(kernel, wanted, code)) return cluster_refusal(kernel, wanted);
  if (wanted.programmatic &&
      device_attribute(kernel, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) < 9) {
    return ": programmatic dependent launches need compute capability 9.0, the device has " +
           capability_text(kernel);
  }
  if (wanted.cooperative && device_attribute(kernel, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) == 0) {
    return ": the device has no cooperative launches";
  }
  return {};
}

}  // namespace pycuda::cuda
