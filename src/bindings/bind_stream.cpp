// SPDX-License-Identifier: MIT
// Streams and events.
#include <cstdint>
#include <cstring>

#include "bindings/bind.h"
#include "bindings/buffer.h"
#include "bindings/integers.h"
#include "bindings/ipc_handles.h"
#include "bindings/stream_argument.h"
#include "bindings/unlocked.h"
#include "cuda/event.h"
#include "cuda/stream.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

PyTypeObject* stream_type = nullptr;

std::uintptr_t number_of(const cuda::Stream& stream) {
  return reinterpret_cast<std::uintptr_t>(stream.handle());
}

cuda::Event open_event(nb::handle handle) {
  return cuda::Event::open(handle_from_bytes<CUipcEventHandle>(handle));
}

nb::object record(nb::handle self, nb::handle stream) {
  nb::cast<const cuda::Event&>(self).record(stream_argument(stream));
  return nb::borrow(self);
}

nb::object synchronize(nb::handle self) {
  const auto& event = nb::cast<const cuda::Event&>(self);
  unlocked([&] { event.synchronize(); });
  return nb::borrow(self);
}

}  // namespace

CUstream stream_argument(nb::handle stream) {
  if (stream.is_none()) return nullptr;
  if (PyType_IsSubtype(Py_TYPE(stream.ptr()), stream_type) && nb::inst_ready(stream)) {
    return nb::inst_ptr<cuda::Stream>(stream)->handle();
  }
  if (nb::hasattr(stream, "__cuda_stream__")) {
    const nb::object told = stream.attr("__cuda_stream__")();
    return reinterpret_cast<CUstream>(as_integer<std::uintptr_t>(told[1], "the stream's address"));
  }
  PyErr_Format(PyExc_TypeError, "a stream must be a Stream or None, not %s",
               Py_TYPE(stream.ptr())->tp_name);
  throw nb::python_error();
}

void bind_stream(nb::module_& m) {
  nb::class_<cuda::Event> event(m, "Event", nb::is_weak_referenceable());
  nb::class_<cuda::Stream> stream(m, "Stream", nb::is_weak_referenceable());
  stream_type = reinterpret_cast<PyTypeObject*>(stream.ptr());

  stream
      .def(
          "__init__",
          [](cuda::Stream* self, nb::handle flags) {
            new (self) cuda::Stream(as_integer<unsigned int>(flags, "flags"));
          },
          nb::arg("flags") = 0)
      .def_prop_ro("handle", &number_of)
      .def("synchronize", [](const cuda::Stream& self) { unlocked([&] { self.synchronize(); }); })
      .def("is_done", &cuda::Stream::is_done)
      .def("wait_for_event", &cuda::Stream::wait_for)
      .def("__cuda_stream__",
           [](const cuda::Stream& self) { return nb::make_tuple(0, number_of(self)); });

  event
      .def(
          "__init__",
          [](cuda::Event* self, nb::handle flags) {
            new (self) cuda::Event(as_integer<unsigned int>(flags, "flags"));
          },
          nb::arg("flags") = 0)
      .def("record", &record, nb::arg("stream").none() = nb::none())
      .def("synchronize", &synchronize)
      .def("query", &cuda::Event::query)
      .def("time_since", [](const cuda::Event& self,
                            const cuda::Event& start) { return self.milliseconds_since(start); })
      .def("time_till", [](const cuda::Event& self,
                           const cuda::Event& end) { return end.milliseconds_since(self); })
      .def("ipc_handle", [](const cuda::Event& self) { return handle_to_bytes(self.share()); })
      .def_static("from_ipc_handle", &open_event);
}

}  // namespace pycuda::bindings
