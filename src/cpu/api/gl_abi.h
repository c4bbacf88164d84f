// SPDX-License-Identifier: MIT
// What cudaGL.h declares, which needs OpenGL's headers: every ABI version under its own name.
#pragma once

#include "cpu/api/cuda_abi.h"

extern "C" {

CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource* pCudaResource, unsigned int buffer,
                                    unsigned int Flags);
CUresult cuGraphicsGLRegisterImage(CUgraphicsResource* pCudaResource, unsigned int image,
                                   unsigned int target, unsigned int Flags);
CUresult cuGLGetDevices(unsigned int* pCudaDeviceCount, CUdevice* pCudaDevices,
                        unsigned int cudaDeviceCount, unsigned int deviceList);
CUresult cuGLGetDevices_v2(unsigned int* pCudaDeviceCount, CUdevice* pCudaDevices,
                           unsigned int cudaDeviceCount, unsigned int deviceList);
CUresult cuGLCtxCreate_v2(CUcontext* pCtx, unsigned int Flags, CUdevice device);
CUresult cuGLInit();
CUresult cuGLRegisterBufferObject(unsigned int buffer);
CUresult cuGLMapBufferObject_v2(CUdeviceptr* dptr, size_t* size, unsigned int buffer);
CUresult cuGLUnmapBufferObject(unsigned int buffer);
CUresult cuGLUnregisterBufferObject(unsigned int buffer);
CUresult cuGLSetBufferObjectMapFlags(unsigned int buffer, unsigned int Flags);
CUresult cuGLMapBufferObjectAsync_v2(CUdeviceptr* dptr, size_t* size, unsigned int buffer,
                                     CUstream hStream);
CUresult cuGLUnmapBufferObjectAsync(unsigned int buffer, CUstream hStream);

CUresult cuGLMapBufferObject_v2_ptds(CUdeviceptr* dptr, size_t* size, unsigned int buffer);
CUresult cuGLMapBufferObjectAsync_v2_ptsz(CUdeviceptr* dptr, size_t* size, unsigned int buffer,
                                          CUstream hStream);
}
