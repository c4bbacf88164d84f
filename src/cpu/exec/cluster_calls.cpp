// SPDX-License-Identifier: MIT
// What compiled code asks of its cluster. Only kernels whose threads are scheduled one by one ask.
#include <cstdint>
#include <cstdio>

#include "cpu/exec/block_run.h"
#include "cpu/exec/cluster.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/kernel_abi/clusters.h"

namespace pycuda::cpu::exec {
namespace {

constexpr std::uint32_t offset_mask = (1u << cluster_rank_shift) - 1;

BlockRun& run_of(const ThreadFrame& thread) { return *static_cast<BlockRun*>(thread.block->block); }

[[noreturn]] void refuse(ThreadFrame* thread, FaultKind kind, std::uint64_t address,
                         const char* what) {
  FaultRecord record;
  record.kind = kind;
  record.thread = thread;
  record.address = address;
  record.address_known = kind == FaultKind::IllegalAddress;
  std::snprintf(record.detail, sizeof record.detail, "%s", what);
  KernelEntry::of_this_thread().raise(record);
}

/// As GPUs answer accesses to blocks that are not there: CUDA_ERROR_LAUNCH_FAILED. `what` is a
/// literal.
[[noreturn]] void refuse_block(ThreadFrame* thread, const char* what) {
  FaultRecord record;
  record.kind = FaultKind::Trap;
  record.thread = thread;
  record.headline = what;
  KernelEntry::of_this_thread().raise(record);
}

/// The rank that an address of .shared::cluster names.
std::uint32_t rank_of(ThreadFrame* thread, std::uint32_t address) {
  const BlockRun& run = run_of(*thread);
  const std::uint32_t named = address >> cluster_rank_shift;
  if (named == 0) return run.rank();
  if (named > run.cluster().blocks())
    refuse_block(thread, "an access to a block that the cluster does not have");
  return named - 1;
}

std::uint32_t owner_of(ThreadFrame* thread, std::uint64_t generic) {
  const auto rank = run_of(*thread).cluster().owner(generic, 1);
  if (!rank)
    refuse(thread, FaultKind::IllegalAddress, generic,
           "an address that is not in the shared memory of the cluster");
  return *rank;
}

std::uint64_t offset_in(const Cluster& cluster, std::uint32_t rank, std::uint64_t generic) {
  return generic - reinterpret_cast<std::uint64_t>(cluster.window(rank));
}

}  // namespace
}  // namespace pycuda::cpu::exec

using pycuda::cpu::cluster_rank_shift;
using pycuda::cpu::FaultKind;
using pycuda::cpu::ThreadFrame;
namespace exec = pycuda::cpu::exec;

extern "C" {

void* pycuda_cpu_cluster_pointer(ThreadFrame* thread, std::uint32_t address) {
  const std::uint32_t rank = exec::rank_of(thread, address);
  const exec::Cluster& cluster = exec::run_of(*thread).cluster();
  if (!cluster.lives(rank))
    exec::refuse_block(thread, "an access to the shared memory of a block that has exited");
  return cluster.window(rank) + (address & exec::offset_mask);
}

std::uint32_t pycuda_cpu_cluster_address(ThreadFrame* thread, std::uint64_t generic) {
  const std::uint32_t rank = exec::owner_of(thread, generic);
  const std::uint64_t offset = exec::offset_in(exec::run_of(*thread).cluster(), rank, generic);
  return static_cast<std::uint32_t>(offset) | (rank + 1) << cluster_rank_shift;
}

std::uint32_t pycuda_cpu_cluster_has(ThreadFrame* thread, std::uint64_t generic) {
  return exec::run_of(*thread).cluster().owner(generic, 1) ? 1 : 0;
}

std::uint64_t pycuda_cpu_cluster_map(ThreadFrame* thread, std::uint64_t address, std::uint32_t rank,
                                     std::uint32_t is_generic) {
  const exec::Cluster& cluster = exec::run_of(*thread).cluster();
  constexpr std::uint32_t no_block = 0xff;
  const bool is_there = rank < cluster.blocks();
  // Who accesses what another rank would have faults.
  const std::uint64_t tag = is_there ? rank + 1 : no_block;
  if (is_generic == 0) return (address & exec::offset_mask) | tag << cluster_rank_shift;
  const std::uint32_t owner = exec::owner_of(thread, address);
  const std::uint64_t offset = exec::offset_in(cluster, owner, address);
  return reinterpret_cast<std::uint64_t>(cluster.window(is_there ? rank : owner)) + offset +
         (is_there ? 0 : tag << cluster_rank_shift);
}

std::uint32_t pycuda_cpu_cluster_rank(ThreadFrame* thread, std::uint64_t address,
                                      std::uint32_t is_generic) {
  return is_generic != 0 ? exec::owner_of(thread, address)
                         : exec::rank_of(thread, static_cast<std::uint32_t>(address));
}

void pycuda_cpu_cluster_use(ThreadFrame*) {}

void pycuda_cpu_cluster_arrive(ThreadFrame* thread) {
  exec::BlockRun& run = exec::run_of(*thread);
  bool is_first = false;
  {
    const exec::RuntimeScope scope;  // else an interrupt could leave locks of the checks held
    is_first = run.arrive_at_cluster_barrier(*thread);
  }
  if (is_first || !run.checks_sync()) return;
  exec::refuse(thread, FaultKind::IllegalInstruction, 0,
               "barrier.cluster.arrive of a thread that has arrived and not waited since");
}

void pycuda_cpu_cluster_wait(ThreadFrame* thread) {
  exec::BlockRun& run = exec::run_of(*thread);
  bool has_arrived = false;
  {
    const exec::RuntimeScope scope;
    has_arrived = run.go_to_cluster_barrier(*thread);
  }
  if (has_arrived || !run.checks_sync()) return;
  exec::refuse(thread, FaultKind::IllegalInstruction, 0,
               "barrier.cluster.wait of a thread that has not arrived");
}

}  // extern "C"
