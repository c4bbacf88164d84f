// SPDX-License-Identifier: MIT
#include "cpu/exec/warp_group_metadata.h"

#include "cpu/kernel_abi/wgmma.h"

namespace pycuda::cpu::exec {

RowPlaces places_of_row(const ThreadFrame* warp, std::uint32_t row, std::uint32_t bits) {
  constexpr std::uint32_t row_bits = 256, lanes = 4, group = 8, chunk_bits = 4;
  const bool is_wide = bits >= 16;
  const std::uint32_t held = bits == 32 ? 1 : 2;  // of a chunk
  const std::uint32_t size = 2 * held;
  const auto of_lane = [&](std::uint32_t lane) -> const WarpGroupOperands& {
    return *reinterpret_cast<const WarpGroupOperands*>(warp[lane].operand[0]);
  };
  // Of wide elements two members of a group hold metadata, of bytes all four.
  const std::uint32_t first = row % group * lanes + (is_wide ? 2u * of_lane(0).selector : 0);
  RowPlaces places{};
  for (std::uint32_t chunk = 0; chunk < row_bits / bits / held; ++chunk) {
    const std::uint32_t member = is_wide ? chunk / 4 : chunk / 8 * 2 + row / group;
    const std::uint32_t shift =
        is_wide ? row / group * 16 + chunk % 4 * chunk_bits : chunk % 8 * chunk_bits;
    const std::uint32_t metadata = of_lane(first + member).metadata >> shift;
    for (std::uint32_t i = 0; i < held; ++i) {
      const std::uint32_t place = bits == 32 ? metadata >> 1 & 1 : metadata >> 2 * i & 3;
      places[chunk * held + i] = static_cast<std::uint8_t>(chunk * size + place);
    }
  }
  return places;
}

}  // namespace pycuda::cpu::exec
