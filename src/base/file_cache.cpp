// SPDX-License-Identifier: MIT
// A folder of content-addressed files, shared by processes.
#include "base/file_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <vector>

#include "base/env.h"
#include "base/hash.h"

namespace pycuda::base {
namespace {

namespace fs = std::filesystem;

/// An entry is this text, the checksum of the content (32 hexadecimal digits), a newline, and the
/// content.
constexpr std::string_view kMagic = "pycuda-cache-1\n";
constexpr std::size_t kChecksumBytes = 32;
constexpr std::size_t kHeaderBytes = kMagic.size() + kChecksumBytes + 1;
/// An entry's time stamp is its last use; it is renewed only when older than this, to keep reads
/// read-only.
constexpr std::time_t kStampAgeSeconds = 600;
/// A temporary file this old belongs to a writer that died.
constexpr std::time_t kAbandonedAgeSeconds = 3600;

class FileDescriptor {
 public:
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { close(); }
  bool valid() const { return number_ >= 0; }
  int get() const { return number_; }
  bool close() {
    const int number = number_;
    number_ = -1;
    return number < 0 || ::close(number) == 0;
  }

 private:
  int number_;
};

bool is_file_name(const std::string& key) {
  return !key.empty() && key.size() <= 200 && key.front() != '.' &&
         key.find('/') == std::string::npos && key.find('\0') == std::string::npos;
}

std::string checksum(std::string_view content) { return Hash().add(content).hex(); }

bool read_all(int file, char* bytes, std::size_t count) {
  while (count != 0) {
    const ssize_t got = ::read(file, bytes, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

/// Whether the file was written by a FileCache: foreign files in the folder are neither counted nor
/// removed.
bool is_entry(const fs::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  std::array<char, kMagic.size()> start{};
  return file.valid() && read_all(file.get(), start.data(), start.size()) &&
         std::string_view(start.data(), start.size()) == kMagic;
}

struct Entry {
  fs::path path;
  std::uint64_t bytes;
  timespec last_use;
};

/// The regular files of the folder that may be entries, and, apart, abandoned temporary files.
struct Listing {
  std::vector<Entry> entries;
  std::vector<fs::path> abandoned;
  std::uint64_t bytes = 0;
};

bool is_temporary_name(const std::string& name) { return name.starts_with(".tmp-pycuda-"); }

Listing list_files(const fs::path& folder) {
  Listing listing;
  const std::time_t now = std::time(nullptr);
  std::error_code error;
  for (fs::directory_iterator place(folder, error), end; !error && place != end;
       place.increment(error)) {
    struct stat facts{};
    if (::lstat(place->path().c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) continue;
    const std::string name = place->path().filename().string();
    if (is_temporary_name(name)) {
      if (facts.st_mtime + kAbandonedAgeSeconds < now) listing.abandoned.push_back(place->path());
    } else if (is_file_name(name)) {
      const auto bytes = static_cast<std::uint64_t>(facts.st_size);
      listing.entries.push_back({place->path(), bytes, facts.st_mtim});
      listing.bytes += bytes;
    }
  }
  return listing;
}

/// A new empty file in `folder` that no other writer has; its name is put into `path`.
int open_temporary(const fs::path& folder, std::string& path) {
  path = (folder / ".tmp-pycuda-XXXXXX").string();
  return ::mkostemp(path.data(), O_CLOEXEC);
}

}  // namespace

FileCache::FileCache(fs::path folder, std::uint64_t limit_bytes)
    : folder_(std::move(folder)), limit_bytes_(limit_bytes) {}

std::optional<std::string> FileCache::read(const std::string& key) const {
  if (folder_.empty() || !is_file_name(key)) return std::nullopt;
  const std::string path = (folder_ / key).string();
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts{};
  if (!file.valid() || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode))
    return std::nullopt;
  const auto bytes = static_cast<std::uint64_t>(facts.st_size);
  if (bytes < kHeaderBytes || bytes > limit_bytes_ + kHeaderBytes) return std::nullopt;

  std::array<char, kHeaderBytes> header{};
  std::string content(bytes - kHeaderBytes, '\0');
  if (!read_all(file.get(), header.data(), header.size()) ||
      !read_all(file.get(), content.data(), content.size())) {
    return std::nullopt;
  }
  const std::string_view start(header.data(), header.size());
  if (!start.starts_with(kMagic) ||
      start.substr(kMagic.size(), kChecksumBytes) != checksum(content)) {
    return std::nullopt;
  }
  if (facts.st_mtime + kStampAgeSeconds < std::time(nullptr)) ::futimens(file.get(), nullptr);
  return content;
}

bool FileCache::write(const std::string& key, std::string_view content) const {
  if (folder_.empty() || !is_file_name(key) || content.size() > limit_bytes_) return false;
  std::string temporary;
  int number = open_temporary(folder_, temporary);
  if (number < 0) {
    std::error_code error;
    fs::create_directories(folder_, error);
    number = open_temporary(folder_, temporary);
  }
  FileDescriptor file(number);
  if (!file.valid()) return false;

  const std::string sum = checksum(content);
  const bool written = write_all(file.get(), std::string(kMagic) + sum + "\n") &&
                       write_all(file.get(), content) && ::fchmod(file.get(), 0644) == 0 &&
                       file.close() && ::rename(temporary.c_str(), (folder_ / key).c_str()) == 0;
  if (!written) {
    ::unlink(temporary.c_str());
    return false;
  }
  // Listing the folder costs more than writing to it, so small entries do it for one write in
  // sixteen (picked by their checksum: there is no counter to share between processes).
  if (content.size() >= limit_bytes_ / 64 || sum.front() == '0') shrink(key);
  return true;
}

std::uint64_t FileCache::size_bytes() const {
  if (folder_.empty()) return 0;
  std::uint64_t bytes = 0;
  for (const Entry& entry : list_files(folder_).entries) {
    if (is_entry(entry.path)) bytes += entry.bytes;
  }
  return bytes;
}

std::uint64_t FileCache::listed_bytes() const {
  return folder_.empty() ? 0 : list_files(folder_).bytes;
}

void FileCache::shrink(const std::string& newest) const {
  Listing listing = list_files(folder_);
  for (const fs::path& path : listing.abandoned) ::unlink(path.c_str());
  if (listing.bytes <= limit_bytes_) return;

  std::erase_if(listing.entries, [](const Entry& entry) { return !is_entry(entry.path); });
  std::uint64_t bytes = 0;
  for (const Entry& entry : listing.entries) bytes += entry.bytes;
  if (bytes <= limit_bytes_) return;
  std::ranges::sort(listing.entries, [](const Entry& a, const Entry& b) {
    return std::pair(a.last_use.tv_sec, a.last_use.tv_nsec) <
           std::pair(b.last_use.tv_sec, b.last_use.tv_nsec);
  });
  // Some room below the limit, so that the next write does not have to do this again.
  const std::uint64_t goal = limit_bytes_ - limit_bytes_ / 8;
  for (const Entry& entry : listing.entries) {
    if (bytes <= goal) break;
    if (entry.path.filename() == newest) continue;  // time stamps are too coarse to tell
    if (::unlink(entry.path.c_str()) == 0) bytes -= entry.bytes;
  }
}

fs::path default_cache_folder() {
  if (environment("PYCUDA_DISABLE_CACHE")) return {};
  const auto home = environment("HOME");
  if (const auto folder = environment("PYCUDA_CACHE_DIR"); folder && !folder->empty()) {
    // No shell has replaced the tilde in the settings of a container or of a job of CI.
    if (folder->starts_with("~/") && home && !home->empty()) return *home + folder->substr(1);
    return *folder;
  }
  if (const auto folder = environment("XDG_CACHE_HOME"); folder && folder->starts_with('/')) {
    return fs::path(*folder) / "pycuda";
  }
  if (home && !home->empty()) return fs::path(*home) / ".cache" / "pycuda";
  return {};
}

}  // namespace pycuda::base
