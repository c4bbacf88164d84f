// SPDX-License-Identifier: MIT
// Analysis: how many of a block's gangs are worth code of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cpu/simt/analysis/shape.h"
#include "cpu/simt/blocks/regions.h"

namespace pycuda::cpu::simt {

/// The regions in the order in which every gang takes them, if there is but one.
std::optional<std::vector<std::uint32_t>> only_order(const Regions& regions);

/// The state that every gang is in after `region`, if there is but one.
std::optional<std::uint32_t> only_exit(const llvm::Function& region);

/// For each region, how many of a block's first gangs it tells from the rest: trees compare their
/// threads' numbers with constants. Empty if none does so, or if code for each of these gangs would
/// be long.
std::vector<unsigned> peeled_gangs(const Regions& regions, GangSize size);

}  // namespace pycuda::cpu::simt
