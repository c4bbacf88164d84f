// SPDX-License-Identifier: MIT
// Streams and what captures them.
#include "cudart/call.h"

using namespace pycuda::cudart;

CUDART_API cudaStreamCreate(cudaStream_t* pStream) {
  return forward("cudaStreamCreate", &DriverTable::cuStreamCreate, pStream, 0u);
}

CUDART_FORWARD(cudaStreamCreateWithFlags, (cudaStream_t * pStream, unsigned int flags),
               cuStreamCreate, pStream, flags)
CUDART_FORWARD(cudaStreamCreateWithPriority,
               (cudaStream_t * pStream, unsigned int flags, int priority),
               cuStreamCreateWithPriority, pStream, flags, priority)
CUDART_FORWARD(cudaStreamGetPriority, (cudaStream_t hStream, int* priority), cuStreamGetPriority,
               hStream, priority)
CUDART_FORWARD(cudaStreamGetFlags, (cudaStream_t hStream, unsigned int* flags), cuStreamGetFlags,
               hStream, flags)
CUDART_FORWARD(cudaStreamGetId, (cudaStream_t hStream, unsigned long long* streamId), cuStreamGetId,
               hStream, streamId)
CUDART_FORWARD(cudaStreamGetDevice, (cudaStream_t hStream, int* device), cuStreamGetDevice, hStream,
               device)
CUDART_FORWARD(cudaStreamCopyAttributes, (cudaStream_t dst, cudaStream_t src),
               cuStreamCopyAttributes, dst, src)
CUDART_FORWARD(cudaStreamGetAttribute,
               (cudaStream_t hStream, cudaStreamAttrID attr, cudaStreamAttrValue* value_out),
               cuStreamGetAttribute, hStream, attr, value_out)
CUDART_FORWARD(cudaStreamSetAttribute,
               (cudaStream_t hStream, cudaStreamAttrID attr, const cudaStreamAttrValue* value),
               cuStreamSetAttribute, hStream, attr, value)
CUDART_FORWARD(cudaStreamDestroy, (cudaStream_t stream), cuStreamDestroy, stream)
CUDART_FORWARD(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned int flags),
               cuStreamWaitEvent, stream, event, flags)
CUDART_FORWARD(cudaStreamAddCallback,
               (cudaStream_t stream, cudaStreamCallback_t callback, void* userData,
                unsigned int flags),
               cuStreamAddCallback, stream, callback, userData, flags)
CUDART_FORWARD(cudaStreamSynchronize, (cudaStream_t stream), cuStreamSynchronize, stream)
CUDART_FORWARD(cudaStreamQuery, (cudaStream_t stream), cuStreamQuery, stream)
CUDART_FORWARD(cudaStreamAttachMemAsync,
               (cudaStream_t stream, void* devPtr, size_t length, unsigned int flags),
               cuStreamAttachMemAsync, stream, devPtr, length, flags)

CUDART_FORWARD(cudaStreamBeginCapture, (cudaStream_t stream, cudaStreamCaptureMode mode),
               cuStreamBeginCapture, stream, mode)
CUDART_FORWARD(cudaStreamBeginCaptureToGraph,
               (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                const cudaGraphEdgeData* dependencyData, size_t numDependencies,
                cudaStreamCaptureMode mode),
               cuStreamBeginCaptureToGraph, stream, graph, dependencies, dependencyData,
               numDependencies, mode)
CUDART_FORWARD(cudaThreadExchangeStreamCaptureMode, (cudaStreamCaptureMode * mode),
               cuThreadExchangeStreamCaptureMode, mode)
CUDART_FORWARD(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t* pGraph), cuStreamEndCapture,
               stream, pGraph)
CUDART_FORWARD(cudaStreamIsCapturing,
               (cudaStream_t stream, cudaStreamCaptureStatus* pCaptureStatus), cuStreamIsCapturing,
               stream, pCaptureStatus)
