// SPDX-License-Identifier: MIT
// Events, and memory and events of other processes.
#include "cudart/call.h"

using namespace pycuda::cudart;

CUDART_API cudaEventCreate(cudaEvent_t* event) {
  return forward("cudaEventCreate", &DriverTable::cuEventCreate, event, 0u);
}

CUDART_FORWARD(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned int flags), cuEventCreate,
               event, flags)
CUDART_FORWARD(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), cuEventRecord, event,
               stream)
CUDART_FORWARD(cudaEventRecordWithFlags,
               (cudaEvent_t event, cudaStream_t stream, unsigned int flags), cuEventRecordWithFlags,
               event, stream, flags)
CUDART_FORWARD(cudaEventQuery, (cudaEvent_t event), cuEventQuery, event)
CUDART_FORWARD(cudaEventSynchronize, (cudaEvent_t event), cuEventSynchronize, event)
CUDART_FORWARD(cudaEventDestroy, (cudaEvent_t event), cuEventDestroy, event)

CUDART_API cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return with_context("cudaEventElapsedTime", [&](const DriverTable& driver) {
    return pycuda::driver::elapsed_milliseconds(driver, ms, start, end);
  });
}

CUDART_FORWARD(cudaIpcGetEventHandle, (cudaIpcEventHandle_t * handle, cudaEvent_t event),
               cuIpcGetEventHandle, handle, event)
CUDART_FORWARD(cudaIpcOpenEventHandle, (cudaEvent_t * event, cudaIpcEventHandle_t handle),
               cuIpcOpenEventHandle, event, handle)
CUDART_FORWARD(cudaIpcGetMemHandle, (cudaIpcMemHandle_t * handle, void* devPtr), cuIpcGetMemHandle,
               handle, devPtr)
CUDART_FORWARD(cudaIpcOpenMemHandle, (void** devPtr, cudaIpcMemHandle_t handle, unsigned int flags),
               cuIpcOpenMemHandle, devPtr, handle, flags)
CUDART_FORWARD(cudaIpcCloseMemHandle, (void* devPtr), cuIpcCloseMemHandle, devPtr)
