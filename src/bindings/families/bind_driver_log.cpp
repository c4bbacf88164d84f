// SPDX-License-Identifier: MIT
// The driver's log of calls that failed, and Python functions that get its messages.
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>
#include <string>

#include "bindings/base/bind.h"
#include "bindings/convert/enumeration.h"
#include "bindings/gil/no_collection.h"
#include "bindings/gil/on_driver_thread.h"
#include "bindings/gil/released.h"
#include "bindings/gil/resources.h"
#include "cuda/driver_log.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

/// Ends with the GIL, after the driver has let go of it.
struct Listener {
  nb::object function;
};

void CUDA_CB call_listener(void* data, CUlogLevel level, char* message, std::size_t length) {
  const GilOnDriverThread locked;
  if (!locked) return;
  const NoCollection uncollected;
  // The message may come from a destructor that runs while an exception is raised.
  const nb::error_scope raised;
  const nb::object function = static_cast<Listener*>(data)->function;
  try {
    const nb::object text = nb::steal(
        PyUnicode_DecodeUTF8(message, static_cast<Py_ssize_t>(length), "backslashreplace"));
    if (!text.is_valid()) throw nb::python_error();
    function(member_of("log_level", static_cast<long>(level)), text);
  } catch (nb::python_error& error) {
    error.discard_as_unraisable(function);
  }
}

class LogCallback {
 public:
  explicit LogCallback(nb::handle function)
      : listener_(std::make_unique<Listener>(nb::borrow(function))) {
    without_gil([this] { registration_.emplace(&call_listener, listener_.get()); });
  }
  void unregister() {
    without_gil([this] { registration_->unregister(); });
  }

 private:
  std::unique_ptr<Listener> listener_;
  std::optional<ReleasedWithoutGil<cuda::LogCallback>> registration_;
};

void make_callback(LogCallback* self, nb::handle function) {
  if (PyCallable_Check(function.ptr()) == 0)
    throw nb::type_error("the function for messages of the driver must be callable");
  new (self) LogCallback(function);
}

std::string path_of(nb::handle path) {
  return nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(path));
}

}  // namespace

void bind_driver_log(nb::module_& m) {
  nb::class_<cuda::DriverLog>(
      m, "DriverLog",
      "The driver's messages on calls that failed: what each was about, and which function "
      "returned what. The driver keeps the latest (the CPU driver 100); a line at the head tells "
      "of "
      "lost ones. Needs CUDA 12.9 and no context.\n"
      "\n"
      "Parameters\n"
      "----------\n"
      "from_start : bool\n"
      "    Whether `read` begins with the oldest message that is kept instead of with the next "
      "one.\n"
      "\n"
      "Examples\n"
      "--------\n"
      ">>> import pycuda.driver as cuda\n"
      ">>> cuda.init()\n"
      ">>> log = cuda.DriverLog()\n"
      ">>> try:\n"
      "...     cuda.Device(99)\n"
      "... except cuda.LogicError:\n"
      "...     print('cuDeviceGet' in log.read())\n"
      "True\n",
      nb::dynamic_attr(), nb::is_weak_referenceable())
      .def(nb::init<bool>(), nb::arg("from_start") = false)
      .def(
          "read", [](cuda::DriverLog& self) { return without_gil([&] { return self.read(); }); },
          "The messages since the last `read` or `save`, one a line; empty if there are none.")
      .def(
          "save",
          [](cuda::DriverLog& self, nb::handle path) {
            const std::string name = path_of(path);
            without_gil([&] { self.save(name); });
          },
          nb::arg("path"),
          "Write the messages since the last `read` or `save` to a file, which is replaced.");
  nb::class_<LogCallback>(
      m, "LogCallback",
      "Calls `function(level, message)` for each message of the driver's log, until `unregister`, "
      "the end of a `with` statement or the end of this object. The CPU driver calls it on the "
      "thread whose call failed, before that call returns. It should not call CUDA itself; what it "
      "raises is shown and not propagated. Needs CUDA 12.9 and no context.\n"
      "\n"
      "Parameters\n"
      "----------\n"
      "function : callable\n"
      "    Gets a `log_level` and a string.\n"
      "\n"
      "Examples\n"
      "--------\n"
      ">>> import pycuda.driver as cuda\n"
      ">>> cuda.init()\n"
      ">>> messages = []\n"
      ">>> with cuda.LogCallback(lambda level, message: messages.append(message)):\n"
      "...     try:\n"
      "...         cuda.Device(99)\n"
      "...     except cuda.LogicError:\n"
      "...         pass\n"
      ">>> len(messages) > 0\n"
      "True\n",
      nb::dynamic_attr(), nb::is_weak_referenceable())
      .def("__init__", &make_callback, nb::arg("function"))
      .def("unregister", &LogCallback::unregister,
           "End the calls; returns when no other thread is in one. Does nothing the second time.")
      .def("__enter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__exit__", [](LogCallback& self, const nb::args&) { self.unregister(); });
}

}  // namespace pycuda::bindings
