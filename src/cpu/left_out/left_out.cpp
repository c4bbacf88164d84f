// SPDX-License-Identifier: MIT
#include <array>
#include <cstdio>
#include <cstdlib>

namespace {

[[noreturn]] void report(const char* symbol) {
  std::fprintf(stderr,
               "libcuda_cpu: %s was called, which the driver is linked without. Please report this "
               "with the kernel that was compiled.\n",
               symbol);
  std::abort();
}

using VirtualFunction = void (*)();

/// More than any of the classes has.
constexpr std::size_t kMostVirtualFunctions = 64;
using VirtualTable = std::array<VirtualFunction, kMostVirtualFunctions>;

consteval VirtualTable all_the_same(VirtualFunction function) {
  VirtualTable table{};
  table.fill(function);
  return table;
}

}  // namespace

// Their arguments do not matter to them, and the callers expect no more of a result than the macro
// says.
#define NEVER(symbol) \
  extern "C" void __wrap_##symbol() { report(#symbol); }
#define NOTHING(symbol) \
  extern "C" void __wrap_##symbol() {}
#define NULL_POINTER(symbol) \
  extern "C" void* __wrap_##symbol() { return nullptr; }
#define TABLE(symbol)                                                 \
  extern "C" {                                                        \
  extern const VirtualTable __wrap_##symbol;                          \
  const VirtualTable __wrap_##symbol =                                \
      all_the_same([] { report("a virtual function of " #symbol); }); \
  }
#include "cpu/left_out/left_out.def"
