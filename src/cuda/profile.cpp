// SPDX-License-Identifier: MIT
// The functions of the driver table that a profile replaces.
#include "cuda/profile.h"

#include <functional>
#include <stdexcept>

#include "cuda/work_recorder.h"
#include "driver/process_driver.h"

namespace pycuda::cuda {
namespace {

using driver::DriverTable;

WorkRecorder& recorder() {
  static auto* const made = new WorkRecorder(driver::process_driver());
  return *made;
}

std::mutex profiling;                        // protects what follows
std::vector<std::function<void()>> restore;  // what a profile has replaced; empty without one

/// Puts a function into `entry` that calls the present one by way of `record`, a lambda without
/// captures of what to call and the arguments.
template <class Record, class... Args>
void replace(const driver::Entry<CUresult(Args...)>& entry, Record) {
  using Function = typename driver::Entry<CUresult(Args...)>::Function;
  static std::atomic<Function> original;
  if (!entry.available()) return;
  original = entry.function();
  const Function watched = [](Args... args) -> CUresult {
    return Record()([&] { return original.load(std::memory_order_relaxed)(args...); }, args...);
  };
  static_cast<void>(entry.exchange(watched));
  restore.push_back([&entry] { static_cast<void>(entry.exchange(original)); });
}

DeviceWork copy(const char* what, std::uint64_t bytes, CUstream stream = nullptr) {
  return {WorkKind::Copy, what, stream, bytes, nullptr, {}};
}

DeviceWork set(std::uint64_t bytes, CUstream stream = nullptr) {
  return {WorkKind::Set, "memset", stream, bytes, nullptr, {}};
}

DeviceWork box(const CUDA_MEMCPY2D* copied, CUstream stream = nullptr) {
  return copy("rows", copied ? std::uint64_t{copied->WidthInBytes} * copied->Height : 0, stream);
}

template <class Copy>
DeviceWork volume(const Copy* copied, CUstream stream = nullptr) {
  const std::uint64_t bytes =
      copied ? std::uint64_t{copied->WidthInBytes} * copied->Height * copied->Depth : 0;
  return copy("boxes", bytes, stream);
}

void watch_launches(const DriverTable& driver) {
  replace(driver.cuLaunchKernel, [](auto call, CUfunction function, unsigned int gx,
                                    unsigned int gy, unsigned int gz, unsigned int bx,
                                    unsigned int by, unsigned int bz, unsigned int shared,
                                    CUstream stream, void**, void**) {
    return recorder().around(
        {WorkKind::Kernel, "", stream, 0, function, {{gx, gy, gz}, {bx, by, bz}, shared}}, call);
  });
  replace(driver.cuLaunchCooperativeKernel, [](auto call, CUfunction function, unsigned int gx,
                                               unsigned int gy, unsigned int gz, unsigned int bx,
                                               unsigned int by, unsigned int bz,
                                               unsigned int shared, CUstream stream, void**) {
    return recorder().around(
        {WorkKind::Kernel, "", stream, 0, function, {{gx, gy, gz}, {bx, by, bz}, shared}}, call);
  });
  replace(driver.cuLaunchKernelEx,
          [](auto call, const CUlaunchConfig* c, CUfunction function, void**, void**) {
            if (c == nullptr) return call();
            return recorder().around({WorkKind::Kernel,
                                      "",
                                      c->hStream,
                                      0,
                                      function,
                                      {{c->gridDimX, c->gridDimY, c->gridDimZ},
                                       {c->blockDimX, c->blockDimY, c->blockDimZ},
                                       c->sharedMemBytes}},
                                     call);
          });
  replace(driver.cuGraphLaunch, [](auto call, CUgraphExec, CUstream stream) {
    return recorder().around({WorkKind::Graph, "graph", stream, 0, nullptr, {}}, call);
  });
}

void watch_linear_copies(const DriverTable& driver) {
  replace(driver.cuMemcpyHtoD, [](auto call, CUdeviceptr, const void*, size_t bytes) {
    return recorder().around(copy("host to device", bytes), call);
  });
  replace(driver.cuMemcpyDtoH, [](auto call, void*, CUdeviceptr, size_t bytes) {
    return recorder().around(copy("device to host", bytes), call);
  });
  replace(driver.cuMemcpyDtoD, [](auto call, CUdeviceptr, CUdeviceptr, size_t bytes) {
    return recorder().around(copy("device to device", bytes), call);
  });
  replace(driver.cuMemcpyHtoDAsync,
          [](auto call, CUdeviceptr, const void*, size_t bytes, CUstream stream) {
            return recorder().around(copy("host to device", bytes, stream), call);
          });
  replace(driver.cuMemcpyDtoHAsync,
          [](auto call, void*, CUdeviceptr, size_t bytes, CUstream stream) {
            return recorder().around(copy("device to host", bytes, stream), call);
          });
  replace(driver.cuMemcpyDtoDAsync,
          [](auto call, CUdeviceptr, CUdeviceptr, size_t bytes, CUstream stream) {
            return recorder().around(copy("device to device", bytes, stream), call);
          });
  replace(driver.cuMemcpyPeer,
          [](auto call, CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t bytes) {
            return recorder().around(copy("peer to peer", bytes), call);
          });
  replace(driver.cuMemcpyPeerAsync, [](auto call, CUdeviceptr, CUcontext, CUdeviceptr, CUcontext,
                                       size_t bytes, CUstream stream) {
    return recorder().around(copy("peer to peer", bytes, stream), call);
  });
}

void watch_structured_copies(const DriverTable& driver) {
  replace(driver.cuMemcpy2D, [](auto call, const CUDA_MEMCPY2D* copied) {
    return recorder().around(box(copied), call);
  });
  replace(driver.cuMemcpy2DUnaligned, [](auto call, const CUDA_MEMCPY2D* copied) {
    return recorder().around(box(copied), call);
  });
  replace(driver.cuMemcpy2DAsync, [](auto call, const CUDA_MEMCPY2D* copied, CUstream stream) {
    return recorder().around(box(copied, stream), call);
  });
  replace(driver.cuMemcpy3D, [](auto call, const CUDA_MEMCPY3D* copied) {
    return recorder().around(volume(copied), call);
  });
  replace(driver.cuMemcpy3DAsync, [](auto call, const CUDA_MEMCPY3D* copied, CUstream stream) {
    return recorder().around(volume(copied, stream), call);
  });
  replace(driver.cuMemcpy3DPeer, [](auto call, const CUDA_MEMCPY3D_PEER* copied) {
    return recorder().around(volume(copied), call);
  });
  replace(driver.cuMemcpy3DPeerAsync,
          [](auto call, const CUDA_MEMCPY3D_PEER* copied, CUstream stream) {
            return recorder().around(volume(copied, stream), call);
          });
  replace(driver.cuMemcpyDtoA, [](auto call, CUarray, size_t, CUdeviceptr, size_t bytes) {
    return recorder().around(copy("device to array", bytes), call);
  });
  replace(driver.cuMemcpyAtoD, [](auto call, CUdeviceptr, CUarray, size_t, size_t bytes) {
    return recorder().around(copy("array to device", bytes), call);
  });
  replace(driver.cuMemcpyHtoA, [](auto call, CUarray, size_t, const void*, size_t bytes) {
    return recorder().around(copy("host to array", bytes), call);
  });
  replace(driver.cuMemcpyAtoH, [](auto call, void*, CUarray, size_t, size_t bytes) {
    return recorder().around(copy("array to host", bytes), call);
  });
  replace(driver.cuMemcpyAtoA, [](auto call, CUarray, size_t, CUarray, size_t, size_t bytes) {
    return recorder().around(copy("array to array", bytes), call);
  });
}

/// cuMemsetD8, D16 and D32, and their forms with a stream and with rows.
template <class Element>
void watch_sets(const driver::Entry<CUresult(CUdeviceptr, Element, size_t)>& linear,
                const driver::Entry<CUresult(CUdeviceptr, Element, size_t, CUstream)>& queued,
                const driver::Entry<CUresult(CUdeviceptr, size_t, Element, size_t, size_t)>& rows,
                const driver::Entry<CUresult(CUdeviceptr, size_t, Element, size_t, size_t,
                                             CUstream)>& queued_rows) {
  replace(linear, [](auto call, CUdeviceptr, Element, size_t count) {
    return recorder().around(set(sizeof(Element) * count), call);
  });
  replace(queued, [](auto call, CUdeviceptr, Element, size_t count, CUstream stream) {
    return recorder().around(set(sizeof(Element) * count, stream), call);
  });
  replace(rows, [](auto call, CUdeviceptr, size_t, Element, size_t width, size_t height) {
    return recorder().around(set(sizeof(Element) * width * height), call);
  });
  replace(queued_rows, [](auto call, CUdeviceptr, size_t, Element, size_t width, size_t height,
                          CUstream stream) {
    return recorder().around(set(sizeof(Element) * width * height, stream), call);
  });
}

void watch_waits(const DriverTable& driver) {
  replace(driver.cuCtxSynchronize,
          [](auto call) { return recorder().around_wait("Context.synchronize", call); });
  replace(driver.cuStreamSynchronize,
          [](auto call, CUstream) { return recorder().around_wait("Stream.synchronize", call); });
  replace(driver.cuEventSynchronize,
          [](auto call, CUevent) { return recorder().around_wait("Event.synchronize", call); });
}

void watch_ends(const DriverTable& driver) {
  replace(driver.cuCtxDestroy, [](auto call, CUcontext context) {
    recorder().settle(context);
    return call();
  });
  replace(driver.cuDevicePrimaryCtxRelease, [](auto call, CUdevice device) {
    recorder().settle_device(device);
    return call();
  });
  replace(driver.cuDevicePrimaryCtxReset, [](auto call, CUdevice device) {
    recorder().settle_device(device);
    return call();
  });
}

}  // namespace

void start_profile() {
  const std::lock_guard lock(profiling);
  if (!restore.empty()) throw std::logic_error("a profile is being recorded already: end it first");
  const DriverTable& driver = driver::process_driver();
  recorder().start();
  watch_launches(driver);
  watch_linear_copies(driver);
  watch_structured_copies(driver);
  watch_sets(driver.cuMemsetD8, driver.cuMemsetD8Async, driver.cuMemsetD2D8,
             driver.cuMemsetD2D8Async);
  watch_sets(driver.cuMemsetD16, driver.cuMemsetD16Async, driver.cuMemsetD2D16,
             driver.cuMemsetD2D16Async);
  watch_sets(driver.cuMemsetD32, driver.cuMemsetD32Async, driver.cuMemsetD2D32,
             driver.cuMemsetD2D32Async);
  watch_waits(driver);
  watch_ends(driver);
}

std::vector<WorkRecord> stop_profile() {
  const std::lock_guard lock(profiling);
  for (const auto& one : restore) one();
  restore.clear();
  return recorder().stop();
}

}  // namespace pycuda::cuda
