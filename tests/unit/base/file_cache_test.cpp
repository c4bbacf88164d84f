// SPDX-License-Identifier: MIT
// The folder of content-addressed files: whole entries or none, whatever happens to the files.
#include "base/file_cache.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace pycuda::base {
namespace {

namespace fs = std::filesystem;

/// A fresh folder that goes away with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "pycuda-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Sets a variable for one test.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* before = ::getenv(name)) before_ = before;
    if (value != nullptr) {
      ::setenv(name, value, 1);
    } else {
      ::unsetenv(name);
    }
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;
  ~ScopedVariable() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

void set_last_use(const fs::path& path, std::chrono::hours ago) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - ago);
}

std::size_t count_files(const fs::path& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder)) ++count;
  return count;
}

TEST_CASE("what was written is read back, byte for byte") {
  const TemporaryFolder folder;
  const FileCache cache(folder.path());
  const std::string content("binary\0content\n\xff", 16);
  CHECK(cache.write("0123.cubin", content));
  CHECK(cache.read("0123.cubin") == content);
  CHECK(cache.write("empty.ptx", ""));
  CHECK(cache.read("empty.ptx") == "");
}

TEST_CASE("an absent entry is a miss") {
  const TemporaryFolder folder;
  CHECK_FALSE(FileCache(folder.path()).read("none.ptx").has_value());
  CHECK_FALSE(FileCache(folder.path() / "no" / "folder").read("none.ptx").has_value());
}

TEST_CASE("a missing folder is made, with its parents, when first written to") {
  const TemporaryFolder folder;
  const FileCache cache(folder.path() / "a" / "b");
  CHECK_FALSE(fs::exists(folder.path() / "a"));
  CHECK(cache.write("k.ptx", "text"));
  CHECK(cache.read("k.ptx") == "text");
}

TEST_CASE("writing again replaces the entry and leaves no other file") {
  const TemporaryFolder folder;
  const FileCache cache(folder.path());
  CHECK(cache.write("k.ptx", "first"));
  CHECK(cache.write("k.ptx", "second, longer"));
  CHECK(cache.read("k.ptx") == "second, longer");
  CHECK(count_files(folder.path()) == 1);
}

TEST_CASE("a damaged entry counts as absent and can be written again") {
  const TemporaryFolder folder;
  const FileCache cache(folder.path());
  const fs::path file = folder.path() / "k.ptx";
  REQUIRE(cache.write("k.ptx", "a kernel's text"));
  SUBCASE("cut short") { fs::resize_file(file, fs::file_size(file) - 3); }
  SUBCASE("cut to nothing") { fs::resize_file(file, 0); }
  SUBCASE("longer than written") { std::ofstream(file, std::ios::app) << "more"; }
  SUBCASE("one byte changed") {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(-1, std::ios::end);
    stream.put('!');
  }
  SUBCASE("somebody else's file") { std::ofstream(file) << std::string(200, 'x'); }
  CHECK_FALSE(cache.read("k.ptx").has_value());
  CHECK(cache.write("k.ptx", "a kernel's text"));
  CHECK(cache.read("k.ptx") == "a kernel's text");
}

TEST_CASE("a folder in the entry's place is a miss, not an error") {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "k.ptx");
  const FileCache cache(folder.path());
  CHECK_FALSE(cache.read("k.ptx").has_value());
  CHECK_FALSE(cache.write("k.ptx", "text"));
  CHECK(count_files(folder.path()) == 1);
}

TEST_CASE("keys that are no plain file names are refused") {
  const TemporaryFolder folder;
  const FileCache cache(folder.path() / "inner");
  for (const std::string key : {"", "../outside", "/tmp/absolute", ".hidden", "a/b"}) {
    CHECK_FALSE(cache.write(key, "text"));
    CHECK_FALSE(cache.read(key).has_value());
  }
  CHECK_FALSE(fs::exists(folder.path() / "outside"));
}

TEST_CASE("a cache without a folder always misses") {
  const FileCache cache{fs::path()};
  CHECK_FALSE(cache.write("k.ptx", "text"));
  CHECK_FALSE(cache.read("k.ptx").has_value());
  CHECK(cache.size_bytes() == 0);
}

TEST_CASE("a folder that cannot be written to still serves what it has") {
  const TemporaryFolder folder;
  REQUIRE(FileCache(folder.path()).write("k.ptx", "text"));
  // A file where the folder should be is unwritable for every user, root too.
  const FileCache blocked(folder.path() / "k.ptx");
  CHECK_FALSE(blocked.write("other.ptx", "text"));
  CHECK_FALSE(blocked.read("other.ptx").has_value());
  ::chmod(folder.path().c_str(), 0555);
  const FileCache read_only(folder.path());
  CHECK(read_only.read("k.ptx") == "text");
  if (::geteuid() != 0) CHECK_FALSE(read_only.write("other.ptx", "text"));
  ::chmod(folder.path().c_str(), 0755);
}

TEST_CASE("the folder stays below its limit, and what was used last stays in it") {
  const TemporaryFolder folder;
  const FileCache cache(folder.path(), 10000);
  for (int i = 0; i < 8; ++i) {
    const std::string key = "entry" + std::to_string(i);
    REQUIRE(cache.write(key, std::string(1000, 'x')));
    set_last_use(folder.path() / key, std::chrono::hours(100 - i));
  }
  REQUIRE(cache.read("entry0").has_value());  // renews its stamp
  REQUIRE(cache.write("big", std::string(4000, 'y')));
  CHECK(cache.size_bytes() <= 10000);
  CHECK(cache.read("big").has_value());
  CHECK(cache.read("entry0").has_value());
  CHECK(cache.read("entry7").has_value());
  CHECK_FALSE(cache.read("entry1").has_value());
}

TEST_CASE("an entry larger than the limit is not kept") {
  const TemporaryFolder folder;
  const FileCache cache(folder.path(), 1000);
  CHECK_FALSE(cache.write("k", std::string(1001, 'x')));
  CHECK_FALSE(cache.read("k").has_value());
}

TEST_CASE("foreign files in the folder are neither counted nor removed") {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "precious.txt") << std::string(5000, 'p');
  set_last_use(folder.path() / "precious.txt", std::chrono::hours(10000));
  const FileCache cache(folder.path(), 3000);
  for (int i = 0; i < 10; ++i) CHECK(cache.write("k" + std::to_string(i), std::string(1000, 'x')));
  CHECK(fs::file_size(folder.path() / "precious.txt") == 5000);
  CHECK(cache.size_bytes() <= 3000);
  CHECK(cache.listed_bytes() == cache.size_bytes() + 5000);
  CHECK(cache.read("k9").has_value());
}

TEST_CASE("a temporary file that a dead writer left is cleared away") {
  const TemporaryFolder folder;
  const fs::path old_file = folder.path() / ".tmp-pycuda-old";
  const fs::path new_file = folder.path() / ".tmp-pycuda-new";
  std::ofstream(old_file) << "half";
  std::ofstream(new_file) << "half";
  set_last_use(old_file, std::chrono::hours(5));
  const FileCache cache(folder.path(), 3000);
  CHECK(cache.write("k", std::string(1000, 'x')));
  CHECK_FALSE(fs::exists(old_file));
  CHECK(fs::exists(new_file));
}

TEST_CASE("threads and processes that share a key never see a part of an entry") {
  const TemporaryFolder folder;
  const FileCache cache(folder.path(), std::uint64_t{1} << 24);
  const auto content_of = [](int writer) {
    return std::string(50000 + writer * 1000, static_cast<char>('a' + writer));
  };
  const auto hammer = [&](int writer) {
    bool whole = true;
    for (int round = 0; round < 50; ++round) {
      cache.write("shared", content_of(writer));
      const auto found = cache.read("shared");
      whole = whole && found && *found == content_of(found->front() - 'a');
    }
    return whole;
  };
  std::vector<pid_t> children;
  for (int writer = 0; writer < 2; ++writer) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) ::_exit(hammer(writer) ? 0 : 1);
    children.push_back(child);
  }
  std::vector<char> whole(3, 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] { whole[static_cast<std::size_t>(i)] = hammer(2 + i) ? 1 : 0; });
  }
  for (std::thread& thread : threads) thread.join();
  for (const char result : whole) CHECK(result == 1);
  for (const pid_t child : children) {
    int status = -1;
    CHECK(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK(count_files(folder.path()) == 1);
}

TEST_CASE("the default folder follows the environment") {
  const ScopedVariable no_switch("PYCUDA_DISABLE_CACHE", nullptr);
  const ScopedVariable no_folder("PYCUDA_CACHE_DIR", nullptr);
  const ScopedVariable no_xdg("XDG_CACHE_HOME", nullptr);
  const ScopedVariable home("HOME", "/home/somebody");
  CHECK(default_cache_folder() == "/home/somebody/.cache/pycuda");
  const ScopedVariable xdg("XDG_CACHE_HOME", "/caches");
  CHECK(default_cache_folder() == "/caches/pycuda");
  const ScopedVariable own("PYCUDA_CACHE_DIR", "/mine");
  CHECK(default_cache_folder() == "/mine");
  // As a file of settings has it, which no shell reads.
  const ScopedVariable home_of_mine("PYCUDA_CACHE_DIR", "~/mine");
  CHECK(default_cache_folder() == "/home/somebody/mine");
  const ScopedVariable of_another("PYCUDA_CACHE_DIR", "~another/mine");
  CHECK(default_cache_folder() == "~another/mine");
  const ScopedVariable off("PYCUDA_DISABLE_CACHE", "");
  CHECK(default_cache_folder().empty());
}

}  // namespace
}  // namespace pycuda::base
