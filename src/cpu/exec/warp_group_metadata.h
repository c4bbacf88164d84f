// SPDX-License-Identifier: MIT
// Which elements a compressed matrix of a warp group's product holds (cpu/lower/sparse_tile.h says
// how metadata is laid out).
#pragma once

#include <array>
#include <cstdint>

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu::exec {

/// Where along k the elements lie that a row holds, in their order.
using RowPlaces = std::array<std::uint8_t, 32>;

/// Of row `row`, from 0 to 15, of the rows of a warp; `bits` are those of an element.
RowPlaces places_of_row(const ThreadFrame* warp, std::uint32_t row, std::uint32_t bits);

}  // namespace pycuda::cpu::exec
