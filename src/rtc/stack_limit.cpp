// SPDX-License-Identifier: MIT
#include "rtc/stack_limit.h"

#include <sys/resource.h>

#include <mutex>

namespace pycuda::rtc {
namespace {

struct Kept {
  std::mutex mutex;
  unsigned users = 0;
  rlimit before{};
  bool known = false;
};

Kept& kept() {
  static Kept one;
  return one;
}

}  // namespace

StackLimitKept::StackLimitKept() {
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  if (all.users++ == 0) all.known = getrlimit(RLIMIT_STACK, &all.before) == 0;
}

StackLimitKept::~StackLimitKept() {
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  if (--all.users != 0 || !all.known) return;
  rlimit now{};
  if (getrlimit(RLIMIT_STACK, &now) == 0 && now.rlim_cur != all.before.rlim_cur)
    setrlimit(RLIMIT_STACK, &all.before);
}

}  // namespace pycuda::rtc
