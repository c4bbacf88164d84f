// SPDX-License-Identifier: MIT
// Memcpy2D, Memcpy3D and Memcpy3DPeer: copies that are filled in, then called.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "bindings/array/keeping.h"
#include "bindings/base/bind.h"
#include "bindings/base/misspelt_attributes.h"
#include "bindings/convert/array_argument.h"
#include "bindings/convert/enumeration.h"
#include "bindings/convert/enumerators.h"
#include "bindings/convert/held_memory.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/stream_argument.h"
#include "bindings/gil/released.h"
#include "bindings/pointer/device_pointer.h"
#include "cuda/memcpy.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

/// The driver's structure, and what keeps its memory alive: as long as the copy object itself.
template <class Parameters>
struct StructuredCopy {
  Parameters parameters{};
  std::unique_ptr<HeldMemory> source;
  std::unique_ptr<HeldMemory> destination;
  nb::object source_owner;
  nb::object destination_owner;
  /// Extents that the program has set, 0 among them.
  bool has_width = false, has_height = false, has_depth = false;
};
using Copy2D = StructuredCopy<CUDA_MEMCPY2D>;
using Copy3D = StructuredCopy<CUDA_MEMCPY3D>;
using Copy3DPeer = StructuredCopy<CUDA_MEMCPY3D_PEER>;

template <class Copy>
using ParametersOf = decltype(Copy::parameters);

/// What a captured copy reads and writes.
template <class Copy>
void keep_memory(const Copy& copy) {
  for (const HeldMemory* held : {copy.source.get(), copy.destination.get()}) {
    if (held != nullptr) keep_if_captured(held->owner());
  }
  for (const nb::object& owner : {copy.source_owner, copy.destination_owner}) {
    if (owner.is_valid()) keep_if_captured(nb::handle(owner));
  }
}

/// Where a box begins in memory of rows, and how far rows and slices are apart.
struct Place {
  std::size_t x, y, z, pitch, height;
};

std::size_t sum(std::size_t a, std::size_t b) {
  std::size_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? SIZE_MAX : result;
}

std::size_t product(std::size_t a, std::size_t b) {
  std::size_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? SIZE_MAX : result;
}

/// How many bytes from the first one on a box of at least one byte takes part of. A pitch or height
/// of 0 stands for rows and slices without gaps.
std::size_t end_of_box(const Place& place, std::size_t width, std::size_t height,
                       std::size_t depth) {
  const std::size_t pitch = place.pitch != 0 ? place.pitch : sum(place.x, width);
  const std::size_t rows = place.height != 0 ? place.height : sum(place.y, height);
  const std::size_t slices = product(sum(place.z, depth - 1), rows);
  const std::size_t before = product(sum(slices, sum(place.y, height - 1)), pitch);
  return sum(before, sum(place.x, width));
}

/// The driver cannot know how long host memory is.
void check_host(const HeldMemory* memory, const void* address, const char* routine,
                const char* side, std::size_t end) {
  if (memory == nullptr || memory->data() != address) return;
  const std::size_t bytes = memory->extent();
  if (end <= bytes) return;
  throw driver::DriverError(routine, CUDA_ERROR_INVALID_VALUE,
                            std::string(side) + ": host memory of " + std::to_string(bytes) +
                                " bytes, but the copy goes to byte " + std::to_string(end));
}

void check_is_set(CUmemorytype type, const char* routine, const char* side, const char* prefix) {
  if (static_cast<int>(type) != 0) return;
  const std::string setter = std::string("set_") + prefix + "_";
  throw driver::DriverError(routine, CUDA_ERROR_INVALID_VALUE,
                            std::string(side) + " is not set: call " + setter + "host, " + setter +
                                "device, " + setter + "array or " + setter + "unified");
}

template <class Copy>
void check_host_sides(const Copy& copy, const char* routine) {
  const auto& box = copy.parameters;
  Place from{box.srcXInBytes, box.srcY, 0, box.srcPitch, 0};
  Place to{box.dstXInBytes, box.dstY, 0, box.dstPitch, 0};
  std::size_t depth = 1;
  if constexpr (!std::is_same_v<Copy, Copy2D>) {
    depth = box.Depth;
    from.z = box.srcZ;
    from.height = box.srcHeight;
    to.z = box.dstZ;
    to.height = box.dstHeight;
  }
  if (box.WidthInBytes == 0 || box.Height == 0 || depth == 0) return;
  check_is_set(box.srcMemoryType, routine, "the source", "src");
  check_is_set(box.dstMemoryType, routine, "the destination", "dst");
  const auto address = [](CUmemorytype type, const void* host, CUdeviceptr unified) -> const void* {
    if (type == CU_MEMORYTYPE_HOST) return host;
    return type == CU_MEMORYTYPE_UNIFIED ? reinterpret_cast<const void*>(unified) : nullptr;
  };
  check_host(copy.source.get(), address(box.srcMemoryType, box.srcHost, box.srcDevice), routine,
             "source", end_of_box(from, box.WidthInBytes, box.Height, depth));
  check_host(copy.destination.get(), address(box.dstMemoryType, box.dstHost, box.dstDevice),
             routine, "destination", end_of_box(to, box.WidthInBytes, box.Height, depth));
}

/// The first extent that is 0, and whether the program has set it; null where none is.
template <class Copy>
std::pair<const char*, bool> empty_extent(const Copy& copy) {
  const auto& box = copy.parameters;
  if (box.WidthInBytes == 0) return {"width_in_bytes", copy.has_width};
  if (box.Height == 0) return {"height", copy.has_height};
  if constexpr (!std::is_same_v<Copy, Copy2D>) {
    if (box.Depth == 0) return {"depth", copy.has_depth};
  }
  return {nullptr, false};
}

/// An extent that was forgotten is 0. Attributes that the copy lacks are accepted, so one that is
/// misspelled leaves it so, too.
template <class Copy>
void warn_of_forgotten_extent(nb::handle_t<Copy> self, const char* name) {
  const auto [zero, was_set] = empty_extent(nb::cast<const Copy&>(self));
  if (zero == nullptr) return;
  std::string others;
  for (const auto& [key, value] : nb::cast<nb::dict>(self.attr("__dict__"))) {
    others += (others.empty() ? ", and it has no attribute '" : ", '") +
              nb::cast<std::string>(nb::str(key)) + "'";
  }
  if (was_set && others.empty()) return;
  const std::string text = std::string(name) + " copies nothing: its " + zero +
                           (was_set ? " is 0" : " was never set") + others;
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) throw nb::python_error();
}

template <class Copy>
void note_extent(Copy& copy, std::string_view name) {
  copy.has_width |= name == "width_in_bytes";
  copy.has_height |= name == "height";
  copy.has_depth |= name == "depth";
}

// The member is a value, no template's argument: one function for all members of a type.
template <class Copy, class Number>
void bind_number(nb::class_<Copy>& type, Number ParametersOf<Copy>::* member, const char* name) {
  type.def_prop_rw(
      name, [member](const Copy& self) { return self.parameters.*member; },
      [member, name](Copy& self, nb::handle value) {
        self.parameters.*member = as_integer<Number>(value, name);
        note_extent(self, name);
      });
}

template <class Copy>
void bind_memory_type(nb::class_<Copy>& type, CUmemorytype ParametersOf<Copy>::* member,
                      const char* name) {
  type.def_prop_rw(
      name,
      [member](const Copy& self) { return member_of("memory_type", self.parameters.*member); },
      [member, name](Copy& self, nb::handle value) {
        self.parameters.*member = as_enumerator<CUmemorytype>(value, name);
      });
}

template <class Copy>
void bind_address(nb::class_<Copy>& type, CUdeviceptr ParametersOf<Copy>::* member,
                  const char* name) {
  type.def_prop_rw(
      name, [member](const Copy& self) { return self.parameters.*member; },
      [member, name](Copy& self, nb::handle value) {
        self.parameters.*member = device_address(value, name);
      });
}

/// Keeps a buffer in the place of the one before; where it is.
void* hold(std::unique_ptr<HeldMemory>& held, nb::handle buffer, int flags) {
  held = std::make_unique<HeldMemory>(buffer, flags);
  return held->data();
}

template <class Copy>
void bind_setters(nb::class_<Copy>& type) {
  type.def(
      "set_src_host",
      [](Copy& self, nb::handle buffer) {
        self.parameters.srcHost = hold(self.source, buffer, PyBUF_STRIDED_RO);
        self.parameters.srcMemoryType = CU_MEMORYTYPE_HOST;
      },
      nb::arg("buffer"), "Copy from a host buffer.");
  type.def(
      "set_dst_host",
      [](Copy& self, nb::handle buffer) {
        self.parameters.dstHost = hold(self.destination, buffer, PyBUF_STRIDED);
        self.parameters.dstMemoryType = CU_MEMORYTYPE_HOST;
      },
      nb::arg("buffer"), "Copy to a host buffer.");
  type.def(
      "set_src_unified",
      [](Copy& self, nb::handle buffer) {
        void* const data = hold(self.source, buffer, PyBUF_ANY_CONTIGUOUS);
        self.parameters.srcDevice = reinterpret_cast<CUdeviceptr>(data);
        self.parameters.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
      },
      nb::arg("buffer"), "Copy from a buffer that host and device share.");
  type.def(
      "set_dst_unified",
      [](Copy& self, nb::handle buffer) {
        void* const data = hold(self.destination, buffer, PyBUF_ANY_CONTIGUOUS | PyBUF_WRITABLE);
        self.parameters.dstDevice = reinterpret_cast<CUdeviceptr>(data);
        self.parameters.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
      },
      nb::arg("buffer"), "Copy to a buffer that host and device share.");
  type.def(
      "set_src_device",
      [](Copy& self, nb::handle pointer) {
        self.parameters.srcDevice = device_address(pointer, "the source");
        self.parameters.srcMemoryType = CU_MEMORYTYPE_DEVICE;
        self.source_owner = nb::borrow(pointer);
      },
      nb::arg("pointer"), "Copy from device memory, given by its address or allocation.");
  type.def(
      "set_dst_device",
      [](Copy& self, nb::handle pointer) {
        self.parameters.dstDevice = device_address(pointer, "the destination");
        self.parameters.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        self.destination_owner = nb::borrow(pointer);
      },
      nb::arg("pointer"), "Copy to device memory, given by its address or allocation.");
  type.def(
      "set_src_array",
      [](Copy& self, nb::handle array) {
        self.parameters.srcArray = array_argument(array, "the source")->handle();
        self.parameters.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        self.source_owner = nb::borrow(array);
      },
      nb::arg("array"), "Copy from an `Array`.");
  type.def(
      "set_dst_array",
      [](Copy& self, nb::handle array) {
        self.parameters.dstArray = array_argument(array, "the destination")->handle();
        self.parameters.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        self.destination_owner = nb::borrow(array);
      },
      nb::arg("array"), "Copy to an `Array`.");
}

template <class Copy>
void bind_plane(nb::class_<Copy>& type) {
  using P = ParametersOf<Copy>;
  type.def(nb::init<>());
  bind_number(type, &P::srcXInBytes, "src_x_in_bytes");
  bind_number(type, &P::srcY, "src_y");
  bind_memory_type(type, &P::srcMemoryType, "src_memory_type");
  bind_address(type, &P::srcDevice, "src_device");
  bind_number(type, &P::srcPitch, "src_pitch");
  bind_number(type, &P::dstXInBytes, "dst_x_in_bytes");
  bind_number(type, &P::dstY, "dst_y");
  bind_memory_type(type, &P::dstMemoryType, "dst_memory_type");
  bind_address(type, &P::dstDevice, "dst_device");
  bind_number(type, &P::dstPitch, "dst_pitch");
  bind_number(type, &P::WidthInBytes, "width_in_bytes");
  bind_number(type, &P::Height, "height");
  bind_setters(type);
}

template <class Copy>
void bind_depth(nb::class_<Copy>& type) {
  using P = ParametersOf<Copy>;
  bind_number(type, &P::srcZ, "src_z");
  bind_number(type, &P::srcLOD, "src_lod");
  bind_number(type, &P::srcHeight, "src_height");
  bind_number(type, &P::dstZ, "dst_z");
  bind_number(type, &P::dstLOD, "dst_lod");
  bind_number(type, &P::dstHeight, "dst_height");
  bind_number(type, &P::Depth, "depth");
}

// `aligned` is a bool, or the stream in its place; None is False, as in the original.
void copy_2d(nb::handle_t<Copy2D> self, nb::handle aligned) {
  warn_of_forgotten_extent(self, "Memcpy2D");
  const auto& copy = nb::cast<const Copy2D&>(self);
  check_host_sides(copy, "cuMemcpy2D");
  if (aligned.is_none() || nb::isinstance<nb::bool_>(aligned) || PyLong_Check(aligned.ptr())) {
    const int exact = PyObject_IsTrue(aligned.ptr());
    without_gil([&] { cuda::copy_2d(copy.parameters, exact == 1); });
    return;
  }
  CUstream stream = stream_argument(aligned);
  keep_memory(copy);
  without_gil([&] { cuda::copy_2d_async(copy.parameters, stream); });
}

}  // namespace

void bind_structured_copies(nb::module_& m) {
  nb::class_<Copy2D> plane(
      m, "Memcpy2D", nb::dynamic_attr(), nb::type_slots(slots_that_warn_of_misspelling),
      "A copy of a rectangle: `height` rows of `width_in_bytes` bytes, from a place in one block "
      "of memory to a place in another. Set the attributes, then\n"
      "call it; `copy(stream)` copies in a stream, `copy(aligned=False)` takes rows at any "
      "distance.");
  bind_plane(plane);
  plane.def("__call__", &copy_2d, nb::arg("aligned").none() = true);

  nb::class_<Copy3D> volume(m, "Memcpy3D", nb::dynamic_attr(),
                            nb::type_slots(slots_that_warn_of_misspelling),
                            "A copy of a box: as `Memcpy2D`, with `depth` slices of `src_height` "
                            "and `dst_height` rows; `copy(stream)` copies in a stream.");
  bind_plane(volume);
  bind_depth(volume);
  volume
      .def("_parameters",
           [](nb::handle_t<Copy3D> object) {
             warn_of_forgotten_extent(object, "Memcpy3D");
             const auto& self = nb::cast<const Copy3D&>(object);
             check_host_sides(self, "cuMemcpy3DBatchAsync");
             return nb::bytes(reinterpret_cast<const char*>(&self.parameters),
                              sizeof self.parameters);
           })
      .def("__call__",
           [](nb::handle_t<Copy3D> object) {
             warn_of_forgotten_extent(object, "Memcpy3D");
             const auto& self = nb::cast<const Copy3D&>(object);
             check_host_sides(self, "cuMemcpy3D");
             without_gil([&] { cuda::copy_3d(self.parameters); });
           })
      .def("__call__", [](nb::handle_t<Copy3D> object, nb::handle stream) {
        warn_of_forgotten_extent(object, "Memcpy3D");
        const auto& self = nb::cast<const Copy3D&>(object);
        check_host_sides(self, "cuMemcpy3DAsync");
        CUstream queue = stream_argument(stream);
        keep_memory(self);
        without_gil([&] { cuda::copy_3d_async(self.parameters, queue); });
      });

  nb::class_<Copy3DPeer> peer(m, "Memcpy3DPeer", nb::dynamic_attr(),
                              nb::type_slots(slots_that_warn_of_misspelling),
                              "A copy of a box between the devices of two contexts.");
  bind_plane(peer);
  bind_depth(peer);
  peer.def(
          "set_src_context",
          [](Copy3DPeer& self, const cuda::Context& context) {
            self.parameters.srcContext = context.handle();
          },
          nb::arg("context"), "The context of the device that the copy goes from.")
      .def(
          "set_dst_context",
          [](Copy3DPeer& self, const cuda::Context& context) {
            self.parameters.dstContext = context.handle();
          },
          nb::arg("context"), "The context of the device that the copy goes to.")
      .def("__call__",
           [](nb::handle_t<Copy3DPeer> object) {
             warn_of_forgotten_extent(object, "Memcpy3DPeer");
             const auto& self = nb::cast<const Copy3DPeer&>(object);
             check_host_sides(self, "cuMemcpy3DPeer");
             without_gil([&] { cuda::copy_3d_peer(self.parameters); });
           })
      .def("__call__", [](nb::handle_t<Copy3DPeer> object, nb::handle stream) {
        warn_of_forgotten_extent(object, "Memcpy3DPeer");
        const auto& self = nb::cast<const Copy3DPeer&>(object);
        check_host_sides(self, "cuMemcpy3DPeerAsync");
        CUstream queue = stream_argument(stream);
        keep_memory(self);
        without_gil([&] { cuda::copy_3d_peer_async(self.parameters, queue); });
      });
}

}  // namespace pycuda::bindings
