// SPDX-License-Identifier: MIT
// What a user should hear of once in a process, not with every compilation.
#include "rtc/said_once.h"

#include <mutex>
#include <set>

namespace pycuda::rtc {

void say_once(base::LogLevel level, const std::string& text, const std::string& subject) {
  static std::mutex mutex;
  static std::set<std::string>* const said = new std::set<std::string>;  // outlives every thread
  {
    const std::lock_guard lock(mutex);
    if (!said->insert(subject.empty() ? text : subject).second) return;
  }
  base::log(level, text);
}

}  // namespace pycuda::rtc
