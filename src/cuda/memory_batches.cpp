// SPDX-License-Identifier: MIT
// Batches over the driver's.
#include "cuda/memory_batches.h"

#include "cuda/capturing.h"
#include "cuda/context_stack.h"
#include "driver/table.h"

namespace pycuda::cuda {
namespace {

/// The same side by side, as the driver takes them.
struct RangeList {
  std::vector<CUdeviceptr> addresses;
  std::vector<std::size_t> bytes;

  explicit RangeList(const std::vector<MemoryRange>& ranges) {
    for (const MemoryRange& range : ranges) {
      addresses.push_back(range.address);
      bytes.push_back(range.bytes);
    }
  }
};

const driver::DriverTable& current_driver() { return require_context()->driver(); }

}  // namespace

void prefetch(const MemoryRange& range, const CUmemLocation& place, CUstream stream) {
  driver::prefetch(current_driver(), range.address, range.bytes, place, stream_for_work(stream));
}

void advise(const MemoryRange& range, CUmem_advise advice, const CUmemLocation& place) {
  driver::advise(current_driver(), range.address, range.bytes, advice, place);
}

int range_attribute(const MemoryRange& range, CUmem_range_attribute attribute) {
  int value = 0;
  current_driver().cuMemRangeGetAttribute(&value, sizeof value, attribute, range.address,
                                          range.bytes);
  return value;
}

void prefetch_all(const std::vector<MemoryRange>& ranges, const CUmemLocation& place,
                  CUstream stream) {
  RangeList list(ranges);
  CUmemLocation where = place;
  std::size_t first = 0;
  current_driver().cuMemPrefetchBatchAsync(list.addresses.data(), list.bytes.data(), ranges.size(),
                                           &where, &first, 1, 0, stream_for_work(stream));
}

void discard_all(const std::vector<MemoryRange>& ranges, CUstream stream) {
  RangeList list(ranges);
  current_driver().cuMemDiscardBatchAsync(list.addresses.data(), list.bytes.data(), ranges.size(),
                                          0, stream_for_work(stream));
}

void discard_and_prefetch_all(const std::vector<MemoryRange>& ranges, const CUmemLocation& place,
                              CUstream stream) {
  RangeList list(ranges);
  CUmemLocation where = place;
  std::size_t first = 0;
  current_driver().cuMemDiscardAndPrefetchBatchAsync(list.addresses.data(), list.bytes.data(),
                                                     ranges.size(), &where, &first, 1, 0,
                                                     stream_for_work(stream));
}

void CopyBatch::add(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  to_.push_back(to);
  from_.push_back(from);
  bytes_.push_back(bytes);
}

void CopyBatch::enqueue(CUstream stream) {
  CUmemcpyAttributes attributes{};
  attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  std::size_t first = 0;
  current_driver().cuMemcpyBatchAsync(to_.data(), from_.data(), bytes_.data(), to_.size(),
                                      &attributes, &first, 1, stream_for_work(stream));
}

}  // namespace pycuda::cuda
