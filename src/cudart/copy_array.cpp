// SPDX-License-Identifier: MIT
// Copies to, from and between arrays, and boxes.
#include <algorithm>

#include "cudart/array_format.h"
#include "cudart/copy_box.h"

namespace pycuda::cudart {
namespace {

/// Bytes of a row of an array.
cudaError_t row_bytes(const DriverTable& driver, cudaArray_const_t array, size_t* bytes) {
  if (array == nullptr) return cudaErrorInvalidValue;
  CUDA_ARRAY3D_DESCRIPTOR shape{};
  const CUresult code = call(driver.cuArray3DGetDescriptor, &shape, array);
  if (code != CUDA_SUCCESS) return to_runtime(code);
  const cudaError_t status = element_bytes(driver, array, bytes);
  *bytes *= shape.Width;
  return status;
}

/// The old copies of `count` bytes run on from the end of an array's row to the next:
/// `body(row end, bytes done, bytes of this piece)` for each row's piece.
template <class Body>
cudaError_t by_rows(const DriverTable& driver, cudaArray_const_t array, size_t x, size_t y,
                    size_t count, Body&& body) {
  size_t row = 0;
  cudaError_t status = row_bytes(driver, array, &row);
  if (status == cudaSuccess && x >= row) status = cudaErrorInvalidValue;
  for (size_t done = 0; status == cudaSuccess && done < count;) {
    const size_t piece = std::min(count - done, row - x);
    status = body(RowEnd::of(array, x, y), done, piece);
    done += piece;
    x = 0;
    ++y;
  }
  return status;
}

cudaError_t run_to_array(const char* name, cudaArray_t dst, size_t x, size_t y, const void* src,
                         size_t count, cudaMemcpyKind kind, const cudaStream_t* stream) {
  return with_context(name, [&](const DriverTable& driver) {
    return by_rows(driver, dst, x, y, count, [&](const RowEnd& to, size_t done, size_t piece) {
      const RowEnd from = RowEnd::of(static_cast<const char*>(src) + done, piece);
      return copy_rows(driver, to, from, piece, 1, kind, stream);
    });
  });
}

cudaError_t run_from_array(const char* name, void* dst, cudaArray_const_t src, size_t x, size_t y,
                           size_t count, cudaMemcpyKind kind, const cudaStream_t* stream) {
  return with_context(name, [&](const DriverTable& driver) {
    return by_rows(driver, src, x, y, count, [&](const RowEnd& from, size_t done, size_t piece) {
      const RowEnd to = RowEnd::of(static_cast<char*>(dst) + done, piece);
      return copy_rows(driver, to, from, piece, 1, kind, stream);
    });
  });
}

cudaError_t copy_box(const char* name, const cudaMemcpy3DParms* p, const cudaStream_t* stream) {
  return with_context(name, [&](const DriverTable& driver) -> cudaError_t {
    if (p == nullptr) return cudaErrorInvalidValue;
    CUDA_MEMCPY3D box;
    const cudaError_t status = to_box(driver, *p, &box);
    if (status != cudaSuccess) return status;
    if (box.WidthInBytes == 0 || box.Height == 0 || box.Depth == 0) return cudaSuccess;
    return to_runtime(stream != nullptr ? driver.cuMemcpy3DAsync.status(&box, *stream)
                                        : driver.cuMemcpy3D.status(&box));
  });
}

cudaError_t copy_peer_box(const char* name, const cudaMemcpy3DPeerParms* p,
                          const cudaStream_t* stream) {
  return with_context(name, [&](const DriverTable& driver) -> cudaError_t {
    if (p == nullptr) return cudaErrorInvalidValue;
    const cudaMemcpy3DParms same{p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                 p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDefault};
    CUDA_MEMCPY3D box;
    CUcontext source = nullptr;
    CUcontext destination = nullptr;
    cudaError_t status = to_box(driver, same, &box);
    if (status == cudaSuccess) status = primary_context(driver, p->srcDevice, &source);
    if (status == cudaSuccess) status = primary_context(driver, p->dstDevice, &destination);
    if (status != cudaSuccess) return status;
    CUDA_MEMCPY3D_PEER peer{};
    peer.srcXInBytes = box.srcXInBytes;
    peer.srcY = box.srcY;
    peer.srcZ = box.srcZ;
    peer.srcMemoryType = box.srcMemoryType;
    peer.srcHost = box.srcHost;
    peer.srcDevice = box.srcDevice;
    peer.srcArray = box.srcArray;
    peer.srcContext = source;
    peer.srcPitch = box.srcPitch;
    peer.srcHeight = box.srcHeight;
    peer.dstXInBytes = box.dstXInBytes;
    peer.dstY = box.dstY;
    peer.dstZ = box.dstZ;
    peer.dstMemoryType = box.dstMemoryType;
    peer.dstHost = box.dstHost;
    peer.dstDevice = box.dstDevice;
    peer.dstArray = box.dstArray;
    peer.dstContext = destination;
    peer.dstPitch = box.dstPitch;
    peer.dstHeight = box.dstHeight;
    peer.WidthInBytes = box.WidthInBytes;
    peer.Height = box.Height;
    peer.Depth = box.Depth;
    return to_runtime(stream != nullptr ? driver.cuMemcpy3DPeerAsync.status(&peer, *stream)
                                        : driver.cuMemcpy3DPeer.status(&peer));
  });
}

}  // namespace
}  // namespace pycuda::cudart

using namespace pycuda::cudart;

CUDART_API cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                               size_t spitch, size_t width, size_t height, cudaMemcpyKind kind) {
  return with_context("cudaMemcpy2DToArray", [&](const DriverTable& driver) {
    return copy_rows(driver, RowEnd::of(dst, wOffset, hOffset), RowEnd::of(src, spitch), width,
                     height, kind, nullptr);
  });
}

CUDART_API cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                    const void* src, size_t spitch, size_t width, size_t height,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return with_context("cudaMemcpy2DToArrayAsync", [&](const DriverTable& driver) {
    return copy_rows(driver, RowEnd::of(dst, wOffset, hOffset), RowEnd::of(src, spitch), width,
                     height, kind, &stream);
  });
}

CUDART_API cudaMemcpy2DFromArray(void* dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                 size_t hOffset, size_t width, size_t height, cudaMemcpyKind kind) {
  return with_context("cudaMemcpy2DFromArray", [&](const DriverTable& driver) {
    return copy_rows(driver, RowEnd::of(dst, dpitch), RowEnd::of(src, wOffset, hOffset), width,
                     height, kind, nullptr);
  });
}

CUDART_API cudaMemcpy2DFromArrayAsync(void* dst, size_t dpitch, cudaArray_const_t src,
                                      size_t wOffset, size_t hOffset, size_t width, size_t height,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return with_context("cudaMemcpy2DFromArrayAsync", [&](const DriverTable& driver) {
    return copy_rows(driver, RowEnd::of(dst, dpitch), RowEnd::of(src, wOffset, hOffset), width,
                     height, kind, &stream);
  });
}

CUDART_API cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                    cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                    size_t width, size_t height, cudaMemcpyKind kind) {
  return with_context("cudaMemcpy2DArrayToArray", [&](const DriverTable& driver) {
    return copy_rows(driver, RowEnd::of(dst, wOffsetDst, hOffsetDst),
                     RowEnd::of(src, wOffsetSrc, hOffsetSrc), width, height, kind, nullptr);
  });
}

CUDART_API cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                             size_t count, cudaMemcpyKind kind) {
  return run_to_array("cudaMemcpyToArray", dst, wOffset, hOffset, src, count, kind, nullptr);
}

CUDART_API cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                                  size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return run_to_array("cudaMemcpyToArrayAsync", dst, wOffset, hOffset, src, count, kind, &stream);
}

CUDART_API cudaMemcpyFromArray(void* dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                               size_t count, cudaMemcpyKind kind) {
  return run_from_array("cudaMemcpyFromArray", dst, src, wOffset, hOffset, count, kind, nullptr);
}

CUDART_API cudaMemcpyFromArrayAsync(void* dst, cudaArray_const_t src, size_t wOffset,
                                    size_t hOffset, size_t count, cudaMemcpyKind kind,
                                    cudaStream_t stream) {
  return run_from_array("cudaMemcpyFromArrayAsync", dst, src, wOffset, hOffset, count, kind,
                        &stream);
}

CUDART_API cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                  cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                  size_t count, cudaMemcpyKind kind) {
  return with_context("cudaMemcpyArrayToArray", [&](const DriverTable& driver) {
    // A piece ends where a row of either array does.
    return by_rows(
        driver, dst, wOffsetDst, hOffsetDst, count, [&](RowEnd to, size_t done, size_t piece) {
          size_t row = 0;
          const cudaError_t status = row_bytes(driver, src, &row);
          if (status != cudaSuccess) return status;
          const size_t at = wOffsetSrc + done;
          return by_rows(driver, src, at % row, hOffsetSrc + at / row, piece,
                         [&](const RowEnd& from, size_t part, size_t bytes) {
                           RowEnd place = to;
                           place.x_bytes += part;
                           return copy_rows(driver, place, from, bytes, 1, kind, nullptr);
                         });
        });
  });
}

CUDART_API cudaMemcpy3D(const cudaMemcpy3DParms* p) { return copy_box("cudaMemcpy3D", p, nullptr); }

CUDART_API cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return copy_box("cudaMemcpy3DAsync", p, &stream);
}

CUDART_API cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) {
  return copy_peer_box("cudaMemcpy3DPeer", p, nullptr);
}

CUDART_API cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  return copy_peer_box("cudaMemcpy3DPeerAsync", p, &stream);
}
