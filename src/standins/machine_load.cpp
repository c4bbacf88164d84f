// SPDX-License-Identifier: MIT
#include "standins/machine_load.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include "base/read_file.h"

namespace pycuda::standins {
namespace {

namespace fs = std::filesystem;

struct ProcessorTime {
  std::uint64_t busy = 0, all = 0;
};

/// The first line of /proc/stat: user, nice, system, idle, waiting, and more.
ProcessorTime processor_time() {
  const std::string content = base::read_file("/proc/stat").value_or("");
  ProcessorTime time;
  std::array<unsigned long long, 8> ticks{};
  const int read =
      // NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion): the kernel's numbers
      std::sscanf(content.c_str(), "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0],
                  &ticks[1], &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]);
  for (int column = 0; column < read; ++column) {
    const bool idle = column == 3 || column == 4;
    time.all += ticks[static_cast<std::size_t>(column)];
    if (!idle) time.busy += ticks[static_cast<std::size_t>(column)];
  }
  return time;
}

std::optional<unsigned> number_of(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Whether a line of /proc/PID/maps names the file: by device and inode, which links do not change.
bool is_mapping_of(const char* line, const struct stat& wanted) {
  unsigned major_number = 0;
  unsigned minor_number = 0;
  unsigned long long inode = 0;
  // Addresses, rights, offset, device, inode.
  // NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion): the kernel's numbers
  return std::sscanf(line, "%*s %*s %*s %x:%x %llu", &major_number, &minor_number, &inode) == 3 &&
         inode == wanted.st_ino && makedev(major_number, minor_number) == wanted.st_dev;
}

bool has_mapped(unsigned process, const struct stat& wanted) {
  const std::string maps =
      base::read_file("/proc/" + std::to_string(process) + "/maps").value_or("");
  for (std::size_t at = 0; at < maps.size(); at = std::min(maps.find('\n', at), maps.size()) + 1) {
    const std::string line = maps.substr(at, maps.find('\n', at) - at);
    if (is_mapping_of(line.c_str(), wanted)) return true;
  }
  return false;
}

std::string_view without_line_end(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return text;
}

/// The number of thousandths of a degree in a file.
std::optional<unsigned> degrees_of(const fs::path& file) {
  const std::string content = base::read_file(file.native()).value_or("");
  const auto thousandths = number_of(without_line_end(content));
  return thousandths ? std::optional(*thousandths / 1000) : std::nullopt;
}

/// Of the first folder within `parent` that says in the file `label` that it is one of the sensors.
std::optional<unsigned> find_sensor(const fs::path& parent, const char* label,
                                    std::initializer_list<std::string_view> sensors,
                                    const char* value) {
  std::error_code error;
  std::vector<fs::path> folders;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error))
    folders.push_back(entry->path());
  std::ranges::sort(folders);
  for (const fs::path& folder : folders) {
    const std::string content = base::read_file((folder / label).native()).value_or("");
    if (std::ranges::find(sensors, without_line_end(content)) == sensors.end()) continue;
    if (const auto degrees = degrees_of(folder / value)) return degrees;
  }
  return std::nullopt;
}

}  // namespace

std::optional<unsigned> processor_temperature(const std::string& system) {
  const fs::path devices = fs::path(system) / "class";
  const auto of_chip = find_sensor(
      devices / "hwmon", "name", {"coretemp", "k10temp", "zenpower", "cpu_thermal"}, "temp1_input");
  if (of_chip) return of_chip;
  return find_sensor(devices / "thermal", "type",
                     {"x86_pkg_temp", "cpu-thermal", "cpu_thermal", "soc_thermal"}, "temp");
}

unsigned processor_use() {
  static std::mutex mutex;
  static std::optional<ProcessorTime> last;
  const std::lock_guard lock(mutex);
  if (!last) {
    last = processor_time();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  const ProcessorTime now = processor_time();
  const std::uint64_t all = now.all - last->all;
  if (all == 0) return 0;  // the clock has not ticked: nothing is known, and nothing was done
  const std::uint64_t busy = std::min(now.busy - last->busy, all);
  last = now;
  return static_cast<unsigned>(busy * 100 / all);
}

std::uint64_t available_memory() {
  constexpr std::string_view name = "MemAvailable:";
  const std::string content = base::read_file("/proc/meminfo").value_or("");
  const std::size_t at = content.find(name);
  unsigned long long kibibytes = 0;
  if (at == std::string::npos ||
      // NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion): the kernel's numbers
      std::sscanf(content.c_str() + at + name.size(), "%llu", &kibibytes) != 1)
    return 0;
  return std::uint64_t{kibibytes} * 1024;
}

std::vector<unsigned> processes_with(const std::string& library) {
  std::vector<unsigned> found;
  struct stat wanted{};
  if (::stat(library.c_str(), &wanted) != 0) return found;
  std::error_code error;
  for (fs::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const auto process = number_of(entry->path().filename().native());
    if (process && has_mapped(*process, wanted)) found.push_back(*process);
  }
  std::ranges::sort(found);
  return found;
}

std::string program_of(unsigned process) {
  std::error_code error;
  return fs::read_symlink("/proc/" + std::to_string(process) + "/exe", error).native();
}

}  // namespace pycuda::standins
