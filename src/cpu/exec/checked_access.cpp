// SPDX-License-Identifier: MIT
// The checked mode: an access is legal when it is aligned and lies in the used bytes of one live
// allocation, in the block's shared window, or in what is the thread's own.
#include <bit>
#include <cstdint>
#include <cstdio>

#include "cpu/exec/address_table.h"
#include "cpu/exec/block_checks.h"
#include "cpu/exec/block_run.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/local_memory.h"
#include "cpu/exec/stream.h"
#include "cpu/kernel_abi/runtime_calls.h"

namespace pycuda::cpu::exec {
namespace {

bool inside(std::uint64_t address, std::uint64_t bytes, std::uint64_t begin, std::uint64_t size) {
  return address >= begin && address - begin <= size && bytes <= size - (address - begin);
}

/// What the launch added to the window is one piece: only the program knows what lies in it.
bool in_shared(const LaunchContext& launch, const std::byte* own, std::uint64_t address,
               std::uint64_t bytes) {
  const KernelFacts& facts = launch.kernel.facts;
  const auto base = reinterpret_cast<std::uint64_t>(own);
  if (facts.reads_reserved_shared &&
      inside(address, bytes, base - reserved_shared_bytes, reserved_shared_bytes))
    return true;
  if (!inside(address, bytes, base, launch.shared_bytes)) return false;
  if (facts.shared_variables.empty() || address - base >= facts.static_shared_bytes) return true;
  for (const SharedVariable& variable : facts.shared_variables) {
    if (inside(address, bytes, base + variable.begin, variable.bytes)) return true;
  }
  return false;
}

/// In the shared memory of another block of the cluster, which is there until that block ends.
bool in_other_block(const ThreadFrame& thread, std::uint64_t address, std::uint64_t bytes) {
  if (thread.block->block == nullptr) return false;
  const BlockRun& run = *static_cast<const BlockRun*>(thread.block->block);
  const auto& launch = *static_cast<const LaunchContext*>(thread.block->launch->launch);
  const auto rank = run.cluster().owner(address, bytes);
  return rank && run.cluster().lives(*rank) &&
         in_shared(launch, run.cluster().window(*rank) + reserved_shared_bytes, address, bytes);
}

bool in_launch(const ThreadFrame& thread, std::uint64_t address, std::uint64_t bytes) {
  const BlockFrame& block = *thread.block;
  const auto& launch = *static_cast<const LaunchContext*>(block.launch->launch);
  if (in_shared(launch, own_shared(block), address, bytes) ||
      inside(address, bytes, reinterpret_cast<std::uint64_t>(block.launch->params),
             launch.parameter_bytes)) {
    return true;
  }
  return in_other_block(thread, address, bytes) || in_local_variable(thread, address, bytes);
}

bool in_allocation(const ThreadFrame& thread, std::uint64_t address, std::uint64_t bytes) {
  const AddressTable& table = AddressTable::instance();
  const auto* launch = static_cast<const LaunchContext*>(thread.block->launch->launch);
  KnownAllocations* const known =
      launch->request.checks.find() ? &BlockChecks::of(thread).allocations() : nullptr;
  const std::uint64_t epoch = table.epoch();
  if (known != nullptr && known->epoch == epoch) {
    for (const KnownAllocations::Range& range : known->ranges) {
      if (inside(address, bytes, range.begin, range.bytes)) return true;
    }
  }
  const auto found = table.find(address);
  if (!found || found->pooled || !inside(address, bytes, found->begin, found->used_bytes))
    return false;
  if (known == nullptr) return true;
  if (known->epoch != epoch) *known = {epoch, 0, {}};
  known->ranges[known->next++ % known->ranges.size()] = {found->begin, found->used_bytes};
  return true;
}

}  // namespace
}  // namespace pycuda::cpu::exec

extern "C" void pycuda_cpu_check_access(pycuda::cpu::ThreadFrame* thread, std::uint64_t address,
                                        std::uint32_t bytes, std::uint32_t is_write) {
  namespace exec = pycuda::cpu::exec;
  using pycuda::cpu::FaultKind;
  const bool misaligned = std::has_single_bit(bytes) && bytes <= 16 && address % bytes != 0;
  bool legal = false;
  if (!misaligned) {
    const exec::RuntimeScope scope;
    legal =
        exec::in_allocation(*thread, address, bytes) || exec::in_launch(*thread, address, bytes);
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
