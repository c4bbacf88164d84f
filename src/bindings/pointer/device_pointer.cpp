// SPDX-License-Identifier: MIT
#include "bindings/pointer/device_pointer.h"

#include <string>

#include "bindings/base/limited_api.h"
#include "bindings/convert/integers.h"
#include "bindings/pointer/allocation_object.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

PyTypeObject* pointer_type = nullptr;
PyTypeObject* holder_type = nullptr;
PyTypeObject* refused_type = nullptr;

/// A Python class that tells its address itself: the recipe for wrapping other packages' tensors.
class PointerHolder : public DevicePointer {
  struct Leaving {
    Leaving() = default;
    Leaving(const Leaving&) = delete;
    Leaving& operator=(const Leaving&) = delete;
    ~Leaving() { Py_LeaveRecursiveCall(); }
  };

 public:
  CUdeviceptr address() const override {
    const nb::object self = nb::find(*this);
    // Holders that give one another would call C++ without an end, which Python does not count.
    if (Py_EnterRecursiveCall(" in get_pointer()") != 0) throw nb::python_error();
    const Leaving leaving;
    return device_address(self.attr("get_pointer")(), "the result of get_pointer()");
  }
};

/// Exports memory that another object owns.
struct HostView {
  PyObject_HEAD PyObject* owner;
  void* data;
  Py_ssize_t bytes;
  /// Counts the views that keep the memory from being freed; may be null.
  int* views;
};

int export_view(PyObject* self, Py_buffer* view, int flags) {
  auto* host = reinterpret_cast<HostView*>(self);
  const int failed = PyBuffer_FillInfo(view, self, host->data, host->bytes, 0, flags);
  if (failed == 0 && host->views != nullptr) ++*host->views;
  return failed;
}

void release_view(PyObject* self, Py_buffer*) {
  auto* host = reinterpret_cast<HostView*>(self);
  if (host->views != nullptr) --*host->views;
}

void destroy_view(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Py_XDECREF(reinterpret_cast<HostView*>(self)->owner);
  PyObject_Free(self);
  Py_DECREF(type);
}

PyTypeObject* host_view_type() {
  static PyType_Slot slots[] = {
      {Py_bf_getbuffer, reinterpret_cast<void*>(export_view)},
      {Py_bf_releasebuffer, reinterpret_cast<void*>(release_view)},
      {Py_tp_dealloc, reinterpret_cast<void*>(destroy_view)},
      {0, nullptr},
  };
  static PyType_Spec spec = {"pycuda._driver._HostView", sizeof(HostView), 0, Py_TPFLAGS_DEFAULT,
                             slots};
  static PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw nb::python_error();
  return reinterpret_cast<PyTypeObject*>(type);
}

}  // namespace

std::optional<CUdeviceptr> pointer_held_by(PyObject* object) {
  if (const DeviceAllocation* allocation = allocation_of(object)) return allocation->address();
  if (!PyType_IsSubtype(Py_TYPE(object), pointer_type) || !nb::inst_ready(object)) {
    return std::nullopt;
  }
  return nb::inst_ptr<DevicePointer>(object)->address();
}

void refuse_as_address(PyTypeObject* type) { refused_type = type; }

bool is_pointer_holder(PyObject* object) {
  return PyType_IsSubtype(Py_TYPE(object), holder_type) != 0;
}

CUdeviceptr device_address(nb::handle object, const char* what) {
  if (const std::optional<CUdeviceptr> held = pointer_held_by(object.ptr())) return *held;
  // A holder without its base has no address.
  const bool is_unready = is_pointer_holder(object.ptr()) && !nb::inst_ready(object);
  const bool is_refused = is_unready || PyType_IsSubtype(Py_TYPE(object.ptr()), refused_type) != 0;
  const nb::object number = is_refused ? nb::object() : nb::steal(PyNumber_Index(object.ptr()));
  if (!number.is_valid()) {
    PyErr_Clear();
    const char* advice = "";
    if (is_unready) {
      advice = ": its __init__ must call that of PointerHolderBase";
    } else if (PyObject_HasAttrString(object.ptr(), "gpudata") == 1) {
      advice = ": give its gpudata";
    } else if (PyTuple_Check(object.ptr()) != 0) {
      advice = ": what get_global returns is (address, bytes), give its [0]";
    } else if (PyObject_CheckBuffer(object.ptr()) != 0) {
      advice = ", which is in the host's memory: memcpy_htod and memcpy_dtoh copy it";
    }
    PyErr_Format(PyExc_TypeError, "%s must be device memory or an integer, not %s%s", what,
                 type_name(object.ptr()).c_str(), advice);
    throw nb::python_error();
  }
  return as_integer<CUdeviceptr>(number, what);
}

nb::object memory_view(nb::handle owner, CUdeviceptr address, std::size_t bytes, int* views) {
  PyTypeObject* type = host_view_type();
  auto* view = PyObject_New(HostView, type);
  if (view == nullptr) throw nb::python_error();
  view->owner = owner.inc_ref().ptr();
  view->data = reinterpret_cast<void*>(address);
  view->bytes = static_cast<Py_ssize_t>(bytes);
  view->views = views;
  const nb::object exporter = nb::steal(reinterpret_cast<PyObject*>(view));
  nb::object memory = nb::steal(PyMemoryView_FromObject(exporter.ptr()));
  if (!memory.is_valid()) throw nb::python_error();
  return memory;
}

void bind_device_pointer(nb::module_& m) {
  nb::class_<DevicePointer> pointer(m, "_DevicePointer", nb::dynamic_attr());
  pointer_type = reinterpret_cast<PyTypeObject*>(pointer.ptr());
  for (const char* name : {"__int__", "__index__", "__long__"}) {
    pointer.def(name, [](const DevicePointer& self) { return self.address(); });
  }

  nb::class_<PointerHolder, DevicePointer> holder(
      m, "PointerHolderBase",
      "Derive from it and define `get_pointer`: kernels and copies then take the object as device "
      "memory.",
      nb::dynamic_attr(), nb::is_weak_referenceable());
  holder_type = reinterpret_cast<PyTypeObject*>(holder.ptr());
  holder.def(nb::init<>())
      .def(
          "get_pointer",
          [](nb::handle self) -> CUdeviceptr {
            const std::string text = type_name(self.ptr()) + " does not define get_pointer()";
            PyErr_SetString(PyExc_NotImplementedError, text.c_str());
            throw nb::python_error();
          },
          "The address on the device, an int; to be defined by derived classes.")
      .def(
          "as_buffer",
          [](nb::handle self, nb::handle size, nb::handle offset) {
            const auto start = device_address(self, "the pointer");
            return memory_view(self, start + as_integer<std::size_t>(offset, "offset"),
                               as_integer<std::size_t>(size, "size"));
          },
          nb::arg("size"), nb::arg("offset") = 0,
          "A view of memory that the host can read, `size` bytes from `offset` on.");
}

}  // namespace pycuda::bindings
