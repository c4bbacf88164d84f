// SPDX-License-Identifier: MIT
// Reducing kernels for a processor, whose threads run in turn or side by side in vectors.
#include "array/reduction_text.h"

namespace pycuda::array {

std::string ReductionText::streams() const {
  const std::string count = std::to_string(parts);
  std::string text = "    const u64 stretch = rest / (" + count + " * lanes) * lanes;\n" +
                     "    for (u64 done = 0; done < stretch; done += lanes) {\n";
  for (std::size_t k = 0; k < arrays_; ++k)
    text += "      in" + number(k) + " v" + number(k) + "[" + count + "];\n";
  text += "#pragma unroll\n      for (int u = 0; u < " + count + "; ++u) {";
  for (std::size_t k = 0; k < arrays_; ++k)
    text += " v" + number(k) + "[u] = q" + number(k) + "[u * stretch + done + lane];";
  text += " }\n#pragma unroll\n      for (int u = 0; u < " + count + "; ++u) " +
          take("part[u]", "at + static_cast<pos_t>(u * stretch + done) + lane",
               [](std::size_t k) { return "v" + number(k) + "[u]"; }) +
          "\n    }\n";
  for (std::size_t k = 0; k < arrays_; ++k)
    text += "    q" + number(k) + " += " + count + " * stretch;\n";
  return text + "    at += static_cast<pos_t>(" + count + " * stretch);\n    rest -= " + count +
         " * stretch;\n";
}

}  // namespace pycuda::array
