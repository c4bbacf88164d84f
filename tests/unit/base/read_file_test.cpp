// SPDX-License-Identifier: MIT
#include "base/read_file.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

using pycuda::base::read_file;
using pycuda::base::write_file;

TEST_CASE("a file is read as it was written") {
  const auto folder = std::filesystem::temp_directory_path();
  const std::string path = folder / ("read-file-test-" + std::to_string(::getpid()));
  const std::string content = std::string("a\0b\n", 4) + std::string(100000, 'x');
  CHECK(write_file(path, content));
  CHECK(read_file(path) == content);
  CHECK(write_file(path, ""));
  CHECK(read_file(path) == "");
  std::filesystem::remove(path);
  CHECK(!read_file(path));
}

TEST_CASE("files without a size are read whole") {
  const auto content = read_file("/proc/self/status");
  REQUIRE(content);
  CHECK(content->find("Threads:") != std::string::npos);
}

TEST_CASE("what cannot be read or written is told") {
  CHECK(!read_file("/proc"));
  CHECK(!write_file("/proc/no-such-folder/file", "x"));
}
