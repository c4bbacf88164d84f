// SPDX-License-Identifier: MIT
// Caches as the kernel's files tell of them.
#include "cpu/exec/last_level_cache.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using pycuda::cpu::exec::dependable_cache_bytes;
using pycuda::cpu::exec::last_level_cache_bytes;

namespace {

/// A folder as /sys/devices/system/cpu.
class Files {
 public:
  Files() {
    char name[] = "/tmp/last_level_cache_test_XXXXXX";
    root_ = mkdtemp(name);
  }
  ~Files() { std::filesystem::remove_all(root_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  void add(unsigned core, unsigned index, const char* level, const char* type, const char* size,
           const char* sharers) const {
    const std::filesystem::path folder =
        root_ / ("cpu" + std::to_string(core)) / "cache" / ("index" + std::to_string(index));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "level") << level << '\n';
    std::ofstream(folder / "type") << type << '\n';
    std::ofstream(folder / "size") << size << '\n';
    std::ofstream(folder / "shared_cpu_list") << sharers << '\n';
  }
  const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

bool all(unsigned) { return true; }

}  // namespace

TEST_CASE("the last level counts, once for all cores that share it") {
  const Files files;
  for (unsigned core = 0; core < 4; ++core) {
    const char* const own = core < 2 ? "0-1" : "2-3";
    files.add(core, 0, "1", "Data", "48K", own);
    files.add(core, 1, "1", "Instruction", "32K", own);
    files.add(core, 2, "2", "Unified", "1024K", own);
    files.add(core, 3, "3", "Unified", "32768K", own);
  }
  CHECK(last_level_cache_bytes(files.root(), all) == std::uint64_t{64} << 20);
  CHECK(last_level_cache_bytes(files.root(), [](unsigned core) { return core < 2; }) ==
        std::uint64_t{32} << 20);
}

TEST_CASE("where nothing is told of caches nothing is known") {
  const Files files;
  CHECK(last_level_cache_bytes(files.root(), all) == 0);
}

TEST_CASE("without a third level the second one is the last") {
  const Files files;
  files.add(0, 0, "1", "Data", "32K", "0");
  files.add(0, 1, "2", "Unified", "512K", "0");
  CHECK(last_level_cache_bytes(files.root(), all) == std::uint64_t{512} << 10);
}

TEST_CASE("of large caches some is counted on, of unknown ones as much") {
  constexpr std::uint64_t most = std::uint64_t{64} << 20;
  const std::uint64_t told = last_level_cache_bytes();
  CHECK(dependable_cache_bytes() == (told == 0 || told > most ? most : told));
}
