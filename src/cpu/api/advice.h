// SPDX-License-Identifier: MIT
// What programs advise about managed memory, page by page: one place is all there is, so it is
// remembered and answered, and changes nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>

#include "cpu/api/cuda_abi.h"

namespace pycuda::cpu::api {

struct Advice {
  static constexpr CUmemLocation nowhere{.type = CU_MEM_LOCATION_TYPE_INVALID,
                                         .id = CU_DEVICE_INVALID};
  bool read_mostly = false;
  CUmemLocation preferred_location = nowhere;
  CUmemLocation last_prefetch = nowhere;
  std::set<CUdevice> accessed_by;
};

/// Changes what is known of all pages that the range touches. `allocation` is the id of the block
/// that holds it, which never repeats: advice for freed memory is never found again. Any thread.
void change_advice(std::uint64_t allocation, CUdeviceptr begin, std::size_t bytes,
                   const std::function<void(Advice&)>& change);
/// What is true of all pages that the range touches.
Advice common_advice(std::uint64_t allocation, CUdeviceptr begin, std::size_t bytes);

}  // namespace pycuda::cpu::api
