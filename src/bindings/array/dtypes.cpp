// SPDX-License-Identifier: MIT
// NumPy's dtypes of the types that kernels know.
#include <nanobind/stl/string.h>

#include <array>
#include <string>

#include "bindings/array/type.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

using array::DType;

struct DTypeTable {
  std::array<nb::object, array::dtype_count> dtypes;
  nb::object make;  // numpy.dtype
};

DTypeTable& dtype_table() {
  static auto* table = [] {
    auto* made = new DTypeTable;
    made->make = nb::module_::import_("numpy").attr("dtype");
    for (int i = 0; i < array::dtype_count; ++i) {
      const auto type = static_cast<DType>(i);
      if (type == DType::BF16) continue;
      made->dtypes[static_cast<std::size_t>(i)] = made->make(array::name(type));
    }
    return made;
  }();
  return *table;
}

/// Bytes of the device taken for Python's pointers would end the process.
void refuse_objects(nb::handle dtype) {
  if (!nb::cast<bool>(dtype.attr("hasobject"))) return;
  throw array::TypeMismatch(
      "elements of dtype " + nb::cast<std::string>(nb::str(dtype)) +
      " are Python objects, which a device cannot hold: convert the array with astype");
}

}  // namespace

nb::object as_numpy_dtype(nb::handle given) { return dtype_table().make(given); }

nb::handle numpy_dtype(DType type) {
  nb::object& dtype = dtype_table().dtypes[static_cast<std::size_t>(type)];
  if (!dtype.is_valid()) {  // bfloat16 is known only where the package that has it is installed
    dtype = dtype_table().make(nb::module_::import_("ml_dtypes").attr("bfloat16"));
  }
  return dtype;
}

DType builtin_dtype(nb::handle dtype) {
  const DTypeTable& table = dtype_table();
  for (std::size_t i = 0; i < table.dtypes.size(); ++i) {
    if (table.dtypes[i].is(dtype)) return static_cast<DType>(i);
  }
  return DType::Raw;
}

DType dtype_of(nb::handle dtype) {
  if (const DType builtin = builtin_dtype(dtype); builtin != DType::Raw) return builtin;
  const DTypeTable& table = dtype_table();
  // Equal ones under other names, such as longlong; not those of another byte order.
  for (std::size_t i = 0; i < table.dtypes.size(); ++i) {
    if (table.dtypes[i].is_valid() && table.dtypes[i].equal(dtype)) return static_cast<DType>(i);
  }
  const bool brain_float = nb::cast<std::string>(dtype.attr("name")) == "bfloat16" &&
                           numpy_dtype(DType::BF16).equal(dtype);
  if (!brain_float) refuse_objects(dtype);
  return brain_float ? DType::BF16 : DType::Raw;
}

}  // namespace pycuda::bindings
