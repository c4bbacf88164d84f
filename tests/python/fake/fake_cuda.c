// SPDX-License-Identifier: MIT
// A CUDA driver that runs nothing: device memory is host memory, and the last launch is remembered for tests to see.
// A module image is text: one line a kernel, its name and the sizes of its parameters: "f 8 8 4".
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_CONTEXT = 201, INVALID_HANDLE = 400,
       NOT_FOUND = 500, NOT_READY = 600, INVALID_IMAGE = 200, INVALID_DEVICE = 101, LAUNCH_FAILED = 719 };
typedef int Result;
typedef unsigned long long Pointer;

typedef struct { char name[64]; int count; size_t size[32], offset[32], bytes; } Kernel;
typedef struct { int count; Kernel kernel[16]; } Module;
typedef struct { int device; int alive; } Context;

static _Thread_local Context* stack[64];
static _Thread_local int depth;
static Context primary = {0, 1};

// What tests look at and set, by ctypes.
EXPORT unsigned char fake_arguments[4096];
EXPORT size_t fake_argument_bytes;
EXPORT unsigned int fake_shape[7];
EXPORT void* fake_stream;
EXPORT char fake_kernel[64];
EXPORT long fake_launches, fake_allocations, fake_frees, fake_synchronizations;
EXPORT int fake_launch_result, fake_free_result;
EXPORT size_t fake_memory_limit = (size_t)1 << 32;
EXPORT int fake_knows_parameters = 1;
EXPORT volatile int fake_holds_copies;  // of host memory to the device
EXPORT volatile int fake_busy;  // what waits does not return, what asks is not ready

EXPORT Result cuInit(unsigned int flags) { return flags ? INVALID_VALUE : SUCCESS; }
EXPORT Result cuDriverGetVersion(int* version) {
  const char* wanted = getenv("FAKE_CUDA_VERSION");
  *version = wanted ? atoi(wanted) : 13000;
  return SUCCESS;
}
EXPORT Result cuGetErrorString(Result code, const char** text) {
  *text = code == OUT_OF_MEMORY ? "out of memory" : code == INVALID_VALUE ? "invalid argument"
        : code == INVALID_HANDLE ? "invalid resource handle" : code == NOT_FOUND ? "named symbol not found"
        : code == INVALID_CONTEXT ? "invalid device context" : code == LAUNCH_FAILED ? "unspecified launch failure"
        : code == INVALID_IMAGE ? "device kernel image is invalid" : code == 101 ? "invalid device ordinal" : "some error";
  return SUCCESS;
}
EXPORT Result cuGetErrorName(Result code, const char** text) {
  *text = code == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_OTHER";
  return SUCCESS;
}
EXPORT Result cuDeviceGetCount(int* count) { *count = 1; return SUCCESS; }
EXPORT Result cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? SUCCESS : INVALID_DEVICE;
}
EXPORT Result cuDeviceGetName(char* name, int bytes, int device) {
  snprintf(name, (size_t)bytes, "Fake %d", device);
  return SUCCESS;
}
EXPORT Result cuDeviceGetAttribute(int* value, int attribute, int device) {
  (void)device;
  *value = attribute == 75 ? 8 : attribute == 76 ? 0 : attribute <= 4 ? 1024 : attribute == 10 ? 32 : attribute;
  return attribute == 44 ? INVALID_VALUE : SUCCESS;
}
EXPORT Result cuDeviceTotalMem_v2(size_t* bytes, int device) {
  (void)device;
  *bytes = fake_memory_limit;
  return SUCCESS;
}

EXPORT Result cuCtxCreate_v2(Context** context, unsigned int flags, int device) {
  (void)flags;
  *context = malloc(sizeof **context);
  **context = (Context){device, 1};
  stack[depth++] = *context;
  return SUCCESS;
}
EXPORT Result cuCtxDestroy_v2(Context* context) {
  context->alive = 0;
  if (depth && stack[depth - 1] == context) --depth;
  return SUCCESS;
}
EXPORT Result cuCtxPushCurrent_v2(Context* context) {
  if (!context || !context->alive || depth == 64) return INVALID_CONTEXT;
  stack[depth++] = context;
  return SUCCESS;
}
EXPORT Result cuCtxPopCurrent_v2(Context** context) {
  if (!depth) return INVALID_CONTEXT;
  --depth;
  if (context) *context = stack[depth];
  return SUCCESS;
}
EXPORT Result cuCtxGetCurrent(Context** context) { *context = depth ? stack[depth - 1] : NULL; return SUCCESS; }
EXPORT Result cuCtxSetCurrent(Context* context) {
  if (!context) { if (depth) --depth; return SUCCESS; }
  if (!depth) ++depth;
  stack[depth - 1] = context;
  return SUCCESS;
}
EXPORT Result cuCtxGetDevice(int* device) { *device = 0; return depth ? SUCCESS : INVALID_CONTEXT; }
static void wait_for_work(void) {
  while (fake_busy) usleep(1000);
  ++fake_synchronizations;
}
EXPORT Result cuCtxSynchronize(void) { wait_for_work(); return depth ? SUCCESS : INVALID_CONTEXT; }
EXPORT Result cuDevicePrimaryCtxRetain(Context** context, int device) {
  (void)device;
  *context = &primary;
  return SUCCESS;
}
EXPORT Result cuDevicePrimaryCtxRelease_v2(int device) { (void)device; return SUCCESS; }

EXPORT Result cuMemAlloc_v2(Pointer* pointer, size_t bytes) {
  if (!depth) return INVALID_CONTEXT;
  if (!bytes) return INVALID_VALUE;
  if (bytes > fake_memory_limit) return OUT_OF_MEMORY;
  *pointer = (Pointer)(uintptr_t)malloc(bytes);
  ++fake_allocations;
  return SUCCESS;
}
EXPORT Result cuMemFree_v2(Pointer pointer) {
  free((void*)(uintptr_t)pointer);
  ++fake_frees;
  return fake_free_result;
}
EXPORT Result cuMemcpyHtoD_v2(Pointer to, const void* from, size_t bytes) {
  if (fake_holds_copies) fake_holds_copies = 2;  // one has come
  while (fake_holds_copies) usleep(1000);
  memcpy((void*)(uintptr_t)to, from, bytes);
  return SUCCESS;
}
EXPORT Result cuMemcpyDtoH_v2(void* to, Pointer from, size_t bytes) {
  memcpy(to, (void*)(uintptr_t)from, bytes);
  return SUCCESS;
}
EXPORT Result cuMemcpyHtoDAsync_v2(Pointer to, const void* from, size_t bytes, void* stream) {
  (void)stream;
  return cuMemcpyHtoD_v2(to, from, bytes);
}
EXPORT Result cuMemcpyDtoHAsync_v2(void* to, Pointer from, size_t bytes, void* stream) {
  (void)stream;
  return cuMemcpyDtoH_v2(to, from, bytes);
}
EXPORT Result cuMemAllocManaged(Pointer* pointer, size_t bytes, unsigned int flags) {
  if (!flags) return INVALID_VALUE;
  return cuMemAlloc_v2(pointer, bytes);
}
EXPORT Result cuMemHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  (void)flags;
  *pointer = malloc(bytes);
  return SUCCESS;
}
EXPORT Result cuMemFreeHost(void* pointer) { free(pointer); return SUCCESS; }

EXPORT Result cuStreamCreate(void** stream, unsigned int flags) { (void)flags; *stream = malloc(1); return SUCCESS; }
EXPORT Result cuStreamDestroy_v2(void* stream) { free(stream); return SUCCESS; }
EXPORT Result cuStreamSynchronize(void* stream) { (void)stream; wait_for_work(); return SUCCESS; }
EXPORT Result cuStreamQuery(void* stream) { (void)stream; return fake_busy ? NOT_READY : SUCCESS; }

typedef struct { struct timespec time; int recorded; } Event;
EXPORT Result cuEventCreate(Event** event, unsigned int flags) { (void)flags; *event = calloc(1, sizeof **event); return SUCCESS; }
EXPORT Result cuEventDestroy_v2(Event* event) { free(event); return SUCCESS; }
EXPORT Result cuEventRecord(Event* event, void* stream) {
  (void)stream;
  event->recorded = 1;
  clock_gettime(CLOCK_MONOTONIC, &event->time);
  return SUCCESS;
}
EXPORT Result cuCtxRecordEvent(Context* context, Event* event) {
  if (context != stack[depth - 1]) return INVALID_HANDLE;
  return cuEventRecord(event, NULL);
}
EXPORT Result cuEventSynchronize(Event* event) { (void)event; wait_for_work(); return SUCCESS; }
EXPORT Result cuEventQuery(Event* event) { return event->recorded && fake_busy ? NOT_READY : SUCCESS; }
EXPORT Result cuEventElapsedTime(float* milliseconds, Event* start, Event* end) {
  if (!start->recorded || !end->recorded) return INVALID_HANDLE;
  *milliseconds = (float)((end->time.tv_sec - start->time.tv_sec) * 1e3 + (end->time.tv_nsec - start->time.tv_nsec) * 1e-6);
  return SUCCESS;
}

EXPORT Result cuModuleLoadDataEx(Module** out, const void* image, unsigned int count, int* options, void** values) {
  (void)count; (void)options; (void)values;
  Module* module = calloc(1, sizeof *module);
  const char* text = image;
  while (*text && module->count < 16) {
    Kernel* kernel = &module->kernel[module->count];
    int used = 0;
    if (sscanf(text, "%63s%n", kernel->name, &used) != 1) break;
    if (kernel->name[0] == '?') { free(module); return INVALID_IMAGE; }
    for (text += used; *text == ' '; text += used) {
      size_t size = 0;
      if (sscanf(text, "%zu%n", &size, &used) != 1) break;
      const size_t alignment = size % 16 == 0 ? 16 : size % 8 == 0 ? 8 : size % 4 == 0 ? 4 : size % 2 == 0 ? 2 : 1;
      const size_t offset = (kernel->bytes + alignment - 1) / alignment * alignment;
      kernel->size[kernel->count] = size;
      kernel->offset[kernel->count++] = offset;
      kernel->bytes = offset + size;
    }
    ++module->count;
    while (*text && *text != '\n') ++text;
    if (*text) ++text;
  }
  *out = module;
  return SUCCESS;
}
EXPORT Result cuModuleUnload(Module* module) { free(module); return SUCCESS; }
EXPORT Result cuModuleGetFunction(Kernel** kernel, Module* module, const char* name) {
  for (int i = 0; i < module->count; ++i) {
    if (!strcmp(module->kernel[i].name, name)) { *kernel = &module->kernel[i]; return SUCCESS; }
  }
  return NOT_FOUND;
}
EXPORT Result cuFuncGetParamInfo(Kernel* kernel, size_t index, size_t* offset, size_t* size) {
  if (!fake_knows_parameters) return 801;
  if (index >= (size_t)kernel->count) return INVALID_VALUE;
  *offset = kernel->offset[index];
  if (size) *size = kernel->size[index];
  return SUCCESS;
}
EXPORT Result cuFuncGetName(const char** name, Kernel* kernel) { *name = kernel->name; return SUCCESS; }
EXPORT Result cuFuncGetAttribute(int* value, int attribute, Kernel* kernel) {
  (void)kernel;
  *value = attribute == 0 ? 1024 : attribute == 8 ? 49152 : attribute;
  return SUCCESS;
}
EXPORT Result cuLaunchKernel(Kernel* kernel, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
                             unsigned int by, unsigned int bz, unsigned int shared, void* stream, void** parameters,
                             void** extra) {
  if (!depth) return INVALID_CONTEXT;
  if ((unsigned long)bx * by * bz > 1024 || !bx || !by || !bz || !gx) return INVALID_VALUE;
  ++fake_launches;
  const unsigned int shape[7] = {gx, gy, gz, bx, by, bz, shared};
  memcpy(fake_shape, shape, sizeof shape);
  fake_stream = stream;
  memcpy(fake_kernel, kernel->name, sizeof fake_kernel);
  if (extra) {
    // CU_LAUNCH_PARAM_BUFFER_POINTER = 1, CU_LAUNCH_PARAM_BUFFER_SIZE = 2
    const void* buffer = NULL;
    for (; *extra; extra += 2) {
      if (*extra == (void*)1) buffer = extra[1];
      if (*extra == (void*)2) fake_argument_bytes = *(size_t*)extra[1];
    }
    if (buffer) memcpy(fake_arguments, buffer, fake_argument_bytes);
  } else if (parameters) {
    fake_argument_bytes = kernel->bytes;
    for (int i = 0; i < kernel->count; ++i) {
      memcpy(fake_arguments + kernel->offset[i], parameters[i], kernel->size[i]);
    }
  }
  return fake_launch_result;
}
