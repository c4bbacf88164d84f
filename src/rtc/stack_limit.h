// SPDX-License-Identifier: MIT
// What NVRTC changes in the process and does not change back.
#pragma once

namespace pycuda::rtc {

/// Keeps the process's limit of stack sizes, which NVRTC sets to "unlimited" for large sources and
/// leaves so: programs that are started later would inherit it, and have another layout of memory
/// in which a stray access may make the stack grow instead of fault. The limit is as before when
/// the last of these goes that live at the same time.
class [[nodiscard]] StackLimitKept {
 public:
  StackLimitKept();
  StackLimitKept(const StackLimitKept&) = delete;
  StackLimitKept& operator=(const StackLimitKept&) = delete;
  ~StackLimitKept();
};

}  // namespace pycuda::rtc
