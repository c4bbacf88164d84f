// SPDX-License-Identifier: MIT
// The operations of reductions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "array/dtype.h"

namespace pycuda::array {

enum class ReductionOp : std::uint8_t {
#define REDUCTION(name, identity, map, combine) name,
#include "array/reductions.def"
#undef REDUCTION
};

struct ReductionFacts {
  const char* name;
  const char* identity;
  const char* map;
  const char* combine;
};

const ReductionFacts& facts(ReductionOp op);
std::optional<ReductionOp> find_reduction(std::string_view name);

inline bool finds_position(ReductionOp op) {
  return op == ReductionOp::argmax || op == ReductionOp::argmin;
}
inline bool takes_two(ReductionOp op) { return op == ReductionOp::dot || op == ReductionOp::vdot; }
/// Whether an empty input has a result.
inline bool has_identity(ReductionOp op) {
  return op == ReductionOp::sum || op == ReductionOp::prod || op == ReductionOp::any ||
         op == ReductionOp::all || takes_two(op);
}

}  // namespace pycuda::array
