// SPDX-License-Identifier: MIT
// Any text parses or is refused; what parses prints, and parses to the same text again. Its debug
// information is read or refused.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "cpu/ptx/debug_entries.h"
#include "cpu/ptx/parser.h"
#include "cpu/ptx/printer.h"

namespace {

void read_debug_information(const pycuda::cpu::ptx::Module& module) {
  namespace ptx = pycuda::cpu::ptx;
  auto sections = ptx::read_debug_sections(module.debug_text);
  const auto entries = sections ? ptx::DebugEntries::read(std::move(*sections)) : std::nullopt;
  if (!entries) return;
  for (const ptx::DebugEntry& entry : entries->all()) {
    static_cast<void>(entries->places_of(entry));
    static_cast<void>(entries->offset_of(entry));
    for (const auto& [attribute, value] : entry.attributes) {
      const ptx::DebugEntry* const there = entries->at(value.number);
      if (there != nullptr && entries->number_of(*there) >= entries->all().size()) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  namespace ptx = pycuda::cpu::ptx;
  const auto module = ptx::parse({reinterpret_cast<const char*>(data), bytes});
  if (!module.ok()) {
    if (module.error().empty() || ptx::to_text(module.error()).empty()) std::abort();
    return 0;
  }
  read_debug_information(*module);
  const std::string printed = ptx::print(*module);
  const auto again = ptx::parse(printed);
  if (!again.ok() || ptx::print(*again) != printed) std::abort();
  return 0;
}
