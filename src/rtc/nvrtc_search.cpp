// SPDX-License-Identifier: MIT
// Where NVRTC and the headers that belong to it are, without opening anything.
#include "rtc/nvrtc_search.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <system_error>

#include "base/env.h"

namespace pycuda::rtc {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLibraryPrefix = "libnvrtc.so.";
/// Where in a toolkit its libraries may be.
constexpr const char* kToolkitLibraries[] = {"lib64", "lib", "targets/x86_64-linux/lib"};

bool is_there(const fs::path& path) {
  struct stat facts{};
  return ::stat(path.c_str(), &facts) == 0;
}

/// 13 of "13" or "11.2"; 0 for other text.
int leading_number(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The sonames of NVRTC in a folder ("libnvrtc.so.13", not "libnvrtc.so.13.0.88"), newest first.
std::vector<fs::path> libraries_in(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const char* version : {"15", "14", "13", "12", "11.2"}) {
    fs::path file = folder / (std::string(kLibraryPrefix) + version);
    if (is_there(file)) found.push_back(std::move(file));
  }
  return found;
}

std::vector<fs::path> existing(std::initializer_list<fs::path> folders) {
  std::vector<fs::path> found;
  for (const fs::path& folder : folders) {
    if (is_there(folder)) found.push_back(folder);
  }
  return found;
}

bool has_header(const std::vector<fs::path>& folders, const char* name) {
  return std::ranges::any_of(folders,
                             [&](const fs::path& folder) { return is_there(folder / name); });
}

bool has_cuda_headers(const std::vector<fs::path>& folders) {
  return has_header(folders, "cuda_fp16.h");
}

/// A header of each wheel that kernels include something of.
bool has_all_headers(const std::vector<fs::path>& folders) {
  return has_cuda_headers(folders) && has_header(folders, "crt/host_defines.h") &&
         has_header(folders, "cub/cub.cuh") && has_header(folders, "curand_kernel.h");
}

std::vector<fs::path> toolkit_includes(const fs::path& root) {
  return existing({root / "include", root / "include/cccl", root / "targets/x86_64-linux/include",
                   root / "targets/x86_64-linux/include/cccl"});
}

std::vector<fs::path> wheel_includes(const fs::path& root) {
  return existing({root / "include", root / "include/cccl"});
}

std::vector<fs::path> toolkit_roots() {
  std::vector<fs::path> roots;
  for (const char* name : {"CUDA_PATH", "CUDA_HOME", "CUDA_ROOT", "CONDA_PREFIX"}) {
    if (const auto root = base::environment(name); root && !root->empty())
      roots.emplace_back(*root);
  }
  for (const char* root : {"/usr/local/cuda", "/opt/cuda"}) roots.emplace_back(root);
  return roots;
}

bool toolkit_has_nvrtc(const fs::path& root, int major) {
  return std::ranges::any_of(kToolkitLibraries, [&](const char* folder) {
    return is_there(root / folder / (std::string(kLibraryPrefix) + std::to_string(major)));
  });
}

class Search {
 public:
  Search(std::span<const fs::path> package_folders, bool everywhere) {
    for (const fs::path& folder : package_folders) add_wheels(folder, package_folders);
    // Newest first; equal ones in the order of the folders.
    std::ranges::stable_sort(found_,
                             [](const auto& a, const auto& b) { return a.major > b.major; });
    if (const auto file = base::environment("PYCUDA_NVRTC"); file && !file->empty()) {
      use_only(*file);
      return;
    }
    if (everywhere) look_outside_of_wheels();
    mend_headers();
  }

  std::vector<NvrtcInstallation> take() { return std::move(found_); }

 private:
  /// The one that the user names. Its headers stand beside it in a wheel or toolkit; else the
  /// wheels' are taken.
  void use_only(const fs::path& file) {
    std::vector<fs::path> includes = toolkit_includes(file.parent_path().parent_path());
    if (!has_cuda_headers(includes) && !found_.empty()) includes = found_.front().include_folders;
    found_.clear();
    add(file, "PYCUDA_NVRTC", std::move(includes));
  }

  void look_outside_of_wheels() {
    for (const fs::path& root : toolkit_roots()) {
      for (const char* folder : kToolkitLibraries) {
        for (const fs::path& file : libraries_in(root / folder))
          add(file, "toolkit", toolkit_includes(root));
      }
    }
    add_library_path();
    if (found_.empty()) {
      for (const char* version : {"13", "12"})
        add(std::string(kLibraryPrefix) + version, "loader", {});
    }
  }

  void add(const fs::path& file, const char* origin, std::vector<fs::path> includes) {
    NvrtcInstallation installation;
    installation.library = file.native();
    const std::string name = file.filename().native();
    const std::size_t at = name.find(".so.");
    installation.major =
        at == std::string::npos ? 0 : leading_number(std::string_view(name).substr(at + 4));
    installation.identity = file_identity(file);
    installation.origin = origin;
    installation.include_folders = std::move(includes);
    const bool known = std::ranges::any_of(found_, [&](const NvrtcInstallation& other) {
      return other.major == installation.major && installation.major != 0;
    });
    if (known) return;
    found_.push_back(std::move(installation));
  }

  void add_wheels(const fs::path& folder, std::span<const fs::path> package_folders) {
    // CUDA 13 and newer put all wheels of one version into one folder; older ones have a folder per
    // wheel.
    for (const char* version : {"15", "14", "13"}) {
      const std::string name = std::string("cu") + version;
      const fs::path file = folder / name / "lib" / (std::string(kLibraryPrefix) + version);
      if (!is_there(file)) continue;
      std::vector<fs::path> includes = wheel_includes(folder / name);
      // Some of the wheels may be the user's, others the system's.
      for (const fs::path& other : package_folders) {
        if (other != folder)
          std::ranges::copy(wheel_includes(other / name), std::back_inserter(includes));
      }
      add(file, "wheel", std::move(includes));
    }
    if (!is_there(folder / "cuda_nvrtc/lib")) return;

    for (const fs::path& file : libraries_in(folder / "cuda_nvrtc/lib")) {
      add(file, "wheel",
          existing({folder / "cuda_runtime/include", folder / "cuda_cccl/include",
                    folder / "cuda_nvcc/include", folder / "curand/include",
                    folder / "cuda_nvrtc/include"}));
    }
  }

  void add_library_path() {
    std::vector<std::string> folders;
    if (const auto path = base::environment("LD_LIBRARY_PATH")) {
      std::string_view rest = *path;
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        if (end > 0) folders.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
    folders.emplace_back("/usr/lib/x86_64-linux-gnu");
    folders.emplace_back("/usr/lib/aarch64-linux-gnu");
    for (const fs::path folder : folders) {
      for (const fs::path& file : libraries_in(folder)) {
        add(file, "library path",
            existing({folder.parent_path() / "include", folder.parent_path() / "include/cccl"}));
      }
    }
  }

  /// An NVRTC that came without headers takes those of the first installation that has some; what
  /// is still missing of them, as where other packages brought only some wheels, a toolkit of the
  /// same version may have.
  void mend_headers() {
    take_headers_of_others();
    for (NvrtcInstallation& installation : found_) {
      for (const fs::path& root : toolkit_roots()) {
        if (has_all_headers(installation.include_folders)) break;
        if (!toolkit_has_nvrtc(root, installation.major)) continue;
        for (fs::path& folder : toolkit_includes(root)) {
          if (std::ranges::find(installation.include_folders, folder) ==
              installation.include_folders.end())
            installation.include_folders.push_back(std::move(folder));
        }
      }
    }
  }

  void take_headers_of_others() {
    for (NvrtcInstallation& installation : found_) {
      if (has_cuda_headers(installation.include_folders)) continue;
      for (const NvrtcInstallation& other : found_) {
        if (other.major == installation.major && has_cuda_headers(other.include_folders)) {
          installation.include_folders = other.include_folders;
          break;
        }
      }
    }
  }

  std::vector<NvrtcInstallation> found_;
};

}  // namespace

std::vector<NvrtcInstallation> find_nvrtc(std::span<const fs::path> package_folders) {
  return Search(package_folders, true).take();
}

std::vector<NvrtcInstallation> find_nvrtc_wheels(std::span<const fs::path> package_folders) {
  return Search(package_folders, false).take();
}

fs::path find_nvcc(const std::string& name) {
  const auto is_program = [](const fs::path& file) {
    struct stat facts{};
    return ::stat(file.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
           ::access(file.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return is_program(name) ? fs::path(name) : fs::path();
  if (const auto path = base::environment("PATH")) {
    std::string_view rest = *path;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      const fs::path file = fs::path(rest.substr(0, end)) / name;
      if (end > 0 && is_program(file)) return file;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  for (const fs::path& root : toolkit_roots()) {
    if (is_program(root / "bin" / name)) return root / "bin" / name;
  }
  return {};
}

std::string file_identity(const fs::path& file) {
  struct stat facts{};
  if (::stat(file.c_str(), &facts) != 0) return file.native();
  return file.native() + " " + std::to_string(facts.st_size) + " " +
         std::to_string(facts.st_mtim.tv_sec) + "." + std::to_string(facts.st_mtim.tv_nsec);
}

std::string missing_nvrtc_message() {
  return "NVIDIA's run-time compiler NVRTC was not found: `pip install nvidia-cuda-nvrtc "
         "nvidia-cuda-runtime "
         "nvidia-cuda-crt nvidia-cuda-cccl nvidia-curand` brings it and the CUDA headers (no GPU "
         "and no toolkit "
         "needed), or PYCUDA_NVRTC=<path of libnvrtc.so> names one";
}

}  // namespace pycuda::rtc
