// SPDX-License-Identifier: MIT
// Memory and semaphores of graphics APIs, and mapped graphics resources.
#include "cudart/call.h"

using namespace pycuda::cudart;

CUDART_FORWARD(cudaExternalMemoryGetMappedBuffer,
               (void** devPtr, cudaExternalMemory_t extMem,
                const cudaExternalMemoryBufferDesc* bufferDesc),
               cuExternalMemoryGetMappedBuffer, devPtr, extMem, bufferDesc)
CUDART_FORWARD(cudaDestroyExternalMemory, (cudaExternalMemory_t extMem), cuDestroyExternalMemory,
               extMem)
CUDART_FORWARD(cudaDestroyExternalSemaphore, (cudaExternalSemaphore_t extSem),
               cuDestroyExternalSemaphore, extSem)

CUDART_FORWARD(cudaGraphicsUnregisterResource, (cudaGraphicsResource_t resource),
               cuGraphicsUnregisterResource, resource)
CUDART_FORWARD(cudaGraphicsResourceSetMapFlags,
               (cudaGraphicsResource_t resource, unsigned int flags), cuGraphicsResourceSetMapFlags,
               resource, flags)
CUDART_FORWARD(cudaGraphicsMapResources,
               (int count, cudaGraphicsResource_t* resources, cudaStream_t stream),
               cuGraphicsMapResources, count, resources, stream)
CUDART_FORWARD(cudaGraphicsUnmapResources,
               (int count, cudaGraphicsResource_t* resources, cudaStream_t stream),
               cuGraphicsUnmapResources, count, resources, stream)
CUDART_FORWARD(cudaGraphicsResourceGetMappedPointer,
               (void** devPtr, size_t* size, cudaGraphicsResource_t resource),
               cuGraphicsResourceGetMappedPointer, devPtr, size, resource)
CUDART_FORWARD(cudaGraphicsSubResourceGetMappedArray,
               (cudaArray_t * array, cudaGraphicsResource_t resource, unsigned int arrayIndex,
                unsigned int mipLevel),
               cuGraphicsSubResourceGetMappedArray, array, resource, arrayIndex, mipLevel)
CUDART_FORWARD(cudaGraphicsResourceGetMappedMipmappedArray,
               (cudaMipmappedArray_t * mipmappedArray, cudaGraphicsResource_t resource),
               cuGraphicsResourceGetMappedMipmappedArray, mipmappedArray, resource)
