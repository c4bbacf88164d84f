// SPDX-License-Identifier: MIT
// Which file an include means, whose file that is, and what all of them together contain.
#include "rtc/include_paths.h"

#include <sys/stat.h>

#include <utility>

#include "base/read_file.h"
#include "rtc/source_characters.h"

namespace pycuda::rtc {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  struct stat facts{};
  return ::stat(path.c_str(), &facts) == 0 && !S_ISDIR(facts.st_mode);
}

bool is_inside(const fs::path& file, const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    const std::string& inner = file.native();
    const std::string& outer = folder.native();
    if (inner.size() > outer.size() && inner.starts_with(outer) && inner[outer.size()] == '/')
      return true;
  }
  return false;
}

/// Path, age and identity of a folder: pip replaces a wheel's headers by new files, which changes
/// all three.
void add_folder_state(base::Hash& hash, const fs::path& folder) {
  struct stat facts{};
  hash.add(folder.native());
  if (::stat(folder.c_str(), &facts) != 0) {
    hash.add("absent");
    return;
  }
  hash.add(static_cast<std::uint64_t>(facts.st_mtim.tv_sec))
      .add(static_cast<std::uint64_t>(facts.st_mtim.tv_nsec));
  hash.add(static_cast<std::uint64_t>(facts.st_ino)).add(static_cast<std::uint64_t>(facts.st_size));
}

class Follower {
 public:
  explicit Follower(const IncludePaths& paths) : paths_(paths) {}

  void follow(const SourceScan& scan, const fs::path& from, bool from_user_header) {
    if (scan.has_computed_include) exact_ = false;
    for (const IncludeLine& include : scan.includes) {
      const IncludePaths::Found found = paths_.resolve(include, from);
      hash_.add(include.name).add(static_cast<std::uint64_t>(found.owner));
      if (found.owner == IncludeOwner::Cuda) {
        uses_cuda_headers_ = true;
        if (from_user_header && include.unconditional && !include.question &&
            listed_.insert(include.name).second) {
          cuda_headers_.push_back(include.name);
        }
      } else if (found.owner != IncludeOwner::Nobody) {
        if (found.owner == IncludeOwner::User) user_headers_.insert(include.name);
        enter(found, include.name);
      }
    }
  }

  void enter(const IncludePaths::Found& found, const std::string& name) {
    if (!visited_.insert(found.file.native()).second) return;
    const std::string text = base::read_file(found.file.native()).value_or("");
    hash_.add(found.file.native()).add(text);
    const SourceScan scan = scan_source(text);
    const bool users = found.owner == IncludeOwner::User;
    uses_references_ = uses_references_ || (users && scan.uses_references);
    if (users) {
      kernels_.insert(kernels_.end(), scan.kernels.begin(), scan.kernels.end());
      std::string readable = readable_source(text);
      if (readable != text) readable_headers_.emplace(name, std::move(readable));
    }
    follow(scan, found.file.parent_path(), users);
  }

  Dependencies result() {
    if (uses_cuda_headers_) {
      for (const fs::path& folder : paths_.cuda) {
        add_folder_state(hash_, folder);
        for (const char* inner :
             {"cub", "cuda", "cuda/std", "crt", "curand_kernel.h", "cuda_fp16.h"}) {
          add_folder_state(hash_, folder / inner);
        }
      }
    }
    Dependencies dependencies;
    if (exact_) dependencies.fingerprint = hash_.hex();
    dependencies.user_headers = std::move(user_headers_);
    dependencies.readable_headers = std::move(readable_headers_);
    dependencies.kernels = std::move(kernels_);
    dependencies.cuda_headers_of_user_headers = std::move(cuda_headers_);
    dependencies.user_headers_use_references = uses_references_;
    return dependencies;
  }

 private:
  const IncludePaths& paths_;
  base::Hash hash_;
  bool exact_ = true;
  bool uses_cuda_headers_ = false;
  bool uses_references_ = false;
  std::set<std::string> visited_;
  std::set<std::string> user_headers_;
  std::map<std::string, std::string> readable_headers_;
  std::vector<std::string> kernels_;
  std::set<std::string> listed_;
  std::vector<std::string> cuda_headers_;
};

}  // namespace

std::vector<std::string> IncludePaths::options() const {
  std::vector<std::string> options;
  for (const auto* folders : {&user, &own, &cuda}) {
    for (const fs::path& folder : *folders) options.push_back("-I" + folder.native());
  }
  return options;
}

IncludePaths::Found IncludePaths::resolve(const IncludeLine& include, const fs::path& from) const {
  const fs::path& folder_of_includer = from.empty() ? source_folder : from;
  if (!include.angled && !folder_of_includer.empty()) {
    const fs::path beside = folder_of_includer / include.name;
    if (is_file(beside))
      return {is_inside(beside, own) ? IncludeOwner::Own : IncludeOwner::User, beside};
  }
  const std::pair<const std::vector<fs::path>*, IncludeOwner> groups[] = {
      {&user, IncludeOwner::User}, {&own, IncludeOwner::Own}, {&cuda, IncludeOwner::Cuda}};
  for (const auto& [folders, owner] : groups) {
    for (const fs::path& folder : *folders) {
      fs::path file = folder / include.name;
      if (!is_file(file)) continue;
      // A user who names NVIDIA's folder with -I still means NVIDIA's files.
      return {owner == IncludeOwner::User && is_inside(file, cuda) ? IncludeOwner::Cuda : owner,
              std::move(file)};
    }
  }
  return {};
}

Dependencies follow_includes(const SourceScan& scan, const std::vector<std::string>& pre_included,
                             const IncludePaths& paths) {
  Follower follower(paths);
  SourceScan before;
  for (const std::string& name : pre_included) {
    IncludeLine include;
    include.name = name;
    before.includes.push_back(std::move(include));
  }
  follower.follow(before, {}, false);
  follower.follow(scan, {}, false);
  return follower.result();
}

}  // namespace pycuda::rtc
