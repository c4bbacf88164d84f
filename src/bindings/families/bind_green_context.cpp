// SPDX-License-Identifier: MIT
// Parts of a device's multiprocessors, and green contexts of them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <vector>

#include "bindings/base/bind.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/stream_argument.h"
#include "bindings/gil/released.h"
#include "cuda/event.h"
#include "cuda/green_context.h"
#include "cuda/stream.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

cuda::SmResource of_device(const std::optional<cuda::Device>& device) {
  return cuda::SmResource::of_device(device ? *device : cuda::Device(0));
}

nb::tuple split(const cuda::SmResource& self, nb::handle size, nb::handle count, nb::handle flags) {
  std::optional<unsigned int> most;
  if (!count.is_none()) most = as_integer<unsigned int>(count, "count");
  const auto parts = self.split(as_integer<unsigned int>(size, "size"), most,
                                as_integer<unsigned int>(flags, "flags"));
  return nb::make_tuple(parts.groups, parts.rest);
}

std::shared_ptr<cuda::GreenContext> make_green_context(nb::handle, nb::handle resources) {
  std::vector<cuda::SmResource> all;
  if (nb::isinstance<cuda::SmResource>(resources)) {
    all.push_back(nb::cast<const cuda::SmResource&>(resources));
  } else {
    const nb::object items = nb::steal(PyObject_GetIter(resources.ptr()));
    if (!items.is_valid()) {
      PyErr_Clear();
      throw nb::type_error(
          "a green context is made of an SMResource or several: "
          "SMResource.of_device().split(8)[0]");
    }
    for (const nb::handle resource : nb::iter(items))
      all.push_back(nb::cast<const cuda::SmResource&>(resource));
  }
  return without_gil([&] { return cuda::GreenContext::create(all); });
}

nb::object record(nb::handle self, nb::handle event) {
  const auto& green = nb::cast<const cuda::GreenContext&>(self);
  const auto& recorded = nb::cast<const cuda::Event&>(event);
  without_gil([&] { green.record(recorded); });
  return nb::borrow(event);
}

}  // namespace

void bind_green_context(nb::module_& m) {
  nb::class_<cuda::SmResource>(
      m, "SMResource", nb::dynamic_attr(),
      "Multiprocessors of a device, to be split into groups for `GreenContext`. On the CPU driver "
      "each multiprocessor is a worker on a core of its own.\n"
      "\n"
      "Examples\n"
      "--------\n"
      ">>> import pycuda.driver as cuda\n"
      ">>> cuda.init()\n"
      ">>> everything = cuda.SMResource.of_device()\n"
      ">>> groups, rest = everything.split(everything.min_partition_size, count=1)\n"
      ">>> groups[0].count <= everything.count\n"
      "True\n",
      nb::is_weak_referenceable())
      .def_static("of_device", &of_device, nb::arg("device").none() = nb::none(),
                  "All multiprocessors of a `Device`, by default the first one.")
      .def_static("of_context", &cuda::SmResource::of_context,
                  "Those that kernels of the current context may use.")
      .def_prop_ro("count", &cuda::SmResource::count, "The number of multiprocessors.")
      .def_prop_ro("min_partition_size", &cuda::SmResource::min_partition_size,
                   "The fewest multiprocessors of a group.")
      .def_prop_ro("alignment", &cuda::SmResource::alignment,
                   "The numbers of multiprocessors of groups are multiples of it.")
      .def("split", &split, nb::arg("size"), nb::arg("count").none() = nb::none(),
           nb::arg("flags") = 0,
           "Split into groups of at least `size` multiprocessors, at most `count` of them, by "
           "default as many as there are.\n"
           "\n"
           "Returns\n"
           "-------\n"
           "tuple\n"
           "    The list of groups, and what is left or None. A group is not split again before a "
           "`GreenContext` is made of it.\n"
           "\n"
           "Raises\n"
           "------\n"
           "LogicError\n"
           "    When there are fewer than `size` multiprocessors, or this is a group of a split.");
  nb::class_<cuda::GreenContext, cuda::Context>(
      m, "GreenContext",
      "A context whose kernels run on some of the device's multiprocessors only. It shares memory, "
      "modules and events with the device's primary context (`Device.retain_primary_context`); "
      "what other contexts made is not usable in it. It is not current until `push` or a `with` "
      "statement. Copies are not limited on the CPU driver.\n"
      "\n"
      "It lives as long as anything that was made in it. After `detach` its streams are of no use, "
      "and memory that was allocated in it is freed with the primary context.\n"
      "\n"
      "Needs CUDA 12.4.\n"
      "\n"
      "Parameters\n"
      "----------\n"
      "resources : SMResource or sequence of SMResource\n"
      "    Several ones come from one split.\n"
      "\n"
      "Raises\n"
      "------\n"
      "LogicError\n"
      "    When the resources do not belong together.\n"
      "\n"
      "Examples\n"
      "--------\n"
      ">>> import pycuda.driver as cuda\n"
      ">>> from pycuda import gpuarray\n"
      ">>> cuda.init()\n"
      ">>> everything = cuda.SMResource.of_device()\n"
      ">>> groups, rest = everything.split(everything.min_partition_size, count=1)\n"
      ">>> with cuda.GreenContext(groups[0]) as green:\n"
      "...     total = float(gpuarray.arange(10, dtype='float32').sum().get())\n"
      ">>> total\n"
      "45.0\n",
      nb::dynamic_attr(), nb::is_weak_referenceable())
      .def_static("__new__", &make_green_context, nb::arg("cls"), nb::arg("resources"))
      .def("__init__", [](nb::handle, const nb::args&) {})
      .def_prop_ro("id", &cuda::GreenContext::green_id,
                   "A number that no other green context of the process has. Needs CUDA 12.9.")
      .def_prop_ro("resource", &cuda::GreenContext::resource,
                   "Its multiprocessors, which may be split further.")
      .def(
          "make_stream",
          [](const cuda::GreenContext& self, nb::handle priority) {
            return cuda::Stream(self, as_integer<int>(priority, "priority"));
          },
          nb::arg("priority") = 0,
          "A new `Stream` of it, which does not wait for the default stream. The green context "
          "need not be current.")
      .def(
          "owns",
          [](const cuda::GreenContext& self, nb::handle stream) {
            return self.owns(stream_argument(stream));
          },
          nb::arg("stream").none(), "Whether it is the green context of a stream.")
      .def("record", &record, nb::arg("event"),
           "Record an event that is reached when all of its streams have done what they hold now; "
           "returns the event.")
      .def(
          "wait_for_event",
          [](const cuda::GreenContext& self, const cuda::Event& event) {
            without_gil([&] { self.wait_for(event); });
          },
          nb::arg("event"), "Let all of its streams wait for an event.");
}

}  // namespace pycuda::bindings
