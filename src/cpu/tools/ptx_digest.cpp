// SPDX-License-Identifier: MIT
// ptx-digest: a hash of the object code that each file of PTX becomes. Two builds that print the
// same lines generate the same code.
#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "cpu/jit/compile.h"
#include "cpu/ptx/fatbin.h"
#include "cpu/ptx/parser.h"
#include "cpu/target/target.h"

namespace {

namespace jit = pycuda::cpu::jit;
namespace ptx = pycuda::cpu::ptx;
using pycuda::cpu::Form;
using pycuda::cpu::target::Processor;

constexpr const char* kUsage =
    "usage: ptx-digest [--processor=NAME] [--way=NAME] FILE...\n"
    "Compiles each file (PTX or a fat binary) in several ways and prints one line for each:\n"
    "hash, way, file. Compare the output of two builds to see whether they generate the same\n"
    "code. --processor: the code is for this processor, by LLVM's name, instead of this one.\n"
    "--way: in this way alone, for instance vectors.\n"
    "PYCUDA_CPU_ISA, PYCUDA_CPU_GANG and PYCUDA_CPU_VECTOR count as in the driver.\n";

struct Way {
  const char* name;
  void (*choose)(jit::Options&);
};

constexpr Way ways[] = {
    {"vectors", [](jit::Options& options) { options.tier = jit::Tier::Optimised; }},
    {"likely-forms", [](jit::Options& options) { options.forms.reset(); }},
    {"streaming", [](jit::Options& options) { options.streaming_form = true; }},
    {"line", [](jit::Options& options) { options.forms = Form::Line; }},
    {"short-rows", [](jit::Options& options) { options.forms = Form::ShortRows; }},
    {"threads", [](jit::Options& options) { options.vectors = false; }},
    {"checked", [](jit::Options& options) { options.checks = pycuda::cpu::Check::Memory; }},
    {"quick", [](jit::Options& options) { options.quick = true; }},
};

/// The object's hash, or the first line of why there is none.
std::string digest(const ptx::Module& module, const Way& way, const Processor& processor) {
  jit::Options options;
  options.processor = &processor;
  way.choose(options);
  const auto compiled = jit::compile_module(module, options);
  if (!compiled) return "failed: " + compiled.error().front().message;
  return pycuda::base::Hash().add(compiled->object).hex();
}

bool print_digests(const std::string& file, const Processor& processor, std::string_view only) {
  std::ifstream stream(file, std::ios::binary);
  const std::string image{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad()) {
    std::fprintf(stderr, "ptx-digest: cannot read %s\n", file.c_str());
    return false;
  }
  constexpr unsigned newest = 999;
  const auto text = ptx::ptx_of_image(image.c_str(), image.size() + 1, newest);
  const auto module = text.ok() ? ptx::parse(*text) : ptx::Diagnostics{};
  if (!module) {
    std::printf("%-32s %-12s %s\n", "not parsed", "-", file.c_str());
    return true;
  }
  for (const Way& way : ways) {
    if (!only.empty() && only != way.name) continue;
    std::printf("%-32s %-12s %s\n", digest(*module, way, processor).c_str(), way.name,
                file.c_str());
  }
  std::fflush(stdout);
  return true;
}

}  // namespace

int main(int count, char** arguments) try {
  std::optional<Processor> processor = pycuda::cpu::target::host();
  std::string_view way;
  int first = 1;
  for (; first < count && arguments[first][0] == '-'; ++first) {
    const std::string_view option = arguments[first];
    if (option.starts_with("--processor=")) {
      processor = pycuda::cpu::target::processor_named(option.substr(12));
    } else if (option.starts_with("--way=")) {
      way = option.substr(6);
    } else {
      break;
    }
  }
  if (!processor || first >= count || arguments[first][0] == '-') {
    std::fputs(kUsage, stderr);
    return 2;
  }
  bool fine = true;
  for (; first < count; ++first) fine &= print_digests(arguments[first], *processor, way);
  return fine ? 0 : 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "ptx-digest: %s\n", error.what());
  return 1;
}
