// SPDX-License-Identifier: MIT
// The functions of the driver table that a profile replaces.
#include "cuda/profile.h"

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

/// An entry that a profile has replaced.
struct Replaced {
  const void* entry;
  void (*restore)(const void* entry);
};

std::mutex profiling;            // protects what follows
std::vector<Replaced> replaced;  // empty without a profile

/// Puts a function into `entry` that calls the present one by way of `record`, a lambda without
/// captures of what to call and the arguments.
template <class Record, class... Args>
void replace(const driver::Entry<CUresult(Args...)>& entry, Record) {
  using Entry = driver::Entry<CUresult(Args...)>;
  using Function = typename Entry::Function;
  static std::atomic<Function> original;
  if (!entry.available()) return;
  original = entry.function();
  const Function watched = [](Args... args) -> CUresult {
    const auto call = [&] { return original.load(std::memory_order_relaxed)(args...); };
    return Record()(AnyCall::of(call), args...);
  };
  static_cast<void>(entry.exchange(watched));
  replaced.push_back({&entry, [](const void* there) {
                        static_cast<void>(static_cast<const Entry*>(there)->exchange(original));
                      }});
}

CUresult copied(AnyCall call, const char* what, std::uint64_t bytes, CUstream stream = nullptr) {
  return recorder().around({WorkKind::Copy, what, stream, bytes, nullptr, {}}, call);
}

CUresult set(AnyCall call, std::uint64_t bytes, CUstream stream = nullptr) {
  return recorder().around({WorkKind::Set, "memset", stream, bytes, nullptr, {}}, call);
}

CUresult box(AnyCall call, const CUDA_MEMCPY2D* made, CUstream stream = nullptr) {
  return copied(call, "rows", made ? std::uint64_t{made->WidthInBytes} * made->Height : 0, stream);
}

template <class Copy>
CUresult volume(AnyCall call, const Copy* made, CUstream stream = nullptr) {
  const std::uint64_t bytes =
      made ? std::uint64_t{made->WidthInBytes} * made->Height * made->Depth : 0;
  return copied(call, "boxes", bytes, stream);
}

void watch_launches(const DriverTable& driver) {
  replace(driver.cuLaunchKernel, [](AnyCall call, CUfunction function, unsigned int gx,
                                    unsigned int gy, unsigned int gz, unsigned int bx,
                                    unsigned int by, unsigned int bz, unsigned int shared,
                                    CUstream stream, void**, void**) {
    return recorder().around(
        {WorkKind::Kernel, "", stream, 0, function, {{gx, gy, gz}, {bx, by, bz}, shared}}, call);
  });
  replace(driver.cuLaunchCooperativeKernel, [](AnyCall call, CUfunction function, unsigned int gx,
                                               unsigned int gy, unsigned int gz, unsigned int bx,
                                               unsigned int by, unsigned int bz,
                                               unsigned int shared, CUstream stream, void**) {
    return recorder().around(
        {WorkKind::Kernel, "", stream, 0, function, {{gx, gy, gz}, {bx, by, bz}, shared}}, call);
  });
  replace(driver.cuLaunchKernelEx,
          [](AnyCall call, const CUlaunchConfig* c, CUfunction function, void**, void**) {
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
  replace(driver.cuGraphLaunch, [](AnyCall call, CUgraphExec, CUstream stream) {
    return recorder().around({WorkKind::Graph, "graph", stream, 0, nullptr, {}}, call);
  });
}

void watch_linear_copies(const DriverTable& driver) {
  replace(driver.cuMemcpyHtoD, [](AnyCall call, CUdeviceptr, const void*, size_t bytes) {
    return copied(call, "host to device", bytes);
  });
  replace(driver.cuMemcpyDtoH, [](AnyCall call, void*, CUdeviceptr, size_t bytes) {
    return copied(call, "device to host", bytes);
  });
  replace(driver.cuMemcpyDtoD, [](AnyCall call, CUdeviceptr, CUdeviceptr, size_t bytes) {
    return copied(call, "device to device", bytes);
  });
  replace(driver.cuMemcpyHtoDAsync,
          [](AnyCall call, CUdeviceptr, const void*, size_t bytes, CUstream stream) {
            return copied(call, "host to device", bytes, stream);
          });
  replace(driver.cuMemcpyDtoHAsync,
          [](AnyCall call, void*, CUdeviceptr, size_t bytes, CUstream stream) {
            return copied(call, "device to host", bytes, stream);
          });
  replace(driver.cuMemcpyDtoDAsync,
          [](AnyCall call, CUdeviceptr, CUdeviceptr, size_t bytes, CUstream stream) {
            return copied(call, "device to device", bytes, stream);
          });
  replace(driver.cuMemcpyPeer, [](AnyCall call, CUdeviceptr, CUcontext, CUdeviceptr, CUcontext,
                                  size_t bytes) { return copied(call, "peer to peer", bytes); });
  replace(driver.cuMemcpyPeerAsync,
          [](AnyCall call, CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t bytes,
             CUstream stream) { return copied(call, "peer to peer", bytes, stream); });
}

void watch_structured_copies(const DriverTable& driver) {
  replace(driver.cuMemcpy2D,
          [](AnyCall call, const CUDA_MEMCPY2D* made) { return box(call, made); });
  replace(driver.cuMemcpy2DUnaligned,
          [](AnyCall call, const CUDA_MEMCPY2D* made) { return box(call, made); });
  replace(driver.cuMemcpy2DAsync, [](AnyCall call, const CUDA_MEMCPY2D* made, CUstream stream) {
    return box(call, made, stream);
  });
  replace(driver.cuMemcpy3D,
          [](AnyCall call, const CUDA_MEMCPY3D* made) { return volume(call, made); });
  replace(driver.cuMemcpy3DAsync, [](AnyCall call, const CUDA_MEMCPY3D* made, CUstream stream) {
    return volume(call, made, stream);
  });
  replace(driver.cuMemcpy3DPeer,
          [](AnyCall call, const CUDA_MEMCPY3D_PEER* made) { return volume(call, made); });
  replace(driver.cuMemcpy3DPeerAsync, [](AnyCall call, const CUDA_MEMCPY3D_PEER* made,
                                         CUstream stream) { return volume(call, made, stream); });
  replace(driver.cuMemcpyDtoA, [](AnyCall call, CUarray, size_t, CUdeviceptr, size_t bytes) {
    return copied(call, "device to array", bytes);
  });
  replace(driver.cuMemcpyAtoD, [](AnyCall call, CUdeviceptr, CUarray, size_t, size_t bytes) {
    return copied(call, "array to device", bytes);
  });
  replace(driver.cuMemcpyHtoA, [](AnyCall call, CUarray, size_t, const void*, size_t bytes) {
    return copied(call, "host to array", bytes);
  });
  replace(driver.cuMemcpyAtoH, [](AnyCall call, void*, CUarray, size_t, size_t bytes) {
    return copied(call, "array to host", bytes);
  });
  replace(driver.cuMemcpyAtoA, [](AnyCall call, CUarray, size_t, CUarray, size_t, size_t bytes) {
    return copied(call, "array to array", bytes);
  });
}

/// cuMemsetD8, D16 and D32, and their forms with a stream and with rows.
template <class Element>
void watch_sets(const driver::Entry<CUresult(CUdeviceptr, Element, size_t)>& linear,
                const driver::Entry<CUresult(CUdeviceptr, Element, size_t, CUstream)>& queued,
                const driver::Entry<CUresult(CUdeviceptr, size_t, Element, size_t, size_t)>& rows,
                const driver::Entry<CUresult(CUdeviceptr, size_t, Element, size_t, size_t,
                                             CUstream)>& queued_rows) {
  replace(linear, [](AnyCall call, CUdeviceptr, Element, size_t count) {
    return set(call, sizeof(Element) * count);
  });
  replace(queued, [](AnyCall call, CUdeviceptr, Element, size_t count, CUstream stream) {
    return set(call, sizeof(Element) * count, stream);
  });
  replace(rows, [](AnyCall call, CUdeviceptr, size_t, Element, size_t width, size_t height) {
    return set(call, sizeof(Element) * width * height);
  });
  replace(queued_rows,
          [](AnyCall call, CUdeviceptr, size_t, Element, size_t width, size_t height,
             CUstream stream) { return set(call, sizeof(Element) * width * height, stream); });
}

void watch_waits(const DriverTable& driver) {
  replace(driver.cuCtxSynchronize,
          [](AnyCall call) { return recorder().around_wait("Context.synchronize", call); });
  replace(driver.cuStreamSynchronize, [](AnyCall call, CUstream) {
    return recorder().around_wait("Stream.synchronize", call);
  });
  replace(driver.cuEventSynchronize,
          [](AnyCall call, CUevent) { return recorder().around_wait("Event.synchronize", call); });
}

void watch_ends(const DriverTable& driver) {
  replace(driver.cuCtxDestroy, [](AnyCall call, CUcontext context) {
    recorder().settle(context);
    return call();
  });
  replace(driver.cuDevicePrimaryCtxRelease, [](AnyCall call, CUdevice device) {
    recorder().settle_device(device);
    return call();
  });
  replace(driver.cuDevicePrimaryCtxReset, [](AnyCall call, CUdevice device) {
    recorder().settle_device(device);
    return call();
  });
  replace(driver.cuModuleUnload, [](AnyCall call, CUmodule) {
    recorder().forget_kernels();
    return call();
  });
}

}  // namespace

std::string start_profile(const std::vector<std::string>& cupti_libraries) {
  const std::lock_guard lock(profiling);
  if (!replaced.empty())
    throw std::logic_error("a profile is being recorded already: end it first");
  const DriverTable& driver = driver::process_driver();
  std::string why_events = recorder().start(cupti_libraries);
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
  return why_events;
}

RecordedWork stop_profile() {
  const std::lock_guard lock(profiling);
  for (const Replaced& one : replaced) one.restore(one.entry);
  replaced.clear();
  return recorder().stop();
}

}  // namespace pycuda::cuda
