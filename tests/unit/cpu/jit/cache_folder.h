// SPDX-License-Identifier: MIT
// A folder for the disk cache of one test.
#pragma once

#include <stdlib.h>

#include <cstddef>
#include <filesystem>
#include <string>

namespace pycuda::cpu::testing {

/// Empty at first; goes with this object.
struct CacheFolder {
  CacheFolder() {
    char name[] = "/tmp/cpu_jit_test_XXXXXX";
    path = mkdtemp(name);
  }
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;
  ~CacheFolder() { std::filesystem::remove_all(path); }
  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
      count += entry.is_regular_file();
    return count;
  }
  std::string path;
};

}  // namespace pycuda::cpu::testing
