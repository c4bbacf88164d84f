// SPDX-License-Identifier: MIT
// Devices, initialisation and versions.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <bit>

#include "bindings/bind.h"
#include "bindings/enumeration.h"
#include "bindings/integers.h"
#include "bindings/unlocked.h"
#include "cuda/context_stack.h"
#include "cuda/device.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

nb::object attribute_of(const cuda::Device& device, nb::handle attribute) {
  const auto code = as_enumerator<CUdevice_attribute>(attribute, "the attribute");
  const int value = device.attribute(code);
  if (code == CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) return member_of("compute_mode", value);
  return nb::int_(value);
}

nb::object attribute_named(const cuda::Device& device, const nb::str& name) {
  const nb::object known =
      nb::module_::import_("pycuda._driver").attr("device_attribute").attr("names");
  // Names of attributes are written in small letters; members in capitals.
  const bool small = nb::cast<bool>(name.attr("islower")());
  const nb::object member = known.attr("get")(name.attr("upper")());
  if (!small || member.is_none()) {
    PyErr_Format(PyExc_AttributeError, "'Device' object has no attribute '%U'", name.ptr());
    throw nb::python_error();
  }
  return attribute_of(device, member);
}

nb::dict all_attributes(const cuda::Device& device) {
  nb::dict found;
  const nb::object known =
      nb::module_::import_("pycuda._driver").attr("device_attribute").attr("names");
  for (nb::handle member : nb::iter(known.attr("values")())) {
    try {
      found[member] = attribute_of(device, member);
    } catch (const driver::DriverError& error) {
      const nb::str name(member);
      if (PyErr_WarnFormat(PyExc_UserWarning, 2,
                           "CUDA driver raised '%s' when querying '%U' on '%s'", error.what(),
                           name.ptr(), device.name().c_str()) != 0) {
        throw nb::python_error();
      }
    }
  }
  return found;
}

}  // namespace

void bind_device(nb::module_& m) {
  m.def(
      "init",
      [](nb::handle flags) {
        const auto bits = as_integer<unsigned int>(flags, "flags");
        unlocked([&] { cuda::initialize(bits); });
      },
      nb::arg("flags") = 0);
  m.def("get_version", [] {
    return nb::make_tuple(CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10, CUDA_VERSION % 10);
  });
  m.def("get_driver_version", [] {
    int version = 0;
    driver::process_driver().cuDriverGetVersion(&version);
    return version;
  });
  m.def("have_gl_ext", [] { return false; });
  m.def("bitlog2", [](nb::handle number) {
    const auto value = as_integer<unsigned long long>(number, "the number");
    return value == 0 ? 0 : std::bit_width(value) - 1;
  });

  nb::class_<cuda::Device>(m, "Device")
      .def("__init__",
           [](cuda::Device* self, nb::handle which) {
             if (nb::isinstance<nb::str>(which)) {
               new (self) cuda::Device(nb::cast<std::string>(which));
             } else {
               new (self) cuda::Device(as_integer<int>(which, "the device number"));
             }
           })
      .def_static("count", [] { return cuda::Device::count(); })
      .def("name", &cuda::Device::name)
      .def("pci_bus_id", &cuda::Device::pci_bus_id)
      .def("compute_capability",
           [](const cuda::Device& self) {
             const auto capability = self.compute_capability();
             return nb::make_tuple(capability.major, capability.minor);
           })
      .def("total_memory", &cuda::Device::total_memory_bytes)
      .def("get_attribute", &attribute_of)
      .def("get_attributes", &all_attributes)
      .def("__getattr__", &attribute_named)
      .def(
          "make_context",
          [](const cuda::Device& self, nb::handle flags) {
            const auto bits = as_integer<unsigned int>(flags, "flags");
            return unlocked([&] { return cuda::make_context(self, bits); });
          },
          nb::arg("flags") = 0)
      .def("retain_primary_context",
           [](const cuda::Device& self) {
             return unlocked([&] { return cuda::Context::retain_primary(self); });
           })
      .def("can_access_peer", &cuda::Device::can_access_peer)
      .def(
          "__eq__",
          [](const cuda::Device& self, nb::handle other) {
            return nb::isinstance<cuda::Device>(other) &&
                   self == nb::cast<const cuda::Device&>(other);
          },
          nb::arg("other").none())
      .def(
          "__ne__",
          [](const cuda::Device& self, nb::handle other) {
            return !nb::isinstance<cuda::Device>(other) ||
                   !(self == nb::cast<const cuda::Device&>(other));
          },
          nb::arg("other").none())
      .def("__hash__", [](const cuda::Device& self) { return self.handle(); })
      .def("__repr__", [](const cuda::Device& self) {
        return "<pycuda._driver.Device " + std::to_string(self.handle()) + ": " + self.name() + ">";
      });
}

}  // namespace pycuda::bindings
