// SPDX-License-Identifier: MIT
// The cache of compiled images: in this process's memory, then on disk.
#pragma once

#include <cstddef>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace pycuda::rtc {

/// Keys are content hashes with an extension. All members may be called from any thread; nothing
/// throws but for want of memory.
class CompileCache {
 public:
  using Image = std::shared_ptr<const std::string>;

  explicit CompileCache(std::size_t memory_limit_bytes = std::size_t{64} << 20);

  /// The image, or null. What the disk has is kept in memory from then on.
  Image find(const std::string& key, const std::filesystem::path& folder);
  /// Keeps the image in memory and, silently failing, on disk.
  void store(const std::string& key, const std::filesystem::path& folder, const Image& image);
  /// Forgets the memory's part.
  void clear_memory();

 private:
  void remember(const std::string& key, const Image& image);

  struct Entry {
    Image image;
    std::list<std::string>::iterator place;
  };
  std::mutex mutex_;  ///< protects all below
  std::size_t limit_bytes_;
  std::size_t bytes_ = 0;
  std::list<std::string> by_use_;  ///< last used first
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace pycuda::rtc
