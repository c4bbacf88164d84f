// SPDX-License-Identifier: MIT
// One write a line, so that lines of several threads do not mix.
#include "base/log.h"

#include <unistd.h>

#include <cctype>
#include <string>

#include "base/env.h"

namespace pycuda::base {
namespace {

void write_line(std::string_view text) {
  std::string line = "pycuda: ";
  line.append(text).push_back('\n');
  // A standard error stream that is closed or full is no reason to fail.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

LogLevel level_from_environment() {
  std::string asked = environment("PYCUDA_LOG").value_or("");
  for (char& letter : asked)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  if (asked == "quiet") return LogLevel::Quiet;
  if (asked == "info") return LogLevel::Info;
  if (asked == "debug") return LogLevel::Debug;
  if (!asked.empty() && asked != "warning") {
    write_line(
        environment_refusal("PYCUDA_LOG", asked, "quiet, warning, info or debug", "warning"));
  }
  return LogLevel::Warning;
}

}  // namespace

LogLevel log_level() {
  static const LogLevel level = level_from_environment();
  return level;
}

void log(LogLevel level, std::string_view text) noexcept {
  try {
    if (level == LogLevel::Quiet || level > log_level()) return;
    write_line(text);
  } catch (...) {  // out of memory: no line
  }
}

}  // namespace pycuda::base
