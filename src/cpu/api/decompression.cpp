// SPDX-License-Identifier: MIT
// cuMemBatchDecompressAsync, which devices of compute capability 10.0 and newer have.
#include <algorithm>
#include <string>
#include <vector>

#include "cpu/api/capture.h"
#include "cpu/api/claimed_architecture.h"
#include "cpu/api/device_memory.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/per_thread_stream.h"
#include "cpu/api/stream_guard.h"
#include "cpu/exec/address_table.h"
#include "cpu/exec/decompress.h"
#include "cpu/exec/fault_message.h"
#include "cpu/exec/fault_recovery.h"

namespace pycuda::cpu::api {
namespace {

using exec::Compression;

std::uint64_t number_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

/// Bytes from an address to the end of the allocation that it is in.
std::uint64_t room_at(const void* address) {
  const auto found = exec::AddressTable::instance().find(number_of(address));
  return found ? found->begin + found->bytes - number_of(address) : 0;
}

CUresult refuse(const char* why) {
  return fail(CUDA_ERROR_INVALID_VALUE, std::string("cuMemBatchDecompressAsync: ") + why);
}

CUresult check(const CUmemDecompressParams& one) {
  if (one.algo != CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE &&
      one.algo != CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY && one.algo != CU_MEM_DECOMPRESS_ALGORITHM_LZ4)
    return refuse("the compression is deflate, Snappy or LZ4");
  const bool is_padded = std::all_of(std::begin(one.padding), std::end(one.padding),
                                     [](unsigned char byte) { return byte == 0; });
  if (!is_padded || one.srcNumBytes == 0 || one.srcNumBytes > most_decompressed_bytes ||
      one.dstNumBytes > most_decompressed_bytes)
    return refuse("a block has 1 byte to 4 MiB, and the padding of its structure is 0");
  return is_device_range(number_of(one.src), one.srcNumBytes) &&
                 is_device_range(number_of(one.dst), std::max<std::size_t>(one.dstNumBytes, 1)) &&
                 is_device_range(number_of(one.dstActBytes), sizeof(cuuint32_t))
             ? CUDA_SUCCESS
             : refuse("the bytes do not lie in blocks of device memory");
}

void run(const CUmemDecompressParams& one, exec::FaultSink& faults) {
  const Compression compression =
      one.algo == CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE  ? Compression::Deflate
      : one.algo == CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY ? Compression::Snappy
                                                       : Compression::Lz4;
  const exec::CompressedBlock block{
      static_cast<const unsigned char*>(one.src), one.srcNumBytes,
      static_cast<unsigned char*>(one.dst),
      one.dstNumBytes != 0 ? one.dstNumBytes : static_cast<std::size_t>(room_at(one.dst))};
  bool whole = false;
  const bool reached = exec::runs_without_fault([&] {
    std::size_t written = 0;
    whole = exec::decompress(compression, block, &written);
    *one.dstActBytes = static_cast<cuuint32_t>(written);
  });
  if (reached && whole) return;
  exec::Fault fault;
  fault.kind = reached ? FaultKind::Trap : FaultKind::IllegalAddress;
  fault.address = number_of(one.src);
  fault.message = reached ? "decompression of " + std::to_string(one.srcNumBytes) + " bytes at " +
                                exec::hexadecimal(fault.address) +
                                ": they are damaged, or there is no room for what they stand for"
                          : "illegal memory access in a decompression: the memory was freed";
  faults.report(fault);
}

}  // namespace
}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuMemBatchDecompressAsync(CUmemDecompressParams* paramsArray, size_t count,
                                   unsigned int flags, size_t* errorIndex, CUstream stream) {
  return with_stream(stream, [&](Stream& queue) -> CUresult {
    if (!claimed_architecture().decompresses()) {
      return fail(CUDA_ERROR_NOT_SUPPORTED,
                  "cuMemBatchDecompressAsync: devices before compute capability 10.0 have nothing "
                  "that decompresses; PYCUDA_CPU_ARCH=100 makes the CPU driver one that has");
    }
    if (queue.in_capture()) return refuse_in_capture(queue);
    if (paramsArray == nullptr || count == 0 || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t i = 0; i < count; ++i) {
      const CUresult status = check(paramsArray[i]);
      if (status == CUDA_SUCCESS) continue;
      if (errorIndex != nullptr) *errorIndex = i;
      return status;
    }
    const std::vector<CUmemDecompressParams> all(paramsArray, paramsArray + count);
    pycuda::cpu::exec::FaultSink& faults = queue.context();
    queue.ordered().enqueue([all, &faults] {
      for (const CUmemDecompressParams& one : all) {
        if (!faults.poisoned()) run(one, faults);
      }
    });
    return CUDA_SUCCESS;
  });
}

CUresult cuMemBatchDecompressAsync_ptsz(CUmemDecompressParams* paramsArray, size_t count,
                                        unsigned int flags, size_t* errorIndex, CUstream stream) {
  const OwnStreamZero scope;
  return cuMemBatchDecompressAsync(paramsArray, count, flags, errorIndex, stream);
}

}  // extern "C"
