// SPDX-License-Identifier: MIT
#include "standins/nvrtc_library.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/env.h"
#include "base/log.h"
#include "base/read_file.h"
#include "rtc/nvrtc_search.h"

namespace pycuda::standins {
namespace {

namespace fs = std::filesystem;

void add_listed(std::vector<fs::path>& folders) {
  const std::string listed = base::environment("PYCUDA_NVIDIA_PACKAGES").value_or("");
  for (std::string_view rest = listed; !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

/// The packages beside an interpreter: a virtual environment's, which /proc/self/exe does not name
/// because the interpreter there is a link.
void add_beside(const fs::path& program, std::vector<fs::path>& folders) {
  std::error_code error;
  const fs::path libraries = program.parent_path().parent_path() / "lib";
  for (fs::directory_iterator entry(libraries, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->path().filename().native().starts_with("python3")) continue;
    const fs::path folder = entry->path() / "site-packages" / "nvidia";
    if (fs::is_directory(folder, error)) folders.push_back(folder);
  }
}

std::optional<base::DynamicLibrary> find(int preferred) {
  std::vector<rtc::NvrtcInstallation> found = rtc::find_nvrtc(package_folders());
  // A name without a folder would find the stand-in again.
  std::erase_if(found, [](const rtc::NvrtcInstallation& one) {
    return one.library.find('/') == std::string::npos;
  });
  std::ranges::stable_partition(
      found, [&](const rtc::NvrtcInstallation& one) { return one.major == preferred; });
  std::string reason = rtc::missing_nvrtc_message();
  for (const rtc::NvrtcInstallation& one : found) {
    auto library = base::DynamicLibrary::open(one.library);
    if (library) {
      library->leak();
      base::log(base::LogLevel::Info, "stand-in for libnvrtc.so." + std::to_string(preferred) +
                                          ": compiles with " + one.library +
                                          "; its cubins contain PTX");
      return std::move(library).value();
    }
    reason = library.error().message;
  }
  base::log(base::LogLevel::Warning,
            "stand-in for libnvrtc.so." + std::to_string(preferred) + ": " + reason);
  return std::nullopt;
}

}  // namespace

std::vector<fs::path> package_folders() {
  std::vector<fs::path> folders;
  // The program's name ends with a NUL; arguments follow.
  const std::string command = base::read_file("/proc/self/cmdline").value_or("");
  const std::string program(command.c_str());
  if (program.find('/') != std::string::npos) add_beside(program, folders);
  add_listed(folders);
  return folders;
}

const base::DynamicLibrary* nvrtc_library(int preferred) {
  static const std::optional<base::DynamicLibrary>& found =
      *new std::optional<base::DynamicLibrary>(find(preferred));
  return found ? &*found : nullptr;
}

}  // namespace pycuda::standins
