// SPDX-License-Identifier: MIT
// The format: tools/perf/Documentation/jit-interface.txt of the Linux kernel's source.
#include "cpu/jit/perf_map.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <optional>
#include <string_view>

#include "base/cxx_names.h"
#include "base/log.h"
#include "base/read_file.h"

namespace pycuda::cpu::jit {
namespace {

/// As people and perf read it: "scale(float*, int).gangs".
std::string readable(std::string_view name) {
  if (name.starts_with("f.")) name.remove_prefix(2);
  const std::size_t point = name.find('.');
  std::string text = base::readable_name(std::string(name.substr(0, point)));
  if (point != std::string_view::npos) text += name.substr(point);
  return text;
}

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// When this process began, in seconds since 1970. Nothing where /proc does not say.
std::optional<double> start_of_process() {
  const std::string stat = base::read_file("/proc/self/stat").value_or("");
  // proc(5): the name in brackets is field 2 and may contain anything; the start is field 22, and a
  // space is before each.
  std::size_t place = stat.rfind(')');
  for (int field = 2; field < 22 && place != std::string::npos; ++field)
    place = stat.find(' ', place + 1);
  if (place == std::string::npos) return {};
  const double ticks = std::strtod(stat.c_str() + place, nullptr);
  const double age = seconds_of(CLOCK_BOOTTIME) - ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
  return seconds_of(CLOCK_REALTIME) - age;
}

/// Empties a file that was last written before this process began.
void drop_what_is_older(int file) {
  struct stat status{};
  const std::optional<double> start = start_of_process();
  if (!start || fstat(file, &status) != 0) return;
  const double written = static_cast<double>(status.st_mtim.tv_sec);
  // A second covers the clocks' grain: no number is given out again so soon.
  if (status.st_size > 0 && written + 1 < *start && ftruncate(file, 0) != 0) return;
}

}  // namespace

void append_to_perf_map(const std::vector<PlacedFunction>& functions) {
  std::string lines;
  for (const PlacedFunction& function : functions) {
    char numbers[64];
    std::snprintf(numbers, sizeof numbers, "%llx %llx ",
                  static_cast<unsigned long long>(function.address),
                  static_cast<unsigned long long>(function.bytes));
    lines += numbers + readable(function.name) + "\n";
  }
  // perf looks in this folder and no other. It takes no file of another user's, and neither do we
  // follow one's link.
  const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file >= 0) drop_what_is_older(file);
  const bool written =
      file >= 0 && write(file, lines.data(), lines.size()) == static_cast<ssize_t>(lines.size());
  if (file >= 0) close(file);
  if (written) return;
  static std::once_flag told;
  std::call_once(told, [&] {
    base::log(base::LogLevel::Warning,
              "PYCUDA_CPU_SYMBOLS: " + path + " cannot be written: perf knows no kernels");
  });
}

}  // namespace pycuda::cpu::jit
