// SPDX-License-Identifier: MIT
// Images to programs, and the compiler's complaints to CUDA's results and logs.
#include "cpu/api/program_image.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/env.h"
#include "base/file_cache.h"
#include "base/log.h"
#include "cpu/api/background.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/interruptible_compile.h"
#include "cpu/api/virtual_device.h"
#include "cpu/exec/check_settings.h"
#include "cpu/ptx/fatbin.h"

namespace pycuda::cpu::api {
namespace {

constexpr int newest_ptx_major = 9;

// Who gave no buffer for the compiler's words reads them on the standard error stream.
base::LogLevel level_without(const JitOptions& options) {
  return options.has_error_log() ? base::LogLevel::Info : base::LogLevel::Warning;
}

const jit::Options& compiler_options() {
  static const jit::Options options = [] {
    jit::Options chosen;
    chosen.checks = exec::checks_of_environment();
    chosen.cache_folder = base::default_cache_folder().string();
    chosen.by_parts = loads_lazily();
    if (patience() >= 0) chosen.background = compile_soon;
    return chosen;
  }();
  return options;
}

CUresult result_of(ptx::ImageError error) {
  switch (error) {
    case ptx::ImageError::NotAnImage:
    case ptx::ImageError::Damaged:
      return CUDA_ERROR_INVALID_IMAGE;
    case ptx::ImageError::NoPtx:
      return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  return CUDA_ERROR_INVALID_IMAGE;
}

// The major number of the first .version directive that starts a line; 0 if there is none.
int ptx_major_version(std::string_view ptx) {
  for (std::size_t at = ptx.find(".version"); at != std::string_view::npos;
       at = ptx.find(".version", at + 1)) {
    const std::size_t line = ptx.find_last_of('\n', at);
    const std::size_t begin = line == std::string_view::npos ? 0 : line + 1;
    if (ptx.substr(begin, at - begin).find_first_not_of(" \t\r") != std::string_view::npos)
      continue;
    return static_cast<int>(std::strtol(std::string(ptx.substr(at + 8, 16)).c_str(), nullptr, 10));
  }
  return 0;
}

std::string kernel_summary(const jit::Program& program) {
  std::string text;
  for (const KernelFacts& kernel : program.kernels()) {
    text += "info: kernel '" + kernel.name + "': " + std::to_string(kernel.parameter_bytes) +
            " bytes of parameters, " + std::to_string(kernel.declared_shared_bytes()) +
            " bytes of shared memory, " + std::to_string(kernel.local_bytes) +
            " bytes of local memory" + (program.from_cache() ? " (from the cache)\n" : "\n");
  }
  return text;
}

/// Why no device could load the program, as ptxas says it; empty where it can be loaded.
std::string too_much_constant_data(const jit::Program& program) {
  std::uint64_t bytes = 0;
  for (const jit::GlobalVariable& variable : program.variables()) {
    if (!variable.is_const) continue;
    const std::uint64_t step = std::max(variable.alignment, 1u);
    bytes = (bytes + step - 1) / step * step + variable.bytes;
  }
  if (bytes <= DeviceLimits::constant_bytes) return {};
  return "error: the module uses too much global constant data (" + std::to_string(bytes) +
         " bytes of .const variables, " + std::to_string(DeviceLimits::constant_bytes) + " max)";
}

}  // namespace

bool loads_lazily() {
  static const bool lazily = [] {
    return base::environment_choice("CUDA_MODULE_LOADING", {"LAZY", "EAGER", "DEFAULT"}, "LAZY") !=
           "EAGER";
  }();
  return lazily;
}

CUresult read_image_file(const char* path, std::string* content) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
  content->assign(std::istreambuf_iterator<char>(file), {});
  if (file.bad()) return CUDA_ERROR_FILE_NOT_FOUND;
  return CUDA_SUCCESS;
}

CUresult compile_image(const void* image, std::size_t available_bytes, JitOptions& options,
                       std::shared_ptr<const jit::Program>* program) {
  const unsigned architecture = claimed_architecture().capability;
  const auto started = std::chrono::steady_clock::now();
  auto ptx = ptx::ptx_of_image(image, available_bytes, architecture);
  if (!ptx) {
    options.write_logs({}, ptx.error().message + '\n');
    // Programs of others show no log of the JIT: what stays unclear to them is said aloud.
    return fail(result_of(ptx.error().error), ptx.error().message,
                ptx.error().error == ptx::ImageError::NoPtx ? base::LogLevel::Warning
                                                            : base::LogLevel::Info);
  }
  if (ptx_major_version(*ptx) > newest_ptx_major) {
    options.write_logs({}, "error: PTX of version " + std::to_string(ptx_major_version(*ptx)) +
                               " is newer than what this driver reads\n");
    return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  }
  if (const auto refusal = architecture_refusal(*ptx)) {
    options.write_logs({}, *refusal);
    return fail(ptx::is_ptx_text(static_cast<const char*>(image), available_bytes)
                    ? CUDA_ERROR_INVALID_PTX
                    : CUDA_ERROR_NO_BINARY_FOR_GPU,
                std::string_view(*refusal).substr(0, refusal->size() - 1), level_without(options));
  }
  options.take_register_note(*ptx);
  auto made = made_before_interrupt(
      [text = std::move(*ptx)] { return jit::Program::compile(text, compiler_options()); });
  if (!made) return CUDA_ERROR_TIMEOUT;
  auto& compiled = *made;
  if (!compiled) {
    const std::string text = ptx::to_text(compiled.error());
    options.write_logs({}, text);
    return fail(CUDA_ERROR_INVALID_PTX,
                std::string_view(text).substr(0, text.find_last_not_of('\n') + 1),
                level_without(options));
  }
  *program = std::move(compiled).value();
  if (const std::string reason = too_much_constant_data(**program); !reason.empty()) {
    options.write_logs({}, reason + '\n');
    return fail(CUDA_ERROR_INVALID_PTX, reason, level_without(options));
  }
  options.write_logs(
      options.warnings() + (options.verbose() ? kernel_summary(**program) : std::string()), {});
  const std::chrono::duration<float, std::milli> elapsed =
      std::chrono::steady_clock::now() - started;
  options.write_wall_time(elapsed.count());
  return CUDA_SUCCESS;
}

}  // namespace pycuda::cpu::api
