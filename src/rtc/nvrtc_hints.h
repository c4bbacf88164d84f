// SPDX-License-Identifier: MIT
// Options that change messages or the time of a compilation, for those NVRTCs that have them.
#pragma once

#include <string>
#include <vector>

#include "rtc/nvrtc.h"

namespace pycuda::rtc {

/// The hints that this NVRTC knows. It is asked once a process for each, by compiling nothing.
std::vector<std::string> hints_known_to(const Nvrtc& nvrtc, const std::vector<std::string>& hints);

}  // namespace pycuda::rtc
