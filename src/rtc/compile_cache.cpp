// SPDX-License-Identifier: MIT
// Images that were compiled before: in this process's memory, then on disk.
#include "rtc/compile_cache.h"

#include <utility>

#include "base/file_cache.h"

namespace pycuda::rtc {

CompileCache::CompileCache(std::size_t memory_limit_bytes) : limit_bytes_(memory_limit_bytes) {}

CompileCache::Image CompileCache::find(const std::string& key,
                                       const std::filesystem::path& folder) {
  // Two folders are two caches, in memory too: a program may compare what it put where.
  const std::string memory_key = key + folder.native();
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = entries_.find(memory_key); found != entries_.end()) {
      by_use_.splice(by_use_.begin(), by_use_, found->second.place);
      return found->second.image;
    }
  }
  std::optional<std::string> content = base::FileCache(folder).read(key);
  if (!content) return nullptr;
  Image image = std::make_shared<const std::string>(std::move(*content));
  remember(memory_key, image);
  return image;
}

void CompileCache::store(const std::string& key, const std::filesystem::path& folder,
                         const Image& image) {
  remember(key + folder.native(), image);
  base::FileCache(folder).write(key, *image);
}

void CompileCache::clear_memory() {
  const std::lock_guard lock(mutex_);
  entries_.clear();
  by_use_.clear();
  bytes_ = 0;
}

void CompileCache::remember(const std::string& key, const Image& image) {
  if (image->size() > limit_bytes_ / 4) return;
  const std::lock_guard lock(mutex_);
  if (entries_.contains(key)) return;
  by_use_.push_front(key);
  entries_.emplace(key, Entry{image, by_use_.begin()});
  bytes_ += image->size();
  while (bytes_ > limit_bytes_) {
    const auto oldest = entries_.find(by_use_.back());
    bytes_ -= oldest->second.image->size();
    entries_.erase(oldest);
    by_use_.pop_back();
  }
}

}  // namespace pycuda::rtc
