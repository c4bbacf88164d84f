// SPDX-License-Identifier: MIT
// /proc/PID/stat: the state is the 3rd field, the start the 22nd. The 2nd is a name in parentheses
// that may hold anything.
#include "cpu/exec/process_life.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string>

namespace pycuda::cpu::exec {
namespace {

struct Life {
  char state;
  std::uint64_t started;
};

std::optional<Life> life_of(std::int32_t number) {
  const int file =
      open(("/proc/" + std::to_string(number) + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  char text[1024];
  const ssize_t length = read(file, text, sizeof text);
  close(file);
  if (length <= 0) return std::nullopt;
  const std::string line(text, static_cast<std::size_t>(length));
  std::size_t at = line.rfind(") ");
  if (at == std::string::npos || at + 2 >= line.size()) return std::nullopt;
  const char state = line[at + 2];
  constexpr int spaces_from_name_to_start = 20;
  ++at;
  for (int space = 1; space < spaces_from_name_to_start; ++space) {
    at = line.find(' ', at + 1);
    if (at == std::string::npos) return std::nullopt;
  }
  return Life{state, std::strtoull(line.c_str() + at, nullptr, 10)};
}

}  // namespace

ProcessId this_process() {
  const std::int32_t number = getpid();
  const auto life = life_of(number);
  return {number, life ? life->started : 0};
}

bool has_ended(const ProcessId& process) {
  if (kill(process.number, 0) != 0 && errno == ESRCH) return true;
  const auto life = life_of(process.number);
  if (!life) return false;
  if (life->state == 'Z' || life->state == 'X') return true;
  return process.started != 0 && life->started != process.started;
}

}  // namespace pycuda::cpu::exec
