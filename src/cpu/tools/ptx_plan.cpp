// SPDX-License-Identifier: MIT
// ptx-plan: what the vector path makes of a kernel: why it is fast, or slow.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "cpu/jit/compile.h"
#include "cpu/jit/plan.h"
#include "cpu/ptx/fatbin.h"
#include "cpu/ptx/parser.h"
#include "cpu/target/target.h"

namespace {

namespace jit = pycuda::cpu::jit;
namespace ptx = pycuda::cpu::ptx;

constexpr const char* kUsage =
    "usage: ptx-plan FILE [KERNEL] [--block=256 | --block=16,16[,Z]] [--arch=90] "
    "[--processor=NAME]\n"
    "Reads PTX or a fat binary and prints the plan of a kernel: gangs, accesses, branches, "
    "barriers.\n"
    "Without KERNEL, prints the gangs that each kernel gets, in one line.\n"
    "--processor: for this processor, by LLVM's name, instead of this one.\n"
    "PYCUDA_CPU_ISA, PYCUDA_CPU_GANG and PYCUDA_CPU_VECTOR count as in the driver.\n";

/// "16,16" to a size; false for anything else.
bool parse_block(const std::string& text, pycuda::cpu::Dim3& block) {
  std::uint32_t sizes[3] = {1, 1, 1};
  const char* at = text.c_str();
  for (int i = 0; i < 3; ++i) {
    char* end = nullptr;
    const unsigned long size = std::strtoul(at, &end, 10);
    if (end == at || size == 0 || size > 1024) return false;
    sizes[i] = static_cast<std::uint32_t>(size);
    if (*end == '\0') {
      block = {sizes[0], sizes[1], sizes[2]};
      return true;
    }
    if (*end != ',') return false;
    at = end + 1;
  }
  return false;
}

/// The widths that were chosen for each kernel, whatever its blocks are.
int print_widths(const std::string& text, const jit::Options& options) {
  const auto module = ptx::parse(text);
  const auto planned = module
                           ? jit::plan_module(*module, options)
                           : pycuda::base::Result<jit::Planned, ptx::Diagnostics>(module.error());
  if (!planned) {
    std::fputs(ptx::to_text(planned.error()).c_str(), stderr);
    return 1;
  }
  for (const pycuda::cpu::KernelFacts& facts : planned->kernels) {
    std::string widths = "scalar";
    if (facts.gang_lanes != 0) widths = "gangs of " + std::to_string(facts.gang_lanes);
    if (facts.tile_columns != 0)
      widths += ", tiles of " + std::to_string(facts.tile_columns) + " x " +
                std::to_string(facts.tile_rows);
    if (facts.gangs_are_warps) widths += ", warps";
    if (facts.walks_rows) widths += ", fused rows";
    if (!facts.scalar_reason.empty()) widths += ": " + facts.scalar_reason;
    std::printf("%-32s %s\n", facts.name.c_str(), widths.c_str());
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) try {
  std::string file, kernel;
  jit::Options options;
  std::optional<pycuda::cpu::target::Processor> processor;
  pycuda::cpu::Dim3 block{256, 1, 1};
  std::uint32_t architecture = 90;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    bool fine = true;
    if (argument == "--block" && i + 1 < count) {
      fine = parse_block(arguments[++i], block);
    } else if (argument.starts_with("--block=")) {
      fine = parse_block(argument.substr(8), block);
    } else if (argument.starts_with("--arch=")) {
      architecture = static_cast<std::uint32_t>(std::strtoul(argument.c_str() + 7, nullptr, 10));
    } else if (argument.starts_with("--processor=")) {
      processor = pycuda::cpu::target::processor_named(argument.substr(12));
      fine = processor.has_value();
    } else if (argument.starts_with('-') || !kernel.empty()) {
      fine = false;
    } else {
      (file.empty() ? file : kernel) = argument;
    }
    if (!fine) file.clear(), kernel.clear(), i = count;
  }
  if (file.empty()) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  std::ifstream stream(file, std::ios::binary);
  const std::string image{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad()) {
    std::fprintf(stderr, "ptx-plan: cannot read %s\n", file.c_str());
    return 2;
  }
  const auto text = ptx::ptx_of_image(image.c_str(), image.size() + 1, architecture);
  if (!text.ok()) {
    std::fprintf(stderr, "ptx-plan: %s\n", text.error().message.c_str());
    return 1;
  }
  if (processor) options.processor = &*processor;
  if (kernel.empty()) return print_widths(*text, options);
  const auto plan = jit::describe_plan(*text, kernel, block, options);
  if (!plan) {
    std::fputs(ptx::to_text(plan.error()).c_str(), stderr);
    return 1;
  }
  std::fputs(plan->c_str(), stdout);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "ptx-plan: %s\n", error.what());
  return 1;
}
