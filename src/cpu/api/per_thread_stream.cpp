// SPDX-License-Identifier: MIT
// The functions of the per-thread-default-stream ABI: the same ones, with stream 0 meaning the
// calling thread's own.
#include "cpu/api/per_thread_stream.h"

#include "cpu/api/gl_abi.h"

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuMemcpy_ptds(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  const OwnStreamZero scope;
  return cuMemcpy(dst, src, ByteCount);
}

CUresult cuMemcpyPeer_ptds(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                           CUcontext srcContext, size_t ByteCount) {
  const OwnStreamZero scope;
  return cuMemcpyPeer(dstDevice, dstContext, srcDevice, srcContext, ByteCount);
}

CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount) {
  const OwnStreamZero scope;
  return cuMemcpyHtoD_v2(dstDevice, srcHost, ByteCount);
}

CUresult cuMemcpyDtoH_v2_ptds(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
  const OwnStreamZero scope;
  return cuMemcpyDtoH_v2(dstHost, srcDevice, ByteCount);
}

CUresult cuMemcpyDtoD_v2_ptds(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
  const OwnStreamZero scope;
  return cuMemcpyDtoD_v2(dstDevice, srcDevice, ByteCount);
}

CUresult cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D* pCopy) {
  const OwnStreamZero scope;
  return cuMemcpy2D_v2(pCopy);
}

CUresult cuMemcpy2DUnaligned_v2_ptds(const CUDA_MEMCPY2D* pCopy) {
  const OwnStreamZero scope;
  return cuMemcpy2DUnaligned_v2(pCopy);
}

CUresult cuMemcpy3D_v2_ptds(const CUDA_MEMCPY3D* pCopy) {
  const OwnStreamZero scope;
  return cuMemcpy3D_v2(pCopy);
}

CUresult cuMemcpy3DPeer_ptds(const CUDA_MEMCPY3D_PEER* pCopy) {
  const OwnStreamZero scope;
  return cuMemcpy3DPeer(pCopy);
}

CUresult cuMemcpyAsync_ptsz(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemcpyAsync(dst, src, ByteCount, hStream);
}

CUresult cuMemcpyPeerAsync_ptsz(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                                CUcontext srcContext, size_t ByteCount, CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemcpyPeerAsync(dstDevice, dstContext, srcDevice, srcContext, ByteCount, hStream);
}

CUresult cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount,
                                   CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemcpyHtoDAsync_v2(dstDevice, srcHost, ByteCount, hStream);
}

CUresult cuMemcpyDtoHAsync_v2_ptsz(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount,
                                   CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemcpyDtoHAsync_v2(dstHost, srcDevice, ByteCount, hStream);
}

CUresult cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                                   CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemcpyDtoDAsync_v2(dstDevice, srcDevice, ByteCount, hStream);
}

CUresult cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D* pCopy, CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemcpy2DAsync_v2(pCopy, hStream);
}

CUresult cuMemcpy3DAsync_v2_ptsz(const CUDA_MEMCPY3D* pCopy, CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemcpy3DAsync_v2(pCopy, hStream);
}

CUresult cuMemcpy3DPeerAsync_ptsz(const CUDA_MEMCPY3D_PEER* pCopy, CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemcpy3DPeerAsync(pCopy, hStream);
}

CUresult cuMemsetD8_v2_ptds(CUdeviceptr dstDevice, unsigned char uc, size_t N) {
  const OwnStreamZero scope;
  return cuMemsetD8_v2(dstDevice, uc, N);
}

CUresult cuMemsetD16_v2_ptds(CUdeviceptr dstDevice, unsigned short us, size_t N) {
  const OwnStreamZero scope;
  return cuMemsetD16_v2(dstDevice, us, N);
}

CUresult cuMemsetD32_v2_ptds(CUdeviceptr dstDevice, unsigned int ui, size_t N) {
  const OwnStreamZero scope;
  return cuMemsetD32_v2(dstDevice, ui, N);
}

CUresult cuMemsetD2D8_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc,
                              size_t Width, size_t Height) {
  const OwnStreamZero scope;
  return cuMemsetD2D8_v2(dstDevice, dstPitch, uc, Width, Height);
}

CUresult cuMemsetD2D16_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us,
                               size_t Width, size_t Height) {
  const OwnStreamZero scope;
  return cuMemsetD2D16_v2(dstDevice, dstPitch, us, Width, Height);
}

CUresult cuMemsetD2D32_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui,
                               size_t Width, size_t Height) {
  const OwnStreamZero scope;
  return cuMemsetD2D32_v2(dstDevice, dstPitch, ui, Width, Height);
}

CUresult cuMemsetD8Async_ptsz(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemsetD8Async(dstDevice, uc, N, hStream);
}

CUresult cuMemsetD16Async_ptsz(CUdeviceptr dstDevice, unsigned short us, size_t N,
                               CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemsetD16Async(dstDevice, us, N, hStream);
}

CUresult cuMemsetD32Async_ptsz(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemsetD32Async(dstDevice, ui, N, hStream);
}

CUresult cuMemsetD2D8Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc,
                                size_t Width, size_t Height, CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemsetD2D8Async(dstDevice, dstPitch, uc, Width, Height, hStream);
}

CUresult cuMemsetD2D16Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us,
                                 size_t Width, size_t Height, CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemsetD2D16Async(dstDevice, dstPitch, us, Width, Height, hStream);
}

CUresult cuMemsetD2D32Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui,
                                 size_t Width, size_t Height, CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemsetD2D32Async(dstDevice, dstPitch, ui, Width, Height, hStream);
}

CUresult cuMemFreeAsync_ptsz(CUdeviceptr dptr, CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemFreeAsync(dptr, hStream);
}

CUresult cuMemAllocAsync_ptsz(CUdeviceptr* dptr, size_t bytesize, CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemAllocAsync(dptr, bytesize, hStream);
}

CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr* dptr, size_t bytesize, CUmemoryPool pool,
                                      CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemAllocFromPoolAsync(dptr, bytesize, pool, hStream);
}

CUresult cuMemPrefetchAsync_ptsz(CUdeviceptr devPtr, size_t count, CUdevice dstDevice,
                                 CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemPrefetchAsync(devPtr, count, dstDevice, hStream);
}

CUresult cuMemPrefetchAsync_v2_ptsz(CUdeviceptr devPtr, size_t count, CUmemLocation location,
                                    unsigned int flags, CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemPrefetchAsync_v2(devPtr, count, location, flags, hStream);
}

CUresult cuStreamGetPriority_ptsz(CUstream hStream, int* priority) {
  const OwnStreamZero scope;
  return cuStreamGetPriority(hStream, priority);
}

CUresult cuStreamGetDevice_ptsz(CUstream hStream, CUdevice* device) {
  const OwnStreamZero scope;
  return cuStreamGetDevice(hStream, device);
}

CUresult cuStreamGetFlags_ptsz(CUstream hStream, unsigned int* flags) {
  const OwnStreamZero scope;
  return cuStreamGetFlags(hStream, flags);
}

CUresult cuStreamGetId_ptsz(CUstream hStream, unsigned long long* streamId) {
  const OwnStreamZero scope;
  return cuStreamGetId(hStream, streamId);
}

CUresult cuStreamGetCtx_ptsz(CUstream hStream, CUcontext* pctx) {
  const OwnStreamZero scope;
  return cuStreamGetCtx(hStream, pctx);
}

CUresult cuStreamGetCtx_v2_ptsz(CUstream hStream, CUcontext* pCtx, CUgreenCtx* pGreenCtx) {
  const OwnStreamZero scope;
  return cuStreamGetCtx_v2(hStream, pCtx, pGreenCtx);
}

CUresult cuStreamWaitEvent_ptsz(CUstream hStream, CUevent hEvent, unsigned int Flags) {
  const OwnStreamZero scope;
  return cuStreamWaitEvent(hStream, hEvent, Flags);
}

CUresult cuStreamAddCallback_ptsz(CUstream hStream, CUstreamCallback callback, void* userData,
                                  unsigned int flags) {
  const OwnStreamZero scope;
  return cuStreamAddCallback(hStream, callback, userData, flags);
}

CUresult cuStreamIsCapturing_ptsz(CUstream hStream, CUstreamCaptureStatus* captureStatus) {
  const OwnStreamZero scope;
  return cuStreamIsCapturing(hStream, captureStatus);
}

CUresult cuStreamAttachMemAsync_ptsz(CUstream hStream, CUdeviceptr dptr, size_t length,
                                     unsigned int flags) {
  const OwnStreamZero scope;
  return cuStreamAttachMemAsync(hStream, dptr, length, flags);
}

CUresult cuStreamQuery_ptsz(CUstream hStream) {
  const OwnStreamZero scope;
  return cuStreamQuery(hStream);
}

CUresult cuStreamSynchronize_ptsz(CUstream hStream) {
  const OwnStreamZero scope;
  return cuStreamSynchronize(hStream);
}

CUresult cuStreamCopyAttributes_ptsz(CUstream dst, CUstream src) {
  const OwnStreamZero scope;
  return cuStreamCopyAttributes(dst, src);
}

CUresult cuStreamGetAttribute_ptsz(CUstream hStream, CUstreamAttrID attr,
                                   CUstreamAttrValue* value_out) {
  const OwnStreamZero scope;
  return cuStreamGetAttribute(hStream, attr, value_out);
}

CUresult cuStreamSetAttribute_ptsz(CUstream hStream, CUstreamAttrID attr,
                                   const CUstreamAttrValue* value) {
  const OwnStreamZero scope;
  return cuStreamSetAttribute(hStream, attr, value);
}

CUresult cuEventRecord_ptsz(CUevent hEvent, CUstream hStream) {
  const OwnStreamZero scope;
  return cuEventRecord(hEvent, hStream);
}

CUresult cuEventRecordWithFlags_ptsz(CUevent hEvent, CUstream hStream, unsigned int flags) {
  const OwnStreamZero scope;
  return cuEventRecordWithFlags(hEvent, hStream, flags);
}

CUresult cuLaunchKernel_ptsz(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                             unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                             unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                             void** kernelParams, void** extra) {
  const OwnStreamZero scope;
  return cuLaunchKernel(f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ,
                        sharedMemBytes, hStream, kernelParams, extra);
}

CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig* config, CUfunction f, void** kernelParams,
                               void** extra) {
  const OwnStreamZero scope;
  return cuLaunchKernelEx(config, f, kernelParams, extra);
}

CUresult cuLaunchCooperativeKernel_ptsz(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                        unsigned int gridDimZ, unsigned int blockDimX,
                                        unsigned int blockDimY, unsigned int blockDimZ,
                                        unsigned int sharedMemBytes, CUstream hStream,
                                        void** kernelParams) {
  const OwnStreamZero scope;
  return cuLaunchCooperativeKernel(f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ,
                                   sharedMemBytes, hStream, kernelParams);
}

CUresult cuLaunchHostFunc_ptsz(CUstream hStream, CUhostFn fn, void* userData) {
  const OwnStreamZero scope;
  return cuLaunchHostFunc(hStream, fn, userData);
}

CUresult cuMemcpyDtoA_v2_ptds(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice,
                              size_t ByteCount) {
  const OwnStreamZero scope;
  return cuMemcpyDtoA_v2(dstArray, dstOffset, srcDevice, ByteCount);
}

CUresult cuMemcpyAtoD_v2_ptds(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset,
                              size_t ByteCount) {
  const OwnStreamZero scope;
  return cuMemcpyAtoD_v2(dstDevice, srcArray, srcOffset, ByteCount);
}

CUresult cuMemcpyHtoA_v2_ptds(CUarray dstArray, size_t dstOffset, const void* srcHost,
                              size_t ByteCount) {
  const OwnStreamZero scope;
  return cuMemcpyHtoA_v2(dstArray, dstOffset, srcHost, ByteCount);
}

CUresult cuMemcpyAtoH_v2_ptds(void* dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
  const OwnStreamZero scope;
  return cuMemcpyAtoH_v2(dstHost, srcArray, srcOffset, ByteCount);
}

CUresult cuMemcpyAtoA_v2_ptds(CUarray dstArray, size_t dstOffset, CUarray srcArray,
                              size_t srcOffset, size_t ByteCount) {
  const OwnStreamZero scope;
  return cuMemcpyAtoA_v2(dstArray, dstOffset, srcArray, srcOffset, ByteCount);
}

CUresult cuMemcpyHtoAAsync_v2_ptsz(CUarray dstArray, size_t dstOffset, const void* srcHost,
                                   size_t ByteCount, CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemcpyHtoAAsync_v2(dstArray, dstOffset, srcHost, ByteCount, hStream);
}

CUresult cuMemcpyAtoHAsync_v2_ptsz(void* dstHost, CUarray srcArray, size_t srcOffset,
                                   size_t ByteCount, CUstream hStream) {
  const OwnStreamZero scope;
  return cuMemcpyAtoHAsync_v2(dstHost, srcArray, srcOffset, ByteCount, hStream);
}

CUresult cuStreamBeginCapture_ptsz(CUstream hStream) {
  const OwnStreamZero scope;
  return cuStreamBeginCapture(hStream);
}

CUresult cuStreamBeginCapture_v2_ptsz(CUstream hStream, CUstreamCaptureMode mode) {
  const OwnStreamZero scope;
  return cuStreamBeginCapture_v2(hStream, mode);
}

CUresult cuStreamBeginCaptureToGraph_ptsz(CUstream hStream, CUgraph hGraph,
                                          const CUgraphNode* dependencies,
                                          const CUgraphEdgeData* dependencyData,
                                          size_t numDependencies, CUstreamCaptureMode mode) {
  const OwnStreamZero scope;
  return cuStreamBeginCaptureToGraph(hStream, hGraph, dependencies, dependencyData, numDependencies,
                                     mode);
}

CUresult cuStreamEndCapture_ptsz(CUstream hStream, CUgraph* phGraph) {
  const OwnStreamZero scope;
  return cuStreamEndCapture(hStream, phGraph);
}

CUresult cuStreamGetCaptureInfo_ptsz(CUstream hStream, CUstreamCaptureStatus* captureStatus_out,
                                     cuuint64_t* id_out) {
  const OwnStreamZero scope;
  return cuStreamGetCaptureInfo(hStream, captureStatus_out, id_out);
}

CUresult cuStreamGetCaptureInfo_v2_ptsz(CUstream hStream, CUstreamCaptureStatus* captureStatus_out,
                                        cuuint64_t* id_out, CUgraph* graph_out,
                                        const CUgraphNode** dependencies_out,
                                        size_t* numDependencies_out) {
  const OwnStreamZero scope;
  return cuStreamGetCaptureInfo_v2(hStream, captureStatus_out, id_out, graph_out, dependencies_out,
                                   numDependencies_out);
}

CUresult cuStreamGetCaptureInfo_v3_ptsz(CUstream hStream, CUstreamCaptureStatus* captureStatus_out,
                                        cuuint64_t* id_out, CUgraph* graph_out,
                                        const CUgraphNode** dependencies_out,
                                        const CUgraphEdgeData** edgeData_out,
                                        size_t* numDependencies_out) {
  const OwnStreamZero scope;
  return cuStreamGetCaptureInfo_v3(hStream, captureStatus_out, id_out, graph_out, dependencies_out,
                                   edgeData_out, numDependencies_out);
}

CUresult cuStreamUpdateCaptureDependencies_ptsz(CUstream hStream, CUgraphNode* dependencies,
                                                size_t numDependencies, unsigned int flags) {
  const OwnStreamZero scope;
  return cuStreamUpdateCaptureDependencies(hStream, dependencies, numDependencies, flags);
}

CUresult cuStreamUpdateCaptureDependencies_v2_ptsz(CUstream hStream, CUgraphNode* dependencies,
                                                   const CUgraphEdgeData* dependencyData,
                                                   size_t numDependencies, unsigned int flags) {
  const OwnStreamZero scope;
  return cuStreamUpdateCaptureDependencies_v2(hStream, dependencies, dependencyData,
                                              numDependencies, flags);
}

CUresult cuGraphInstantiateWithParams_ptsz(CUgraphExec* phGraphExec, CUgraph hGraph,
                                           CUDA_GRAPH_INSTANTIATE_PARAMS* instantiateParams) {
  const OwnStreamZero scope;
  return cuGraphInstantiateWithParams(phGraphExec, hGraph, instantiateParams);
}

CUresult cuGraphUpload_ptsz(CUgraphExec hGraphExec, CUstream hStream) {
  const OwnStreamZero scope;
  return cuGraphUpload(hGraphExec, hStream);
}

CUresult cuGraphLaunch_ptsz(CUgraphExec hGraphExec, CUstream hStream) {
  const OwnStreamZero scope;
  return cuGraphLaunch(hGraphExec, hStream);
}

CUresult cuGraphicsMapResources_ptsz(unsigned int count, CUgraphicsResource* resources,
                                     CUstream hStream) {
  const OwnStreamZero scope;
  return cuGraphicsMapResources(count, resources, hStream);
}

CUresult cuGraphicsUnmapResources_ptsz(unsigned int count, CUgraphicsResource* resources,
                                       CUstream hStream) {
  const OwnStreamZero scope;
  return cuGraphicsUnmapResources(count, resources, hStream);
}

CUresult cuGLMapBufferObject_v2_ptds(CUdeviceptr* dptr, size_t* size, unsigned int buffer) {
  const OwnStreamZero scope;
  return cuGLMapBufferObject_v2(dptr, size, buffer);
}

CUresult cuGLMapBufferObjectAsync_v2_ptsz(CUdeviceptr* dptr, size_t* size, unsigned int buffer,
                                          CUstream hStream) {
  const OwnStreamZero scope;
  return cuGLMapBufferObjectAsync_v2(dptr, size, buffer, hStream);
}

}  // extern "C"
