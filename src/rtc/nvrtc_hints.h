// SPDX-License-Identifier: MIT
// Options that change messages or the time of a compilation, for those NVRTCs that have them.
#pragma once

#include <string>
#include <vector>

#include "rtc/nvrtc.h"

namespace pycuda::rtc {

/// The options in the spelling of this NVRTC. Before 13.1 there is no -Werror: its front end
/// promotes all warnings, and cannot promote those of one kind only.
std::vector<std::string> spelled_for(const Nvrtc& nvrtc, const std::vector<std::string>& options);

/// The hints that this NVRTC knows. It is asked once a process for each, by compiling nothing.
std::vector<std::string> hints_known_to(const Nvrtc& nvrtc, const std::vector<std::string>& hints);

}  // namespace pycuda::rtc
