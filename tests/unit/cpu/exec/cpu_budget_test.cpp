// SPDX-License-Identifier: MIT
// Limits from cgroup files of both versions, and sizes in words.
#include "cpu/exec/cpu_budget.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace pycuda::cpu::exec {
namespace {

struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("pycuda_cgroup_test_" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
  }
};

}  // namespace

TEST_CASE("the tightest quota of a cgroup v2 and its ancestors counts") {
  const Folder root;
  root.write("a/cpu.max", "150000 100000\n");
  root.write("a/b/cpu.max", "max 100000\n");
  root.write("a/memory.max", "1000000\n");
  root.write("a/b/memory.max", "2000000\n");
  CHECK(cgroup_cpu_quota(root.path, "0::/a/b\n") == 1.5);
  CHECK(cgroup_memory_limit(root.path, "0::/a/b\n") == 1000000u);
  CHECK_FALSE(cgroup_cpu_quota(root.path, "0::/c\n").has_value());
  CHECK_FALSE(cgroup_cpu_quota(root.path, "").has_value());
}

TEST_CASE("cgroup v1 quotas are found by controller") {
  const Folder root;
  root.write("cpu/x/cpu.cfs_quota_us", "200000\n");
  root.write("cpu/x/cpu.cfs_period_us", "100000\n");
  root.write("memory/x/memory.limit_in_bytes", "9223372036854771712\n");
  const char* const membership = "5:cpu,cpuacct:/x\n4:memory:/x\n";
  CHECK(cgroup_cpu_quota(root.path, membership) == 2.0);
  CHECK_FALSE(cgroup_memory_limit(root.path, membership).has_value());
  root.write("cpu/x/cpu.cfs_quota_us", "-1\n");
  CHECK_FALSE(cgroup_cpu_quota(root.path, membership).has_value());
}

TEST_CASE("sizes are numbers with an optional unit") {
  CHECK(parse_bytes("123") == 123u);
  CHECK(parse_bytes("2K") == 2048u);
  CHECK(parse_bytes("512m") == 512u << 20);
  CHECK(parse_bytes("3GiB") == std::uint64_t{3} << 30);
  CHECK(parse_bytes("1TB") == std::uint64_t{1} << 40);
  for (const char* const bad :
       {"", "x", "-1", "1X", "1GiBs", "99999999999999999999", "99999999T"}) {
    CHECK_FALSE(parse_bytes(bad).has_value());
  }
}

TEST_CASE("this machine has workers and memory") {
  CHECK(worker_count() >= 1);
  CHECK(machine_memory_bytes() > 0);
  CHECK(default_device_memory_bytes() > 0);
}

}  // namespace pycuda::cpu::exec
