// SPDX-License-Identifier: MIT
// Memcpy2D, Memcpy3D and Memcpy3DPeer: copies that are filled in, then called.
#include <nanobind/stl/shared_ptr.h>

#include <memory>
#include <type_traits>

#include "bindings/array_argument.h"
#include "bindings/bind.h"
#include "bindings/device_pointer.h"
#include "bindings/enumeration.h"
#include "bindings/graph_keeping.h"
#include "bindings/integers.h"
#include "bindings/stream_argument.h"
#include "bindings/unlocked.h"
#include "cuda/memcpy.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

/// The first byte of an object's memory, whatever its strides, held while this lives.
class HeldMemory {
 public:
  HeldMemory(nb::handle object, int flags) {
    if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) throw nb::python_error();
  }
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;
  ~HeldMemory() { PyBuffer_Release(&view_); }
  void* data() const { return view_.buf; }
  nb::handle owner() const { return view_.obj; }

 private:
  Py_buffer view_ = {};
};

/// The driver's structure, and what keeps its memory alive: as long as the copy object itself.
template <class Parameters>
struct StructuredCopy {
  Parameters parameters{};
  std::unique_ptr<HeldMemory> source;
  std::unique_ptr<HeldMemory> destination;
  nb::object source_owner;
  nb::object destination_owner;
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

template <class Copy, auto Member>
void bind_number(nb::class_<Copy>& type, const char* name) {
  using Number = std::remove_reference_t<decltype(std::declval<ParametersOf<Copy>&>().*Member)>;
  type.def_prop_rw(
      name, [](const Copy& self) { return self.parameters.*Member; },
      [name](Copy& self, nb::handle value) {
        self.parameters.*Member = as_integer<Number>(value, name);
      });
}

template <class Copy, auto Member>
void bind_memory_type(nb::class_<Copy>& type, const char* name) {
  type.def_prop_rw(
      name, [](const Copy& self) { return member_of("memory_type", self.parameters.*Member); },
      [name](Copy& self, nb::handle value) {
        self.parameters.*Member = as_enumerator<CUmemorytype>(value, name);
      });
}

template <class Copy, auto Member>
void bind_address(nb::class_<Copy>& type, const char* name) {
  type.def_prop_rw(
      name, [](const Copy& self) { return self.parameters.*Member; },
      [name](Copy& self, nb::handle value) {
        self.parameters.*Member = device_address(value, name);
      });
}

template <class Copy>
void bind_setters(nb::class_<Copy>& type) {
  type.def(
      "set_src_host",
      [](Copy& self, nb::handle buffer) {
        self.source = std::make_unique<HeldMemory>(buffer, PyBUF_STRIDED_RO);
        self.parameters.srcMemoryType = CU_MEMORYTYPE_HOST;
        self.parameters.srcHost = self.source->data();
      },
      "Copy from a host buffer.");
  type.def(
      "set_dst_host",
      [](Copy& self, nb::handle buffer) {
        self.destination = std::make_unique<HeldMemory>(buffer, PyBUF_STRIDED);
        self.parameters.dstMemoryType = CU_MEMORYTYPE_HOST;
        self.parameters.dstHost = self.destination->data();
      },
      "Copy to a host buffer.");
  type.def(
      "set_src_unified",
      [](Copy& self, nb::handle buffer) {
        self.source = std::make_unique<HeldMemory>(buffer, PyBUF_ANY_CONTIGUOUS);
        self.parameters.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
        self.parameters.srcDevice = reinterpret_cast<CUdeviceptr>(self.source->data());
      },
      "Copy from a buffer that host and device share.");
  type.def(
      "set_dst_unified",
      [](Copy& self, nb::handle buffer) {
        self.destination =
            std::make_unique<HeldMemory>(buffer, PyBUF_ANY_CONTIGUOUS | PyBUF_WRITABLE);
        self.parameters.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
        self.parameters.dstDevice = reinterpret_cast<CUdeviceptr>(self.destination->data());
      },
      "Copy to a buffer that host and device share.");
  type.def(
      "set_src_device",
      [](Copy& self, nb::handle pointer) {
        self.parameters.srcDevice = device_address(pointer, "the source");
        self.parameters.srcMemoryType = CU_MEMORYTYPE_DEVICE;
        self.source_owner = nb::borrow(pointer);
      },
      "Copy from device memory, given by its address or allocation.");
  type.def(
      "set_dst_device",
      [](Copy& self, nb::handle pointer) {
        self.parameters.dstDevice = device_address(pointer, "the destination");
        self.parameters.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        self.destination_owner = nb::borrow(pointer);
      },
      "Copy to device memory, given by its address or allocation.");
  type.def(
      "set_src_array",
      [](Copy& self, nb::handle array) {
        self.parameters.srcArray = array_argument(array, "the source")->handle();
        self.parameters.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        self.source_owner = nb::borrow(array);
      },
      "Copy from an `Array`.");
  type.def(
      "set_dst_array",
      [](Copy& self, nb::handle array) {
        self.parameters.dstArray = array_argument(array, "the destination")->handle();
        self.parameters.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        self.destination_owner = nb::borrow(array);
      },
      "Copy to an `Array`.");
}

template <class Copy>
void bind_plane(nb::class_<Copy>& type) {
  using P = ParametersOf<Copy>;
  type.def(nb::init<>());
  bind_number<Copy, &P::srcXInBytes>(type, "src_x_in_bytes");
  bind_number<Copy, &P::srcY>(type, "src_y");
  bind_memory_type<Copy, &P::srcMemoryType>(type, "src_memory_type");
  bind_address<Copy, &P::srcDevice>(type, "src_device");
  bind_number<Copy, &P::srcPitch>(type, "src_pitch");
  bind_number<Copy, &P::dstXInBytes>(type, "dst_x_in_bytes");
  bind_number<Copy, &P::dstY>(type, "dst_y");
  bind_memory_type<Copy, &P::dstMemoryType>(type, "dst_memory_type");
  bind_address<Copy, &P::dstDevice>(type, "dst_device");
  bind_number<Copy, &P::dstPitch>(type, "dst_pitch");
  bind_number<Copy, &P::WidthInBytes>(type, "width_in_bytes");
  bind_number<Copy, &P::Height>(type, "height");
  bind_setters(type);
}

template <class Copy>
void bind_depth(nb::class_<Copy>& type) {
  using P = ParametersOf<Copy>;
  bind_number<Copy, &P::srcZ>(type, "src_z");
  bind_number<Copy, &P::srcLOD>(type, "src_lod");
  bind_number<Copy, &P::srcHeight>(type, "src_height");
  bind_number<Copy, &P::dstZ>(type, "dst_z");
  bind_number<Copy, &P::dstLOD>(type, "dst_lod");
  bind_number<Copy, &P::dstHeight>(type, "dst_height");
  bind_number<Copy, &P::Depth>(type, "depth");
}

// `aligned` is a bool, or the stream in its place; None is False, as in the original.
void copy_2d(const Copy2D& copy, nb::handle aligned) {
  if (aligned.is_none() || nb::isinstance<nb::bool_>(aligned) || PyLong_Check(aligned.ptr())) {
    const int exact = PyObject_IsTrue(aligned.ptr());
    unlocked([&] { cuda::copy_2d(copy.parameters, exact == 1); });
    return;
  }
  CUstream stream = stream_argument(aligned);
  keep_memory(copy);
  unlocked([&] { cuda::copy_2d_async(copy.parameters, stream); });
}

}  // namespace

void bind_structured_copies(nb::module_& m) {
  nb::class_<Copy2D> plane(
      m, "Memcpy2D",
      "A copy of a rectangle: `height` rows of `width_in_bytes` bytes, from a place in one block "
      "of memory to a place in another. Set the attributes, then\n"
      "call it; `copy(stream)` copies in a stream, `copy(aligned=False)` takes rows at any "
      "distance.");
  bind_plane(plane);
  plane.def("__call__", &copy_2d, nb::arg("aligned").none() = true);

  nb::class_<Copy3D> volume(m, "Memcpy3D",
                            "A copy of a box: as `Memcpy2D`, with `depth` slices of `src_height` "
                            "and `dst_height` rows; `copy(stream)` copies in a stream.");
  bind_plane(volume);
  bind_depth(volume);
  volume
      .def("__call__",
           [](const Copy3D& self) { unlocked([&] { cuda::copy_3d(self.parameters); }); })
      .def("__call__", [](const Copy3D& self, nb::handle stream) {
        CUstream queue = stream_argument(stream);
        keep_memory(self);
        unlocked([&] { cuda::copy_3d_async(self.parameters, queue); });
      });

  nb::class_<Copy3DPeer> peer(m, "Memcpy3DPeer",
                              "A copy of a box between the devices of two contexts.");
  bind_plane(peer);
  bind_depth(peer);
  peer.def(
          "set_src_context",
          [](Copy3DPeer& self, const cuda::Context& context) {
            self.parameters.srcContext = context.handle();
          },
          "The context of the device that the copy goes from.")
      .def(
          "set_dst_context",
          [](Copy3DPeer& self, const cuda::Context& context) {
            self.parameters.dstContext = context.handle();
          },
          "The context of the device that the copy goes to.")
      .def("__call__",
           [](const Copy3DPeer& self) { unlocked([&] { cuda::copy_3d_peer(self.parameters); }); })
      .def("__call__", [](const Copy3DPeer& self, nb::handle stream) {
        CUstream queue = stream_argument(stream);
        keep_memory(self);
        unlocked([&] { cuda::copy_3d_peer_async(self.parameters, queue); });
      });
}

}  // namespace pycuda::bindings
