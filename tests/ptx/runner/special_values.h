// SPDX-License-Identifier: MIT
// The values on which file tests try every instruction: limits, signed zeros, subnormals, NaN
// payloads, halfway cases.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace pycuda::ptx_tests {

/// Bytes of one element of a type as tests write it ("u8" .. "u64", "f16x2", "e4m3"), or nothing
/// for a name unknown.
std::optional<unsigned> bytes_of_type(std::string_view type);

/// The special values of a type as bit patterns, always the same ones in the same order.
const std::vector<std::uint64_t>& special_values(std::string_view type);

/// Element `index` of the endless sequence number `seed` of a type: special values in pseudo-random
/// order with plain random bits among them. Part of the tests' meaning: recorded results depend on
/// it.
std::uint64_t mixed_value(std::string_view type, std::uint64_t seed, std::uint64_t index);

}  // namespace pycuda::ptx_tests
