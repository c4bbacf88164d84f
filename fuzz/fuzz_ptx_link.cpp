// SPDX-License-Identifier: MIT
// Two texts, a NUL between them, link to a text that parses or are refused.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cpu/ptx/link.h"
#include "cpu/ptx/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  namespace ptx = pycuda::cpu::ptx;
  const std::string all(reinterpret_cast<const char*>(data), bytes);
  const std::size_t cut = all.find('\0');
  const std::string first = all.substr(0, cut);
  const std::string second = cut == std::string::npos ? first : all.substr(cut + 1);
  const auto linked = ptx::link({{"first", first}, {"second", second}});
  if (linked.ok() ? !ptx::parse(*linked).ok() : linked.error().empty()) std::abort();
  return 0;
}
