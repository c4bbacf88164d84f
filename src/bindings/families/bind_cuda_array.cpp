// SPDX-License-Identifier: MIT
// Arrays, their descriptions, and copies of runs of bytes to and from them.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include <limits>
#include <memory>
#include <string>
#include <type_traits>

#include "bindings/array/keeping.h"
#include "bindings/base/bind.h"
#include "bindings/base/limited_api.h"
#include "bindings/base/misspelt_attributes.h"
#include "bindings/convert/array_argument.h"
#include "bindings/convert/buffer.h"
#include "bindings/convert/enumeration.h"
#include "bindings/convert/enumerators.h"
#include "bindings/convert/integers.h"
#include "bindings/gil/released.h"
#include "bindings/gil/resources.h"
#include "bindings/pointer/device_pointer.h"
#include "cuda/context_stack.h"
#include "cuda/cuda_array.h"
#include "cuda/memcpy.h"
#include "cuda/mipmapped_array.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

using OwnedArray = ReleasedWithoutGil<cuda::CudaArray>;
using OwnedMipmappedArray = ReleasedWithoutGil<cuda::MipmappedArray>;

template <class Handle>
Handle pointer_of(nb::handle number) {
  return reinterpret_cast<Handle>(as_integer<std::uintptr_t>(number, "handle"));
}

template <class Descriptor>
void make_array(OwnedArray* self, const Descriptor& descriptor) {
  without_gil([&] { new (self) OwnedArray(descriptor); });
}

CUDA_ARRAY3D_DESCRIPTOR description_of(const CUDA_ARRAY_DESCRIPTOR& plane) {
  return {plane.Width, plane.Height, 0, plane.Format, plane.NumChannels, 0};
}
CUDA_ARRAY3D_DESCRIPTOR description_of(const CUDA_ARRAY3D_DESCRIPTOR& volume) { return volume; }

template <class Descriptor>
void make_mipmapped_array(OwnedMipmappedArray* self, const Descriptor& descriptor,
                          nb::handle levels) {
  const CUDA_ARRAY3D_DESCRIPTOR description = description_of(descriptor);
  constexpr unsigned int all = std::numeric_limits<unsigned int>::max();
  const unsigned int count = levels.is_none() ? all : as_integer<unsigned int>(levels, "levels");
  without_gil([&] { new (self) OwnedMipmappedArray(description, count); });
}

void bind_mipmapped_array(nb::module_& m) {
  nb::class_<OwnedMipmappedArray>(
      m, "MipmappedArray",
      "An array at several resolutions, for a `TextureObject`: each level is half as large as the "
      "one before, in every dimension (layers stay), down to one element.\n"
      "\n"
      "Parameters\n"
      "----------\n"
      "descriptor : ArrayDescriptor or ArrayDescriptor3D\n"
      "    Shape and format of the first level.\n"
      "levels : int\n"
      "    Cut to 1 + floor(log2(longest extent)), which is also what None means.",
      nb::dynamic_attr(), nb::is_weak_referenceable())
      .def("__init__", &make_mipmapped_array<CUDA_ARRAY_DESCRIPTOR>, nb::arg("descriptor"),
           nb::arg("levels").none() = nb::none())
      .def("__init__", &make_mipmapped_array<CUDA_ARRAY3D_DESCRIPTOR>, nb::arg("descriptor"),
           nb::arg("levels").none() = nb::none())
      .def(
          "get_level",
          [](nb::handle self, nb::handle level) {
            const auto number = as_integer<unsigned int>(level, "level");
            const auto array = nb::cast<std::shared_ptr<OwnedMipmappedArray>>(self);
            return array_object_of(
                without_gil([&] { return cuda::MipmappedArray::level(array, number); }));
          },
          nb::arg("level"),
          "One level as an `Array`, for copies and surfaces; it keeps the whole alive.")
      .def(
          "free", [](OwnedMipmappedArray& self) { without_gil([&] { self.free(); }); },
          "Free the memory now, that of the levels too; a second call does nothing.")
      .def("get_descriptor_3d", &cuda::MipmappedArray::descriptor,
           "The `ArrayDescriptor3D` of the first level.")
      .def_prop_ro("levels", &cuda::MipmappedArray::levels, "How many levels there are, an int.")
      .def_prop_ro(
          "handle",
          [](const OwnedMipmappedArray& self) {
            return reinterpret_cast<std::uintptr_t>(self.handle());
          },
          "The driver's handle, as an int.");
}

template <class Descriptor, auto Member>
void bind_extent(nb::class_<Descriptor>& type, const char* name) {
  using Number = std::remove_reference_t<decltype(std::declval<Descriptor&>().*Member)>;
  type.def_prop_rw(
      name, [](const Descriptor& self) { return self.*Member; },
      [name](Descriptor& self, nb::handle value) {
        self.*Member = as_integer<Number>(value, name);
      });
}

template <class Descriptor>
void bind_plane(nb::class_<Descriptor>& type) {
  type.def("__init__", [](Descriptor* self) { new (self) Descriptor{}; });
  bind_extent<Descriptor, &Descriptor::Width>(type, "width");
  bind_extent<Descriptor, &Descriptor::Height>(type, "height");
  bind_extent<Descriptor, &Descriptor::NumChannels>(type, "num_channels");
  type.def_prop_rw(
      "format", [](const Descriptor& self) { return member_of("array_format", self.Format); },
      [](Descriptor& self, nb::handle value) {
        self.Format = as_enumerator<CUarray_format>(value, "the format");
      });
}

std::size_t index_of(nb::handle index) { return as_integer<std::size_t>(index, "the index"); }
std::size_t bytes_of(nb::handle len) { return as_integer<std::size_t>(len, "len"); }

void host_to_array(nb::handle ary, nb::handle index, nb::handle src) {
  const cuda::CudaArrayPtr array = array_argument(ary, "ary");
  const std::size_t offset = index_of(index);
  const Buffer source = Buffer::read(src.ptr());
  without_gil(
      [&] { cuda::copy_host_to_array(array->handle(), offset, source.data(), source.bytes()); });
}

void array_to_host(nb::handle dest, nb::handle ary, nb::handle index) {
  const Buffer destination = Buffer::write(dest.ptr());
  const cuda::CudaArrayPtr array = array_argument(ary, "ary");
  const std::size_t offset = index_of(index);
  without_gil([&] {
    cuda::copy_array_to_host(destination.data(), array->handle(), offset, destination.bytes());
  });
}

void bind_copies_of_arrays(nb::module_& m) {
  m.def(
      "memcpy_dtoa",
      [](nb::handle ary, nb::handle index, nb::handle src, nb::handle len) {
        const cuda::CudaArrayPtr array = array_argument(ary, "ary");
        const CUdeviceptr source = device_address(src, "src");
        const std::size_t offset = index_of(index), bytes = bytes_of(len);
        without_gil([&] { cuda::copy_device_to_array(array->handle(), offset, source, bytes); });
      },
      nb::arg("ary"), nb::arg("index"), nb::arg("src"), nb::arg("len"),
      "Copy `len` bytes of device memory into an array, from byte `index` on.");
  m.def(
      "memcpy_atod",
      [](nb::handle dest, nb::handle ary, nb::handle index, nb::handle len) {
        const CUdeviceptr destination = device_address(dest, "dest");
        const cuda::CudaArrayPtr array = array_argument(ary, "ary");
        const std::size_t offset = index_of(index), bytes = bytes_of(len);
        without_gil(
            [&] { cuda::copy_array_to_device(destination, array->handle(), offset, bytes); });
      },
      nb::arg("dest"), nb::arg("ary"), nb::arg("index"), nb::arg("len"),
      "Copy `len` bytes of an array, from byte `index` on, to device memory.");
  m.def(
      "memcpy_atoa",
      [](nb::handle dest, nb::handle dest_index, nb::handle src, nb::handle src_index,
         nb::handle len) {
        const cuda::CudaArrayPtr destination = array_argument(dest, "dest");
        const cuda::CudaArrayPtr source = array_argument(src, "src");
        const std::size_t to = index_of(dest_index), from = index_of(src_index);
        const std::size_t bytes = bytes_of(len);
        without_gil([&] {
          cuda::copy_array_to_array(destination->handle(), to, source->handle(), from, bytes);
        });
      },
      nb::arg("dest"), nb::arg("dest_index"), nb::arg("src"), nb::arg("src_index"), nb::arg("len"),
      "Copy `len` bytes from one array to another.");
  for (const char* name : {"py_memcpy_htoa", "memcpy_htoa"}) {
    m.def(name, &host_to_array, nb::arg("ary"), nb::arg("index"), nb::arg("src"),
          "Copy a host buffer into an array, from byte `index` on.");
  }
  for (const char* name : {"py_memcpy_atoh", "memcpy_atoh"}) {
    m.def(name, &array_to_host, nb::arg("dest"), nb::arg("ary"), nb::arg("index"),
          "Fill a host buffer from an array, from byte `index` on.");
  }
}

}  // namespace

cuda::CudaArrayPtr array_argument(nb::handle object, const char* what) {
  std::shared_ptr<OwnedArray> array;
  if (!nb::try_cast(object, array) || array == nullptr) {
    PyErr_Format(PyExc_TypeError,
                 "%s must be an Array, not %s: np_to_array or gpuarray_to_array makes one", what,
                 type_name(object.ptr()).c_str());
    throw nb::python_error();
  }
  cuda::require_alive(array->context());
  return array;
}

std::shared_ptr<const cuda::MipmappedArray> mipmapped_array_of(nb::handle object) {
  std::shared_ptr<OwnedMipmappedArray> array;
  if (!nb::try_cast(object, array) || array == nullptr) return nullptr;
  cuda::require_alive(array->context());
  return array;
}

CUDA_ARRAY_DESCRIPTOR descriptor_argument(nb::handle object) {
  CUDA_ARRAY_DESCRIPTOR* descriptor = nullptr;
  if (!nb::try_cast(object, descriptor) || descriptor == nullptr) {
    PyErr_Format(PyExc_TypeError, "the descriptor must be an ArrayDescriptor, not %s",
                 type_name(object.ptr()).c_str());
    throw nb::python_error();
  }
  return *descriptor;
}

nb::object array_object_of(const cuda::CudaArrayPtr& array) {
  if (const auto owned_array = std::dynamic_pointer_cast<OwnedArray>(array)) {
    return nb::cast(owned_array);
  }
  return nb::cast(std::make_unique<OwnedArray>(std::move(*array)));
}

void bind_cuda_array(nb::module_& m) {
  m.def("_array_of", [](nb::handle handle, nb::handle owner) {
    return array_object_of(cuda::CudaArray::borrow(
        cuda::require_context(), pointer_of<CUarray>(handle), kept_object(owner)));
  });
  m.def("_mipmapped_array_of", [](nb::handle handle, const CUDA_ARRAY3D_DESCRIPTOR& descriptor,
                                  nb::handle levels, nb::handle owner, bool is_own) {
    return std::make_unique<OwnedMipmappedArray>(pointer_of<CUmipmappedArray>(handle), descriptor,
                                                 as_integer<unsigned int>(levels, "levels"),
                                                 kept_object(owner), is_own);
  });
  nb::class_<CUDA_ARRAY_DESCRIPTOR> plane(
      m, "ArrayDescriptor", nb::dynamic_attr(), nb::type_slots(slots_that_warn_of_misspelling),
      "The shape and the format of a one- or two-dimensional array: set `width`, `height` (0 for "
      "one dimension), `format` and `num_channels`.");
  bind_plane(plane);
  nb::class_<CUDA_ARRAY3D_DESCRIPTOR> volume(
      m, "ArrayDescriptor3D", nb::dynamic_attr(), nb::type_slots(slots_that_warn_of_misspelling),
      "The same with `depth` (slices, or layers) and `flags` of `array3d_flags`.");
  bind_plane(volume);
  bind_extent<CUDA_ARRAY3D_DESCRIPTOR, &CUDA_ARRAY3D_DESCRIPTOR::Depth>(volume, "depth");
  bind_extent<CUDA_ARRAY3D_DESCRIPTOR, &CUDA_ARRAY3D_DESCRIPTOR::Flags>(volume, "flags");

  nb::class_<OwnedArray>(
      m, "Array",
      "Device memory laid out for textures and surfaces, made from an `ArrayDescriptor` or "
      "`ArrayDescriptor3D`.",
      nb::dynamic_attr(), nb::is_weak_referenceable())
      .def("__init__", &make_array<CUDA_ARRAY_DESCRIPTOR>, nb::arg("descriptor"))
      .def("__init__", &make_array<CUDA_ARRAY3D_DESCRIPTOR>, nb::arg("descriptor"))
      .def(
          "free", [](OwnedArray& self) { without_gil([&] { self.free(); }); },
          "Free the memory now; a second call does nothing.")
      .def("get_descriptor", &cuda::CudaArray::descriptor, "Its `ArrayDescriptor`.")
      .def("get_descriptor_3d", &cuda::CudaArray::descriptor_3d, "Its `ArrayDescriptor3D`.")
      .def_prop_ro(
          "handle",
          [](const OwnedArray& self) { return reinterpret_cast<std::uintptr_t>(self.handle()); },
          "The driver's handle, as an int.");
  bind_mipmapped_array(m);
  bind_copies_of_arrays(m);
}

}  // namespace pycuda::bindings
