// SPDX-License-Identifier: MIT
// Streams and events.
#include <nanobind/stl/shared_ptr.h>

#include <cstdint>
#include <cstring>

#include "bindings/base/bind.h"
#include "bindings/base/limited_api.h"
#include "bindings/base/misspelt_attributes.h"
#include "bindings/convert/buffer.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/ipc_handles.h"
#include "bindings/convert/stream_argument.h"
#include "bindings/gil/released.h"
#include "cuda/capturing.h"
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
  return cuda::Event::open(
      handle_from_bytes<CUipcEventHandle>(handle, "event_from_ipc_handle", "Event.ipc_handle()"));
}

nb::object record(nb::handle self, nb::handle stream, nb::handle flags) {
  nb::cast<const cuda::Event&>(self).record(stream_argument(stream),
                                            as_integer<unsigned int>(flags, "flags"));
  return nb::borrow(self);
}

/// What `ask` answers; true where it fails, which the wait reports, or would end a capture.
template <class Waited>
bool is_done(const Waited& waited, bool (Waited::*ask)() const) noexcept {
  try {
    return cuda::any_capture() || (waited.*ask)();
  } catch (...) {
    return true;
  }
}

nb::object synchronize(nb::handle self) {
  const auto& event = nb::cast<const cuda::Event&>(self);
  wait_without_gil([&] { event.synchronize(); },
                   [&] { return is_done(event, &cuda::Event::query); });
  return nb::borrow(self);
}

}  // namespace

CUstream stream_argument(nb::handle stream) {
  if (stream.is_none()) return nullptr;
  if (PyType_IsSubtype(Py_TYPE(stream.ptr()), stream_type) && nb::inst_ready(stream)) {
    const auto& own = *nb::inst_ptr<cuda::Stream>(stream);
    cuda::require_alive(own.context());
    return own.handle();
  }
  if (nb::hasattr(stream, "__cuda_stream__")) {
    const nb::object given = stream.attr("__cuda_stream__")();
    return reinterpret_cast<CUstream>(as_integer<std::uintptr_t>(given[1], "the stream's address"));
  }
  PyErr_Format(PyExc_TypeError, "a stream must be a Stream or None, not %s%s",
               type_name(stream.ptr()).c_str(),
               PyLong_Check(stream.ptr()) ? ": None is the default stream" : "");
  throw nb::python_error();
}

void bind_stream(nb::module_& m) {
  nb::class_<cuda::Event> event(m, "Event",
                                "A mark in a stream, for waiting and for measuring time.\n"
                                "\n"
                                "Parameters\n"
                                "----------\n"
                                "flags : int\n"
                                "    Of `event_flags`.",
                                nb::dynamic_attr(), nb::is_weak_referenceable(),
                                nb::type_slots(slots_that_tell_of_other_names));
  nb::class_<cuda::Stream> stream(
      m, "Stream",
      "A queue of work on the current context's device: what is put into one stream is done in "
      "order, streams go side by side.\n"
      "\n"
      "Parameters\n"
      "----------\n"
      "flags : int\n"
      "    0, or 1 for a stream that does not wait for the default stream.\n"
      "priority : int\n"
      "    Lower numbers go first; `Context.get_stream_priority_range` tells which there are.",
      nb::dynamic_attr(), nb::is_weak_referenceable(),
      nb::type_slots(slots_that_tell_of_other_names));
  stream_type = reinterpret_cast<PyTypeObject*>(stream.ptr());

  stream
      .def(
          "__init__",
          [](cuda::Stream* self, nb::handle flags, nb::handle priority) {
            const auto bits = as_integer<unsigned int>(flags, "flags");
            if (const auto wanted = as_integer<int>(priority, "priority"); wanted != 0) {
              new (self) cuda::Stream(bits, wanted);
            } else {
              new (self) cuda::Stream(bits);
            }
          },
          nb::arg("flags") = 0, nb::arg("priority") = 0)
      .def_prop_ro("handle", &number_of, "The driver's handle, a number.")
      .def_prop_ro("id", &cuda::Stream::id,
                   "A number that no other stream of the process has, had or will have.")
      .def_prop_ro("context", &cuda::Stream::context, "The `Context` that it was made in.")
      .def_prop_ro(
          "device", [](const cuda::Stream& self) { return self.context()->device(); },
          "The `Device` that does its work.")
      .def(
          "synchronize",
          [](const cuda::Stream& self) {
            wait_without_gil([&] { self.synchronize(); },
                             [&] { return is_done(self, &cuda::Stream::is_done); });
          },
          "Wait until all work in the stream is done. Raises the error of a kernel that has "
          "failed.")
      .def("is_done", &cuda::Stream::is_done,
           "Whether all work in the stream is done, without waiting.")
      .def("wait_for_event", &cuda::Stream::wait_for, nb::arg("event"),
           "Let the stream's further work wait for an event; does not wait itself.")
      .def("__cuda_stream__",
           [](const cuda::Stream& self) { return nb::make_tuple(0, number_of(self)); });

  event
      .def(
          "__init__",
          [](cuda::Event* self, nb::handle flags) {
            new (self) cuda::Event(as_integer<unsigned int>(flags, "flags"));
          },
          nb::arg("flags") = 0)
      .def_prop_ro(
          "handle",
          [](const cuda::Event& self) { return reinterpret_cast<std::uintptr_t>(self.handle()); },
          "The driver's handle, a number.")
      .def("record", &record, nb::arg("stream").none() = nb::none(), nb::arg("flags") = 0,
           "Put the event into a stream (the default one for None); returns the event. A later "
           "call moves it.\n"
           "\n"
           "Parameters\n"
           "----------\n"
           "stream : Stream, or object with `__cuda_stream__`, optional\n"
           "flags : int\n"
           "    1 for an event outside of the graph that the stream is captured into: a node that "
           "records it.")
      .def("synchronize", &synchronize,
           "Wait until the work before the event is done; returns the event. Raises the error of a "
           "kernel that has failed.")
      .def("query", &cuda::Event::query,
           "Whether the work before the event is done, without waiting; True where it was never "
           "recorded.")
      .def(
          "time_since",
          [](const cuda::Event& self, const cuda::Event& start) {
            return self.milliseconds_since(start);
          },
          nb::arg("start"),
          "The time from the event `start` to this one in milliseconds.\n"
          "\n"
          "Raises\n"
          "------\n"
          "LogicError\n"
          "    When one of them was not recorded, has not happened yet, or was made without "
          "timing.")
      .def(
          "time_till",
          [](const cuda::Event& self, const cuda::Event& end) {
            return end.milliseconds_since(self);
          },
          nb::arg("end"),
          "The time from this event to the event `end` in milliseconds; raises what `time_since` "
          "raises.")
      .def(
          "ipc_handle", [](const cuda::Event& self) { return handle_to_bytes(self.share()); },
          "A handle of 64 bytes by which another process opens the event; needs "
          "`event_flags.INTERPROCESS`.")
      .def_static("from_ipc_handle", &open_event, nb::arg("handle"),
                  "The event of another process, by its handle.");
}

}  // namespace pycuda::bindings
