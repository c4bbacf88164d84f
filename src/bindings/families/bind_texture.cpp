// SPDX-License-Identifier: MIT
// Texture and surface references and objects.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "bindings/base/bind.h"
#include "bindings/base/misspelt_attributes.h"
#include "bindings/convert/array_argument.h"
#include "bindings/convert/enumeration.h"
#include "bindings/convert/enumerators.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/texture_argument.h"
#include "bindings/gil/released.h"
#include "bindings/gil/resources.h"
#include "bindings/pointer/device_pointer.h"
#include "cuda/texture.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

using BorderColor = std::array<float, 4>;
using OwnedTexture = ReleasedWithoutGil<cuda::TextureObject>;
using OwnedSurface = ReleasedWithoutGil<cuda::SurfaceObject>;

/// One mode for all axes, or a sequence of up to three.
void read_address_modes(nb::handle modes, CUDA_TEXTURE_DESC& description) {
  if (!PySequence_Check(modes.ptr())) {
    for (CUaddress_mode& mode : description.addressMode)
      mode = as_enumerator<CUaddress_mode>(modes, "address_mode");
    return;
  }
  const Py_ssize_t count = PySequence_Size(modes.ptr());
  if (count < 1 || count > 3) throw nb::value_error("address_mode has one to three modes");
  for (Py_ssize_t i = 0; i < 3; ++i) {
    description.addressMode[i] =
        i < count ? as_enumerator<CUaddress_mode>(nb::object(modes[i]), "address_mode")
                  : description.addressMode[count - 1];
  }
}

CUDA_TEXTURE_DESC description_of(nb::handle address_mode, nb::handle filter_mode, nb::handle flags,
                                 const BorderColor& border_color) {
  CUDA_TEXTURE_DESC description{};
  read_address_modes(address_mode, description);
  description.filterMode = as_enumerator<CUfilter_mode>(filter_mode, "filter_mode");
  description.flags = as_integer<unsigned int>(flags, "flags");
  for (std::size_t i = 0; i < border_color.size(); ++i)
    description.borderColor[i] = border_color[i];
  return description;
}

/// What `array`, an Array or a MipmappedArray, is to the driver, and what keeps it alive.
struct ArrayResource {
  CUDA_RESOURCE_DESC resource{};
  std::shared_ptr<const void> memory;
  float last_level = 0;
};

ArrayResource resource_of(nb::handle array) {
  ArrayResource result;
  if (const auto levels = mipmapped_array_of(array)) {
    result.resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    result.resource.res.mipmap.hMipmappedArray = levels->handle();
    result.last_level = static_cast<float>(levels->levels() - 1);
    result.memory = levels;
  } else {
    const cuda::CudaArrayPtr memory = array_argument(array, "array");
    result.resource.resType = CU_RESOURCE_TYPE_ARRAY;
    result.resource.res.array.hArray = memory->handle();
    result.memory = memory;
  }
  return result;
}

void make_object_of_array(OwnedTexture* self, nb::handle array, nb::handle address_mode,
                          nb::handle filter_mode, nb::handle flags, const BorderColor& border_color,
                          nb::handle mipmap_filter_mode, float mipmap_level_bias,
                          float min_mipmap_level, std::optional<float> max_mipmap_level) {
  ArrayResource from = resource_of(array);
  CUDA_TEXTURE_DESC description = description_of(address_mode, filter_mode, flags, border_color);
  // A driver takes such coordinates for normalized ones.
  if (from.resource.resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY &&
      (description.flags & CU_TRSF_NORMALIZED_COORDINATES) == 0) {
    throw nb::value_error(
        "a MipmappedArray is read with normalized coordinates: pass "
        "flags=TRSF_NORMALIZED_COORDINATES");
  }
  description.mipmapFilterMode =
      as_enumerator<CUfilter_mode>(mipmap_filter_mode, "mipmap_filter_mode");
  description.mipmapLevelBias = mipmap_level_bias;
  description.minMipmapLevelClamp = min_mipmap_level;
  description.maxMipmapLevelClamp = max_mipmap_level.value_or(from.last_level);
  without_gil([&] { new (self) OwnedTexture(from.resource, description, std::move(from.memory)); });
}

std::unique_ptr<OwnedTexture> linear_object(nb::handle devptr, nb::handle bytes, nb::handle format,
                                            nb::handle num_channels, nb::handle flags) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = device_address(devptr, "devptr");
  resource.res.linear.sizeInBytes = as_integer<std::size_t>(bytes, "bytes");
  resource.res.linear.format = as_enumerator<CUarray_format>(format, "format");
  resource.res.linear.numChannels = as_integer<unsigned int>(num_channels, "num_channels");
  CUDA_TEXTURE_DESC description{};
  for (CUaddress_mode& mode : description.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
  description.flags = as_integer<unsigned int>(flags, "flags");
  return without_gil([&] { return std::make_unique<OwnedTexture>(resource, description); });
}

std::unique_ptr<OwnedTexture> pitched_object(nb::handle devptr, nb::handle descr, nb::handle pitch,
                                             nb::handle address_mode, nb::handle filter_mode,
                                             nb::handle flags, const BorderColor& border_color) {
  const CUDA_ARRAY_DESCRIPTOR descriptor = descriptor_argument(descr);
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_PITCH2D;
  auto& pitched = resource.res.pitch2D;
  pitched.devPtr = device_address(devptr, "devptr");
  pitched.format = descriptor.Format;
  pitched.numChannels = descriptor.NumChannels;
  pitched.width = descriptor.Width;
  pitched.height = descriptor.Height;
  pitched.pitchInBytes = as_integer<std::size_t>(pitch, "pitch");
  const CUDA_TEXTURE_DESC description =
      description_of(address_mode, filter_mode, flags, border_color);
  return without_gil([&] { return std::make_unique<OwnedTexture>(resource, description); });
}

/// `view`: a CUDA_RESOURCE_VIEW_DESC.
std::unique_ptr<OwnedTexture> viewed_object(const OwnedTexture& whole, const nb::bytes& view) {
  CUDA_RESOURCE_VIEW_DESC part{};
  std::memcpy(&part, view.c_str(), std::min(view.size(), sizeof part));
  return without_gil([&] { return std::make_unique<OwnedTexture>(whole, part); });
}

/// A call on a reference. What changes one waits for kernels that may read by it, so the GIL is
/// free, and threads of the program call one by one.
template <class Reference, class Action>
auto call(const Reference& reference, Action&& action) {
  return without_gil([&] {
    const Interruptible::NoHandlers none;  // they might call the same reference
    const std::lock_guard one(reference.calls());
    return action();
  });
}

void bind_references(nb::module_& m) {
  using Reference = cuda::TextureReference;
  nb::class_<Reference>(
      m, "TextureReference",
      "A texture that a module declares, as `texture<float, 2> name;`, and the program binds: from "
      "`Module.get_texref`. See also `TextureObject`.",
      nb::dynamic_attr(), nb::is_weak_referenceable(),
      nb::type_slots(slots_that_warn_of_misspelling))
      .def(nb::new_([] { return released_without_gil(Reference::create()); }))
      .def(
          "set_array",
          [](Reference& self, nb::handle array) {
            cuda::CudaArrayPtr memory = array_argument(array, "array");
            call(self, [&] { self.set_array(std::move(memory)); });
          },
          nb::arg("array"), "Bind an `Array`, which is kept alive, and take its format.")
      .def(
          "set_address",
          [](Reference& self, nb::handle devptr, nb::handle bytes, bool allow_offset) {
            const CUdeviceptr address = device_address(devptr, "devptr");
            const auto size = as_integer<std::size_t>(bytes, "bytes");
            return call(self, [&] { return self.set_address(address, size, allow_offset); });
          },
          nb::arg("devptr"), nb::arg("bytes"), nb::arg("allow_offset") = false,
          "Bind plain memory, read by number; gives the offset in bytes that kernels must add.")
      .def(
          "set_address_2d",
          [](Reference& self, nb::handle devptr, nb::handle descr, nb::handle pitch) {
            const CUdeviceptr address = device_address(devptr, "devptr");
            const CUDA_ARRAY_DESCRIPTOR descriptor = descriptor_argument(descr);
            const auto row_bytes = as_integer<std::size_t>(pitch, "pitch");
            call(self, [&] { self.set_address_2d(address, descriptor, row_bytes); });
          },
          nb::arg("devptr"), nb::arg("descr"), nb::arg("pitch"),
          "Bind memory with rows of `pitch` bytes.")
      .def(
          "set_format",
          [](Reference& self, nb::handle fmt, nb::handle channels, nb::handle format) {
            if (fmt.is_none() == format.is_none() || channels.is_none()) {
              PyErr_SetString(PyExc_TypeError,
                              "set_format needs 'format' (the same as 'fmt'), once, and "
                              "'num_components'");
              throw nb::python_error();
            }
            const auto element =
                as_enumerator<CUarray_format>(fmt.is_none() ? format : fmt, "format");
            const auto count = as_integer<int>(channels, "num_components");
            call(self, [&] { self.set_format(element, count); });
          },
          nb::arg("fmt").none() = nb::none(), nb::arg("num_components").none() = nb::none(),
          nb::arg("format").none() = nb::none(),
          "How plain memory is read. The original's code says `format` where its manual says "
          "`fmt`.")
      .def(
          "set_address_mode",
          [](Reference& self, nb::handle dim, nb::handle mode) {
            const auto axis = as_integer<int>(dim, "dim");
            const auto outside = as_enumerator<CUaddress_mode>(mode, "am");
            call(self, [&] { self.set_address_mode(axis, outside); });
          },
          nb::arg("dim"), nb::arg("am"), "What coordinates outside of dimension `dim` mean.")
      .def(
          "set_filter_mode",
          [](Reference& self, nb::handle mode) {
            const auto filter = as_enumerator<CUfilter_mode>(mode, "fm");
            call(self, [&] { self.set_filter_mode(filter); });
          },
          nb::arg("fm"), "The nearest texel, or the mean of the nearest ones.")
      .def(
          "set_flags",
          [](Reference& self, nb::handle flags) {
            const auto bits = as_integer<unsigned int>(flags, "flags");
            call(self, [&] { self.set_flags(bits); });
          },
          nb::arg("flags"), "`TRSF_READ_AS_INTEGER` and `TRSF_NORMALIZED_COORDINATES`.")
      .def(
          "set_border_color",
          [](Reference& self, const BorderColor& color) {
            call(self, [&] { self.set_border_color(color); });
          },
          nb::arg("color"), "What is read outside with `address_mode.BORDER`: four floats.")
      .def(
          "get_address",
          [](const Reference& self) { return call(self, [&] { return self.address(); }); },
          "The address of the memory that is bound.")
      .def(
          "get_array",
          [](const Reference& self) {
            return array_object_of(call(self, [&] { return self.array(); }));
          },
          "The `Array` that is bound.")
      .def(
          "get_address_mode",
          [](const Reference& self, nb::handle dim) {
            const auto axis = as_integer<int>(dim, "dim");
            return member_of("address_mode", call(self, [&] { return self.address_mode(axis); }));
          },
          nb::arg("dim"), "The `address_mode` of a dimension.")
      .def(
          "get_filter_mode",
          [](const Reference& self) {
            return member_of("filter_mode", call(self, [&] { return self.filter_mode(); }));
          },
          "The `filter_mode`.")
      .def(
          "get_format",
          [](const Reference& self) {
            const Reference::Format format = call(self, [&] { return self.format(); });
            return nb::make_tuple(member_of("array_format", format.format), format.channels);
          },
          "Format and channels, as (array_format, int).")
      .def(
          "get_flags",
          [](const Reference& self) { return call(self, [&] { return self.flags(); }); },
          "The flags that were set.");

  nb::class_<cuda::SurfaceReference>(
      m, "SurfaceReference",
      "A surface that a module declares, as `surface<void, 2> name;`, and the program binds: from "
      "`Module.get_surfref`.",
      nb::dynamic_attr(), nb::is_weak_referenceable(),
      nb::type_slots(slots_that_warn_of_misspelling))
      .def(
          "set_array",
          [](cuda::SurfaceReference& self, nb::handle array, nb::handle flags) {
            cuda::CudaArrayPtr memory = array_argument(array, "array");
            const auto bits = as_integer<unsigned int>(flags, "flags");
            call(self, [&] { self.set_array(std::move(memory), bits); });
          },
          nb::arg("array"), nb::arg("flags") = 0,
          "Bind an `Array` that was made with `array3d_flags.SURFACE_LDST`; it is kept alive.")
      .def(
          "get_array",
          [](const cuda::SurfaceReference& self) {
            return array_object_of(call(self, [&] { return self.array(); }));
          },
          "The `Array` that is bound.");
}

template <class Object>
void bind_handle(nb::class_<Object>& type) {
  type.def(
          "free", [](Object& self) { without_gil([&] { self.free(); }); },
          "Give it up now; a second call does nothing.")
      .def_prop_ro("handle", &Object::handle, "The number that kernels get, as an int.")
      .def("__int__", &Object::handle)
      .def("__index__", &Object::handle);
}

}  // namespace

std::optional<std::uint64_t> texture_handle_of(PyObject* object) {
  const nb::handle value(object);
  if (nb::isinstance<OwnedTexture>(value)) return nb::cast<OwnedTexture&>(value).handle();
  if (nb::isinstance<OwnedSurface>(value)) return nb::cast<OwnedSurface&>(value).handle();
  return std::nullopt;
}

void bind_texture(nb::module_& m) {
  bind_references(m);
  const nb::object clamp = member_of("address_mode", CU_TR_ADDRESS_MODE_CLAMP);
  const nb::object point = member_of("filter_mode", CU_TR_FILTER_MODE_POINT);
  nb::class_<OwnedTexture> texture(
      m, "TextureObject",
      "A texture that kernels get as a parameter of type `cudaTextureObject_t`: pass the object, "
      "or its `handle`.\n"
      "\n"
      "Parameters\n"
      "----------\n"
      "array : Array or MipmappedArray\n"
      "    What is read; kept alive. A `MipmappedArray` needs `TRSF_NORMALIZED_COORDINATES`.\n"
      "address_mode : address_mode or sequence of address_mode\n"
      "    What coordinates outside mean, for all dimensions or for each.\n"
      "filter_mode : filter_mode\n"
      "flags : int\n"
      "    `TRSF_READ_AS_INTEGER`, `TRSF_NORMALIZED_COORDINATES`, `TRSF_SRGB`.\n"
      "border_color : sequence of four floats\n"
      "    Read outside with `address_mode.BORDER`.\n"
      "mipmap_filter_mode : filter_mode\n"
      "    Of a `MipmappedArray`: the nearest level, or the mean of the two nearest.\n"
      "mipmap_level_bias : float\n"
      "    Added to the level that a kernel asks for, by `tex2DLod` or `tex2DGrad`.\n"
      "min_mipmap_level, max_mipmap_level : float\n"
      "    The levels that are read; by default all.",
      nb::dynamic_attr(), nb::is_weak_referenceable());
  texture
      .def("__init__", &make_object_of_array, nb::arg("array"), nb::arg("address_mode") = clamp,
           nb::arg("filter_mode") = point, nb::arg("flags") = 0,
           nb::arg("border_color") = BorderColor{}, nb::arg("mipmap_filter_mode") = point,
           nb::arg("mipmap_level_bias") = 0.0f, nb::arg("min_mipmap_level") = 0.0f,
           nb::arg("max_mipmap_level").none() = nb::none())
      .def_static("linear", &linear_object, nb::arg("devptr"), nb::arg("bytes"), nb::arg("format"),
                  nb::arg("num_channels") = 1, nb::arg("flags") = 0, nb::keep_alive<0, 1>(),
                  "A texture over plain memory, read by number with `tex1Dfetch`.")
      .def_static("pitched", &pitched_object, nb::arg("devptr"), nb::arg("descr"), nb::arg("pitch"),
                  nb::arg("address_mode") = clamp, nb::arg("filter_mode") = point,
                  nb::arg("flags") = 0, nb::arg("border_color") = BorderColor{},
                  nb::keep_alive<0, 1>(),
                  "A two-dimensional texture over memory with rows of `pitch` bytes, of the shape "
                  "and format of an `ArrayDescriptor`.");
  bind_handle(texture);

  m.def("_viewed_texture", &viewed_object);

  nb::class_<OwnedSurface> surface(m, "SurfaceObject",
                                   "A surface that kernels get as a parameter of type "
                                   "`cudaSurfaceObject_t`: pass the object, or its `handle`. Its "
                                   "`Array` was made with `array3d_flags.SURFACE_LDST`.",
                                   nb::dynamic_attr(), nb::is_weak_referenceable());
  surface.def(
      "__init__",
      [](OwnedSurface* self, nb::handle array) {
        cuda::CudaArrayPtr memory = array_argument(array, "array");
        without_gil([&] { new (self) OwnedSurface(std::move(memory)); });
      },
      nb::arg("array"));
  bind_handle(surface);
}

}  // namespace pycuda::bindings
