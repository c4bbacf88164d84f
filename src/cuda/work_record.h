// SPDX-License-Identifier: MIT
// One operation in a profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "driver/cuda_types.h"

namespace pycuda::cuda {

enum class WorkKind : std::uint8_t { Kernel, Graph, Copy, Set, Wait };

/// Of a kernel, asked for when it is first launched in such blocks.
struct KernelFacts {
  std::string name;  ///< as in C++: "k<float>(float*)"
  int registers = 0;
  int static_shared_bytes = 0;
  int blocks_per_multiprocessor = 0;  ///< 0 if unknown
};

struct KernelShape {
  unsigned int grid[3] = {0, 0, 0};
  unsigned int block[3] = {0, 0, 0};
  unsigned int dynamic_shared_bytes = 0;
};

struct WorkRecord {
  WorkKind kind = WorkKind::Kernel;
  const char* what = "";               ///< "host to device" of copies; the function of waits
  const KernelFacts* facts = nullptr;  ///< of kernels
  KernelShape shape;                   ///< of kernels
  std::uint64_t bytes = 0;
  std::uint64_t context = 0;  ///< a number; 0 of waits without one
  std::uint64_t stream = 0;   ///< a number, 0 for the default stream
  int device = 0;
  /// On the device, in seconds on the host's steady clock; both are NaN if the driver cannot tell,
  /// for instance because the context is lost. Of waits: on the host.
  double start = 0;
  double duration = 0;
  /// The call, on the host.
  double called = 0;
  double returned = 0;
};

/// All of a profile, in the order of the calls.
struct RecordedWork {
  std::list<KernelFacts> kernels;
  std::vector<WorkRecord> records;
  std::size_t dropped = 0;  ///< records for which CUPTI had no room
};

}  // namespace pycuda::cuda
