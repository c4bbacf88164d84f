// SPDX-License-Identifier: MIT
// Functions whose parameters differ between CUDA 12 and 13, as CUDA 12 has them, and those that
// CUDA 13 no longer has. The headers are CUDA 13's, so each has a name of its own here and its
// symbol by label.
#include <cstring>

#include "cudart/device_properties.h"
#include "cudart/graph_node_params.h"
#include "cudart/refusal.h"
#include "cudart/version.h"

#define CUDA12(symbol, name, parameters)       \
  CUDART_API name parameters __asm__(#symbol); \
  CUDART_API name parameters

namespace pycuda::cudart {

int runtime_version() { return 12090; }

namespace {

/// cudaDeviceProp of CUDA 12: that of CUDA 13 with nine more members between the others.
struct DeviceProp12 {
  char name[256];
  cudaUUID_t uuid;
  char luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory;
  int computeMode;
  int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2];
  int maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3];
  int maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3];
  int maxTextureCubemapLayered[2];
  int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2];
  int maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver;
  int asyncEngineCount, unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize;
  int persistingL2CacheMaxSize, maxThreadsPerMultiProcessor, streamPrioritiesSupported;
  int globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
  int hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio, pageableMemoryAccess;
  int concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem;
  int cooperativeLaunch, cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;
  int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch;
  int unifiedFunctionPointers, reserved[63];
};
static_assert(sizeof(DeviceProp12) == 1032);

void copy_properties(const cudaDeviceProp& from, DeviceProp12* to) {
  *to = {};
  const auto copy = [](auto& target, const auto& source) {
    static_assert(sizeof target == sizeof source);
    std::memcpy(&target, &source, sizeof target);
  };
  copy(to->name, from.name);
  copy(to->uuid, from.uuid);
  copy(to->luid, from.luid);
  copy(to->luidDeviceNodeMask, from.luidDeviceNodeMask);
  copy(to->totalGlobalMem, from.totalGlobalMem);
  copy(to->sharedMemPerBlock, from.sharedMemPerBlock);
  copy(to->regsPerBlock, from.regsPerBlock);
  copy(to->warpSize, from.warpSize);
  copy(to->memPitch, from.memPitch);
  copy(to->maxThreadsPerBlock, from.maxThreadsPerBlock);
  copy(to->maxThreadsDim, from.maxThreadsDim);
  copy(to->maxGridSize, from.maxGridSize);
  copy(to->totalConstMem, from.totalConstMem);
  copy(to->major, from.major);
  copy(to->minor, from.minor);
  copy(to->textureAlignment, from.textureAlignment);
  copy(to->texturePitchAlignment, from.texturePitchAlignment);
  copy(to->multiProcessorCount, from.multiProcessorCount);
  copy(to->integrated, from.integrated);
  copy(to->canMapHostMemory, from.canMapHostMemory);
  copy(to->maxTexture1D, from.maxTexture1D);
  copy(to->maxTexture1DMipmap, from.maxTexture1DMipmap);
  copy(to->maxTexture2D, from.maxTexture2D);
  copy(to->maxTexture2DMipmap, from.maxTexture2DMipmap);
  copy(to->maxTexture2DLinear, from.maxTexture2DLinear);
  copy(to->maxTexture2DGather, from.maxTexture2DGather);
  copy(to->maxTexture3D, from.maxTexture3D);
  copy(to->maxTexture3DAlt, from.maxTexture3DAlt);
  copy(to->maxTextureCubemap, from.maxTextureCubemap);
  copy(to->maxTexture1DLayered, from.maxTexture1DLayered);
  copy(to->maxTexture2DLayered, from.maxTexture2DLayered);
  copy(to->maxTextureCubemapLayered, from.maxTextureCubemapLayered);
  copy(to->maxSurface1D, from.maxSurface1D);
  copy(to->maxSurface2D, from.maxSurface2D);
  copy(to->maxSurface3D, from.maxSurface3D);
  copy(to->maxSurface1DLayered, from.maxSurface1DLayered);
  copy(to->maxSurface2DLayered, from.maxSurface2DLayered);
  copy(to->maxSurfaceCubemap, from.maxSurfaceCubemap);
  copy(to->maxSurfaceCubemapLayered, from.maxSurfaceCubemapLayered);
  copy(to->surfaceAlignment, from.surfaceAlignment);
  copy(to->concurrentKernels, from.concurrentKernels);
  copy(to->ECCEnabled, from.ECCEnabled);
  copy(to->pciBusID, from.pciBusID);
  copy(to->pciDeviceID, from.pciDeviceID);
  copy(to->pciDomainID, from.pciDomainID);
  copy(to->tccDriver, from.tccDriver);
  copy(to->asyncEngineCount, from.asyncEngineCount);
  copy(to->unifiedAddressing, from.unifiedAddressing);
  copy(to->memoryBusWidth, from.memoryBusWidth);
  copy(to->l2CacheSize, from.l2CacheSize);
  copy(to->persistingL2CacheMaxSize, from.persistingL2CacheMaxSize);
  copy(to->maxThreadsPerMultiProcessor, from.maxThreadsPerMultiProcessor);
  copy(to->streamPrioritiesSupported, from.streamPrioritiesSupported);
  copy(to->globalL1CacheSupported, from.globalL1CacheSupported);
  copy(to->localL1CacheSupported, from.localL1CacheSupported);
  copy(to->sharedMemPerMultiprocessor, from.sharedMemPerMultiprocessor);
  copy(to->regsPerMultiprocessor, from.regsPerMultiprocessor);
  copy(to->managedMemory, from.managedMemory);
  copy(to->isMultiGpuBoard, from.isMultiGpuBoard);
  copy(to->multiGpuBoardGroupID, from.multiGpuBoardGroupID);
  copy(to->hostNativeAtomicSupported, from.hostNativeAtomicSupported);
  copy(to->pageableMemoryAccess, from.pageableMemoryAccess);
  copy(to->concurrentManagedAccess, from.concurrentManagedAccess);
  copy(to->computePreemptionSupported, from.computePreemptionSupported);
  copy(to->canUseHostPointerForRegisteredMem, from.canUseHostPointerForRegisteredMem);
  copy(to->cooperativeLaunch, from.cooperativeLaunch);
  copy(to->sharedMemPerBlockOptin, from.sharedMemPerBlockOptin);
  copy(to->pageableMemoryAccessUsesHostPageTables, from.pageableMemoryAccessUsesHostPageTables);
  copy(to->directManagedMemAccessFromHost, from.directManagedMemAccessFromHost);
  copy(to->maxBlocksPerMultiProcessor, from.maxBlocksPerMultiProcessor);
  copy(to->accessPolicyMaxWindowSize, from.accessPolicyMaxWindowSize);
  copy(to->reservedSharedMemPerBlock, from.reservedSharedMemPerBlock);
  copy(to->hostRegisterSupported, from.hostRegisterSupported);
  copy(to->sparseCudaArraySupported, from.sparseCudaArraySupported);
  copy(to->hostRegisterReadOnlySupported, from.hostRegisterReadOnlySupported);
  copy(to->timelineSemaphoreInteropSupported, from.timelineSemaphoreInteropSupported);
  copy(to->memoryPoolsSupported, from.memoryPoolsSupported);
  copy(to->gpuDirectRDMASupported, from.gpuDirectRDMASupported);
  copy(to->gpuDirectRDMAFlushWritesOptions, from.gpuDirectRDMAFlushWritesOptions);
  copy(to->gpuDirectRDMAWritesOrdering, from.gpuDirectRDMAWritesOrdering);
  copy(to->memoryPoolSupportedHandleTypes, from.memoryPoolSupportedHandleTypes);
  copy(to->deferredMappingCudaArraySupported, from.deferredMappingCudaArraySupported);
  copy(to->ipcEventSupported, from.ipcEventSupported);
  copy(to->clusterLaunch, from.clusterLaunch);
  copy(to->unifiedFunctionPointers, from.unifiedFunctionPointers);
}

cudaError_t read_properties_12(const DriverTable& driver, int device, DeviceProp12* to) {
  cudaDeviceProp all{};
  const cudaError_t status = read_properties(driver, device, &all);
  if (status != cudaSuccess) return status;
  copy_properties(all, to);
  const auto read = [&](CUdevice_attribute which) {
    int value = 0;
    (void)driver.cuDeviceGetAttribute.status(&value, which, device);
    return value;
  };
  to->clockRate = read(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  to->deviceOverlap = all.asyncEngineCount > 0 ? 1 : 0;
  to->kernelExecTimeoutEnabled = read(CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT);
  to->computeMode = read(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
  to->maxTexture1DLinear = read(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH);
  to->memoryClockRate = read(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  to->singleToDoublePrecisionPerfRatio =
      read(CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO);
  return cudaSuccess;
}

/// What cudaChooseDevice looks at.
cudaDeviceProp wanted_properties(const DeviceProp12& from) {
  cudaDeviceProp wanted{};
  std::memcpy(wanted.name, from.name, sizeof wanted.name);
  wanted.totalGlobalMem = from.totalGlobalMem;
  wanted.sharedMemPerBlock = from.sharedMemPerBlock;
  wanted.regsPerBlock = from.regsPerBlock;
  wanted.maxThreadsPerBlock = from.maxThreadsPerBlock;
  wanted.totalConstMem = from.totalConstMem;
  wanted.multiProcessorCount = from.multiProcessorCount;
  wanted.integrated = from.integrated;
  wanted.canMapHostMemory = from.canMapHostMemory;
  wanted.major = from.major;
  wanted.minor = from.minor;
  return wanted;
}

/// A device as CUDA 12 names places: an ordinal, or the host.
CUmemLocation place_of(int device) {
  CUmemLocation place{};
  place.type = device == cudaCpuDeviceId ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
  place.id = device == cudaCpuDeviceId ? 0 : device;
  return place;
}

}  // namespace
}  // namespace pycuda::cudart

using namespace pycuda::cudart;

#define CUDART_NEWEST(name, suffix12, parameters, entry, ...)                \
  CUDA12(name##suffix12, newest_##name, parameters) {                        \
    return forward(#name, &pycuda::driver::DriverTable::entry, __VA_ARGS__); \
  }
#define CUDART_NEWEST_OWN(name, suffix12, parameters, ...)          \
  CUDA12(name##suffix12##_ptsz, newest_##name##_ptsz, parameters) { \
    return newest_##name(__VA_ARGS__);                              \
  }
#include "cudart/newest_forms.def"
#undef CUDART_NEWEST_OWN
#undef CUDART_NEWEST

CUDA12(cudaGetDeviceProperties_v2, device_properties_12, (void* prop, int device)) {
  return with_driver("cudaGetDeviceProperties", [&](const DriverTable& driver) -> cudaError_t {
    return prop == nullptr ? cudaErrorInvalidValue
                           : read_properties_12(driver, device, static_cast<DeviceProp12*>(prop));
  });
}

CUDA12(cudaChooseDevice, choose_device_12, (int* device, const void* prop)) {
  return with_driver("cudaChooseDevice", [&](const DriverTable& driver) -> cudaError_t {
    if (device == nullptr || prop == nullptr) return cudaErrorInvalidValue;
    return choose_device(driver, wanted_properties(*static_cast<const DeviceProp12*>(prop)),
                         device);
  });
}

CUDA12(cudaMemAdvise, advise_12,
       (const void* devPtr, size_t count, cudaMemoryAdvise advice, int device)) {
  return forward("cudaMemAdvise", &DriverTable::cuMemAdvise, devPtr, count, advice,
                 place_of(device));
}
CUDA12(cudaMemPrefetchAsync, prefetch_12,
       (const void* devPtr, size_t count, int dstDevice, cudaStream_t stream)) {
  return forward("cudaMemPrefetchAsync", &DriverTable::cuMemPrefetchAsync, devPtr, count,
                 place_of(dstDevice), 0u, stream);
}
CUDA12(cudaMemPrefetchAsync_ptsz, prefetch_own_12,
       (const void* devPtr, size_t count, int dstDevice, cudaStream_t stream)) {
  return prefetch_12(devPtr, count, dstDevice, own_stream(stream));
}

CUDA12(cudaMemcpyBatchAsync, copy_batch_12,
       (void** dsts, void** srcs, size_t* sizes, size_t count, cudaMemcpyAttributes* attrs,
        size_t* attrsIdxs, size_t numAttrs, size_t* failIdx, cudaStream_t stream)) {
  // Which copy failed is not known: that is what an index past the last one says.
  if (failIdx != nullptr) *failIdx = SIZE_MAX;
  return forward("cudaMemcpyBatchAsync", &DriverTable::cuMemcpyBatchAsync, dsts, srcs, sizes, count,
                 attrs, attrsIdxs, numAttrs, stream);
}
CUDA12(cudaMemcpyBatchAsync_ptsz, copy_batch_own_12,
       (void** dsts, void** srcs, size_t* sizes, size_t count, cudaMemcpyAttributes* attrs,
        size_t* attrsIdxs, size_t numAttrs, size_t* failIdx, cudaStream_t stream)) {
  return copy_batch_12(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, failIdx,
                       own_stream(stream));
}
CUDA12(cudaMemcpy3DBatchAsync, copy_boxes_12,
       (size_t numOps, cudaMemcpy3DBatchOp* opList, size_t* failIdx, unsigned long long flags,
        cudaStream_t stream)) {
  if (failIdx != nullptr) *failIdx = SIZE_MAX;
  return forward("cudaMemcpy3DBatchAsync", &DriverTable::cuMemcpy3DBatchAsync, numOps, opList,
                 flags, stream);
}
CUDA12(cudaMemcpy3DBatchAsync_ptsz, copy_boxes_own_12,
       (size_t numOps, cudaMemcpy3DBatchOp* opList, size_t* failIdx, unsigned long long flags,
        cudaStream_t stream)) {
  return copy_boxes_12(numOps, opList, failIdx, flags, own_stream(stream));
}

CUDA12(cudaStreamGetCaptureInfo_v2, capture_info_v2_12,
       (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
        cudaGraph_t* graph, const cudaGraphNode_t** nodes, size_t* count)) {
  return newest_cudaStreamGetCaptureInfo(stream, status, id, graph, nodes, nullptr, count);
}
CUDA12(cudaStreamGetCaptureInfo_v2_ptsz, capture_info_v2_own_12,
       (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
        cudaGraph_t* graph, const cudaGraphNode_t** nodes, size_t* count)) {
  return capture_info_v2_12(own_stream(stream), status, id, graph, nodes, count);
}
CUDA12(cudaStreamGetCaptureInfo, capture_info_12,
       (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id)) {
  return newest_cudaStreamGetCaptureInfo(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}
CUDA12(cudaStreamGetCaptureInfo_ptsz, capture_info_own_12,
       (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id)) {
  return capture_info_12(own_stream(stream), status, id);
}
CUDA12(cudaStreamUpdateCaptureDependencies, capture_dependencies_12,
       (cudaStream_t stream, cudaGraphNode_t* nodes, size_t count, unsigned flags)) {
  return newest_cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, count, flags);
}
CUDA12(cudaStreamUpdateCaptureDependencies_ptsz, capture_dependencies_own_12,
       (cudaStream_t stream, cudaGraphNode_t* nodes, size_t count, unsigned flags)) {
  return capture_dependencies_12(own_stream(stream), nodes, count, flags);
}

CUDA12(cudaGraphGetEdges, graph_get_edges_12,
       (cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* count)) {
  return newest_cudaGraphGetEdges(graph, from, to, nullptr, count);
}
CUDA12(cudaGraphNodeGetDependencies, graph_node_get_dependencies_12,
       (cudaGraphNode_t node, cudaGraphNode_t* nodes, size_t* count)) {
  return newest_cudaGraphNodeGetDependencies(node, nodes, nullptr, count);
}
CUDA12(cudaGraphNodeGetDependentNodes, graph_node_get_dependent_nodes_12,
       (cudaGraphNode_t node, cudaGraphNode_t* nodes, size_t* count)) {
  return newest_cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count);
}
CUDA12(cudaGraphAddDependencies, graph_add_dependencies_12,
       (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t count)) {
  return newest_cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
CUDA12(cudaGraphRemoveDependencies, graph_remove_dependencies_12,
       (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t count)) {
  return newest_cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}

// The source comes first here; CUDA 13 turned that round.
CUDA12(cudaGraphKernelNodeCopyAttributes, copy_attributes_12,
       (cudaGraphNode_t hSrc, cudaGraphNode_t hDst)) {
  return forward("cudaGraphKernelNodeCopyAttributes", &DriverTable::cuGraphKernelNodeCopyAttributes,
                 hDst, hSrc);
}

CUDA12(cudaGraphAddNode_v2, add_node_v2_12,
       (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* nodes,
        const cudaGraphEdgeData* edges, size_t count, cudaGraphNodeParams* params)) {
  return with_context("cudaGraphAddNode", [&](const DriverTable& driver) {
    return add_node(driver, node, graph, nodes, edges, count, params);
  });
}
CUDA12(cudaGraphAddNode, add_node_12,
       (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* nodes, size_t count,
        cudaGraphNodeParams* params)) {
  return add_node_v2_12(node, graph, nodes, nullptr, count, params);
}

CUDA12(cudaEventElapsedTime_v2, elapsed_time_v2_12,
       (float* ms, cudaEvent_t start, cudaEvent_t end)) {
  return cudaEventElapsedTime(ms, start, end);
}

// The names of CUDA 3, for programs that still use them.
CUDA12(cudaThreadExit, thread_exit, (void)) { return cudaDeviceReset(); }
CUDA12(cudaThreadSynchronize, thread_synchronize, (void)) { return cudaDeviceSynchronize(); }
CUDA12(cudaThreadSetLimit, thread_set_limit, (cudaLimit limit, size_t value)) {
  return cudaDeviceSetLimit(limit, value);
}
CUDA12(cudaThreadGetLimit, thread_get_limit, (size_t* value, cudaLimit limit)) {
  return cudaDeviceGetLimit(value, limit);
}
CUDA12(cudaThreadGetCacheConfig, thread_get_cache, (cudaFuncCache * config)) {
  return cudaDeviceGetCacheConfig(config);
}
CUDA12(cudaThreadSetCacheConfig, thread_set_cache, (cudaFuncCache config)) {
  return cudaDeviceSetCacheConfig(config);
}

#define CUDART_UNSUPPORTED(name, reason)                             \
  extern "C" __attribute__((visibility("default"))) int name(void) { \
    return pycuda::cudart::refuse(#name, reason);                    \
  }
#include "cudart/unsupported12.def"
#undef CUDART_UNSUPPORTED

// Programs of CUDA 12 call the second version; this one's struct is CUDA 11's.
CUDA12(cudaGetDeviceProperties, device_properties_11, (void*, int)) {
  return static_cast<cudaError_t>(
      refuse("cudaGetDeviceProperties", "the program was compiled with the headers of CUDA 11"));
}
