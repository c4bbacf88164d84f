// SPDX-License-Identifier: MIT
// Facts of x86 processors, by their features and, what no feature says, by their names.
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/X86TargetParser.h>

#include <map>
#include <utility>

#include "base/env.h"
#include "cpu/target/target.h"

namespace pycuda::cpu::target {
namespace {

/// Whether code may use a feature of the processor when the widest instructions allowed are `isa`.
bool is_allowed(llvm::StringRef feature, llvm::StringRef isa) {
  if (isa == "avx512") return true;
  if (feature.starts_with("avx512") || feature.starts_with("avx10") || feature == "evex512")
    return false;
  if (isa != "sse2") return true;
  return !(feature.starts_with("avx") || feature.starts_with("sse3") ||
           feature.starts_with("sse4") || feature == "ssse3" || feature.starts_with("fma") ||
           feature == "f16c" || feature == "xop");
}

/// What PYCUDA_CPU_ISA asks for.
std::string widest_asked_for() {
  return base::environment_choice("PYCUDA_CPU_ISA", {"sse2", "avx2", "avx512"}, "avx512")
      .value_or("avx512");
}

/// Measured on a Sapphire Rapids, whose divider takes vectors piece by piece.
constexpr DividerCosts intel_divider{.division = {.divider = 90, .multipliers = 0},
                                     .root = {.divider = 110, .multipliers = 0},
                                     .division_of_doubles = {.divider = 160, .multipliers = 0},
                                     .multiplied_root = 50,
                                     .multiplied_reciprocal = 0,
                                     .multiplication = 5,
                                     .addition = 5,
                                     .in_registers = false};
/// Measured: 25 and 46 alone, more where the two take turns, and each is in the way of two
/// multiplications. Additions and integers run beside those.
constexpr DividerCosts zen5_divider{.division = {.divider = 28, .multipliers = 10},
                                    .root = {.divider = 48, .multipliers = 10},
                                    .division_of_doubles = {.divider = 42, .multipliers = 10},
                                    .multiplied_root = 45,
                                    .multiplied_reciprocal = 10,
                                    .multiplication = 5,
                                    .addition = 0,
                                    .in_registers = true};
/// Measured, alone and in turn: its units are half as wide as Zen 5's.
constexpr DividerCosts zen4_divider{.division = {.divider = 60, .multipliers = 20},
                                    .root = {.divider = 100, .multipliers = 20},
                                    .division_of_doubles = {.divider = 90, .multipliers = 20},
                                    .multiplied_root = 90,
                                    .multiplied_reciprocal = 20,
                                    .multiplication = 10,
                                    .addition = 0,
                                    .in_registers = true};

/// Of those with AVX2.
bool is_intel(llvm::StringRef cpu) {
  return cpu.ends_with("well") || cpu.contains("lake") || cpu.contains("rapids");
}

std::optional<DividerCosts> divider_of(llvm::StringRef cpu) {
  if (is_intel(cpu)) return intel_divider;
  if (cpu == "znver5") return zen5_divider;
  if (cpu == "znver4") return zen4_divider;
  return std::nullopt;
}

/// With instructions up to those of the set `isa`.
Processor processor_of(std::string cpu, const llvm::StringMap<bool>& features, std::string isa) {
  Processor made;
  made.triple = llvm::sys::getProcessTriple();
  made.cpu = std::move(cpu);
  std::map<std::string, bool> sorted;  // the string map's own order is not stable between processes
  // AVX-512 without its 128 and 256-bit forms (one old accelerator) is not worth a code path of its
  // own.
  if (isa == "avx512" && !features.lookup("avx512vl")) isa = "avx2";
  for (const auto& feature : features) {
    const std::string name = feature.first().str();
    sorted[name] = feature.second && is_allowed(name, isa);
  }
  for (const auto& [name, present] : sorted) {
    if (!made.features.empty()) made.features += ',';
    made.features += (present ? '+' : '-') + name;
  }
  const bool has_avx512 = sorted["avx512vl"], has_avx2 = sorted["avx2"];
  made.instruction_set = has_avx512 ? "AVX-512" : has_avx2 ? "AVX2" : "SSE2";
  made.vector_bytes = has_avx512 ? 64 : has_avx2 ? 32 : 16;
  // 32 registers of 64 bytes, or 16 of 32; SSE2's count as those.
  made.register_bytes = has_avx512 ? 2048 : 512;
  made.native_operations = has_avx512;
  made.fused_products = sorted["fma"];
  made.masked_loads = has_avx2;
  made.half_arithmetic = sorted["avx512fp16"];
  // Without registers for masks these have a byte for each lane.
  made.mask_lanes = has_avx512 ? 64 : 32;
  // Zen 5: sums of every second float of large arrays 4.2 ns an element with gathers, 0.6 with
  // loads.
  made.slow_gathers = llvm::StringRef(made.cpu).starts_with("znver");
  made.fast_gathers = has_avx2 && !made.slow_gathers;
  // Eight blocks of 256 floats, of 20 ns each. Intel's own reading ahead starts in the page that is
  // read and follows what is prefetched in it. Sums by shuffles of 64M floats on two cores of a
  // Xeon (Granite Rapids), ms with 0, 1024, 2048, 4096 and 8192 bytes: 16, 9.2, 8.7, 10.5, 14.1; a
  // plain loop 8.2.
  made.fetch_distance = is_intel(made.cpu) ? 2048 : 8192;
  // Measured with a row for each lane of a gang (simt/width/loop_widths.h): on Intel's more than
  // the widest gangs ask for.
  made.streams = is_intel(made.cpu) ? 64 : 16;
  if (has_avx512) made.divider = divider_of(made.cpu);
  return made;
}

Processor read_host() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  return processor_of(llvm::sys::getHostCPUName().str(), llvm::sys::getHostCPUFeatures(),
                      widest_asked_for());
}

}  // namespace

const Processor& host() {
  static const Processor processor = read_host();
  return processor;
}

std::optional<Processor> processor_named(std::string_view cpu) {
  if (llvm::X86::parseArchX86(cpu, /*Only64Bit=*/true) == llvm::X86::CK_None) return std::nullopt;
  static_cast<void>(host());  // starts LLVM
  llvm::SmallVector<llvm::StringRef, 64> names;
  llvm::X86::getFeaturesForCPU(cpu, names);
  llvm::StringMap<bool> features;
  for (const llvm::StringRef name : names) features[name] = true;
  return processor_of(std::string(cpu), features, "avx512");
}

}  // namespace pycuda::cpu::target
