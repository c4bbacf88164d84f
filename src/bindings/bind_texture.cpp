// SPDX-License-Identifier: MIT
// Texture and surface references and objects.
#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include <array>
#include <memory>

#include "bindings/array_argument.h"
#include "bindings/device_pointer.h"
#include "bindings/enumeration.h"
#include "bindings/integers.h"
#include "bindings/texture_families.h"
#include "bindings/unlocked.h"
#include "cuda/texture.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

using BorderColor = std::array<float, 4>;

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

void make_object_of_array(cuda::TextureObject* self, nb::handle array, nb::handle address_mode,
                          nb::handle filter_mode, nb::handle flags,
                          const BorderColor& border_color) {
  cuda::CudaArrayPtr memory = array_argument(array, "array");
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = memory->handle();
  new (self) cuda::TextureObject(
      resource, description_of(address_mode, filter_mode, flags, border_color), std::move(memory));
}

std::unique_ptr<cuda::TextureObject> linear_object(nb::handle devptr, nb::handle bytes,
                                                   nb::handle format, nb::handle num_channels,
                                                   nb::handle flags) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = device_address(devptr, "devptr");
  resource.res.linear.sizeInBytes = as_integer<std::size_t>(bytes, "bytes");
  resource.res.linear.format = as_enumerator<CUarray_format>(format, "format");
  resource.res.linear.numChannels = as_integer<unsigned int>(num_channels, "num_channels");
  CUDA_TEXTURE_DESC description{};
  for (CUaddress_mode& mode : description.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
  description.flags = as_integer<unsigned int>(flags, "flags");
  return std::make_unique<cuda::TextureObject>(resource, description);
}

std::unique_ptr<cuda::TextureObject> pitched_object(nb::handle devptr, nb::handle descr,
                                                    nb::handle pitch, nb::handle address_mode,
                                                    nb::handle filter_mode, nb::handle flags,
                                                    const BorderColor& border_color) {
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
  return std::make_unique<cuda::TextureObject>(
      resource, description_of(address_mode, filter_mode, flags, border_color));
}

void bind_references(nb::module_& m) {
  using Reference = cuda::TextureReference;
  nb::class_<Reference>(
      m, "TextureReference",
      "A texture that a module declares, as `texture<float, 2> name;`, and the program binds: from "
      "`Module.get_texref`. See also `TextureObject`.",
      nb::is_weak_referenceable())
      .def(nb::new_(&Reference::create))
      .def(
          "set_array",
          [](Reference& self, nb::handle array) { self.set_array(array_argument(array, "array")); },
          nb::arg("array"), "Bind an `Array`, which is kept alive, and take its format.")
      .def(
          "set_address",
          [](Reference& self, nb::handle devptr, nb::handle bytes, bool allow_offset) {
            return self.set_address(device_address(devptr, "devptr"),
                                    as_integer<std::size_t>(bytes, "bytes"), allow_offset);
          },
          nb::arg("devptr"), nb::arg("bytes"), nb::arg("allow_offset") = false,
          "Bind plain memory, read by number; gives the offset in bytes that kernels must add.")
      .def(
          "set_address_2d",
          [](Reference& self, nb::handle devptr, nb::handle descr, nb::handle pitch) {
            self.set_address_2d(device_address(devptr, "devptr"), descriptor_argument(descr),
                                as_integer<std::size_t>(pitch, "pitch"));
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
            self.set_format(as_enumerator<CUarray_format>(fmt.is_none() ? format : fmt, "format"),
                            as_integer<int>(channels, "num_components"));
          },
          nb::arg("fmt").none() = nb::none(), nb::arg("num_components").none() = nb::none(),
          nb::arg("format").none() = nb::none(),
          "How plain memory is read. The original's code says `format` where its manual says "
          "`fmt`.")
      .def(
          "set_address_mode",
          [](Reference& self, nb::handle dim, nb::handle mode) {
            self.set_address_mode(as_integer<int>(dim, "dim"),
                                  as_enumerator<CUaddress_mode>(mode, "am"));
          },
          nb::arg("dim"), nb::arg("am"), "What coordinates outside of dimension `dim` mean.")
      .def(
          "set_filter_mode",
          [](Reference& self, nb::handle mode) {
            self.set_filter_mode(as_enumerator<CUfilter_mode>(mode, "fm"));
          },
          nb::arg("fm"), "The nearest texel, or the mean of the nearest ones.")
      .def(
          "set_flags",
          [](Reference& self, nb::handle flags) {
            self.set_flags(as_integer<unsigned int>(flags, "flags"));
          },
          nb::arg("flags"), "`TRSF_READ_AS_INTEGER` and `TRSF_NORMALIZED_COORDINATES`.")
      .def("set_border_color", &Reference::set_border_color, nb::arg("color"),
           "What is read outside with `address_mode.BORDER`: four floats.")
      .def("get_address", &Reference::address, "The address of the memory that is bound.")
      .def(
          "get_array", [](const Reference& self) { return array_object_of(self.array()); },
          "The `Array` that is bound.")
      .def(
          "get_address_mode",
          [](const Reference& self, nb::handle dim) {
            return member_of("address_mode", self.address_mode(as_integer<int>(dim, "dim")));
          },
          nb::arg("dim"), "The `address_mode` of a dimension.")
      .def(
          "get_filter_mode",
          [](const Reference& self) { return member_of("filter_mode", self.filter_mode()); },
          "The `filter_mode`.")
      .def(
          "get_format",
          [](const Reference& self) {
            const Reference::Format format = self.format();
            return nb::make_tuple(member_of("array_format", format.format), format.channels);
          },
          "Format and channels, as (array_format, int).")
      .def("get_flags", &Reference::flags, "The flags that were set.");

  nb::class_<cuda::SurfaceReference>(
      m, "SurfaceReference",
      "A surface that a module declares, as `surface<void, 2> name;`, and the program binds: from "
      "`Module.get_surfref`.",
      nb::is_weak_referenceable())
      .def(
          "set_array",
          [](cuda::SurfaceReference& self, nb::handle array, nb::handle flags) {
            self.set_array(array_argument(array, "array"),
                           as_integer<unsigned int>(flags, "flags"));
          },
          nb::arg("array"), nb::arg("flags") = 0,
          "Bind an `Array` that was made with `array3d_flags.SURFACE_LDST`; it is kept alive.")
      .def(
          "get_array",
          [](const cuda::SurfaceReference& self) { return array_object_of(self.array()); },
          "The `Array` that is bound.");
}

template <class Object>
void bind_handle(nb::class_<Object>& type) {
  type.def(
          "free", [](Object& self) { unlocked([&] { self.free(); }); },
          "Give it up now; a second call does nothing.")
      .def_prop_ro("handle", &Object::handle, "The number that kernels get, as an int.")
      .def("__int__", &Object::handle)
      .def("__index__", &Object::handle);
}

}  // namespace

void bind_texture(nb::module_& m) {
  bind_references(m);
  const nb::object clamp = member_of("address_mode", CU_TR_ADDRESS_MODE_CLAMP);
  const nb::object point = member_of("filter_mode", CU_TR_FILTER_MODE_POINT);
  nb::class_<cuda::TextureObject> texture(
      m, "TextureObject",
      "A texture that kernels get as a parameter of type `cudaTextureObject_t`: pass `handle`.\n"
      "\n"
      "Parameters\n"
      "----------\n"
      "array : Array\n"
      "    What is read; kept alive.\n"
      "address_mode : address_mode or sequence of address_mode\n"
      "    What coordinates outside mean, for all dimensions or for each.\n"
      "filter_mode : filter_mode\n"
      "flags : int\n"
      "    `TRSF_READ_AS_INTEGER`, `TRSF_NORMALIZED_COORDINATES`, `TRSF_SRGB`.\n"
      "border_color : sequence of four floats\n"
      "    Read outside with `address_mode.BORDER`.",
      nb::is_weak_referenceable());
  texture
      .def("__init__", &make_object_of_array, nb::arg("array"), nb::arg("address_mode") = clamp,
           nb::arg("filter_mode") = point, nb::arg("flags") = 0,
           nb::arg("border_color") = BorderColor{})
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

  nb::class_<cuda::SurfaceObject> surface(
      m, "SurfaceObject",
      "A surface that kernels get as a parameter of type `cudaSurfaceObject_t`: pass `handle`. Its "
      "`Array` was made with `array3d_flags.SURFACE_LDST`.",
      nb::is_weak_referenceable());
  surface.def(
      "__init__",
      [](cuda::SurfaceObject* self, nb::handle array) {
        new (self) cuda::SurfaceObject(array_argument(array, "array"));
      },
      nb::arg("array"));
  bind_handle(surface);
}

}  // namespace pycuda::bindings
