// SPDX-License-Identifier: MIT
// Options that change messages or the time of a compilation, for those NVRTCs that have them.
#include "rtc/nvrtc_hints.h"

#include <map>
#include <mutex>

#include "rtc/said_once.h"

namespace pycuda::rtc {
namespace {

void say_dropped(const Nvrtc& nvrtc, const std::string& option) {
  say_once(base::LogLevel::Info, "the option " + option + " is dropped: NVRTC " +
                                     std::to_string(nvrtc.major()) + "." +
                                     std::to_string(nvrtc.minor()) + " does not have it");
}

bool knows(const Nvrtc& nvrtc, const std::string& hint) {
  // To ask takes longer than it saves in the first compilations.
  if (hint.ends_with("-minimal") && nvrtc.major() >= 13) return true;
  static std::mutex mutex;
  static auto* const answers = new std::map<std::string, bool>;  // outlives every thread
  const std::string key = nvrtc.path() + '\n' + hint;
  const std::lock_guard lock(mutex);
  if (const auto found = answers->find(key); found != answers->end()) return found->second;
  // A wrong value is another complaint, which the real compilation then reports.
  const NvrtcResult tried = nvrtc.compile("", "hint.cu", {hint}, false);
  const bool known = tried.log.find("unrecognized option") == std::string::npos;
  answers->emplace(key, known);
  return known;
}

}  // namespace

std::vector<std::string> spelled_for(const Nvrtc& nvrtc, const std::vector<std::string>& options) {
  const bool has_werror = nvrtc.major() > 13 || (nvrtc.major() == 13 && nvrtc.minor() >= 1);
  if (has_werror) return options;
  std::vector<std::string> spelled;
  for (const std::string& option : options) {
    if (option == "-Werror=all-warnings") {
      spelled.insert(spelled.end(), {"-Xcudafe", "--promote_warnings"});
    } else if (option.starts_with("-Werror=")) {
      say_dropped(nvrtc, option);
    } else {
      spelled.push_back(option);
    }
  }
  return spelled;
}

std::vector<std::string> hints_known_to(const Nvrtc& nvrtc, const std::vector<std::string>& hints) {
  std::vector<std::string> known;
  for (const std::string& hint : hints) {
    if (knows(nvrtc, hint)) {
      known.push_back(hint);
    } else {
      say_dropped(nvrtc, hint);
    }
  }
  return known;
}

}  // namespace pycuda::rtc
