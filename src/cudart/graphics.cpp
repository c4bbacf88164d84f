// SPDX-License-Identifier: MIT
// Mapped graphics resources, which programs register with the driver API.
#include "cudart/call.h"

using namespace pycuda::cudart;

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
