// SPDX-License-Identifier: MIT
// The processor that kernels are compiled for: the one this process runs on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cpu/simt/arithmetic/divider_costs.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace pycuda::cpu::jit {

/// The host as LLVM names it. Read once; any thread.
struct HostTarget {
  std::string triple;
  std::string cpu;       ///< may be a wrong guess in a virtual machine: `features` decides
  std::string features;  ///< "+avx2,-avx512f,..." complete and in a fixed order
};
const HostTarget& host_target();

/// Whether code may use AVX-512.
bool has_avx512();

/// Whether it has fused multiply-adds.
bool has_fused_products();

/// What the host's divider costs where vectors of AVX-512 keep it busy for much longer than
/// multiplications would take, or nothing where that is not known.
std::optional<simt::DividerCosts> divider_costs();

/// Whether as many loads are faster than a gather: on AMD's processors, whose gathers do not make
/// memory be read ahead (Zen 5: sums of every second float of large arrays 4.2 ns an element with
/// gathers, 0.6 with loads).
bool has_slow_gathers();

/// How many bytes ahead blocks that read in short bursts, from barrier to barrier, fetch what the
/// next ones will read.
std::uint64_t fetch_distance();

/// How many rows that are read at a time it reads ahead without being asked.
unsigned streams_ahead();

/// Whether the host computes with vectors of f16 (AVX512-FP16).
bool has_half_arithmetic();

/// A new target machine for the host: position-independent code, no contraction of floating-point
/// operations. One is needed per compiling thread. `optimise` false: the quick code generator
/// settings for huge modules.
std::unique_ptr<llvm::TargetMachine> make_target_machine(bool optimise);

/// Gives every function of `module` the host's processor and features, and probes of large stack
/// frames, so that a stack overflow meets the guard page. Without the same features on all
/// functions none would be inlined.
void set_target_attributes(llvm::Module& module);

}  // namespace pycuda::cpu::jit
