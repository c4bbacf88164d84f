// SPDX-License-Identifier: MIT
// The kernel's own account: what the C library computes of it (sysconf) is many times too large in
// some virtual machines.
#include "cpu/exec/last_level_cache.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "cpu/exec/cpu_budget.h"

namespace pycuda::cpu::exec {
namespace {

std::string first_word(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string word;
  stream >> word;
  return word;
}

bool may_run_on(unsigned core) {
  static const cpu_set_t cores = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) CPU_ZERO(&set);
    return set;
  }();
  return CPU_COUNT(&cores) == 0 || CPU_ISSET(core, &cores);
}

}  // namespace

std::uint64_t last_level_cache_bytes(const std::filesystem::path& root,
                                     bool (*uses)(unsigned core)) {
  std::uint64_t all = 0;
  std::set<std::string> counted;
  for (unsigned core = 0; core < CPU_SETSIZE; ++core) {
    const std::filesystem::path caches = root / ("cpu" + std::to_string(core)) / "cache";
    std::error_code error;
    if (!uses(core)) continue;
    if (!std::filesystem::exists(caches, error)) continue;
    std::string level, sharers;
    std::uint64_t bytes = 0;
    for (unsigned index = 0;; ++index) {
      const std::filesystem::path cache = caches / ("index" + std::to_string(index));
      const std::string own_level = first_word(cache / "level");
      if (own_level.empty()) break;
      if (own_level < level || first_word(cache / "type") == "Instruction") continue;
      level = own_level;
      bytes = parse_bytes(first_word(cache / "size")).value_or(0);
      sharers = first_word(cache / "shared_cpu_list");
    }
    if (!level.empty() && counted.insert(sharers).second) all += bytes;
  }
  return all;
}

std::uint64_t last_level_cache_bytes() {
  static const std::uint64_t bytes = [] {
    const std::uint64_t told = last_level_cache_bytes("/sys/devices/system/cpu", may_run_on);
    return told != 0 ? told
                     : static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE)));
  }();
  return bytes;
}

std::uint64_t dependable_cache_bytes() {
  constexpr std::uint64_t most = std::uint64_t{64} << 20;
  const std::uint64_t bytes = last_level_cache_bytes();
  return bytes == 0 ? most : std::min(bytes, most);
}

}  // namespace pycuda::cpu::exec
