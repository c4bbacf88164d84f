// SPDX-License-Identifier: MIT
// A folder with files for one test.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace pycuda::rtc {

class TemporaryTree {
 public:
  TemporaryTree() {
    std::string name = (std::filesystem::temp_directory_path() / "pycuda-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  TemporaryTree(const TemporaryTree&) = delete;
  TemporaryTree& operator=(const TemporaryTree&) = delete;
  ~TemporaryTree() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  const std::filesystem::path& path() const { return path_; }
  /// Writes a file, making the folders above it.
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace pycuda::rtc
