// SPDX-License-Identifier: MIT
// Clusters of blocks: what compiled code and the executor share about them.
#pragma once

#include <cstdint>

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu {

/// So many blocks may a cluster have.
inline constexpr std::uint32_t most_cluster_blocks = 16;
/// An address of .shared::cluster says in its upper bits whose window it is in: 0 is the block's
/// own, so that its .shared::cta addresses are of that space too, else the block's rank and 1 more.
inline constexpr std::uint32_t cluster_rank_shift = 24;

/// What BlockFrame::launch points to the first member of.
struct GridFrame {
  LaunchFrame launch;
  Dim3 cluster;                        ///< %cluster_nctaid: one block where there are no clusters
  std::uint32_t explicit_cluster = 0;  ///< %is_explicit_cluster: the launch or the kernel says so
};

/// A barrier of the block, by its number, that stands for the barrier of the cluster: for a thread
/// that has called pycuda_cpu_cluster_wait. PTX has no barrier of this number.
inline constexpr std::uint32_t cluster_barrier = 16;

}  // namespace pycuda::cpu

// Only kernels whose threads are scheduled one by one call these.
extern "C" {
/// The host pointer that an address of .shared::cluster is; faults where it names no block of the
/// cluster.
void* pycuda_cpu_cluster_pointer(pycuda::cpu::ThreadFrame* thread, std::uint32_t address);
/// An address of .shared::cluster for a generic address that lies in the cluster's shared memory.
std::uint32_t pycuda_cpu_cluster_address(pycuda::cpu::ThreadFrame* thread, std::uint64_t generic);
/// isspacep.shared::cluster: 1 or 0.
std::uint32_t pycuda_cpu_cluster_has(pycuda::cpu::ThreadFrame* thread, std::uint64_t generic);
/// mapa: where the block of this rank has what the own block has at `address`. `is_generic` says
/// what kind of address that is; so is the result.
std::uint64_t pycuda_cpu_cluster_map(pycuda::cpu::ThreadFrame* thread, std::uint64_t address,
                                     std::uint32_t rank, std::uint32_t is_generic);
/// getctarank.
std::uint32_t pycuda_cpu_cluster_rank(pycuda::cpu::ThreadFrame* thread, std::uint64_t address,
                                      std::uint32_t is_generic);
/// Nothing: says that the block must have its cluster.
void pycuda_cpu_cluster_use(pycuda::cpu::ThreadFrame* thread);
/// barrier.cluster.arrive and barrier.cluster.wait; the thread then goes to `cluster_barrier`.
void pycuda_cpu_cluster_arrive(pycuda::cpu::ThreadFrame* thread);
void pycuda_cpu_cluster_wait(pycuda::cpu::ThreadFrame* thread);
}
