// SPDX-License-Identifier: MIT
// Any text parses or is refused; what parses prints, and parses to the same text again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cpu/ptx/parser.h"
#include "cpu/ptx/printer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  namespace ptx = pycuda::cpu::ptx;
  const auto module = ptx::parse({reinterpret_cast<const char*>(data), bytes});
  if (!module.ok()) {
    if (module.error().empty() || ptx::to_text(module.error()).empty()) std::abort();
    return 0;
  }
  const std::string printed = ptx::print(*module);
  const auto again = ptx::parse(printed);
  if (!again.ok() || ptx::print(*again) != printed) std::abort();
  return 0;
}
