// SPDX-License-Identifier: MIT
// Arrays as kernel arguments, checked against the pointers that the kernel declares: elements of
// another size are an error, those of another kind and strides other than C order's get a warning.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <string_view>

#include "bindings/array/type.h"
#include "cuda/kernel.h"

namespace pycuda::bindings {

/// The parameter that an array is passed for.
struct ArrayParameter {
  const cuda::Kernel& kernel;
  std::size_t index;
  cuda::ElementType element;  ///< Any: nothing is checked
};

namespace internal {

consteval std::array<cuda::ElementType, array::dtype_count + 1> element_table() {
  using Kind = cuda::ElementType::Kind;
  std::array<cuda::ElementType, array::dtype_count + 1> table{};
  const auto set = [&](array::DType type, Kind kind, std::uint8_t bytes) {
    table[static_cast<std::size_t>(type)] = {kind, bytes};
  };
  set(array::DType::Bool, Kind::Integer, 1);
  set(array::DType::I16, Kind::Integer, 2);
  set(array::DType::U16, Kind::Integer, 2);
  set(array::DType::I32, Kind::Integer, 4);
  set(array::DType::U32, Kind::Integer, 4);
  set(array::DType::I64, Kind::Integer, 8);
  set(array::DType::U64, Kind::Integer, 8);
  set(array::DType::F16, Kind::Float, 2);
  set(array::DType::BF16, Kind::BFloat, 2);
  set(array::DType::F32, Kind::Float, 4);
  set(array::DType::F64, Kind::Float, 8);
  set(array::DType::C64, Kind::Complex, 8);
  set(array::DType::C128, Kind::Complex, 16);
  return table;
}

/// What elements of a dtype are; bytes and structs are Any.
inline constexpr auto element_of = element_table();

[[gnu::cold]] void check_mismatched(const ArrayParameter& parameter, PyObject* object);

}  // namespace internal

/// Of a GPUArray. Raises TypeError, or what a warning was turned into.
inline void check_device_array(const ArrayParameter& parameter, PyObject* object) {
  if (parameter.element.kind == cuda::ElementType::Kind::Any) return;
  const ArrayState& state = state_of_array(object);
  const bool same = parameter.element == internal::element_of[static_cast<std::size_t>(state.type)];
  if (!same || !array::is_c_contiguous(state.layout, state.item_bytes)) {
    internal::check_mismatched(parameter, object);
  }
}

/// Of anything with a NumPy dtype; what has none passes.
void check_host_array(const ArrayParameter& parameter, nanobind::handle object);

/// Warns once of strides that are not those of C order, for elements of `item_bytes`, by the tuples
/// of an array.
[[gnu::cold]] void check_strides(const ArrayParameter& parameter, nanobind::handle shape,
                                 nanobind::handle strides, std::size_t item_bytes);

/// By an array interface's `typestr`.
void check_type_text(const ArrayParameter& parameter, std::string_view typestr);

}  // namespace pycuda::bindings
