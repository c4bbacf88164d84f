// SPDX-License-Identifier: MIT
// DLPack: arrays' memory handed to other packages in capsules, and theirs taken from such capsules.
// What may be exchanged with whom is decided in pycuda._arrays.ops.interchange.
#include <nanobind/stl/string.h>

#include <array>
#include <memory>
#include <string>

#include "bindings/array/type.h"
#include "bindings/base/bind.h"
#include "bindings/convert/dlpack_tensor.h"
#include "bindings/gil/released.h"
#include "cuda/context_stack.h"
#include "cuda/event.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

/// What an exported tensor points to, alive until its deleter is called.
struct Exported {
  nb::object owner;
  std::array<std::int64_t, array::max_dims> shape;
  std::array<std::int64_t, array::max_dims> strides;  ///< in elements
  dlpack::ManagedTensorVersioned versioned;
  dlpack::ManagedTensor unversioned;
};

/// Deleters are called from any thread, also when the interpreter is no more.
void release(Exported* exported) {
  if (Py_IsInitialized() == 0 || !nb::is_alive()) return;
  const nb::gil_scoped_acquire locked;
  delete exported;
}

dlpack::DataType data_type(const nb::tuple& type) {
  return {nb::cast<std::uint8_t>(type[0]), nb::cast<std::uint8_t>(type[1]), 1};
}

template <class Tensor>
void drop_unused(PyObject* capsule, const char* name) {
  if (PyCapsule_IsValid(capsule, name) == 0) return;  // somebody took it
  auto* tensor = static_cast<Tensor*>(PyCapsule_GetPointer(capsule, name));
  if (tensor->deleter != nullptr) tensor->deleter(tensor);
}

/// to_dlpack(array, (code, bits), (device type, device id), versioned, flags)
nb::object to_dlpack(nb::handle object, const nb::tuple& type, const nb::tuple& device,
                     bool versioned, std::uint64_t flags) {
  const ArrayState& state = state_of_array(object.ptr());
  auto exported = std::make_unique<Exported>();
  dlpack::Tensor tensor{};
  for (int i = 0; i < state.layout.ndim; ++i) {
    const auto axis = static_cast<std::size_t>(i);
    const std::int64_t stride = state.layout.strides[axis];
    if (stride % state.item_bytes != 0 && state.layout.shape[axis] > 1) {
      const std::string text = "DLPack counts strides in elements; a stride of " +
                               std::to_string(stride) + " bytes is no number of elements of " +
                               std::to_string(state.item_bytes) + " bytes";
      PyErr_SetString(PyExc_BufferError, text.c_str());
      throw nb::python_error();
    }
    exported->shape[axis] = state.layout.shape[axis];
    exported->strides[axis] = stride / state.item_bytes;
  }
  mark_escaped(object.ptr());
  tensor.data = state.size == 0 ? nullptr : reinterpret_cast<void*>(state.located().address);
  tensor.device = {nb::cast<std::int32_t>(device[0]), nb::cast<std::int32_t>(device[1])};
  tensor.ndim = state.layout.ndim;
  tensor.type = data_type(type);
  tensor.shape = exported->shape.data();
  tensor.strides = exported->strides.data();
  exported->owner = nb::borrow(object);
  PyObject* capsule = nullptr;
  if (versioned) {
    dlpack::ManagedTensorVersioned& managed = exported->versioned;
    managed = {{1, 1}, exported.get(), nullptr, flags, tensor};
    managed.deleter = [](dlpack::ManagedTensorVersioned* self) {
      release(static_cast<Exported*>(self->context));
    };
    capsule = PyCapsule_New(&managed, dlpack::versioned_name, [](PyObject* dropped) {
      drop_unused<dlpack::ManagedTensorVersioned>(dropped, dlpack::versioned_name);
    });
  } else {
    dlpack::ManagedTensor& managed = exported->unversioned;
    managed = {tensor, exported.get(), nullptr};
    managed.deleter = [](dlpack::ManagedTensor* self) {
      release(static_cast<Exported*>(self->context));
    };
    capsule = PyCapsule_New(&managed, dlpack::name, [](PyObject* dropped) {
      drop_unused<dlpack::ManagedTensor>(dropped, dlpack::name);
    });
  }
  if (capsule == nullptr) throw nb::python_error();
  static_cast<void>(exported.release());  // the capsule's
  return nb::steal(capsule);
}

/// Another package's tensor, given back when the object dies.
class ImportedTensor {
 public:
  ImportedTensor(dlpack::ManagedTensorVersioned* versioned, dlpack::ManagedTensor* unversioned)
      : versioned_(versioned), unversioned_(unversioned) {}
  ImportedTensor(ImportedTensor&& other) noexcept
      : versioned_(std::exchange(other.versioned_, nullptr)),
        unversioned_(std::exchange(other.unversioned_, nullptr)) {}
  ImportedTensor& operator=(ImportedTensor&&) = delete;
  ~ImportedTensor() {
    if (versioned_ != nullptr && versioned_->deleter != nullptr) versioned_->deleter(versioned_);
    if (unversioned_ != nullptr && unversioned_->deleter != nullptr) {
      unversioned_->deleter(unversioned_);
    }
  }
  const dlpack::Tensor& tensor() const {
    return versioned_ != nullptr ? versioned_->tensor : unversioned_->tensor;
  }
  bool read_only() const {
    return versioned_ != nullptr && (versioned_->flags & dlpack::flag_read_only) != 0;
  }
  bool copied() const {
    return versioned_ != nullptr && (versioned_->flags & dlpack::flag_copied) != 0;
  }

 private:
  dlpack::ManagedTensorVersioned* versioned_;
  dlpack::ManagedTensor* unversioned_;
};

template <class Tensor>
Tensor* take(nb::handle capsule, const char* name, const char* used_name) {
  if (PyCapsule_IsValid(capsule.ptr(), name) == 0) return nullptr;
  auto* tensor = static_cast<Tensor*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (PyCapsule_SetName(capsule.ptr(), used_name) != 0) throw nb::python_error();
  return tensor;
}

ImportedTensor from_dlpack(nb::handle capsule) {
  auto* versioned = take<dlpack::ManagedTensorVersioned>(capsule, dlpack::versioned_name,
                                                         dlpack::used_versioned_name);
  if (versioned != nullptr) {
    ImportedTensor imported(versioned, nullptr);
    if (versioned->version.major == 1) return imported;
    PyErr_Format(PyExc_BufferError, "DLPack %d.%d is not supported: version 1 is",
                 static_cast<int>(versioned->version.major),
                 static_cast<int>(versioned->version.minor));
    throw nb::python_error();
  }
  auto* unversioned = take<dlpack::ManagedTensor>(capsule, dlpack::name, dlpack::used_name);
  if (unversioned != nullptr) return {nullptr, unversioned};
  PyErr_SetString(PyExc_BufferError, "a DLPack capsule that has not been used is needed");
  throw nb::python_error();
}

nb::object shape_of(const ImportedTensor& imported) {
  return tuple_of(imported.tensor().shape, imported.tensor().ndim);
}

/// In elements; None when they are not given: C order.
nb::object strides_of(const ImportedTensor& imported) {
  const dlpack::Tensor& tensor = imported.tensor();
  return tensor.strides == nullptr ? nb::none() : tuple_of(tensor.strides, tensor.ndim);
}

/// Work that comes into the stream waits for what the default stream has been given.
void order_after_default_stream(std::uintptr_t stream) {
  without_gil([&] {
    const cuda::ContextPtr context = cuda::require_context();
    const cuda::Event event(CU_EVENT_DISABLE_TIMING);
    event.record(nullptr);
    context->driver().cuStreamWaitEvent(reinterpret_cast<CUstream>(stream), event.handle(), 0);
  });
}

/// The number of the device that has the array's memory; of the current one for no memory.
int device_number(nb::handle object) {
  const ArrayState& state = state_of_array(object.ptr());
  const cuda::ContextPtr context = cuda::require_context();
  if (state.size == 0) return static_cast<int>(context->device().handle());
  int number = 0;
  context->driver().cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                          state.located().address);
  return number;
}

}  // namespace

void bind_dlpack(nb::module_& arrays) {
  nb::class_<ImportedTensor>(arrays, "ImportedTensor")
      .def_prop_ro("address",
                   [](const ImportedTensor& self) {
                     return reinterpret_cast<std::uintptr_t>(self.tensor().data) +
                            self.tensor().byte_offset;
                   })
      .def_prop_ro("device",
                   [](const ImportedTensor& self) {
                     return nb::make_tuple(self.tensor().device.type, self.tensor().device.id);
                   })
      .def_prop_ro("type",
                   [](const ImportedTensor& self) {
                     const dlpack::DataType& type = self.tensor().type;
                     return nb::make_tuple(type.code, type.bits, type.lanes);
                   })
      .def_prop_ro("shape", &shape_of)
      .def_prop_ro("strides", &strides_of)
      .def_prop_ro("read_only", &ImportedTensor::read_only)
      .def_prop_ro("copied", &ImportedTensor::copied);
  arrays.def("to_dlpack", &to_dlpack, nb::arg("array"), nb::arg("type"), nb::arg("device"),
             nb::arg("versioned"), nb::arg("flags"));
  arrays.def("from_dlpack", &from_dlpack, nb::arg("capsule"));
  arrays.def("order_after_default_stream", &order_after_default_stream, nb::arg("stream"));
  arrays.def("device_number", &device_number, nb::arg("array"));
  arrays.def("has_escaped",
             [](nb::handle object) { return is_array(object.ptr()) && has_escaped(object.ptr()); });
}

}  // namespace pycuda::bindings
