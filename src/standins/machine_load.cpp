// SPDX-License-Identifier: MIT
#include "standins/machine_load.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>

namespace pycuda::standins {
namespace {

namespace fs = std::filesystem;

struct ProcessorTime {
  std::uint64_t busy = 0, all = 0;
};

/// The first line of /proc/stat: user, nice, system, idle, waiting, and more.
ProcessorTime processor_time() {
  std::ifstream file("/proc/stat");
  std::string word;
  file >> word;
  ProcessorTime time;
  std::uint64_t ticks = 0;
  for (int column = 0; column < 8 && file >> ticks; ++column) {
    const bool idle = column == 3 || column == 4;
    time.all += ticks;
    if (!idle) time.busy += ticks;
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
bool is_mapping_of(const std::string& line, const struct stat& wanted) {
  std::istringstream columns(line);
  std::string range, rights, offset, device;
  unsigned long long inode = 0;
  if (!(columns >> range >> rights >> offset >> device >> inode) || inode != wanted.st_ino)
    return false;
  unsigned major_number = 0;
  unsigned minor_number = 0;
  const std::size_t colon = device.find(':');
  if (colon == std::string::npos) return false;
  const char* const text = device.data();
  std::from_chars(text, text + colon, major_number, 16);
  std::from_chars(text + colon + 1, text + device.size(), minor_number, 16);
  return makedev(major_number, minor_number) == wanted.st_dev;
}

bool has_mapped(unsigned process, const struct stat& wanted) {
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    if (is_mapping_of(line, wanted)) return true;
  }
  return false;
}

}  // namespace

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
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream columns(line);
    std::string name;
    std::uint64_t kibibytes = 0;
    if (columns >> name >> kibibytes && name == "MemAvailable:") return kibibytes * 1024;
  }
  return 0;
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
