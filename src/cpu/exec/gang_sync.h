// SPDX-License-Identifier: MIT
// The barriers of a block that runs in gangs, which all come to each of them in turn: when a gang
// comes to its next one, the one before has opened.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "cpu/exec/launch_context.h"
#include "cpu/kernel_abi/checks.h"

namespace pycuda::cpu::exec {

class BlockChecks;

class GangSync {
 public:
  void start(std::uint32_t threads) {
    arrivals_.clear();
    std::fill_n(barriers_.begin(), threads, 0);
  }
  /// A gang comes to a barrier of the whole block, with `lanes` of its threads.
  void arrive(const ThreadFrame& gang, std::uint64_t lanes, const AccessOfGang& access,
              std::uint32_t site, BlockChecks& checks);
  /// The block has ended.
  void end(const LaunchContext& launch, const BlockFrame& block, BlockChecks& checks);

  struct Operation {
    std::uint32_t kind = 0, mask = 0;
    const std::uint64_t *b = nullptr, *c = nullptr;  ///< of a shuffle, one for each lane
  };
  /// `lanes` execute a warp operation: the rule of check_warp_op().
  static void check_operation(const ThreadFrame& gang, std::uint64_t lanes,
                              const AccessOfGang& access, const Operation& operation,
                              const BlockChecks& checks);

 private:
  struct Arrival {
    ThreadFrame gang;
    std::uint64_t lanes = 0;
    AccessOfGang access;
    std::uint32_t site = 0;
  };
  void open(const LaunchContext& launch, const BlockFrame& block, BlockChecks& checks);
  void check(const LaunchContext& launch, const BlockFrame& block, BlockChecks& checks) const;

  std::vector<Arrival> arrivals_;               ///< at the barrier that has not opened
  std::array<std::uint32_t, 1024> barriers_{};  ///< by the number of the gang's first thread
};

}  // namespace pycuda::cpu::exec
