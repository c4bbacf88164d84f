// SPDX-License-Identifier: MIT
#include "cpu/exec/json_text.h"

#include <cstdio>

namespace pycuda::cpu::exec {

std::string quoted_json(std::string_view text) {
  std::string json = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      json += '\\';
      json += character;
    } else if (byte < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", unsigned{byte});
      json += escape;
    } else {
      json += character;
    }
  }
  return json + "\"";
}

std::string list_json(const Dim3& at) {
  return "[" + std::to_string(at.x) + ", " + std::to_string(at.y) + ", " + std::to_string(at.z) +
         "]";
}

}  // namespace pycuda::cpu::exec
