// SPDX-License-Identifier: MIT
// Messages that are logged once per process, not with every compilation.
#pragma once

#include <string>

#include "base/log.h"

namespace pycuda::rtc {

/// Logs the text unless this process has logged something about `subject` (empty: the text itself)
/// before. Any thread.
void say_once(base::LogLevel level, const std::string& text, const std::string& subject = {});

}  // namespace pycuda::rtc
