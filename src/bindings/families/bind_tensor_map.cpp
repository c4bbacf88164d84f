// SPDX-License-Identifier: MIT
// Tensor maps of arrays. Python counts dimensions from the outermost, as NumPy; the driver from the
// innermost.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/base/bind.h"
#include "bindings/convert/enumeration.h"
#include "bindings/convert/enumerators.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/tensor_map_argument.h"
#include "bindings/gil/released.h"
#include "bindings/pointer/device_pointer.h"
#include "cuda/tensor_map.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

/// Keeps the array alive, whose address is in the map.
struct TensorMap {
  CUtensorMap map;
  nb::object array;
};

constexpr std::pair<std::string_view, CUtensorMapDataType> types[] = {
    {"uint8", CU_TENSOR_MAP_DATA_TYPE_UINT8},
    {"int8", CU_TENSOR_MAP_DATA_TYPE_UINT8},
    {"bool", CU_TENSOR_MAP_DATA_TYPE_UINT8},
    {"float8_e4m3fn", CU_TENSOR_MAP_DATA_TYPE_UINT8},
    {"float8_e5m2", CU_TENSOR_MAP_DATA_TYPE_UINT8},
    {"uint16", CU_TENSOR_MAP_DATA_TYPE_UINT16},
    {"int16", CU_TENSOR_MAP_DATA_TYPE_UINT16},
    {"uint32", CU_TENSOR_MAP_DATA_TYPE_UINT32},
    {"int32", CU_TENSOR_MAP_DATA_TYPE_INT32},
    {"uint64", CU_TENSOR_MAP_DATA_TYPE_UINT64},
    {"int64", CU_TENSOR_MAP_DATA_TYPE_INT64},
    {"float16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16},
    {"bfloat16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16},
    {"float32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32},
    {"float64", CU_TENSOR_MAP_DATA_TYPE_FLOAT64},
};

CUtensorMapDataType type_of(nb::handle dtype) {
  const auto name = nb::cast<std::string>(dtype.attr("name"));
  for (const auto& [known, type] : types) {
    if (known == name) return type;
  }
  throw nb::type_error(("tensor maps have no elements of dtype " + name +
                        "; view the array as one that they have, such as uint32 or float32")
                           .c_str());
}

/// The integers of a Python sequence, the last one first; of one integer that one.
template <class Integer>
std::vector<Integer> reversed(nb::handle numbers, const char* what) {
  std::vector<Integer> all;
  if (PyLong_Check(numbers.ptr())) return {as_integer<Integer>(numbers, what)};
  for (nb::handle number : nb::iter(numbers)) all.push_back(as_integer<Integer>(number, what));
  std::reverse(all.begin(), all.end());
  return all;
}

CUdeviceptr address_of(nb::handle array) {
  for (const char* name : {"shape", "strides", "dtype", "gpudata"}) {
    if (nb::hasattr(array, name)) continue;
    throw nb::type_error(
        "a tensor map is made of a GPUArray; other memory becomes one by "
        "GPUArray(shape, dtype, gpudata=address)");
  }
  const nb::object memory = array.attr("gpudata");
  if (memory.is_none()) throw nb::value_error("a tensor map of an array without elements");
  return device_address(memory, "gpudata");
}

cuda::MappedTensor tensor_of(nb::handle array, nb::handle type, nb::handle steps,
                             nb::handle interleave, nb::handle swizzle, nb::handle promotion,
                             nb::handle fill) {
  cuda::MappedTensor tensor;
  tensor.address = address_of(array);
  const nb::object dtype = array.attr("dtype");
  tensor.type =
      type.is_none() ? type_of(dtype) : as_enumerator<CUtensorMapDataType>(type, "data_type");
  const unsigned bytes = cuda::element_bytes(tensor.type);
  const auto own_bytes = nb::cast<unsigned>(dtype.attr("itemsize"));
  if (bytes != 0 && bytes != own_bytes) {
    throw nb::type_error(("elements of " + std::to_string(own_bytes) +
                          " bytes in an array that is mapped as elements of " +
                          std::to_string(bytes) + " bytes")
                             .c_str());
  }
  tensor.sizes = reversed<cuuint64_t>(array.attr("shape"), "shape");
  for (const auto stride : reversed<long long>(array.attr("strides"), "strides"))
    tensor.strides.push_back(static_cast<cuuint64_t>(stride));
  tensor.steps = steps.is_none() ? std::vector<cuuint32_t>(tensor.sizes.size(), 1)
                                 : reversed<cuuint32_t>(steps, "element_strides");
  tensor.interleave = as_enumerator<CUtensorMapInterleave>(interleave, "interleave");
  tensor.swizzle = as_enumerator<CUtensorMapSwizzle>(swizzle, "swizzle");
  tensor.promotion = as_enumerator<CUtensorMapL2promotion>(promotion, "l2_promotion");
  tensor.fill = as_enumerator<CUtensorMapFloatOOBfill>(fill, "oob_fill");
  return tensor;
}

TensorMap* tiled(nb::object array, nb::handle box, nb::handle type, nb::handle steps,
                 nb::handle interleave, nb::handle swizzle, nb::handle promotion, nb::handle fill) {
  const cuda::MappedTensor tensor =
      tensor_of(array, type, steps, interleave, swizzle, promotion, fill);
  const auto sizes = reversed<cuuint32_t>(box, "box");
  const CUtensorMap map = without_gil([&] { return cuda::tiled_map(tensor, sizes); });
  return new TensorMap{map, std::move(array)};
}

TensorMap* im2col(nb::object array, nb::handle lower, nb::handle upper, nb::handle channels,
                  nb::handle pixels, nb::handle type, nb::handle steps, nb::handle interleave,
                  nb::handle swizzle, nb::handle promotion, nb::handle fill) {
  const cuda::MappedTensor tensor =
      tensor_of(array, type, steps, interleave, swizzle, promotion, fill);
  const cuda::PixelBox box{reversed<int>(lower, "lower_corner"),
                           reversed<int>(upper, "upper_corner"),
                           as_integer<cuuint32_t>(channels, "channels_per_pixel"),
                           as_integer<cuuint32_t>(pixels, "pixels_per_column")};
  const CUtensorMap map = without_gil([&] { return cuda::im2col_map(tensor, box); });
  return new TensorMap{map, std::move(array)};
}

TensorMap* im2col_wide(nb::object array, nb::handle lower, nb::handle upper, nb::handle channels,
                       nb::handle pixels, nb::handle mode, nb::handle type, nb::handle steps,
                       nb::handle interleave, nb::handle swizzle, nb::handle promotion,
                       nb::handle fill) {
  const cuda::MappedTensor tensor =
      tensor_of(array, type, steps, interleave, swizzle, promotion, fill);
  const cuda::PixelBox box{{as_integer<int>(lower, "lower_corner")},
                           {as_integer<int>(upper, "upper_corner")},
                           as_integer<cuuint32_t>(channels, "channels_per_pixel"),
                           as_integer<cuuint32_t>(pixels, "pixels_per_column")};
  const auto wide = as_enumerator<CUtensorMapIm2ColWideMode>(mode, "mode");
  const CUtensorMap map = without_gil([&] { return cuda::im2col_wide_map(tensor, box, wide); });
  return new TensorMap{map, std::move(array)};
}

void replace_array(TensorMap& self, nb::object array) {
  const CUdeviceptr address = address_of(array);
  for (const char* name : {"shape", "strides", "dtype"}) {
    if (self.array.attr(name).equal(array.attr(name))) continue;
    throw nb::value_error(
        (std::string("the new array differs in its ") + name + "; make a new tensor map").c_str());
  }
  without_gil([&] { cuda::replace_address(self.map, address); });
  self.array = std::move(array);
}

}  // namespace

const CUtensorMap* tensor_map_of(PyObject* object) {
  const nb::handle value(object);
  return nb::isinstance<TensorMap>(value) ? &nb::cast<TensorMap&>(value).map : nullptr;
}

void bind_tensor_map(nb::module_& m) {
  const nb::object no_interleave = member_of("tensor_map_interleave", 0);
  const nb::object no_swizzle = member_of("tensor_map_swizzle", 0);
  const nb::object no_promotion = member_of("tensor_map_l2_promotion", 0);
  const nb::object zeros = member_of("tensor_map_oob_fill", 0);
  nb::class_<TensorMap>(
      m, "TensorMap",
      "What a kernel gets as a parameter `const __grid_constant__ CUtensorMap` for bulk copies "
      "between an array and shared memory (`cp.async.bulk.tensor`): pass the object. Made by "
      "`tiled` and `im2col`, for devices of compute capability 9.0 and newer; on the CPU driver "
      "with `PYCUDA_CPU_ARCH=90`. The array is kept alive.",
      nb::dynamic_attr(), nb::is_weak_referenceable())
      .def_static(
          "tiled", &tiled, nb::arg("array"), nb::arg("box"),
          nb::arg("data_type").none() = nb::none(), nb::arg("element_strides").none() = nb::none(),
          nb::arg("interleave") = no_interleave, nb::arg("swizzle") = no_swizzle,
          nb::arg("l2_promotion") = no_promotion, nb::arg("oob_fill") = zeros,
          nb::rv_policy::take_ownership,
          "A map for copies of boxes.\n"
          "\n"
          "Parameters\n"
          "----------\n"
          "array : GPUArray\n"
          "    Of 1 to 5 dimensions. The elements of the last one are neighbours; the other "
          "strides "
          "and the address are multiples of 16 bytes.\n"
          "box : sequence of int\n"
          "    The shape of what one copy moves, of at most 256 elements in each dimension, in the "
          "order of `array.shape`; the last dimension is a multiple of 16 bytes.\n"
          "data_type : tensor_map_data_type, optional\n"
          "    By default that of the array's dtype; signed integers of 8 and 16 bits are copied "
          "as "
          "unsigned ones.\n"
          "element_strides : sequence of int, optional\n"
          "    1 to 8 for each dimension: 2 copies every other element.\n"
          "interleave : tensor_map_interleave\n"
          "swizzle : tensor_map_swizzle\n"
          "    How rows of a box are permuted in shared memory, so that columns are read without "
          "bank conflicts.\n"
          "l2_promotion : tensor_map_l2_promotion\n"
          "oob_fill : tensor_map_oob_fill\n"
          "    What is read outside the array: zeros, or NaN.\n"
          "\n"
          "Raises\n"
          "------\n"
          "ValueError\n"
          "    For an array or a box that cannot be mapped; the message names the rule.\n"
          "TypeError\n"
          "    For something else than a GPUArray, and for a dtype that tensor maps do not have.\n"
          "LogicError\n"
          "    On a device without tensor maps.\n"
          "\n"
          "Examples\n"
          "--------\n"
          "::\n"
          "\n"
          "    picture = gpuarray.to_gpu(np.zeros((480, 640), np.float32))\n"
          "    tile = driver.TensorMap.tiled(picture, box=(16, 64))\n"
          "    kernel(tile, block=(256, 1, 1), grid=(10, 30))")
      .def_static(
          "im2col", &im2col, nb::arg("array"), nb::arg("lower_corner"), nb::arg("upper_corner"),
          nb::arg("channels_per_pixel"), nb::arg("pixels_per_column"),
          nb::arg("data_type").none() = nb::none(), nb::arg("element_strides").none() = nb::none(),
          nb::arg("interleave") = no_interleave, nb::arg("swizzle") = no_swizzle,
          nb::arg("l2_promotion") = no_promotion, nb::arg("oob_fill") = zeros,
          nb::rv_policy::take_ownership,
          "A map for the columns of matrices that stand for convolutions.\n"
          "\n"
          "Parameters\n"
          "----------\n"
          "array : GPUArray\n"
          "    Images of shape (N, W, C), (N, H, W, C) or (N, D, H, W, C).\n"
          "lower_corner, upper_corner : sequence of int\n"
          "    Where the box of pixels begins and ends beyond the image, of each dimension of "
          "space, in the order of `array.shape`.\n"
          "channels_per_pixel, pixels_per_column : int\n"
          "    At most 256 and 1024.\n"
          "data_type, element_strides, interleave, swizzle, l2_promotion, oob_fill\n"
          "    As for `tiled`.\n"
          "\n"
          "Raises\n"
          "------\n"
          "ValueError, TypeError, LogicError\n"
          "    As `tiled`.")
      .def_static(
          "im2col_wide", &im2col_wide, nb::arg("array"), nb::arg("lower_corner"),
          nb::arg("upper_corner"), nb::arg("channels_per_pixel"), nb::arg("pixels_per_column"),
          nb::arg("mode") = 0, nb::arg("data_type").none() = nb::none(),
          nb::arg("element_strides").none() = nb::none(), nb::arg("interleave") = no_interleave,
          nb::arg("swizzle") = no_swizzle, nb::arg("l2_promotion") = no_promotion,
          nb::arg("oob_fill") = zeros, nb::rv_policy::take_ownership,
          "A map for columns along one row of pixels. Needs CUDA 12.8; copies by it need compute "
          "capability 10.0, and on the CPU driver they have no pixels of a halo.\n"
          "\n"
          "Parameters\n"
          "----------\n"
          "array : GPUArray\n"
          "    As for `im2col`.\n"
          "lower_corner, upper_corner : int\n"
          "    Where the row begins and ends beyond the image, along the last dimension of space.\n"
          "channels_per_pixel, pixels_per_column : int\n"
          "mode : int\n"
          "    0 for `im2col::w` copies, 1 for `im2col::w::128`.\n"
          "data_type, element_strides, interleave, swizzle, l2_promotion, oob_fill\n"
          "    As for `tiled`.\n"
          "\n"
          "Raises\n"
          "------\n"
          "ValueError, TypeError, LogicError\n"
          "    As `tiled`.")
      .def("replace_array", &replace_array, nb::arg("array"),
           "Make it a map of another array of the same shape, strides and dtype.")
      .def_prop_ro(
          "array", [](const TensorMap& self) { return self.array; }, "The array that is mapped.")
      .def(
          "__bytes__",
          [](const TensorMap& self) {
            return nb::bytes(reinterpret_cast<const char*>(&self.map), sizeof self.map);
          },
          "The 128 bytes that a kernel gets, for several maps in an array; its address in device "
          "memory is a multiple of 64.");
}

}  // namespace pycuda::bindings
