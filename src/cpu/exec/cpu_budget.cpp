// SPDX-License-Identifier: MIT
// Reads affinity, cgroup v1 and v2 files, and the environment.
#include "cpu/exec/cpu_budget.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <vector>

#include "base/env.h"

namespace pycuda::cpu::exec {
namespace {

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::optional<double> number_in(const std::filesystem::path& path) {
  std::istringstream text(read_text(path));
  double value = 0;
  if (text >> value) return value;
  return std::nullopt;
}

/// Calls `visit` with the folder of each cgroup of `membership` that `controller` governs (v1), or
/// of the unified hierarchy (v2: `controller` empty), and with all its ancestors.
void each_cgroup(const std::filesystem::path& root, std::string_view membership,
                 std::string_view controller,
                 const std::function<void(const std::filesystem::path&)>& visit) {
  std::istringstream lines{std::string(membership)};
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool unified = names == ",,";
    if (controller.empty() ? !unified
                           : names.find("," + std::string(controller) + ",") == std::string::npos) {
      continue;
    }
    const std::filesystem::path base = controller.empty() ? root : root / controller;
    std::filesystem::path below = line.substr(second + 1);
    below = below.relative_path();
    visit(base);
    std::filesystem::path folder = base;
    for (const auto& part : below) visit(folder /= part);
  }
}

unsigned affinity_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0) {
    return static_cast<unsigned>(CPU_COUNT(&set));
  }
  // A machine with more than CPU_SETSIZE cores does not fit the fixed set.
  return static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

constexpr unsigned most_workers = 1024;

unsigned count_workers() {
  unsigned cores = affinity_cores();
  if (const auto quota = cgroup_cpu_quota("/sys/fs/cgroup", read_text("/proc/self/cgroup"))) {
    cores = std::min(cores, static_cast<unsigned>(std::max(1.0, std::ceil(*quota))));
  }
  cores = std::clamp(cores, 1u, most_workers);
  const auto wanted =
      base::environment_integer("PYCUDA_CPU_THREADS", 1, most_workers, std::to_string(cores));
  return wanted ? static_cast<unsigned>(*wanted) : cores;
}

std::optional<std::uint64_t> meminfo(std::string_view name) {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (line.size() <= name.size() || !line.starts_with(name) || line[name.size()] != ':') continue;
    std::istringstream rest(line.substr(name.size() + 1));
    std::uint64_t kibibytes = 0;
    if (rest >> kibibytes) return kibibytes * 1024;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> cgroup_cpu_quota(const std::filesystem::path& root,
                                       std::string_view membership) {
  std::optional<double> tightest;
  const auto offer = [&](double cores) {
    if (cores > 0) tightest = std::min(tightest.value_or(cores), cores);
  };
  each_cgroup(root, membership, "", [&](const std::filesystem::path& folder) {
    std::istringstream text(read_text(folder / "cpu.max"));
    double quota = 0, period = 0;
    if (text >> quota >> period && period > 0) offer(quota / period);  // "max" is no number
  });
  each_cgroup(root, membership, "cpu", [&](const std::filesystem::path& folder) {
    const auto quota = number_in(folder / "cpu.cfs_quota_us");
    const auto period = number_in(folder / "cpu.cfs_period_us");
    if (quota && period && *quota > 0 && *period > 0) offer(*quota / *period);
  });
  return tightest;
}

std::optional<std::uint64_t> cgroup_memory_limit(const std::filesystem::path& root,
                                                 std::string_view membership) {
  std::optional<std::uint64_t> tightest;
  const auto offer = [&](std::optional<double> bytes) {
    // cgroup v1 writes "no limit" as a number near 2^63.
    if (!bytes || *bytes <= 0 || *bytes >= 4e18) return;
    const auto limit = static_cast<std::uint64_t>(*bytes);
    tightest = std::min(tightest.value_or(limit), limit);
  };
  each_cgroup(root, membership, "", [&](const std::filesystem::path& folder) {
    offer(number_in(folder / "memory.max"));
  });
  each_cgroup(root, membership, "memory", [&](const std::filesystem::path& folder) {
    offer(number_in(folder / "memory.limit_in_bytes"));
  });
  return tightest;
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (suffix.empty()) return value;
  const std::string_view units = "KMGT";
  const auto unit = units.find(static_cast<char>(suffix[0] & ~0x20));
  if (unit == std::string_view::npos) return std::nullopt;
  suffix.remove_prefix(1);
  if (!suffix.empty() && suffix != "B" && suffix != "iB") return std::nullopt;
  const unsigned shift = 10 * (static_cast<unsigned>(unit) + 1);
  if (value > (~std::uint64_t{0} >> shift)) return std::nullopt;
  return value << shift;
}

unsigned worker_count() {
  static const unsigned count = count_workers();
  return count;
}

std::uint64_t machine_memory_bytes() {
  static const std::uint64_t bytes = [] {
    std::uint64_t total = meminfo("MemTotal").value_or(std::uint64_t{4} << 30);
    if (const auto limit = cgroup_memory_limit("/sys/fs/cgroup", read_text("/proc/self/cgroup"))) {
      total = std::min(total, *limit);
    }
    return total;
  }();
  return bytes;
}

std::optional<std::uint64_t> available_memory_bytes() { return meminfo("MemAvailable"); }

std::uint64_t default_device_memory_bytes() {
  const std::uint64_t usual = machine_memory_bytes() / 2;
  const auto text = base::environment("PYCUDA_CPU_MEMORY");
  if (!text || text->empty()) return usual;
  const auto bytes = parse_bytes(*text);
  // As much as a process can have addresses for.
  if (bytes && *bytes > 0 && *bytes <= std::uint64_t{1} << 47) return *bytes;
  base::refuse_environment("PYCUDA_CPU_MEMORY", *text,
                           "a whole number of bytes from 1 to 128T, also with K, M, G or T (times "
                           "1024, 1024^2 ...)",
                           std::to_string(usual));
  return usual;
}

std::uint64_t memory_margin_bytes() {
  const auto text = base::environment("PYCUDA_CPU_MARGIN");
  if (!text || text->empty()) return 0;
  const auto bytes = parse_bytes(*text);
  if (bytes && *bytes <= std::uint64_t{1} << 30) return *bytes;
  base::refuse_environment("PYCUDA_CPU_MARGIN", *text,
                           "a whole number of bytes from 0 to 1G, also with K, M or G (times 1024, "
                           "1024^2 ...)",
                           "0");
  return 0;
}

}  // namespace pycuda::cpu::exec
