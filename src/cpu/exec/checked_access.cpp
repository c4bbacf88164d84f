// SPDX-License-Identifier: MIT
// The checked mode: an access is legal when it is aligned and lies in the used bytes of one live
// allocation, in the block's shared window, or in what is the thread's own.
#include "cpu/exec/checked_access.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "cpu/exec/address_table.h"
#include "cpu/exec/block_checks.h"
#include "cpu/exec/block_run.h"
#include "cpu/exec/gang_lanes.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/local_memory.h"
#include "cpu/exec/stream.h"
#include "cpu/kernel_abi/runtime_calls.h"

namespace pycuda::cpu::exec {
namespace {

/// Bytes that an access may touch.
struct Range {
  std::uint64_t begin = 0, bytes = 0;
  bool holds(std::uint64_t address, std::uint64_t size) const {
    return address >= begin && address - begin <= bytes && size <= bytes - (address - begin);
  }
};

/// What the launch added to the window is one piece: only the program knows what lies in it.
std::optional<Range> range_in_shared(const LaunchContext& launch, const std::byte* own,
                                     std::uint64_t address, std::uint64_t bytes) {
  const KernelFacts& facts = launch.kernel.facts;
  const auto base = reinterpret_cast<std::uint64_t>(own);
  const Range reserved{base - reserved_shared_bytes, reserved_shared_bytes};
  if (facts.reads_reserved_shared && reserved.holds(address, bytes)) return reserved;
  const Range window{base, launch.shared_bytes};
  if (!window.holds(address, bytes)) return std::nullopt;
  if (facts.shared_variables.empty()) return window;
  const std::uint64_t of_variables =
      std::min<std::uint64_t>(facts.static_shared_bytes, window.bytes);
  if (address - base >= of_variables)
    return Range{base + of_variables, window.bytes - of_variables};
  for (const SharedVariable& variable : facts.shared_variables) {
    const Range found{base + variable.begin, variable.bytes};
    if (found.holds(address, bytes)) return found;
  }
  return std::nullopt;
}

/// In the shared memory of another block of the cluster, which is there until that block ends.
std::optional<Range> range_in_other_block(const ThreadFrame& thread, std::uint64_t address,
                                          std::uint64_t bytes) {
  if (thread.block->block == nullptr) return std::nullopt;
  const BlockRun& run = *static_cast<const BlockRun*>(thread.block->block);
  const auto& launch = *static_cast<const LaunchContext*>(thread.block->launch->launch);
  const auto rank = run.cluster().owner(address, bytes);
  if (!rank || !run.cluster().lives(*rank)) return std::nullopt;
  return range_in_shared(launch, run.cluster().window(*rank) + reserved_shared_bytes, address,
                         bytes);
}

std::optional<Range> range_in_launch(const ThreadFrame& thread, std::uint64_t address,
                                     std::uint64_t bytes) {
  const BlockFrame& block = *thread.block;
  const auto& launch = *static_cast<const LaunchContext*>(block.launch->launch);
  if (const auto shared = range_in_shared(launch, own_shared(block), address, bytes)) return shared;
  const Range parameters{reinterpret_cast<std::uint64_t>(block.launch->params),
                         launch.parameter_bytes};
  if (parameters.holds(address, bytes)) return parameters;
  return std::nullopt;
}

std::optional<Range> range_in_allocation(const ThreadFrame& thread, std::uint64_t address,
                                         std::uint64_t bytes) {
  const AddressTable& table = AddressTable::instance();
  const auto* launch = static_cast<const LaunchContext*>(thread.block->launch->launch);
  KnownAllocations* const known =
      launch->request.checks.find() ? &BlockChecks::of(thread).allocations() : nullptr;
  const std::uint64_t epoch = table.epoch();
  if (known != nullptr && known->epoch == epoch) {
    for (const KnownAllocations::Range& range : known->ranges) {
      const Range own{range.begin, range.bytes};
      if (own.holds(address, bytes)) return own;
    }
  }
  const auto found = table.find(address);
  if (!found || found->pooled) return std::nullopt;
  const Range own{found->begin, found->used_bytes};
  if (!own.holds(address, bytes)) return std::nullopt;
  if (known == nullptr) return own;
  if (known->epoch != epoch) *known = {epoch, 0, {}};
  known->ranges[known->next++ % known->ranges.size()] = {found->begin, found->used_bytes};
  return own;
}

/// What is not one thread's own.
std::optional<Range> range_for_all(const ThreadFrame& thread, std::uint64_t address,
                                   std::uint64_t bytes) {
  if (const auto found = range_in_allocation(thread, address, bytes)) return found;
  return range_in_launch(thread, address, bytes);
}

}  // namespace

std::uint64_t legal_bytes_at(const ThreadFrame& thread, std::uint64_t address) {
  auto range = range_for_all(thread, address, 1);
  if (!range) range = range_in_other_block(thread, address, 1);
  if (!range) {
    const FrameStack::Variable variable = frames_of(thread).nearest_variable(address);
    range = Range{variable.begin, variable.bytes};
  }
  return range->holds(address, 1) ? range->bytes - (address - range->begin) : 0;
}

}  // namespace pycuda::cpu::exec

extern "C" {

void pycuda_cpu_check_access(pycuda::cpu::ThreadFrame* thread, std::uint64_t address,
                             std::uint32_t bytes, std::uint32_t is_write, std::uint32_t) {
  namespace exec = pycuda::cpu::exec;
  using pycuda::cpu::FaultKind;
  const bool misaligned = std::has_single_bit(bytes) && bytes <= 16 && address % bytes != 0;
  bool legal = false;
  if (!misaligned) {
    const exec::RuntimeScope scope;
    legal = exec::range_for_all(*thread, address, bytes) ||
            exec::range_in_other_block(*thread, address, bytes) ||
            exec::in_local_variable(*thread, address, bytes);
  }
  if (legal) return;
  exec::FaultRecord record;
  record.kind = misaligned ? FaultKind::MisalignedAddress : FaultKind::IllegalAddress;
  record.thread = thread;
  record.address = address;
  record.address_known = true;
  std::snprintf(record.detail, sizeof record.detail, "%s of %u bytes",
                is_write != 0 ? "write" : "read", bytes);
  exec::KernelEntry::of_this_thread().raise(record);
}

void pycuda_cpu_check_gang(pycuda::cpu::ThreadFrame* gang, const std::uint64_t* addresses,
                           std::uint64_t lanes, std::uint64_t access,
                           pycuda::cpu::AllowedRange* allowed) {
  namespace exec = pycuda::cpu::exec;
  using pycuda::cpu::AccessFlags;
  if (lanes == 0) return;
  const auto what = pycuda::cpu::AccessOfGang::unpack(access);
  {
    const exec::RuntimeScope scope;
    const auto range = exec::range_for_all(*gang, addresses[std::countr_zero(lanes)], what.bytes);
    const auto is_inside = [&](unsigned lane) {
      return (lanes >> lane & 1) == 0 || range->holds(addresses[lane], what.bytes);
    };
    const auto width = static_cast<unsigned>(std::bit_width(lanes));
    bool all = range.has_value();
    for (unsigned lane = 0; lane < width && all; ++lane) all = is_inside(lane);
    if (all) {
      *allowed = {range->begin, range->bytes - what.bytes};
      return;
    }
  }
  const std::uint32_t is_write =
      (what.flags & (AccessFlags::write | AccessFlags::update)) != 0 ? 1 : 0;
  exec::GangLanes own(*gang, what);
  for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    own.become(lane);
    pycuda_cpu_check_access(gang, addresses[lane], what.bytes, is_write,
                            pycuda::cpu::no_check_site);
  }
  own.leave();
}

}  // extern "C"
