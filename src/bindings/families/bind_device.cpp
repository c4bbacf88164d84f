// SPDX-License-Identifier: MIT
// Devices, initialisation and versions.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <bit>
#include <string>

#include "bindings/base/bind.h"
#include "bindings/convert/enumeration.h"
#include "bindings/convert/enumerators.h"
#include "bindings/convert/integers.h"
#include "bindings/gil/released.h"
#include "cuda/context_stack.h"
#include "cuda/device.h"
#include "cuda/device_traits.h"

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

/// What `dir` lists: the methods, and the attributes of the device by their names.
nb::object names_of_all(nb::handle device) {
  nb::object names = nb::module_::import_("builtins").attr("object").attr("__dir__")(device);
  const nb::object known =
      nb::module_::import_("pycuda._driver").attr("device_attribute").attr("names");
  for (nb::handle name : nb::iter(known)) names.attr("append")(name.attr("lower")());
  return names;
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

/// Settings without an effect, each of them once.
void warn_of_misspelt_variables() {
  const nb::object environment = nb::module_::import_("os").attr("environ");
  for (nb::handle text :
       nb::iter(nb::module_::import_("pycuda._variables").attr("misspelt")(environment))) {
    if (PyErr_WarnEx(PyExc_UserWarning, nb::cast<std::string>(text).c_str(), 1) != 0)
      throw nb::python_error();
  }
}

/// As nvidia-smi writes it and CUDA_VISIBLE_DEVICES takes it.
std::string uuid_text(const cuda::Device& device) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "GPU-";
  const auto bytes = device.uuid();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

}  // namespace

void bind_device(nb::module_& m) {
  m.def(
      "init",
      [](nb::handle flags) {
        const auto bits = as_integer<unsigned int>(flags, "flags");
        without_gil([&] { cuda::initialize(bits); });
        warn_of_misspelt_variables();
      },
      nb::arg("flags") = 0,
      "Initialise the driver; loads it when that has not happened. Calling it again does nothing.\n"
      "\n"
      "Parameters\n"
      "----------\n"
      "flags : int\n"
      "    Must be 0.\n"
      "\n"
      "Raises\n"
      "------\n"
      "RuntimeError\n"
      "    When there is no usable driver, or no device; the message says which were tried and why "
      "they were passed over.");
  m.def(
      "get_version",
      [] {
        return nb::make_tuple(CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10, CUDA_VERSION % 10);
      },
      "The version of CUDA's headers that this was built with, as (major, minor, patch).");
  m.def(
      "get_driver_version",
      [] {
        int version = 0;
        driver::process_driver().cuDriverGetVersion(&version);
        return version;
      },
      "The CUDA version of the driver in use as one number, 1000 * major + 10 * minor.");
  m.def("have_gl_ext", [] { return true; }, "True: `pycuda.gl` is part of the package.");
  m.def(
      "bitlog2",
      [](nb::handle number) {
        const auto value = as_integer<unsigned long long>(number, "the number");
        return value == 0 ? 0 : std::bit_width(value) - 1;
      },
      nb::arg("number"), "The position of the highest bit set in a number; 0 for 0.");

  nb::class_<cuda::Device>(m, "Device", nb::dynamic_attr(),
                           "A device, by its number or its PCI bus id.\n"
                           "\n"
                           "Parameters\n"
                           "----------\n"
                           "device : int or str\n"
                           "    0 to `Device.count()` - 1, or a text like \"0000:65:00.0\".\n"
                           "\n"
                           "Raises\n"
                           "------\n"
                           "LogicError\n"
                           "    When there is no such device, or `init` was not called.\n"
                           "\n"
                           "Notes\n"
                           "-----\n"
                           "Every member of `device_attribute` is an attribute in small letters: "
                           "`device.max_threads_per_block`.")
      .def("__init__",
           [](cuda::Device* self, nb::handle which) {
             if (nb::isinstance<nb::str>(which)) {
               new (self) cuda::Device(nb::cast<std::string>(which));
             } else {
               new (self) cuda::Device(as_integer<int>(which, "the device number"));
             }
           })
      .def_static(
          "count", [] { return cuda::Device::count(); },
          "How many devices there are; 0 where the driver sees none.")
      .def("name", &cuda::Device::name, "The device's name, as its driver tells it.")
      .def("pci_bus_id", &cuda::Device::pci_bus_id,
           "The PCI bus id as domain:bus:device.function, a text that `Device` takes too.")
      .def("uuid", &uuid_text,
           "What identifies the device on all machines, a text like \"GPU-01234567-89ab-...\": "
           "`CUDA_VISIBLE_DEVICES` takes it.")
      .def(
          "compute_capability",
          [](const cuda::Device& self) {
            const auto capability = self.compute_capability();
            return nb::make_tuple(capability.major, capability.minor);
          },
          "The compute capability as (major, minor).")
      .def("total_memory", &cuda::Device::total_memory_bytes, "The device's memory in bytes.")
      .def("get_attribute", &attribute_of, nb::arg("attribute"),
           "The value of a `device_attribute`: an int, or a `compute_mode`.\n"
           "\n"
           "Raises\n"
           "------\n"
           "LogicError\n"
           "    When the driver does not know the attribute.")
      .def("get_attributes", &all_attributes,
           "All attributes that the driver knows, as a dict from `device_attribute` to its value; "
           "warns of those it refuses.")
      .def("__getattr__", &attribute_named)
      .def("__dir__", &names_of_all)
      .def(
          "make_context",
          [](const cuda::Device& self, nb::handle flags) {
            const auto bits = as_integer<unsigned int>(flags, "flags");
            return without_gil([&] { return cuda::make_context(self, bits); });
          },
          nb::arg("flags") = 0,
          "Make a context on the device and make it current in this thread.\n"
          "\n"
          "Parameters\n"
          "----------\n"
          "flags : int\n"
          "    Of `ctx_flags`.\n"
          "\n"
          "Returns\n"
          "-------\n"
          "Context\n"
          "    It lives until `detach`, or until the last reference to it and to everything made "
          "in it is gone.")
      .def(
          "retain_primary_context",
          [](const cuda::Device& self) {
            return without_gil([&] { return cuda::Context::retain_primary(self); });
          },
          "The device's primary context, which other libraries of the process use as well. It is "
          "not made current: `push` does that.\n"
          "\n"
          "Returns\n"
          "-------\n"
          "Context")
      .def("can_access_peer", &cuda::Device::can_access_peer, nb::arg("peer"),
           "Whether kernels on this device can read and write the memory of the device `peer`.")
      .def(
          "get_p2p_attribute",
          [](const cuda::Device& self, nb::handle attribute, const cuda::Device& peer) {
            return self.peer_attribute(
                as_enumerator<CUdevice_P2PAttribute>(attribute, "the attribute"), peer);
          },
          nb::arg("attribute"), nb::arg("peer"),
          "A `device_p2p_attribute` of the way to the device `peer`, an int.\n"
          "\n"
          "Raises\n"
          "------\n"
          "LogicError\n"
          "    When `peer` is this device.")
      .def(
          "get_linear_texture_width",
          [](const cuda::Device& self, nb::handle format, nb::handle channels) {
            return self.linear_texture_width(as_enumerator<CUarray_format>(format, "format"),
                                             as_integer<unsigned int>(channels, "num_channels"));
          },
          nb::arg("format"), nb::arg("num_channels") = 1,
          "The most texels that a texture over memory without rows may have, an int.\n"
          "\n"
          "Parameters\n"
          "----------\n"
          "format : array_format\n"
          "num_channels : int\n"
          "    1, 2 or 4.")
      .def(
          "get_host_atomic_capabilities",
          [](const cuda::Device& self, nb::handle operation) {
            return self.host_atomics(as_enumerator<CUatomicOperation>(operation, "operation"));
          },
          nb::arg("operation"),
          "What of an `atomic_operation` kernels can do with the host's memory: bits of "
          "`atomic_capability`. Needs a driver of CUDA 13.")
      .def(
          "get_peer_atomic_capabilities",
          [](const cuda::Device& self, nb::handle operation, const cuda::Device& peer) {
            return self.peer_atomics(as_enumerator<CUatomicOperation>(operation, "operation"),
                                     peer);
          },
          nb::arg("operation"), nb::arg("peer"), "The same for the memory of the device `peer`.")
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
        return "<pycuda.Device " + std::to_string(self.handle()) + ": " + self.name() + ">";
      });

  // For the package's own modules.
  nb::class_<cuda::DeviceTraits>(m, "_DeviceTraits")
      .def(
          "__init__",
          [](cuda::DeviceTraits* self, int capability, int driver_version, bool is_cpu) {
            new (self) cuda::DeviceTraits{capability, driver_version, is_cpu};
          },
          nb::kw_only(), nb::arg("capability"), nb::arg("driver_version") = 0,
          nb::arg("is_cpu") = false, "Of a device that images are compiled for.")
      .def_ro("capability", &cuda::DeviceTraits::capability)
      .def_ro("driver_version", &cuda::DeviceTraits::driver_version)
      .def_ro("is_cpu", &cuda::DeviceTraits::is_cpu)
      .def_ro("serial_threads", &cuda::DeviceTraits::serial_threads)
      .def_ro("multiprocessors", &cuda::DeviceTraits::multiprocessors);
  m.def("_device_traits", &cuda::current_device_traits);
}

}  // namespace pycuda::bindings
