// SPDX-License-Identifier: MIT
// All uses of this process by block, beside what the CPU driver is given.
#include "cuda/block_use.h"

#include <mutex>
#include <unordered_map>
#include <utility>

namespace pycuda::cuda {
namespace {

struct Uses {
  std::mutex mutex;  ///< protects by_block
  std::unordered_map<CUdeviceptr, const BlockUse::Record*> by_block;
};

Uses& uses() {
  // Never destroyed: blocks go with other static objects too.
  static Uses& all = *new Uses;
  return all;
}

}  // namespace

BlockUse::BlockUse(ContextPtr context, CUdeviceptr block) noexcept {
  const driver::DriverTable& driver = context->driver();
  try {
    record_.reset(new Record{kPooled, std::move(context), block});
    Uses& all = uses();
    const std::lock_guard lock(all.mutex);
    all.by_block.insert_or_assign(block, record_.get());
  } catch (...) {
    record_.reset();
    return;
  }
  if (driver.watch_use != nullptr) driver.watch_use(block, &record_->bytes);
}

void BlockUse::End::operator()(Record* record) const noexcept {
  const std::unique_ptr<Record> ended(record);
  const driver::DriverTable& driver = ended->context->driver();
  if (driver.watch_use != nullptr && ended->context->valid())
    driver.watch_use(ended->block, nullptr);
  Uses& all = uses();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_block.find(ended->block);
  if (found != all.by_block.end() && found->second == record) all.by_block.erase(found);
}

std::optional<std::size_t> BlockUse::of(CUdeviceptr block) noexcept {
  Uses& all = uses();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_block.find(block);
  if (found == all.by_block.end() || !found->second->context->valid()) return std::nullopt;
  const auto bytes = __atomic_load_n(&found->second->bytes, __ATOMIC_RELAXED);
  return (bytes & kPooled) == 0 ? std::optional<std::size_t>(bytes) : std::nullopt;
}

bool checks_accesses(const driver::DriverTable& driver) noexcept {
  int checked = 0;
  return driver.is_checked != nullptr && driver.is_checked(&checked) == CUDA_SUCCESS &&
         checked != 0;
}

}  // namespace pycuda::cuda
