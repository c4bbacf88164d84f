// SPDX-License-Identifier: MIT
// What compiled code calls to tell the checks of its accesses, fences, barriers and warp
// operations.
#include <bit>
#include <cstdint>

#include "cpu/exec/block_checks.h"
#include "cpu/exec/gang_lanes.h"
#include "cpu/exec/gang_sync.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/unwritten.h"
#include "cpu/kernel_abi/checks.h"

extern "C" {

void pycuda_cpu_note_access(pycuda::cpu::ThreadFrame* thread, std::uint64_t address,
                            std::uint32_t bytes, std::uint32_t flags, std::uint64_t low,
                            std::uint64_t high) {
  namespace exec = pycuda::cpu::exec;
  const exec::RuntimeScope scope;
  exec::BlockChecks::of(*thread).access(*thread, {address, bytes, flags, {low, high}});
}

void pycuda_cpu_note_fence(pycuda::cpu::ThreadFrame* thread, std::uint32_t scope_flags) {
  namespace exec = pycuda::cpu::exec;
  const exec::RuntimeScope scope;
  exec::BlockChecks::of(*thread).fence(thread->linear, scope_flags);
}

void pycuda_cpu_note_barrier(pycuda::cpu::ThreadFrame* thread, std::uint32_t is_aligned,
                             std::uint32_t) {
  pycuda::cpu::exec::BlockChecks::of(*thread).set_aligned(thread->linear, is_aligned != 0);
}

void pycuda_cpu_note_read(pycuda::cpu::ThreadFrame* thread, std::uint64_t address,
                          std::uint32_t bytes, std::uint32_t flags, std::uint64_t low) {
  namespace exec = pycuda::cpu::exec;
  if (!exec::may_be_unwritten(address, bytes, low)) return;
  const exec::RuntimeScope scope;
  exec::BlockChecks::of(*thread).has_read(*thread, {address, bytes, flags, {}});
}

void pycuda_cpu_note_gang(pycuda::cpu::ThreadFrame* gang, const std::uint64_t* addresses,
                          std::uint64_t lanes, std::uint64_t packed, const std::uint64_t* low,
                          const std::uint64_t* high) {
  namespace exec = pycuda::cpu::exec;
  using pycuda::cpu::AccessFlags;
  const auto access = pycuda::cpu::AccessOfGang::unpack(packed);
  const exec::RuntimeScope scope;
  exec::BlockChecks& checks = exec::BlockChecks::of_gang(*gang);
  exec::GangLanes own(*gang, access);
  const bool is_read = (access.flags & AccessFlags::read_later) != 0;
  for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    own.become(lane);
    exec::NotedAccess noted{addresses[lane], access.bytes, access.flags, {}};
    if (is_read) {
      checks.has_read(*gang, noted);
      continue;
    }
    if (low != nullptr) noted.value[0] = low[lane];
    if (high != nullptr) noted.value[1] = high[lane];
    checks.check_written(*gang, noted);
  }
  own.leave();
}

std::uint32_t pycuda_cpu_note_row(pycuda::cpu::ThreadFrame* gang, std::uint64_t first,
                                  std::int64_t stride, std::uint64_t lanes, std::uint64_t access) {
  namespace exec = pycuda::cpu::exec;
  if (lanes == 0) return 0;
  exec::BlockChecks& checks = exec::BlockChecks::of_gang(*gang);
  const exec::RuntimeScope scope(checks.entry());
  exec::GangAccess all{*gang, pycuda::cpu::AccessOfGang::unpack(access), lanes};
  all.first = first;
  all.stride = stride;
  return !checks.is_easy(all) && checks.gang_access(all) ? 1 : 0;
}

std::uint32_t pycuda_cpu_note_lanes(pycuda::cpu::ThreadFrame* gang, const std::uint64_t* addresses,
                                    std::uint64_t lanes, std::uint64_t access) {
  namespace exec = pycuda::cpu::exec;
  if (lanes == 0) return 0;
  exec::BlockChecks& checks = exec::BlockChecks::of_gang(*gang);
  const exec::RuntimeScope scope(checks.entry());
  exec::GangAccess all{*gang, pycuda::cpu::AccessOfGang::unpack(access), lanes, addresses};
  all.find_row();
  return !checks.is_easy(all) && checks.gang_access(all) ? 1 : 0;
}

void pycuda_cpu_note_written(pycuda::cpu::ThreadFrame* gang, const std::uint64_t* addresses,
                             std::uint64_t lanes, std::uint64_t access, const std::uint64_t* low,
                             const std::uint64_t* high) {
  namespace exec = pycuda::cpu::exec;
  const exec::RuntimeScope scope;
  exec::GangAccess all{*gang, pycuda::cpu::AccessOfGang::unpack(access), lanes, addresses};
  all.low = low;
  all.high = high;
  exec::BlockChecks::of_gang(*gang).gang_writes(all);
}

void pycuda_cpu_note_warp_order(pycuda::cpu::ThreadFrame* gang, std::uint64_t lanes) {
  namespace exec = pycuda::cpu::exec;
  if (lanes == 0) return;
  exec::BlockChecks& checks = exec::BlockChecks::of_gang(*gang);
  if (checks.order_warp(*gang, lanes)) return;
  const exec::RuntimeScope scope(checks.entry());
  checks.order_lanes(*gang, lanes);
}

void pycuda_cpu_note_gang_passed(pycuda::cpu::ThreadFrame* gang) {
  namespace exec = pycuda::cpu::exec;
  exec::BlockChecks& checks = exec::BlockChecks::of_gang(*gang);
  const exec::RuntimeScope scope(checks.entry());
  checks.gang_passes();
}

/// Threads that run one by one have a scheduler, which tells.
void pycuda_cpu_note_passed(pycuda::cpu::ThreadFrame*) {}

void pycuda_cpu_note_gang_barrier(pycuda::cpu::ThreadFrame* gang, std::uint64_t lanes,
                                  std::uint64_t access, std::uint32_t site) {
  namespace exec = pycuda::cpu::exec;
  const exec::RuntimeScope scope;
  exec::BlockChecks::of_this_thread().gang_arrives(*gang, lanes,
                                                   pycuda::cpu::AccessOfGang::unpack(access), site);
}

void pycuda_cpu_note_gang_operation(pycuda::cpu::ThreadFrame* gang, std::uint64_t lanes,
                                    std::uint64_t access, std::uint32_t operation,
                                    std::uint32_t mask, const std::uint64_t* b,
                                    const std::uint64_t* c) {
  namespace exec = pycuda::cpu::exec;
  if (lanes == 0) return;
  const exec::RuntimeScope scope;
  exec::GangSync::check_operation(*gang, lanes, pycuda::cpu::AccessOfGang::unpack(access),
                                  {operation, mask, b, c}, exec::BlockChecks::of_this_thread());
}

}  // extern "C"
