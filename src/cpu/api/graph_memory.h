// SPDX-License-Identifier: MIT
// Memory that graph nodes allocate and free. A block keeps its address as long as a graph, an
// executable graph or the program can use it; whether it is currently allocated is tracked in the
// order of the launches.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "cpu/api/cuda_abi.h"
#include "cpu/exec/stream.h"

namespace pycuda::cpu::api {

class VirtualDevice;

class GraphAllocation {
 public:
  /// Null when the device has not so much memory.
  static std::shared_ptr<GraphAllocation> make(VirtualDevice& device,
                                               const CUDA_MEM_ALLOC_NODE_PARAMS& params);
  ~GraphAllocation();
  GraphAllocation(const GraphAllocation&) = delete;
  GraphAllocation& operator=(const GraphAllocation&) = delete;

  CUdeviceptr address() const { return params_.dptr; }
  std::size_t bytes() const { return params_.bytesize; }
  /// Whether it was made for this device, by its own place or by a description of access.
  bool is_reached_from(int device) const;
  /// As they were given, with the address.
  CUDA_MEM_ALLOC_NODE_PARAMS params() const;

 private:
  friend struct GraphMemory;
  GraphAllocation(VirtualDevice& device, const CUDA_MEM_ALLOC_NODE_PARAMS& params, void* memory);

  VirtualDevice& device_;
  CUDA_MEM_ALLOC_NODE_PARAMS params_;
  std::vector<CUmemAccessDesc> access_;
  bool live_ = false;                          // a launch allocated it and nothing has freed it
  bool reserved_ = false;                      // it was used since it was trimmed
  std::weak_ptr<exec::SequenceRun> last_run_;  // not shared: the run keeps its graph's blocks
};

using SharedAllocation = std::shared_ptr<GraphAllocation>;

/// What a launch of an executable allocates and frees.
struct MemoryEffects {
  std::vector<SharedAllocation> kept;     ///< allocated, not freed
  std::vector<SharedAllocation> passing;  ///< allocated and freed
  std::vector<SharedAllocation> freed;    ///< allocated by another graph
  bool none() const { return kept.empty() && passing.empty() && freed.empty(); }
};

/// The block of a graph's node that begins at `address`, or null.
SharedAllocation find_graph_allocation(CUdeviceptr address);
/// Notes that a launch with these effects comes next. INVALID_VALUE where memory is allocated that
/// is so already (unless it is to be freed first), or freed that is not allocated.
CUresult begin_memory_effects(const MemoryEffects& effects, bool free_first);
/// Which run that was.
void note_run(const MemoryEffects& effects, const std::shared_ptr<exec::SequenceRun>& run);
/// For cuMemFree and its like: the block is not allocated any more. False if it was not. Who uses
/// it still must keep it alive.
bool free_graph_allocation(const SharedAllocation& allocation);
/// What has been freed so does not count as used any more.
void settle_graph_memory();

}  // namespace pycuda::cpu::api
