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

CUDART_API cudaMemAdvise(const void* devPtr, size_t count, cudaMemoryAdvise advice,
                         cudaMemLocation location) {
  return forward("cudaMemAdvise", &DriverTable::cuMemAdvise, devPtr, count, advice, location);
}

CUDART_FORWARD(cudaMemPrefetchAsync,
               (const void* devPtr, size_t count, cudaMemLocation location, unsigned int flags,
                cudaStream_t stream),
               cuMemPrefetchAsync, devPtr, count, location, flags, stream)
CUDART_FORWARD(cudaMemcpyBatchAsync,
               (void* const* dsts, const void* const* srcs, const size_t* sizes, size_t count,
                cudaMemcpyAttributes* attrs, size_t* attrsIdxs, size_t numAttrs,
                cudaStream_t stream),
               cuMemcpyBatchAsync, dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, stream)
CUDART_FORWARD(cudaMemcpy3DBatchAsync,
               (size_t numOps, cudaMemcpy3DBatchOp* opList, unsigned long long flags,
                cudaStream_t stream),
               cuMemcpy3DBatchAsync, numOps, opList, flags, stream)

CUDART_FORWARD(cudaStreamGetCaptureInfo,
               (cudaStream_t stream, cudaStreamCaptureStatus* captureStatus_out,
                unsigned long long* id_out, cudaGraph_t* graph_out,
                const cudaGraphNode_t** dependencies_out, const cudaGraphEdgeData** edgeData_out,
                size_t* numDependencies_out),
               cuStreamGetCaptureInfo, stream, captureStatus_out, id_out, graph_out,
               dependencies_out, edgeData_out, numDependencies_out)
CUDART_FORWARD(cudaStreamUpdateCaptureDependencies,
               (cudaStream_t stream, cudaGraphNode_t* dependencies,
                const cudaGraphEdgeData* dependencyData, size_t numDependencies,
                unsigned int flags),
               cuStreamUpdateCaptureDependencies, stream, dependencies, dependencyData,
               numDependencies, flags)

CUDART_FORWARD(cudaGraphGetEdges,
               (cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                cudaGraphEdgeData* edgeData, size_t* numEdges),
               cuGraphGetEdges, graph, from, to, edgeData, numEdges)
CUDART_FORWARD(cudaGraphNodeGetDependencies,
               (cudaGraphNode_t node, cudaGraphNode_t* pDependencies, cudaGraphEdgeData* edgeData,
                size_t* pNumDependencies),
               cuGraphNodeGetDependencies, node, pDependencies, edgeData, pNumDependencies)
CUDART_FORWARD(cudaGraphNodeGetDependentNodes,
               (cudaGraphNode_t node, cudaGraphNode_t* pDependentNodes, cudaGraphEdgeData* edgeData,
                size_t* pNumDependentNodes),
               cuGraphNodeGetDependentNodes, node, pDependentNodes, edgeData, pNumDependentNodes)
CUDART_FORWARD(cudaGraphAddDependencies,
               (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                const cudaGraphEdgeData* edgeData, size_t numDependencies),
               cuGraphAddDependencies, graph, from, to, edgeData, numDependencies)
CUDART_FORWARD(cudaGraphRemoveDependencies,
               (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                const cudaGraphEdgeData* edgeData, size_t numDependencies),
               cuGraphRemoveDependencies, graph, from, to, edgeData, numDependencies)

CUDART_API cudaGraphAddNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                            const cudaGraphNode_t* pDependencies,
                            const cudaGraphEdgeData* dependencyData, size_t numDependencies,
                            cudaGraphNodeParams* nodeParams) {
  return with_context("cudaGraphAddNode", [&](const DriverTable& driver) {
    return add_node(driver, pGraphNode, graph, pDependencies, dependencyData, numDependencies,
                    nodeParams);
  });
}

CUDART_API cudaMemPrefetchAsync_ptsz(const void* devPtr, size_t count, cudaMemLocation location,
                                     unsigned int flags, cudaStream_t stream) {
  return cudaMemPrefetchAsync(devPtr, count, location, flags, own_stream(stream));
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

CUDART_API cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream,
                                         cudaStreamCaptureStatus* captureStatus_out,
                                         unsigned long long* id_out, cudaGraph_t* graph_out,
                                         const cudaGraphNode_t** dependencies_out,
                                         const cudaGraphEdgeData** edgeData_out,
                                         size_t* numDependencies_out) {
  return cudaStreamGetCaptureInfo(own_stream(stream), captureStatus_out, id_out, graph_out,
                                  dependencies_out, edgeData_out, numDependencies_out);
}

CUDART_API cudaStreamUpdateCaptureDependencies_ptsz(cudaStream_t stream,
                                                    cudaGraphNode_t* dependencies,
                                                    const cudaGraphEdgeData* dependencyData,
                                                    size_t numDependencies, unsigned int flags) {
  return cudaStreamUpdateCaptureDependencies(own_stream(stream), dependencies, dependencyData,
                                             numDependencies, flags);
}
