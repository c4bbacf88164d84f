// SPDX-License-Identifier: MIT
// ptxas that stops at PTX: checks its input and puts it into the container that the CPU driver
// loads where a program expects machine code.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <system_error>

#include "base/read_file.h"
#include "cpu/ptx/fatbin.h"
#include "cpu/ptx/parser.h"
#include "cpu/ptx/register_limit.h"
#include "standins/ptxas_options.h"

namespace {

using pycuda::standins::PtxasOptions;

constexpr int kFailure = 255;

int fail(const std::string& why) {
  std::fprintf(stderr, "ptxas fatal   : %s\n", why.c_str());
  return kFailure;
}

void print_version() {
  std::printf(
      "ptxas: stand-in of pycuda-anywhere; its output is PTX for the CPU driver\n"
      "Cuda compilation tools, release %d.%d, V%d.%d.0\n",
      PYCUDA_DRIVER_VERSION / 1000, PYCUDA_DRIVER_VERSION % 1000 / 10, PYCUDA_DRIVER_VERSION / 1000,
      PYCUDA_DRIVER_VERSION % 1000 / 10);
}

void print_help() {
  std::printf(
      "Usage  : ptxas [options] <ptx file>\n\n"
      "Checks a file of PTX and writes it to the output file in a container that the CPU driver "
      "of\n"
      "pycuda-anywhere loads. All options of NVIDIA's ptxas are accepted; --gpu-name (-arch),\n"
      "--maxrregcount, --output-file (-o), --verbose (-v), --disable-warnings (-w) and --version\n"
      "(-V) have an effect.\n");
}

void print_diagnostics(const std::string& file, const pycuda::cpu::ptx::Diagnostics& diagnostics,
                       bool quiet) {
  for (const auto& one : diagnostics) {
    const bool is_error = one.severity == pycuda::cpu::ptx::Diagnostic::Severity::Error;
    if (!is_error && quiet) continue;
    std::fprintf(stderr, "ptxas %s, line %u; %s : %s\n", file.c_str(), one.position.line,
                 is_error ? "error  " : "warning", one.message.c_str());
  }
}

int assemble(const PtxasOptions& options) {
  const std::string& file = options.inputs.front();
  std::optional<std::string> content = pycuda::base::read_file(file);
  if (!content) return fail("Input file '" + file + "' could not be opened");
  std::string& text = *content;
  text.resize(std::strlen(text.c_str()));
  const auto module = pycuda::cpu::ptx::parse(text);
  if (!module) {
    print_diagnostics(file, module.error(), options.quiet);
    return fail("Ptx assembly aborted due to errors");
  }
  if (options.verbose) {
    for (const auto& function : module.value().functions) {
      if (function.is_entry)
        std::fprintf(stderr, "ptxas info    : Checked entry function '%s' for '%s'\n",
                     function.name.c_str(), options.architecture.c_str());
    }
  }
  const std::string container = pycuda::cpu::ptx::wrap_linked(
      pycuda::cpu::ptx::register_limit_note(options.max_registers) + text);
  if (!pycuda::base::write_file(options.output, container))
    return fail("Output file '" + options.output +
                "' could not be written: " + std::generic_category().message(errno));
  return 0;
}

}  // namespace

int main(int count, char** arguments) try {
  const PtxasOptions options = pycuda::standins::read_ptxas_options(
      {arguments + 1, static_cast<std::size_t>(count > 0 ? count - 1 : 0)});
  if (!options.error.empty()) return fail(options.error);
  if (options.wants_version || options.wants_help) {
    options.wants_help ? print_help() : print_version();
    return 0;
  }
  if (options.inputs.empty()) return fail("No input file is given");
  if (options.inputs.size() > 1)
    return fail("Several input files are not supported: the first two are '" + options.inputs[0] +
                "' and '" + options.inputs[1] + "'");
  return assemble(options);
} catch (const std::exception& error) {
  return fail(error.what());
}
