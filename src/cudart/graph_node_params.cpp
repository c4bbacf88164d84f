// SPDX-License-Identifier: MIT
// Node parameters of the run time as the driver's and back.
#include "cudart/graph_node_params.h"

#include <cstring>

#include "cudart/copy_box.h"

namespace pycuda::cudart {

cudaError_t current_context(const DriverTable& driver, CUcontext* context) {
  return to_runtime(driver.cuCtxGetCurrent.status(context));
}

cudaError_t to_driver_params(const DriverTable& driver, const cudaKernelNodeParams& params,
                             CUDA_KERNEL_NODE_PARAMS* same) {
  *same = {};
  same->gridDimX = params.gridDim.x;
  same->gridDimY = params.gridDim.y;
  same->gridDimZ = params.gridDim.z;
  same->blockDimX = params.blockDim.x;
  same->blockDimY = params.blockDim.y;
  same->blockDimZ = params.blockDim.z;
  same->sharedMemBytes = params.sharedMemBytes;
  same->kernelParams = params.kernelParams;
  same->extra = params.extra;
  return find_kernel(driver, params.func, &same->kern);
}

void to_runtime_params(const DriverTable& driver, const CUDA_KERNEL_NODE_PARAMS& params,
                       cudaKernelNodeParams* same) {
  *same = {};
  same->func = host_function_of(driver, params.kern, params.func);
  same->gridDim = {params.gridDimX, params.gridDimY, params.gridDimZ};
  same->blockDim = {params.blockDimX, params.blockDimY, params.blockDimZ};
  same->sharedMemBytes = params.sharedMemBytes;
  same->kernelParams = params.kernelParams;
  same->extra = params.extra;
}

namespace {

cudaError_t kernel_params(const DriverTable& driver, const cudaGraphNodeParams& params,
                          CUcontext context, CUgraphNodeParams* same) {
  const auto& kernel = params.kernel;
  cudaKernelNodeParams plain{};
  plain.func = kernel.func;
  plain.gridDim = {kernel.gridDim.x, kernel.gridDim.y, kernel.gridDim.z};
  plain.blockDim = {kernel.blockDim.x, kernel.blockDim.y, kernel.blockDim.z};
  plain.sharedMemBytes = kernel.sharedMemBytes;
  plain.kernelParams = kernel.kernelParams;
  plain.extra = kernel.extra;
  CUDA_KERNEL_NODE_PARAMS converted;
  const cudaError_t status = to_driver_params(driver, plain, &converted);
  if (status != cudaSuccess) return status;
  std::memset(same->reserved1, 0, sizeof same->reserved1);
  static_assert(sizeof same->kernel == sizeof converted);
  std::memcpy(&same->kernel, &converted, sizeof converted);
  same->kernel.ctx = context;
  return cudaSuccess;
}

}  // namespace

cudaError_t to_driver_params(const DriverTable& driver, const cudaGraphNodeParams& params,
                             CUgraphNodeParams* same) {
  static_assert(sizeof params == sizeof *same);
  std::memcpy(same, &params, sizeof *same);
  CUcontext context = nullptr;
  const cudaError_t status = current_context(driver, &context);
  if (status != cudaSuccess) return status;
  switch (params.type) {
    case cudaGraphNodeTypeKernel:
      return kernel_params(driver, params, context, same);
    case cudaGraphNodeTypeMemcpy:
      std::memset(same->reserved1, 0, sizeof same->reserved1);
      same->memcpy.flags = params.memcpy.flags;
      same->memcpy.copyCtx = context;
      return to_box(driver, params.memcpy.copyParams, &same->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      same->memset.ctx = context;
      return cudaSuccess;
    case cudaGraphNodeTypeConditional:
      same->conditional.ctx = context;
      return cudaSuccess;
    default:
      return cudaSuccess;
  }
}

void copy_outputs(const CUgraphNodeParams& from, cudaGraphNodeParams* to) {
  if (to->type == cudaGraphNodeTypeMemAlloc) to->alloc.dptr = as<void*>(from.alloc.dptr);
  if (to->type == cudaGraphNodeTypeConditional) {
    to->conditional.phGraph_out = as<cudaGraph_t*>(from.conditional.phGraph_out);
  }
}

cudaError_t add_node(const DriverTable& driver, cudaGraphNode_t* node, cudaGraph_t graph,
                     const cudaGraphNode_t* dependencies, const cudaGraphEdgeData* edges,
                     size_t count, cudaGraphNodeParams* params) {
  if (params == nullptr) return cudaErrorInvalidValue;
  CUgraphNodeParams same;
  const cudaError_t status = to_driver_params(driver, *params, &same);
  if (status != cudaSuccess) return status;
  const CUresult code = call(driver.cuGraphAddNode, node, graph, dependencies, edges, count, &same);
  if (code == CUDA_SUCCESS) copy_outputs(same, params);
  return to_runtime(code);
}

}  // namespace pycuda::cudart
