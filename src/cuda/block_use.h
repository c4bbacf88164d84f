// SPDX-License-Identifier: MIT
// How many bytes of a pool's block are used: for messages, and for the CPU driver's checked mode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "cuda/context.h"
#include "driver/table.h"

namespace pycuda::cuda {

/// The use of one block. The CPU driver reads the number where it stands, so that changing it costs
/// one store. Must end before the block goes.
class BlockUse {
 public:
  BlockUse() = default;
  /// Of the block that begins at `block`, which `context` has. Nothing is recorded where there is
  /// no memory for it. With a context that is gone the block is gone, too: another one may lie
  /// there.
  BlockUse(ContextPtr context, CUdeviceptr block) noexcept;

  void set(std::size_t bytes) noexcept {
    if (record_) __atomic_store_n(&record_->bytes, std::uint64_t{bytes}, __ATOMIC_RELAXED);
  }
  /// A pool keeps the block, which is unused. Messages count the bytes that were used.
  void set_pooled() noexcept {
    if (record_) set(record_->bytes | kPooled);
  }

  /// What is used of the block that begins at `block`; nothing unless it is a pool's block in use.
  static std::optional<std::size_t> of(CUdeviceptr block) noexcept;

  struct Record {
    unsigned long long bytes;
    ContextPtr context;
    CUdeviceptr block;
  };

 private:
  static constexpr std::uint64_t kPooled = std::uint64_t{1} << 63;
  struct End {
    void operator()(Record* record) const noexcept;
  };
  std::unique_ptr<Record, End> record_;
};

/// Whether the driver checks every access now: then pools hand out what was asked for to the byte,
/// and freed blocks go back at once, which waits for the work that uses them.
bool checks_accesses(const driver::DriverTable& driver) noexcept;

}  // namespace pycuda::cuda
