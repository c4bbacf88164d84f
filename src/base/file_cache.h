// SPDX-License-Identifier: MIT
// A folder of content-addressed files, shared by processes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace pycuda::base {

/// Keys are file names (a hash and an extension). Writing is atomic (temporary file, then rename),
/// so a reader sees a whole entry or none; entries carry a checksum, and a damaged one counts as
/// absent. Nothing here throws or warns: a cache that cannot be read or written is one that misses.
class FileCache {
 public:
  /// Entries live in `folder`, which is made when first written to. When the folder has grown past
  /// `limit_bytes`, the entries unused for longest are removed.
  explicit FileCache(std::filesystem::path folder,
                     std::uint64_t limit_bytes = std::uint64_t{1} << 30);

  std::optional<std::string> read(const std::string& key) const;
  /// False when the entry could not be written.
  bool write(const std::string& key, std::string_view content) const;

  const std::filesystem::path& folder() const { return folder_; }
  /// Bytes in all entries.
  std::uint64_t size_bytes() const;
  /// The same, but counts foreign files too: none is opened, which is many times faster.
  std::uint64_t listed_bytes() const;

 private:
  /// Removes entries until there is room again; never the one of this key.
  void shrink(const std::string& newest) const;

  std::filesystem::path folder_;
  std::uint64_t limit_bytes_;
};

/// $PYCUDA_CACHE_DIR, else $XDG_CACHE_HOME/pycuda, else ~/.cache/pycuda; empty when caching is
/// switched off (PYCUDA_DISABLE_CACHE set to anything) or no home is known.
std::filesystem::path default_cache_folder();

}  // namespace pycuda::base
