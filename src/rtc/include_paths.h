// SPDX-License-Identifier: MIT
// Resolves includes: which file is meant, who owns it, and the contents of all of them.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/hash.h"
#include "rtc/source_scan.h"

namespace pycuda::rtc {

/// Whose file an include names. It decides about C linkage and about how the cache key sees the
/// file.
enum class IncludeOwner {
  User,  ///< the program's own folders: kept inside the implicit extern "C", hashed by content
  Own,   ///< headers of this package: they protect themselves with extern "C++", hashed by content
  Cuda,  ///< NVIDIA's headers: must not get C linkage, known by their folder's state
  Nobody,  ///< in no folder
};

/// The folders in which NVRTC looks, in its order.
struct IncludePaths {
  std::vector<std::filesystem::path> user;
  std::vector<std::filesystem::path> own;
  std::vector<std::filesystem::path> cuda;
  /// Where the compiler thinks that the source stands: it looks there for #include "name".
  std::filesystem::path source_folder;

  /// One `-I` option per folder.
  std::vector<std::string> options() const;

  struct Found {
    IncludeOwner owner = IncludeOwner::Nobody;
    std::filesystem::path file;
  };
  /// The file that `include`, standing in a file of folder `from` (empty: in the program's text),
  /// means.
  Found resolve(const IncludeLine& include, const std::filesystem::path& from) const;
};

/// What a source's includes amount to.
struct Dependencies {
  /// Everything that can change the compiled code without changing the source itself. Nothing: it
  /// cannot be determined (an include named by a macro), so that caching is out of the question.
  std::optional<std::string> fingerprint;
  /// As includes spell the program's own headers.
  std::set<std::string> user_headers;
  /// Of these, those that the compiler reads only when readable_source() has been over them.
  std::map<std::string, std::string> readable_headers;
  /// Kernels in these, as `SourceScan::kernels`.
  std::vector<std::string> kernels;
  /// NVIDIA's headers that the program's own headers include outside of all conditions, in the
  /// order met.
  std::vector<std::string> cuda_headers_of_user_headers;
  /// As `SourceScan::uses_references`, in one of the program's own headers.
  bool user_headers_use_references = false;
};

/// Follows the includes of `scan` through the user's and our own files. Reads these files; of
/// NVIDIA's only the state of the folders is looked at (a changed wheel changes it). `pre_included`
/// are the files of `-include` options.
Dependencies follow_includes(const SourceScan& scan, const std::vector<std::string>& pre_included,
                             const IncludePaths& paths);

}  // namespace pycuda::rtc
