// SPDX-License-Identifier: MIT
// Functions whose parameters differ between CUDA 12 and 13, as CUDA 13 has them.
#include "cudart/device_properties.h"
#include "cudart/graph_node_params.h"
#include "cudart/version.h"

namespace pycuda::cudart {

// Not the headers' version: newer functions than the driver table's are refused.
int runtime_version() { return 13000; }

}  // namespace pycuda::cudart

using namespace pycuda::cudart;

#define CUDART_NEWEST(name, suffix12, parameters, entry, ...) \
  CUDART_FORWARD(name, parameters, entry, __VA_ARGS__)
#define CUDART_NEWEST_OWN(name, suffix12, parameters, ...) \
  CUDART_API name##_ptsz parameters { return name(__VA_ARGS__); }
#include "cudart/newest_forms.def"
#undef CUDART_NEWEST_OWN
#undef CUDART_NEWEST

CUDART_API cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  return with_driver("cudaGetDeviceProperties", [&](const DriverTable& driver) -> cudaError_t {
    return prop == nullptr ? cudaErrorInvalidValue : read_properties(driver, device, prop);
  });
}

CUDART_API cudaChooseDevice(int* device, const cudaDeviceProp* prop) {
  return with_driver("cudaChooseDevice", [&](const DriverTable& driver) -> cudaError_t {
    if (device == nullptr || prop == nullptr) return cudaErrorInvalidValue;
    return choose_device(driver, *prop, device);
  });
}

CUDART_FORWARD(cudaMemcpyBatchAsync,
               (void* const* dsts, const void* const* srcs, const size_t* sizes, size_t count,
                cudaMemcpyAttributes* attrs, size_t* attrsIdxs, size_t numAttrs,
                cudaStream_t stream),
               cuMemcpyBatchAsync, dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, stream)
CUDART_FORWARD(cudaMemcpy3DBatchAsync,
               (size_t numOps, cudaMemcpy3DBatchOp* opList, unsigned long long flags,
                cudaStream_t stream),
               cuMemcpy3DBatchAsync, numOps, opList, flags, stream)

CUDART_API cudaGraphAddNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                            const cudaGraphNode_t* pDependencies,
                            const cudaGraphEdgeData* dependencyData, size_t numDependencies,
                            cudaGraphNodeParams* nodeParams) {
  return with_context("cudaGraphAddNode", [&](const DriverTable& driver) {
    return add_node(driver, pGraphNode, graph, pDependencies, dependencyData, numDependencies,
                    nodeParams);
  });
}

CUDART_API cudaMemcpyBatchAsync_ptsz(void* const* dsts, const void* const* srcs,
                                     const size_t* sizes, size_t count, cudaMemcpyAttributes* attrs,
                                     size_t* attrsIdxs, size_t numAttrs, cudaStream_t stream) {
  return cudaMemcpyBatchAsync(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs,
                              own_stream(stream));
}

CUDART_API cudaMemcpy3DBatchAsync_ptsz(size_t numOps, cudaMemcpy3DBatchOp* opList,
                                       unsigned long long flags, cudaStream_t stream) {
  return cudaMemcpy3DBatchAsync(numOps, opList, flags, own_stream(stream));
}

CUDART_FORWARD(cudaGraphKernelNodeCopyAttributes, (cudaGraphNode_t hDst, cudaGraphNode_t hSrc),
               cuGraphKernelNodeCopyAttributes, hDst, hSrc)
