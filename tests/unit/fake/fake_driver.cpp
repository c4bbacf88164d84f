// SPDX-License-Identifier: MIT
// The rules of the fake driver: the same as a driver's, on numbers.
#include "unit/fake/fake_driver.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <thread>

namespace pycuda::testing {
namespace {

FakeState state;
std::uintptr_t next_handle = 0x1000;
std::mutex mutex;  // protects the two above

CUcontext current() { return fake_driver_stack().empty() ? nullptr : fake_driver_stack().back(); }

template <class Handle>
Handle as_handle(std::uintptr_t number) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<Handle>(number);
  } else {
    return static_cast<Handle>(number);
  }
}

template <class Handle>
std::uintptr_t as_number(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uintptr_t>(handle);
  } else {
    return static_cast<std::uintptr_t>(handle);
  }
}

template <class Handle>
CUresult make(Handle* out, std::size_t bytes = 0) {
  const std::lock_guard lock(mutex);
  if (current() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (state.allocated_bytes + bytes > state.memory_bytes) return CUDA_ERROR_OUT_OF_MEMORY;
  const std::uintptr_t number = next_handle += 0x100;
  state.resources[number] = current();
  state.sizes[number] = bytes;
  state.allocated_bytes += bytes;
  *out = as_handle<Handle>(number);
  return CUDA_SUCCESS;
}

template <class Handle>
CUresult release(Handle handle) {
  const std::lock_guard lock(mutex);
  const auto resource = state.resources.find(as_number(handle));
  if (resource == state.resources.end()) return CUDA_ERROR_INVALID_HANDLE;
  if (resource->second != current()) {
    ++state.released_elsewhere;
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  ++state.released;
  state.allocated_bytes -= state.sizes[resource->first];
  state.sizes.erase(resource->first);
  state.resources.erase(resource);
  return CUDA_SUCCESS;
}

void bind_contexts(driver::DriverTable& driver) {
  driver.cuDeviceGet.bind([](CUdevice* device, int ordinal) {
    if (ordinal != 0) return CUDA_ERROR_INVALID_DEVICE;
    *device = 0;
    return CUDA_SUCCESS;
  });
  driver.cuCtxCreate.bind([](CUcontext* context, CUctxCreateParams*, unsigned int, CUdevice) {
    const std::lock_guard lock(mutex);
    *context = as_handle<CUcontext>(next_handle += 0x100);
    state.contexts.insert(*context);
    fake_driver_stack().push_back(*context);
    return CUDA_SUCCESS;
  });
  driver.cuDevicePrimaryCtxRetain.bind([](CUcontext* context, CUdevice) {
    const std::lock_guard lock(mutex);
    *context = as_handle<CUcontext>(0x77);
    state.contexts.insert(*context);
    return CUDA_SUCCESS;
  });
  driver.cuDevicePrimaryCtxRelease.bind([](CUdevice) {
    const std::lock_guard lock(mutex);
    return state.contexts.erase(as_handle<CUcontext>(0x77)) != 0 ? CUDA_SUCCESS
                                                                 : CUDA_ERROR_INVALID_CONTEXT;
  });
  driver.cuCtxDestroy.bind([](CUcontext context) {
    const std::lock_guard lock(mutex);
    if (state.contexts.erase(context) == 0) return CUDA_ERROR_INVALID_CONTEXT;
    if (current() == context) fake_driver_stack().pop_back();
    std::erase_if(state.resources, [&](const auto& entry) { return entry.second == context; });
    return CUDA_SUCCESS;
  });
  driver.cuCtxPushCurrent.bind([](CUcontext context) {
    const std::lock_guard lock(mutex);
    if (!state.contexts.contains(context)) return CUDA_ERROR_INVALID_CONTEXT;
    fake_driver_stack().push_back(context);
    return CUDA_SUCCESS;
  });
  driver.cuCtxPopCurrent.bind([](CUcontext* context) {
    if (fake_driver_stack().empty()) return CUDA_ERROR_INVALID_CONTEXT;
    *context = fake_driver_stack().back();
    fake_driver_stack().pop_back();
    return CUDA_SUCCESS;
  });
  driver.cuCtxGetCurrent.bind([](CUcontext* context) {
    *context = current();
    return CUDA_SUCCESS;
  });
  driver.cuCtxGetDevice.bind([](CUdevice* device) {
    *device = 0;
    return current() != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
  });
}

void bind_resources(driver::DriverTable& driver) {
  driver.cuStreamCreate.bind([](CUstream* stream, unsigned int) { return make(stream); });
  driver.cuStreamDestroy.bind([](CUstream stream) { return release(stream); });
  driver.cuEventCreate.bind([](CUevent* event, unsigned int) { return make(event); });
  driver.cuEventDestroy.bind([](CUevent event) { return release(event); });
  driver.cuMemAlloc.bind([](CUdeviceptr* pointer, std::size_t bytes) {
    return bytes == 0 ? CUDA_ERROR_INVALID_VALUE : make(pointer, bytes);
  });
  driver.cuMemFree.bind([](CUdeviceptr pointer) { return release(pointer); });
  driver.cuMemHostAlloc.bind(
      [](void** pointer, std::size_t bytes, unsigned int) { return make(pointer, bytes); });
  driver.cuMemFreeHost.bind([](void* pointer) { return release(pointer); });
  driver.cuModuleLoadDataEx.bind([](CUmodule* module, const void*, unsigned int, CUjit_option*,
                                    void**) { return make(module); });
  driver.cuModuleUnload.bind([](CUmodule module) { return release(module); });
  driver.cuModuleGetFunction.bind([](CUfunction* function, CUmodule, const char* name) {
    if (std::strcmp(name, "kernel") != 0) return CUDA_ERROR_NOT_FOUND;
    *function = as_handle<CUfunction>(0x42);
    return CUDA_SUCCESS;
  });
}

void bind_launches(driver::DriverTable& driver) {
  driver.cuFuncGetParamInfo.bind(
      [](CUfunction, std::size_t index, std::size_t* offset, std::size_t* bytes) {
        if (index >= state.parameters.size()) return CUDA_ERROR_INVALID_VALUE;
        *offset = state.parameters[index].first;
        *bytes = state.parameters[index].second;
        return CUDA_SUCCESS;
      });
  driver.cuLaunchKernel.bind([](CUfunction, unsigned int, unsigned int, unsigned int,
                                unsigned int x, unsigned int y, unsigned int z, unsigned int,
                                CUstream, void**, void** extra) {
    if (x * y * z > 1024) return CUDA_ERROR_INVALID_VALUE;
    ++state.launches;
    state.launched_in = current();
    state.launched_arguments.clear();
    if (extra != nullptr) {
      const auto* bytes = static_cast<const std::byte*>(extra[1]);
      state.launched_arguments.assign(bytes, bytes + *static_cast<std::size_t*>(extra[3]));
    }
    return CUDA_SUCCESS;
  });
  driver.cuFuncGetAttribute.bind([](int* value, CUfunction_attribute attribute, CUfunction) {
    *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 49152;
    return CUDA_SUCCESS;
  });
}

}  // namespace

FakeState& fake() { return state; }

std::vector<CUcontext>& fake_driver_stack() {
  // Not thread_local: the library's own stack calls the driver while a thread ends, as a real
  // driver allows.
  static std::mutex stacks_mutex;
  static std::map<std::thread::id, std::vector<CUcontext>> stacks;
  const std::lock_guard lock(stacks_mutex);
  return stacks[std::this_thread::get_id()];
}

driver::DriverTable fake_driver() {
  state = FakeState();
  fake_driver_stack().clear();
  driver::DriverTable driver;
  bind_contexts(driver);
  bind_resources(driver);
  bind_launches(driver);
  return driver;
}

}  // namespace pycuda::testing
