// SPDX-License-Identifier: MIT
#include "cpu/exec/counter_file.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "base/env.h"
#include "base/log.h"
#include "cpu/exec/counter_text.h"
#include "cpu/exec/counting.h"
#include "cpu/exec/process_exit.h"

namespace pycuda::cpu::exec {
namespace {

std::string wanted_name() {
  return base::environment("PYCUDA_CPU_COUNTERS").value_or(std::string());
}

bool is_written(const std::string& name) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(name, error);
  return !error && bytes != 0;
}

void write_file() {
  std::string name = wanted_name();
  constexpr std::string_view process = "%p";
  if (const std::size_t at = name.find(process); at != std::string::npos)
    name.replace(at, process.size(), std::to_string(getpid()));
  if (all_kernel_counters().empty() && is_written(name)) return;
  std::ofstream file(name);
  file << (name.ends_with(".json") ? take_counters_as_json() : take_counters_as_csv());
  file.close();
  if (!file)
    base::log(base::LogLevel::Warning, "PYCUDA_CPU_COUNTERS: " + name + " cannot be written");
}

}  // namespace

bool writes_counter_file() {
  static const bool writes = [] {
    if (wanted_name().empty()) return false;
    at_process_exit(write_file);
    return true;
  }();
  return writes;
}

}  // namespace pycuda::cpu::exec
