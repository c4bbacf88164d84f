// SPDX-License-Identifier: MIT
// The forms for programs compiled with per-thread default streams: stream 0 is the thread's own.
// Copies without a stream (_ptds) wait for that stream alone.
#include "cudart/call.h"

namespace pycuda::cudart {
namespace {

cudaError_t when_done(cudaError_t status) {
  return status == cudaSuccess ? cudaStreamSynchronize(cudaStreamPerThread) : status;
}

}  // namespace
}  // namespace pycuda::cudart

using namespace pycuda::cudart;

// clang-format off
#define SYNCHRONOUS(name, parameters, ...)                            \
  CUDART_API name##_ptds parameters {                                 \
    return when_done(name##Async(__VA_ARGS__, cudaStreamPerThread));  \
  }
#define IN_OWN_STREAM(name, parameters, ...) \
  CUDART_API name##_ptsz parameters { return name(__VA_ARGS__); }
// clang-format on

SYNCHRONOUS(cudaMemcpy, (void* dst, const void* src, size_t count, cudaMemcpyKind kind), dst, src,
            count, kind)
SYNCHRONOUS(cudaMemcpyToSymbol,
            (const void* symbol, const void* src, size_t count, size_t offset, cudaMemcpyKind kind),
            symbol, src, count, offset, kind)
SYNCHRONOUS(cudaMemcpyFromSymbol,
            (void* dst, const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind), dst,
            symbol, count, offset, kind)
SYNCHRONOUS(cudaMemcpy2D,
            (void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
             cudaMemcpyKind kind),
            dst, dpitch, src, spitch, width, height, kind)
SYNCHRONOUS(cudaMemcpyToArray,
            (cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t count,
             cudaMemcpyKind kind),
            dst, wOffset, hOffset, src, count, kind)
SYNCHRONOUS(cudaMemcpy2DToArray,
            (cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t spitch,
             size_t width, size_t height, cudaMemcpyKind kind),
            dst, wOffset, hOffset, src, spitch, width, height, kind)
SYNCHRONOUS(cudaMemcpyFromArray,
            (void* dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
             cudaMemcpyKind kind),
            dst, src, wOffset, hOffset, count, kind)
SYNCHRONOUS(cudaMemcpy2DFromArray,
            (void* dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
             size_t width, size_t height, cudaMemcpyKind kind),
            dst, dpitch, src, wOffset, hOffset, width, height, kind)
SYNCHRONOUS(cudaMemcpy3D, (const cudaMemcpy3DParms* p), p)
SYNCHRONOUS(cudaMemcpy3DPeer, (const cudaMemcpy3DPeerParms* p), p)
SYNCHRONOUS(cudaMemset, (void* devPtr, int value, size_t count), devPtr, value, count)
SYNCHRONOUS(cudaMemset2D, (void* devPtr, size_t pitch, int value, size_t width, size_t height),
            devPtr, pitch, value, width, height)
SYNCHRONOUS(cudaMemset3D, (cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent),
            pitchedDevPtr, value, extent)

IN_OWN_STREAM(cudaGraphUpload, (cudaGraphExec_t graphExec, cudaStream_t stream), graphExec,
              own_stream(stream))
IN_OWN_STREAM(cudaGraphLaunch, (cudaGraphExec_t graphExec, cudaStream_t stream), graphExec,
              own_stream(stream))
IN_OWN_STREAM(cudaStreamBeginCapture, (cudaStream_t stream, cudaStreamCaptureMode mode),
              own_stream(stream), mode)
IN_OWN_STREAM(cudaStreamBeginCaptureToGraph,
              (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
               const cudaGraphEdgeData* dependencyData, size_t numDependencies,
               cudaStreamCaptureMode mode),
              own_stream(stream), graph, dependencies, dependencyData, numDependencies, mode)
IN_OWN_STREAM(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t* pGraph), own_stream(stream),
              pGraph)
IN_OWN_STREAM(cudaStreamIsCapturing, (cudaStream_t stream, cudaStreamCaptureStatus* pCaptureStatus),
              own_stream(stream), pCaptureStatus)
IN_OWN_STREAM(cudaMemcpyAsync,
              (void* dst, const void* src, size_t count, cudaMemcpyKind kind, cudaStream_t stream),
              dst, src, count, kind, own_stream(stream))
IN_OWN_STREAM(cudaMemcpyToSymbolAsync,
              (const void* symbol, const void* src, size_t count, size_t offset,
               cudaMemcpyKind kind, cudaStream_t stream),
              symbol, src, count, offset, kind, own_stream(stream))
IN_OWN_STREAM(cudaMemcpyFromSymbolAsync,
              (void* dst, const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind,
               cudaStream_t stream),
              dst, symbol, count, offset, kind, own_stream(stream))
IN_OWN_STREAM(cudaMemcpy2DAsync,
              (void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
               size_t height, cudaMemcpyKind kind, cudaStream_t stream),
              dst, dpitch, src, spitch, width, height, kind, own_stream(stream))
IN_OWN_STREAM(cudaMemcpyToArrayAsync,
              (cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t count,
               cudaMemcpyKind kind, cudaStream_t stream),
              dst, wOffset, hOffset, src, count, kind, own_stream(stream))
IN_OWN_STREAM(cudaMemcpy2DToArrayAsync,
              (cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t spitch,
               size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream),
              dst, wOffset, hOffset, src, spitch, width, height, kind, own_stream(stream))
IN_OWN_STREAM(cudaMemcpyFromArrayAsync,
              (void* dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
               cudaMemcpyKind kind, cudaStream_t stream),
              dst, src, wOffset, hOffset, count, kind, own_stream(stream))
IN_OWN_STREAM(cudaMemcpy2DFromArrayAsync,
              (void* dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
               size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream),
              dst, dpitch, src, wOffset, hOffset, width, height, kind, own_stream(stream))
IN_OWN_STREAM(cudaMemcpy3DAsync, (const cudaMemcpy3DParms* p, cudaStream_t stream), p,
              own_stream(stream))
IN_OWN_STREAM(cudaMemcpy3DPeerAsync, (const cudaMemcpy3DPeerParms* p, cudaStream_t stream), p,
              own_stream(stream))
IN_OWN_STREAM(cudaMemsetAsync, (void* devPtr, int value, size_t count, cudaStream_t stream), devPtr,
              value, count, own_stream(stream))
IN_OWN_STREAM(cudaMemset2DAsync,
              (void* devPtr, size_t pitch, int value, size_t width, size_t height,
               cudaStream_t stream),
              devPtr, pitch, value, width, height, own_stream(stream))
IN_OWN_STREAM(cudaMemset3DAsync,
              (cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent, cudaStream_t stream),
              pitchedDevPtr, value, extent, own_stream(stream))
IN_OWN_STREAM(cudaStreamQuery, (cudaStream_t stream), own_stream(stream))
IN_OWN_STREAM(cudaStreamGetDevice, (cudaStream_t hStream, int* device), own_stream(hStream), device)
IN_OWN_STREAM(cudaStreamGetFlags, (cudaStream_t hStream, unsigned int* flags), own_stream(hStream),
              flags)
IN_OWN_STREAM(cudaStreamGetId, (cudaStream_t hStream, unsigned long long* streamId),
              own_stream(hStream), streamId)
IN_OWN_STREAM(cudaStreamGetPriority, (cudaStream_t hStream, int* priority), own_stream(hStream),
              priority)
IN_OWN_STREAM(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), event, own_stream(stream))
IN_OWN_STREAM(cudaEventRecordWithFlags,
              (cudaEvent_t event, cudaStream_t stream, unsigned int flags), event,
              own_stream(stream), flags)
IN_OWN_STREAM(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned int flags),
              own_stream(stream), event, flags)
IN_OWN_STREAM(cudaStreamAddCallback,
              (cudaStream_t stream, cudaStreamCallback_t callback, void* userData,
               unsigned int flags),
              own_stream(stream), callback, userData, flags)
IN_OWN_STREAM(cudaStreamAttachMemAsync,
              (cudaStream_t stream, void* devPtr, size_t length, unsigned int flags),
              own_stream(stream), devPtr, length, flags)
IN_OWN_STREAM(cudaStreamSynchronize, (cudaStream_t stream), own_stream(stream))
IN_OWN_STREAM(cudaLaunchKernel,
              (const void* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem,
               cudaStream_t stream),
              func, gridDim, blockDim, args, sharedMem, own_stream(stream))
IN_OWN_STREAM(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t fn, void* userData),
              own_stream(stream), fn, userData)
IN_OWN_STREAM(cudaMemPrefetchBatchAsync,
              (void** dptrs, size_t* sizes, size_t count, cudaMemLocation* prefetchLocs,
               size_t* prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
               cudaStream_t stream),
              dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags,
              own_stream(stream))
IN_OWN_STREAM(cudaMemDiscardBatchAsync,
              (void** dptrs, size_t* sizes, size_t count, unsigned long long flags,
               cudaStream_t stream),
              dptrs, sizes, count, flags, own_stream(stream))
IN_OWN_STREAM(cudaMemDiscardAndPrefetchBatchAsync,
              (void** dptrs, size_t* sizes, size_t count, cudaMemLocation* prefetchLocs,
               size_t* prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
               cudaStream_t stream),
              dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags,
              own_stream(stream))
IN_OWN_STREAM(cudaLaunchCooperativeKernel,
              (const void* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem,
               cudaStream_t stream),
              func, gridDim, blockDim, args, sharedMem, own_stream(stream))
IN_OWN_STREAM(cudaStreamCopyAttributes, (cudaStream_t dst, cudaStream_t src), own_stream(dst),
              own_stream(src))
IN_OWN_STREAM(cudaStreamGetAttribute,
              (cudaStream_t hStream, cudaStreamAttrID attr, cudaStreamAttrValue* value_out),
              own_stream(hStream), attr, value_out)
IN_OWN_STREAM(cudaStreamSetAttribute,
              (cudaStream_t hStream, cudaStreamAttrID attr, const cudaStreamAttrValue* value),
              own_stream(hStream), attr, value)
IN_OWN_STREAM(cudaMallocAsync, (void** devPtr, size_t size, cudaStream_t hStream), devPtr, size,
              own_stream(hStream))
IN_OWN_STREAM(cudaFreeAsync, (void* devPtr, cudaStream_t hStream), devPtr, own_stream(hStream))
IN_OWN_STREAM(cudaMallocFromPoolAsync,
              (void** ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream), ptr, size,
              memPool, own_stream(stream))

// Arrays are copied in the legacy stream's order, which every thread's stream keeps to.
CUDART_API cudaMemcpyArrayToArray_ptds(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                       cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                       size_t count, cudaMemcpyKind kind) {
  return cudaMemcpyArrayToArray(dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, count,
                                kind);
}

CUDART_API cudaMemcpy2DArrayToArray_ptds(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                         cudaArray_const_t src, size_t wOffsetSrc,
                                         size_t hOffsetSrc, size_t width, size_t height,
                                         cudaMemcpyKind kind) {
  return cudaMemcpy2DArrayToArray(dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, width,
                                  height, kind);
}

CUDART_API cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                               cudaGraphInstantiateParams* instantiateParams) {
  if (instantiateParams == nullptr)
    return cudaGraphInstantiateWithParams(pGraphExec, graph, nullptr);
  cudaGraphInstantiateParams same = *instantiateParams;
  same.uploadStream = own_stream(same.uploadStream);
  const cudaError_t status = cudaGraphInstantiateWithParams(pGraphExec, graph, &same);
  instantiateParams->errNode_out = same.errNode_out;
  instantiateParams->result_out = same.result_out;
  return status;
}

CUDART_API cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* config, const void* func,
                                    void** args) {
  if (config == nullptr) return cudaLaunchKernelExC(nullptr, func, args);
  cudaLaunchConfig_t same = *config;
  same.stream = own_stream(same.stream);
  return cudaLaunchKernelExC(&same, func, args);
}
