// SPDX-License-Identifier: MIT
// What clusters a launch has: its attribute and the kernel's directives, checked.
#pragma once

#include "cpu/api/cuda_abi.h"
#include "cpu/kernel_abi/clusters.h"
#include "cpu/ptx/cluster_directives.h"

namespace pycuda::cpu::api {

/// So many blocks may clusters have on every device that has them; more only of kernels that allow
/// it (CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED).
inline constexpr unsigned portable_cluster_blocks = 8;

/// The clusters of a launch, as it runs.
struct Clusters {
  Dim3 blocks;
  bool is_explicit = false;
};

/// `wanted`: the launch's attribute, zeros where it has none. INVALID_CLUSTER_SIZE for those that
/// the device or the kernel does not have, or that the grid is not made of.
CUresult find_clusters(const ptx::ClusterDirectives& directives, bool allows_non_portable,
                       const Dim3& grid, const Dim3& wanted, Clusters* clusters);

/// The attribute's value, where a device without clusters would refuse it.
CUresult check_cluster_attribute(const CUlaunchAttributeValue& value);

inline Dim3 cluster_of(const CUlaunchAttributeValue& value) {
  return {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
}

}  // namespace pycuda::cpu::api
