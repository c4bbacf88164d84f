// SPDX-License-Identifier: MIT
#include "bindings/convert/natural_layout.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace pycuda::bindings {

NaturalLayout layout_of_dtype(nb::handle dtype) {
  const auto bytes = nb::cast<std::size_t>(dtype.attr("itemsize"));
  const nb::object fields = dtype.attr("fields");
  if (fields.is_none()) {
    const std::string kind = nb::cast<std::string>(dtype.attr("kind"));
    const std::size_t alignment = kind == "c" ? bytes / 2 : bytes;
    return {bytes, std::clamp<std::size_t>(alignment, 1, 16)};
  }
  std::size_t alignment = 1;
  std::string names;
  std::vector<std::size_t> sizes;
  for (nb::handle name : nb::iter(dtype.attr("names"))) {
    const NaturalLayout member = layout_of_dtype(fields[name][0].attr("base"));
    alignment = std::max(alignment, member.alignment);
    sizes.push_back(member.bytes);
    names += nb::cast<std::string>(name);
  }
  const bool vector = (names == "xy" || names == "xyzw") &&
                      std::equal(sizes.begin() + 1, sizes.end(), sizes.begin());
  return {bytes, vector ? std::min<std::size_t>(bytes, 16) : alignment};
}

}  // namespace pycuda::bindings
