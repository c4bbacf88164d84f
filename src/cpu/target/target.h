// SPDX-License-Identifier: MIT
// The processor that code is made for: every fact of it that the compiler's choices depend on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cpu/target/divider_costs.h"

namespace pycuda::cpu::target {

/// What a plan estimates with: cycles for one thread of what a gang does thread by thread. The same
/// for all processors until they are measured on others than Zen 5.
struct ThreadCosts {
  double gather = 1.3, scatter = 1.1, load = 0.55, turn = 1.7, update = 1.3, atomic = 6, other = 10;
};

struct Processor {
  std::string triple;
  std::string cpu;  ///< LLVM's name; may be a wrong guess in a virtual machine: `features` decides
  std::string features;  ///< as LLVM's target machines take them, complete and in a fixed order
  const char* instruction_set = "";  ///< its widest vector instructions, for people

  std::uint64_t vector_bytes = 16;     ///< of one vector register
  std::uint64_t register_bytes = 512;  ///< of all vector registers together
  bool native_operations = false;      ///< select_native_operations has instructions for it
  bool fused_products = false;         ///< multiplies and adds in one instruction
  bool masked_loads = false;           ///< loads some elements of a vector
  bool half_arithmetic = false;        ///< computes with vectors of f16
  /// The most lanes of a mask that is used whole: LLVM takes wider ones apart.
  unsigned mask_lanes = 64;

  /// Whether it gathers no slower than by a load for each lane.
  bool fast_gathers = false;
  /// Whether full gathers are slower than a load for each lane: they do not make memory be read
  /// ahead.
  bool slow_gathers = false;
  /// How many bytes ahead blocks that read in short bursts, from barrier to barrier, prefetch.
  std::uint64_t fetch_distance = 0;
  /// How many rows that are read at a time it reads ahead without being asked.
  unsigned streams = 16;
  /// Measured on a Zen 5, but for atomics and others, which are guesses.
  ThreadCosts threads = {};
  /// What a core moves from and to memory in a cycle, measured on a Zen 5 of which two cores are
  /// busy: where more are, each has less.
  double bytes_per_cycle = 10;
  /// If its divider keeps vectors waiting for much longer than multiplications would take.
  std::optional<DividerCosts> divider = {};
};

/// The processor that this process runs on, less what PYCUDA_CPU_ISA forbids. Read once.
const Processor& host();

/// The processor that LLVM knows by this name, for looking at the code that it would get.
std::optional<Processor> processor_named(std::string_view cpu);

/// The host's widest vector instructions, for people. Does not start LLVM.
const char* host_instruction_set();

}  // namespace pycuda::cpu::target
