// SPDX-License-Identifier: MIT
// Lines that a compiler's log quotes.
#include "rtc/quoted_lines.h"

namespace pycuda::rtc {

void erase_quoted(std::string& log, std::string_view added) {
  for (std::size_t at = log.find(added); at != std::string::npos; at = log.find(added, at)) {
    log.erase(at, added.size());
    const std::size_t begin = log.rfind('\n', at) + 1;  // npos + 1 is the start
    const std::size_t next = log.find('\n', at);
    if (next == std::string::npos) break;
    // The line below points at a column: it moves left as far as the text above it did.
    const std::size_t column = next + 1 + (at - begin);
    if (log.compare(column, added.size(), std::string(added.size(), ' ')) == 0) {
      log.erase(column, added.size());
    }
  }
}

}  // namespace pycuda::rtc
