// SPDX-License-Identifier: MIT
// Copies and fills of any size: long ones by all cores, past the caches where they would only throw
// out what is there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pycuda::cpu::exec {

/// The runs of bytes may overlap. False, with some of it done, when there is no such memory or it
/// may not be written to.
bool copy_bytes(void* to, const void* from, std::size_t bytes);

/// Repeats the `unit` (1, 2 or 4) lowest bytes of `value`; `to` is aligned to them. False as above.
bool fill_bytes(void* to, std::uint32_t value, std::size_t unit, std::size_t bytes);

}  // namespace pycuda::cpu::exec
