// SPDX-License-Identifier: MIT
// ptx-plan: what the vector path makes of a kernel: why it is fast, or slow.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "cpu/jit/plan.h"
#include "cpu/ptx/fatbin.h"

namespace {

namespace jit = pycuda::cpu::jit;
namespace ptx = pycuda::cpu::ptx;

constexpr const char* kUsage =
    "usage: ptx-plan FILE KERNEL [--block=256 | --block=16,16[,Z]] [--arch=90]\n"
    "Reads PTX or a fat binary and prints the plan of a kernel: gangs, accesses, branches, "
    "barriers.\n"
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

}  // namespace

int main(int count, char** arguments) {
  std::string file, kernel;
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
      architecture = static_cast<std::uint32_t>(std::atoi(argument.c_str() + 7));
    } else if (argument.starts_with("-") || !kernel.empty()) {
      fine = false;
    } else {
      (file.empty() ? file : kernel) = argument;
    }
    if (!fine) file.clear(), kernel.clear(), i = count;
  }
  if (kernel.empty()) {
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
  const auto plan = jit::describe_plan(*text, kernel, block, {});
  if (!plan) {
    std::fputs(ptx::to_text(plan.error()).c_str(), stderr);
    return 1;
  }
  std::fputs(plan->c_str(), stdout);
  return 0;
}
