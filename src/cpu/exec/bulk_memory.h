// SPDX-License-Identifier: MIT
// Copies and fills of any size: long ones by all cores, past the caches where they would only throw
// out what is there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pycuda::cpu::exec {

/// The runs of bytes may overlap.
void copy_bytes(void* to, const void* from, std::size_t bytes);

/// Repeats the `unit` (1, 2 or 4) lowest bytes of `value`; `to` is aligned to them.
void fill_bytes(void* to, std::uint32_t value, std::size_t unit, std::size_t bytes);

}  // namespace pycuda::cpu::exec
