// SPDX-License-Identifier: MIT
// Copies between pointers: lines, rows, to and from symbols, between devices.
#include "cudart/copy_box.h"
#include "cudart/registered_code.h"

namespace pycuda::cudart {
namespace {

/// `stream` is null for copies that return when the data has arrived.
cudaError_t copy_line(const DriverTable& driver, void* dst, const void* src, size_t count,
                      cudaMemcpyKind kind, const cudaStream_t* stream) {
  CopyEnds ends;
  const cudaError_t status = ends_of(kind, &ends);
  if (status != cudaSuccess || count == 0) return status;
  const auto to = as<CUdeviceptr>(dst);
  const auto from = as<CUdeviceptr>(src);
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return to_runtime(stream != nullptr ? driver.cuMemcpyHtoDAsync.status(to, src, count, *stream)
                                          : driver.cuMemcpyHtoD.status(to, src, count));
    case cudaMemcpyDeviceToHost:
      return to_runtime(stream != nullptr
                            ? driver.cuMemcpyDtoHAsync.status(dst, from, count, *stream)
                            : driver.cuMemcpyDtoH.status(dst, from, count));
    case cudaMemcpyDeviceToDevice:
      return to_runtime(stream != nullptr
                            ? driver.cuMemcpyDtoDAsync.status(to, from, count, *stream)
                            : driver.cuMemcpyDtoD.status(to, from, count));
    default:
      return to_runtime(stream != nullptr ? driver.cuMemcpyAsync.status(to, from, count, *stream)
                                          : driver.cuMemcpy.status(to, from, count));
  }
}

cudaError_t copy_to_symbol(const DriverTable& driver, const void* symbol, const void* src,
                           size_t count, size_t offset, cudaMemcpyKind kind,
                           const cudaStream_t* stream) {
  if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost) {
    return cudaErrorInvalidMemcpyDirection;
  }
  CUdeviceptr address = 0;
  const cudaError_t status = find_symbol_range(driver, symbol, offset, count, &address);
  return status == cudaSuccess ? copy_line(driver, as<void*>(address), src, count, kind, stream)
                               : status;
}

cudaError_t copy_from_symbol(const DriverTable& driver, void* dst, const void* symbol, size_t count,
                             size_t offset, cudaMemcpyKind kind, const cudaStream_t* stream) {
  if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice) {
    return cudaErrorInvalidMemcpyDirection;
  }
  CUdeviceptr address = 0;
  const cudaError_t status = find_symbol_range(driver, symbol, offset, count, &address);
  return status == cudaSuccess
             ? copy_line(driver, dst, as<const void*>(address), count, kind, stream)
             : status;
}

/// `body(destination's context, source's context)`.
template <class Body>
cudaError_t between_devices(const char* name, int to, int from, Body&& body) {
  return with_context(name, [&](const DriverTable& driver) -> cudaError_t {
    CUcontext destination = nullptr;
    CUcontext source = nullptr;
    cudaError_t status = primary_context(driver, to, &destination);
    if (status == cudaSuccess) status = primary_context(driver, from, &source);
    return status == cudaSuccess ? to_runtime(body(driver, destination, source)) : status;
  });
}

}  // namespace
}  // namespace pycuda::cudart

using namespace pycuda::cudart;

CUDART_API cudaMemcpy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  return with_context("cudaMemcpy", [&](const DriverTable& driver) {
    return copy_line(driver, dst, src, count, kind, nullptr);
  });
}

CUDART_API cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind,
                           cudaStream_t stream) {
  return with_context("cudaMemcpyAsync", [&](const DriverTable& driver) {
    return copy_line(driver, dst, src, count, kind, &stream);
  });
}

CUDART_API cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                        size_t height, cudaMemcpyKind kind) {
  return with_context("cudaMemcpy2D", [&](const DriverTable& driver) {
    return copy_rows(driver, RowEnd::of(dst, dpitch), RowEnd::of(src, spitch), width, height, kind,
                     nullptr);
  });
}

CUDART_API cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                             size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return with_context("cudaMemcpy2DAsync", [&](const DriverTable& driver) {
    return copy_rows(driver, RowEnd::of(dst, dpitch), RowEnd::of(src, spitch), width, height, kind,
                     &stream);
  });
}

CUDART_API cudaMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset,
                              cudaMemcpyKind kind) {
  return with_context("cudaMemcpyToSymbol", [&](const DriverTable& driver) {
    return copy_to_symbol(driver, symbol, src, count, offset, kind, nullptr);
  });
}

CUDART_API cudaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count, size_t offset,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return with_context("cudaMemcpyToSymbolAsync", [&](const DriverTable& driver) {
    return copy_to_symbol(driver, symbol, src, count, offset, kind, &stream);
  });
}

CUDART_API cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset,
                                cudaMemcpyKind kind) {
  return with_context("cudaMemcpyFromSymbol", [&](const DriverTable& driver) {
    return copy_from_symbol(driver, dst, symbol, count, offset, kind, nullptr);
  });
}

CUDART_API cudaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count, size_t offset,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return with_context("cudaMemcpyFromSymbolAsync", [&](const DriverTable& driver) {
    return copy_from_symbol(driver, dst, symbol, count, offset, kind, &stream);
  });
}

CUDART_API cudaMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice, size_t count) {
  return between_devices("cudaMemcpyPeer", dstDevice, srcDevice,
                         [&](const DriverTable& driver, CUcontext destination, CUcontext source) {
                           return call(driver.cuMemcpyPeer, dst, destination, src, source, count);
                         });
}

CUDART_API cudaMemcpyPeerAsync(void* dst, int dstDevice, const void* src, int srcDevice,
                               size_t count, cudaStream_t stream) {
  return between_devices("cudaMemcpyPeerAsync", dstDevice, srcDevice,
                         [&](const DriverTable& driver, CUcontext destination, CUcontext source) {
                           return call(driver.cuMemcpyPeerAsync, dst, destination, src, source,
                                       count, stream);
                         });
}
