// SPDX-License-Identifier: MIT
// Any bytes are an image with PTX or are refused, without reading past their end.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "cpu/ptx/fatbin.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  namespace ptx = pycuda::cpu::ptx;
  // A wrapper holds an address, which bytes of a fuzzer cannot.
  constexpr std::uint32_t wrapper = 0x466243B1;
  if (bytes >= sizeof wrapper && std::memcmp(data, &wrapper, sizeof wrapper) == 0) return -1;
  const auto text = ptx::ptx_of_image(data, bytes, 80);
  if (!text.ok() && text.error().message.empty()) std::abort();
  return 0;
}
