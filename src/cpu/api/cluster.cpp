// SPDX-License-Identifier: MIT
// Clusters: their sizes, and cuOccupancy* of them.
#include "cpu/api/cluster.h"

#include <algorithm>

#include "cpu/api/function_guard.h"
#include "cpu/api/launch.h"
#include "cpu/api/occupancy.h"

namespace pycuda::cpu::api {
namespace {

std::uint64_t product(const Dim3& dim) { return std::uint64_t{dim.x} * dim.y * dim.z; }

bool is_none(const Dim3& dim) { return dim.x == 0 && dim.y == 0 && dim.z == 0; }

bool are_equal(const Dim3& left, const Dim3& right) {
  return left.x == right.x && left.y == right.y && left.z == right.z;
}

unsigned most_blocks(bool allows_non_portable) {
  return allows_non_portable ? most_cluster_blocks : portable_cluster_blocks;
}

/// The launch of a configuration, as cuLaunchKernelEx would make it.
CUresult read_config(const Function& function, const CUlaunchConfig& config, LaunchShape* shape) {
  *shape = {{config.gridDimX, config.gridDimY, config.gridDimZ},
            {config.blockDimX, config.blockDimY, config.blockDimZ},
            config.sharedMemBytes,
            false,
            {0, 0, 0}};
  if (config.numAttrs != 0 && config.attrs == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    if (config.attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      shape->cluster = cluster_of(config.attrs[i].value);
  }
  return product(shape->block) == 0 || product(shape->block) > function.facts().max_threads
             ? CUDA_ERROR_INVALID_VALUE
             : CUDA_SUCCESS;
}

unsigned resident_blocks(const Function& function, const LaunchShape& shape) {
  return blocks_per_processor(function.facts(), function.registers(),
                              static_cast<unsigned>(product(shape.block)),
                              shape.dynamic_shared_bytes);
}

}  // namespace

CUresult check_cluster_attribute(const CUlaunchAttributeValue& value) {
  const Dim3 wanted = cluster_of(value);
  // Clusters of one block are no clusters.
  const bool trivial = wanted.x <= 1 && wanted.y <= 1 && wanted.z <= 1;
  return trivial || claimed_architecture().has_clusters() ? CUDA_SUCCESS
                                                          : CUDA_ERROR_INVALID_CLUSTER_SIZE;
}

CUresult find_clusters(const ptx::ClusterDirectives& directives, bool allows_non_portable,
                       const Dim3& grid, const Dim3& wanted, Clusters* clusters) {
  *clusters = {};
  if (!claimed_architecture().has_clusters()) return CUDA_SUCCESS;
  const Dim3 required{directives.required[0], directives.required[1], directives.required[2]};
  const bool has_attribute = !is_none(wanted);
  if (!has_attribute && is_none(required))
    return directives.is_explicit ? CUDA_ERROR_INVALID_CLUSTER_SIZE : CUDA_SUCCESS;
  if (has_attribute && !is_none(required) && !are_equal(wanted, required))
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  const Dim3& blocks = has_attribute ? wanted : required;
  const std::uint64_t count = product(blocks);
  if (count == 0 || count > most_blocks(allows_non_portable) ||
      (directives.most_blocks != 0 && count > directives.most_blocks))
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  if (grid.x % blocks.x != 0 || grid.y % blocks.y != 0 || grid.z % blocks.z != 0)
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  *clusters = {blocks, true};
  return CUDA_SUCCESS;
}

}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuOccupancyMaxPotentialClusterSize(int* clusterSize, CUfunction func,
                                            const CUlaunchConfig* config) {
  return with_function(func, [&](Function& function) -> CUresult {
    if (clusterSize == nullptr || config == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!claimed_architecture().has_clusters()) return CUDA_ERROR_NOT_SUPPORTED;
    LaunchShape shape;
    const CUresult status = read_config(function, *config, &shape);
    if (status != CUDA_SUCCESS) return status;
    Clusters clusters;
    const CUresult fit = find_clusters(function.clusters(), function.allows_non_portable_clusters(),
                                       shape.grid, shape.cluster, &clusters);
    if (fit != CUDA_SUCCESS && product(shape.cluster) <= pycuda::cpu::most_cluster_blocks)
      return fit;
    // All blocks of a cluster run here wherever one of them does.
    const unsigned most = most_blocks(function.allows_non_portable_clusters());
    *clusterSize = resident_blocks(function, shape) != 0 ? static_cast<int>(most) : 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuOccupancyMaxActiveClusters(int* numClusters, CUfunction func,
                                      const CUlaunchConfig* config) {
  return with_function(func, [&](Function& function) -> CUresult {
    if (numClusters == nullptr || config == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!claimed_architecture().has_clusters()) return CUDA_ERROR_NOT_SUPPORTED;
    LaunchShape shape;
    CUresult status = read_config(function, *config, &shape);
    if (status != CUDA_SUCCESS) return status;
    Clusters clusters;
    status = find_clusters(function.clusters(), function.allows_non_portable_clusters(), shape.grid,
                           shape.cluster, &clusters);
    // As NVIDIA's driver answers: none of what could never run, and none where there are none.
    const bool are_too_large = function.allows_non_portable_clusters() &&
                               product(shape.cluster) > pycuda::cpu::most_cluster_blocks;
    if (are_too_large || (status == CUDA_SUCCESS && !clusters.is_explicit)) {
      *numClusters = 0;
      return CUDA_SUCCESS;
    }
    if (status != CUDA_SUCCESS) return status;
    const unsigned resident = resident_blocks(function, shape);
    const auto processors =
        static_cast<unsigned>(function.module().context().device().processor_count());
    const auto blocks = static_cast<unsigned>(product(clusters.blocks));
    // A worker runs a cluster even if its blocks would not fit into one multiprocessor.
    *numClusters =
        resident == 0 ? 0 : static_cast<int>(std::max(resident * processors / blocks, processors));
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
