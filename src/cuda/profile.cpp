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
    return Record()(call, args...);
  };
  static_cast<void>(entry.exchange(watched));
  replaced.push_back({&entry, [](const void* there) {
                        static_cast<void>(static_cast<const Entry*>(there)->exchange(original));
                      }});
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
  replace(driver.cuLaunchKernel, [](const auto& call, CUfunction function, unsigned int gx,
                                    unsigned int gy, unsigned int gz, unsigned int bx,
                                    unsigned int by, unsigned int bz, unsigned int shared,
                                    CUstream stream, void**, void**) {
    return recorder().around(
        {WorkKind::Kernel, "", stream, 0, function, {{gx, gy, gz}, {bx, by, bz}, shared}}, call);
  });
  replace(driver.cuLaunchCooperativeKernel, [](const auto& call, CUfunction function,
                                               unsigned int gx, unsigned int gy, unsigned int gz,
                                               unsigned int bx, unsigned int by, unsigned int bz,
                                               unsigned int shared, CUstream stream, void**) {
    return recorder().around(
        {WorkKind::Kernel, "", stream, 0, function, {{gx, gy, gz}, {bx, by, bz}, shared}}, call);
  });
  replace(driver.cuLaunchKernelEx,
          [](const auto& call, const CUlaunchConfig* c, CUfunction function, void**, void**) {
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
  replace(driver.cuGraphLaunch, [](const auto& call, CUgraphExec, CUstream stream) {
    return recorder().around({WorkKind::Graph, "graph", stream, 0, nullptr, {}}, call);
  });
}

void watch_linear_copies(const DriverTable& driver) {
  replace(driver.cuMemcpyHtoD, [](const auto& call, CUdeviceptr, const void*, size_t bytes) {
    return recorder().around(copy("host to device", bytes), call);
  });
  replace(driver.cuMemcpyDtoH, [](const auto& call, void*, CUdeviceptr, size_t bytes) {
    return recorder().around(copy("device to host", bytes), call);
  });
  replace(driver.cuMemcpyDtoD, [](const auto& call, CUdeviceptr, CUdeviceptr, size_t bytes) {
    return recorder().around(copy("device to device", bytes), call);
  });
  replace(driver.cuMemcpyHtoDAsync,
          [](const auto& call, CUdeviceptr, const void*, size_t bytes, CUstream stream) {
            return recorder().around(copy("host to device", bytes, stream), call);
          });
  replace(driver.cuMemcpyDtoHAsync,
          [](const auto& call, void*, CUdeviceptr, size_t bytes, CUstream stream) {
            return recorder().around(copy("device to host", bytes, stream), call);
          });
  replace(driver.cuMemcpyDtoDAsync,
          [](const auto& call, CUdeviceptr, CUdeviceptr, size_t bytes, CUstream stream) {
            return recorder().around(copy("device to device", bytes, stream), call);
          });
  replace(driver.cuMemcpyPeer,
          [](const auto& call, CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t bytes) {
            return recorder().around(copy("peer to peer", bytes), call);
          });
  replace(driver.cuMemcpyPeerAsync, [](const auto& call, CUdeviceptr, CUcontext, CUdeviceptr,
                                       CUcontext, size_t bytes, CUstream stream) {
    return recorder().around(copy("peer to peer", bytes, stream), call);
  });
}

void watch_structured_copies(const DriverTable& driver) {
  replace(driver.cuMemcpy2D, [](const auto& call, const CUDA_MEMCPY2D* copied) {
    return recorder().around(box(copied), call);
  });
  replace(driver.cuMemcpy2DUnaligned, [](const auto& call, const CUDA_MEMCPY2D* copied) {
    return recorder().around(box(copied), call);
  });
  replace(driver.cuMemcpy2DAsync,
          [](const auto& call, const CUDA_MEMCPY2D* copied, CUstream stream) {
            return recorder().around(box(copied, stream), call);
          });
  replace(driver.cuMemcpy3D, [](const auto& call, const CUDA_MEMCPY3D* copied) {
    return recorder().around(volume(copied), call);
  });
  replace(driver.cuMemcpy3DAsync,
          [](const auto& call, const CUDA_MEMCPY3D* copied, CUstream stream) {
            return recorder().around(volume(copied, stream), call);
          });
  replace(driver.cuMemcpy3DPeer, [](const auto& call, const CUDA_MEMCPY3D_PEER* copied) {
    return recorder().around(volume(copied), call);
  });
  replace(driver.cuMemcpy3DPeerAsync,
          [](const auto& call, const CUDA_MEMCPY3D_PEER* copied, CUstream stream) {
            return recorder().around(volume(copied, stream), call);
          });
  replace(driver.cuMemcpyDtoA, [](const auto& call, CUarray, size_t, CUdeviceptr, size_t bytes) {
    return recorder().around(copy("device to array", bytes), call);
  });
  replace(driver.cuMemcpyAtoD, [](const auto& call, CUdeviceptr, CUarray, size_t, size_t bytes) {
    return recorder().around(copy("array to device", bytes), call);
  });
  replace(driver.cuMemcpyHtoA, [](const auto& call, CUarray, size_t, const void*, size_t bytes) {
    return recorder().around(copy("host to array", bytes), call);
  });
  replace(driver.cuMemcpyAtoH, [](const auto& call, void*, CUarray, size_t, size_t bytes) {
    return recorder().around(copy("array to host", bytes), call);
  });
  replace(driver.cuMemcpyAtoA,
          [](const auto& call, CUarray, size_t, CUarray, size_t, size_t bytes) {
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
  replace(linear, [](const auto& call, CUdeviceptr, Element, size_t count) {
    return recorder().around(set(sizeof(Element) * count), call);
  });
  replace(queued, [](const auto& call, CUdeviceptr, Element, size_t count, CUstream stream) {
    return recorder().around(set(sizeof(Element) * count, stream), call);
  });
  replace(rows, [](const auto& call, CUdeviceptr, size_t, Element, size_t width, size_t height) {
    return recorder().around(set(sizeof(Element) * width * height), call);
  });
  replace(queued_rows, [](const auto& call, CUdeviceptr, size_t, Element, size_t width,
                          size_t height, CUstream stream) {
    return recorder().around(set(sizeof(Element) * width * height, stream), call);
  });
}

void watch_waits(const DriverTable& driver) {
  replace(driver.cuCtxSynchronize,
          [](const auto& call) { return recorder().around_wait("Context.synchronize", call); });
  replace(driver.cuStreamSynchronize, [](const auto& call, CUstream) {
    return recorder().around_wait("Stream.synchronize", call);
  });
  replace(driver.cuEventSynchronize, [](const auto& call, CUevent) {
    return recorder().around_wait("Event.synchronize", call);
  });
}

void watch_ends(const DriverTable& driver) {
  replace(driver.cuCtxDestroy, [](const auto& call, CUcontext context) {
    recorder().settle(context);
    return call();
  });
  replace(driver.cuDevicePrimaryCtxRelease, [](const auto& call, CUdevice device) {
    recorder().settle_device(device);
    return call();
  });
  replace(driver.cuDevicePrimaryCtxReset, [](const auto& call, CUdevice device) {
    recorder().settle_device(device);
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
