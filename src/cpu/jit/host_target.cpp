// SPDX-License-Identifier: MIT
#include "cpu/jit/host_target.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <cassert>
#include <map>

#include "base/env.h"

namespace pycuda::cpu::jit {
namespace {

/// Whether code may use a feature of the host when the widest instructions allowed are `isa`.
bool is_allowed(llvm::StringRef feature, llvm::StringRef isa) {
  if (isa == "avx512") return true;
  if (feature.starts_with("avx512") || feature.starts_with("avx10") || feature == "evex512")
    return false;
  if (isa != "sse2") return true;
  return !(feature.starts_with("avx") || feature.starts_with("sse3") ||
           feature.starts_with("sse4") || feature == "ssse3" || feature.starts_with("fma") ||
           feature == "f16c" || feature == "xop");
}

/// What PYCUDA_CPU_ISA asks for. AVX-512 without its 128 and 256-bit forms (one old accelerator) is
/// not worth a code path of its own.
std::string widest_instructions(bool has_avx512) {
  std::string asked =
      base::environment_choice("PYCUDA_CPU_ISA", {"sse2", "avx2", "avx512"}, "avx512")
          .value_or("avx512");
  if (asked != "avx512") return asked;
  return has_avx512 ? "avx512" : "avx2";
}

HostTarget read_host() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  HostTarget host;
  host.triple = llvm::sys::getProcessTriple();
  host.cpu = llvm::sys::getHostCPUName().str();
  const auto features = llvm::sys::getHostCPUFeatures();
  std::map<std::string, bool> sorted;  // the string map's own order is not stable between processes
  const std::string isa = widest_instructions(features.lookup("avx512vl"));
  for (const auto& feature : features) {
    const std::string name = feature.first().str();
    sorted[name] = feature.second && is_allowed(name, isa);
  }
  for (const auto& [name, present] : sorted) {
    if (!host.features.empty()) host.features += ',';
    host.features += (present ? '+' : '-') + name;
  }
  return host;
}

/// Measured on a Sapphire Rapids, whose divider takes vectors piece by piece.
constexpr simt::DividerCosts intel_divider{
    .division = {.divider = 90, .multipliers = 0},
    .root = {.divider = 110, .multipliers = 0},
    .division_of_doubles = {.divider = 160, .multipliers = 0},
    .multiplied_root = 50,
    .multiplied_reciprocal = 0,
    .multiplication = 5,
    .addition = 5,
    .in_registers = false};
/// Measured: 25 and 46 alone, more where the two take turns, and each is in the way of two
/// multiplications. Additions and integers run beside those.
constexpr simt::DividerCosts zen5_divider{.division = {.divider = 28, .multipliers = 10},
                                          .root = {.divider = 48, .multipliers = 10},
                                          .division_of_doubles = {.divider = 42, .multipliers = 10},
                                          .multiplied_root = 45,
                                          .multiplied_reciprocal = 10,
                                          .multiplication = 5,
                                          .addition = 0,
                                          .in_registers = true};
/// Measured, alone and in turn: its units are half as wide as Zen 5's.
constexpr simt::DividerCosts zen4_divider{.division = {.divider = 60, .multipliers = 20},
                                          .root = {.divider = 100, .multipliers = 20},
                                          .division_of_doubles = {.divider = 90, .multipliers = 20},
                                          .multiplied_root = 90,
                                          .multiplied_reciprocal = 20,
                                          .multiplication = 10,
                                          .addition = 0,
                                          .in_registers = true};

/// Of those with AVX2.
bool is_intel() {
  const llvm::StringRef cpu = host_target().cpu;
  return cpu.ends_with("well") || cpu.contains("lake") || cpu.contains("rapids");
}

}  // namespace

const HostTarget& host_target() {
  static const HostTarget host = read_host();
  return host;
}

bool has_avx512() { return llvm::StringRef(host_target().features).contains("+avx512vl"); }

bool has_fused_products() { return llvm::StringRef(host_target().features).contains("+fma"); }

std::optional<simt::DividerCosts> divider_costs() {
  if (!has_avx512()) return std::nullopt;
  const llvm::StringRef cpu = host_target().cpu;
  if (is_intel()) return intel_divider;
  if (cpu == "znver5") return zen5_divider;
  if (cpu == "znver4") return zen4_divider;
  return std::nullopt;
}

bool has_slow_gathers() { return llvm::StringRef(host_target().cpu).starts_with("znver"); }

std::uint64_t fetch_distance() {
  // Eight blocks of 256 floats, of 20 ns each.
  constexpr std::uint64_t usual = 8192;
  // Intel's own reading ahead starts in the page that is read and follows what is fetched in it.
  // Sums by shuffles of 64M floats on two cores of a Xeon (Granite Rapids), ms with 0, 1024, 2048,
  // 4096 and 8192 bytes: 16, 9.2, 8.7, 10.5, 14.1; a plain loop 8.2.
  constexpr std::uint64_t within_page = 2048;
  return is_intel() ? within_page : usual;
}

unsigned streams_ahead() {
  // Measured with a row for each lane of a gang (simt/lanes/loop_widths.h): on Intel's more than
  // the widest gangs ask for.
  constexpr unsigned usual = 16, of_intel = 64;
  return is_intel() ? of_intel : usual;
}

bool has_half_arithmetic() {
  return llvm::StringRef(host_target().features).contains("+avx512fp16");
}

std::unique_ptr<llvm::TargetMachine> make_target_machine(bool optimise) {
  const HostTarget& host = host_target();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(host.triple, error);
  assert(target != nullptr && "the native target was initialised");
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      host.triple, host.cpu, host.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      optimise ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::Less, /*JIT=*/true));
}

void set_target_attributes(llvm::Module& module) {
  const HostTarget& host = host_target();
  const bool wide = has_avx512();
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", host.cpu);
    function.addFnAttr("target-features", host.features);
    if (wide) {
      function.addFnAttr("prefer-vector-width", "512");
      function.addFnAttr("min-legal-vector-width", "512");
    }
    function.addFnAttr("probe-stack", "inline-asm");
    function.setDoesNotThrow();
  }
}

}  // namespace pycuda::cpu::jit
