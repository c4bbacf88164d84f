// SPDX-License-Identifier: MIT
// Facts of aarch64 processors. All have NEON, and as yet no code is made for the longer vectors of
// SVE.
#include <llvm/ADT/StringMap.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/AArch64TargetParser.h>
#include <llvm/TargetParser/Host.h>

#include <map>
#include <utility>
#include <vector>

#include "cpu/target/target.h"

namespace pycuda::cpu::target {
namespace {

/// Scalable vectors: code of a fixed width does not need them, and LLVM would lower gathers and
/// masks to them.
bool is_allowed(llvm::StringRef feature) {
  return !feature.starts_with("sve") && !feature.starts_with("sme");
}

Processor processor_of(std::string cpu, const llvm::StringMap<bool>& features) {
  Processor made;
  made.triple = llvm::sys::getProcessTriple();
  made.cpu = std::move(cpu);
  std::map<std::string, bool> sorted;  // the string map's own order is not stable between processes
  for (const auto& feature : features) {
    const std::string name = feature.first().str();
    sorted[name] = feature.second && is_allowed(name);
  }
  // A processor's name alone would bring them back.
  sorted["sve"] = sorted["sve2"] = sorted["sme"] = false;
  for (const auto& [name, present] : sorted) {
    if (!made.features.empty()) made.features += ',';
    made.features += (present ? '+' : '-') + name;
  }
  made.instruction_set = "NEON";
  made.vector_bytes = 16;
  made.register_bytes = 512;
  made.fused_products = true;
  made.half_arithmetic = sorted["fullfp16"];
  return made;
}

Processor read_host() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  return processor_of(llvm::sys::getHostCPUName().str(), llvm::sys::getHostCPUFeatures());
}

}  // namespace

const Processor& host() {
  static const Processor processor = read_host();
  return processor;
}

std::optional<Processor> processor_named(std::string_view cpu) {
  const auto known = llvm::AArch64::parseCpu(cpu);
  if (!known) return std::nullopt;
  static_cast<void>(host());  // starts LLVM
  std::vector<llvm::StringRef> names;
  llvm::AArch64::getExtensionFeatures(known->getImpliedExtensions(), names);
  llvm::StringMap<bool> features;
  for (llvm::StringRef name : names) {
    const bool present = name.consume_front("+");
    if (!present) name.consume_front("-");
    features[name] = present;
  }
  return processor_of(std::string(cpu), features);
}

}  // namespace pycuda::cpu::target
