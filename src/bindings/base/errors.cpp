// SPDX-License-Identifier: MIT
#include "bindings/base/errors.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "array/dtype.h"
#include "cuda/context_stack.h"
#include "cuda/device_traits.h"
#include "cuda/grid_launches.h"
#include "driver/error.h"
#include "driver/process_driver.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

// Classes live as long as the process, like the types of the module.
PyObject* error_class = nullptr;
PyObject* memory_error_class = nullptr;
PyObject* logic_error_class = nullptr;
PyObject* launch_error_class = nullptr;
PyObject* runtime_error_class = nullptr;

PyObject* class_for(CUresult code) {
  switch (code) {
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING:
      return launch_error_class;
    case CUDA_ERROR_OUT_OF_MEMORY:
      return memory_error_class;
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_FILE_NOT_FOUND:
    case CUDA_ERROR_NOT_READY:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
      return runtime_error_class;
    case CUDA_ERROR_UNKNOWN:
      return error_class;
    default:
      return logic_error_class;
  }
}

std::string name_of(CUresult code) {
  // Errors are made without a driver too, and then have a number alone.
  if (!driver::process_driver_loaded()) return "error " + std::to_string(static_cast<int>(code));
  return driver::error_name(driver::process_driver(), code);
}

/// Whether another error has told of the fault that ended the context.
bool note_fault() {
  const cuda::ContextPtr own = cuda::current_context();
  const cuda::ContextPtr context = own ? own : cuda::process_context();
  if (!context) return false;
  const bool was_told = context->fault_told();
  context->note_fault_told();
  return was_told;
}

/// NVIDIA's driver takes no further work from a process after a fault; the CPU driver does.
const char* advice_after_fault() {
  return cuda::current_device_traits().is_cpu
             ? "\nThe context is lost: every call fails until pycuda.tools.reset_context() makes a "
               "new one."
             : "\nThe context is lost, and NVIDIA's driver accepts no further work from this "
               "process: start it again.";
}

/// The CPU driver's device has as much memory as it is told to have.
const char* advice_on_memory(const std::string& routine) {
  const bool is_device_memory = routine == "memory_pool::allocate" ||
                                (routine.starts_with("cuMemAlloc") && !routine.ends_with("Host"));
  return is_device_memory && cuda::current_device_traits().is_cpu
             ? "; PYCUDA_CPU_MEMORY (--memory of `python -m pycuda run`) sets how much the CPU "
               "device has"
             : "";
}

/// What may have led to the fault, and what to do about it.
std::string advice_on_fault(const std::string& text) {
  if (text.find("stack overflow in kernel") != std::string::npos) {
    return "; if the recursion ends, Context.set_limit(limit.STACK_SIZE, bytes) gives its threads "
           "more";
  }
  std::string advice = cuda::advice_on_grid_fault(text);
  const bool is_trap = text.find("trap instruction in kernel") != std::string::npos;
  // The CPU driver's words, where it has found the store.
  const bool is_explained = text.find("__constant__ memory") != std::string::npos;
  if (advice.empty() && is_trap && !is_explained) {
    advice =
        "; the compiler puts a trap where it sees a null pointer used, a store to __constant__ "
        "memory or an atomic operation on a variable of the thread (which it warns of), the source "
        "where it says __trap()";
  }
  return advice;
}

// The interpreter's own error, if any, wins: nothing may be raised on top of it.
void set_driver_error(const driver::DriverError& error) {
  PyObject* type = class_for(error.code());
  std::string text = error.what();
  if (driver::is_sticky(error.code())) {
    if (note_fault()) text.insert(0, "the context was lost earlier: ");
    // Before the line of the source, which ends the first line.
    text.insert(std::min(text.find('\n'), text.size()), advice_on_fault(text));
    text += advice_after_fault();
  } else if (error.code() == CUDA_ERROR_OUT_OF_MEMORY) {
    text += advice_on_memory(error.routine());
  }
  const nb::object made = nb::steal(PyObject_CallFunction(type, "s", text.c_str()));
  if (!made.is_valid()) return;
  const nb::object code = nb::steal(PyLong_FromLong(error.code()));
  const nb::object name = nb::steal(PyUnicode_FromString(name_of(error.code()).c_str()));
  const nb::object routine = nb::steal(PyUnicode_FromString(error.routine().c_str()));
  if (!code.is_valid() || !name.is_valid() || !routine.is_valid()) return;
  if (PyObject_SetAttrString(made.ptr(), "code", code.ptr()) != 0 ||
      PyObject_SetAttrString(made.ptr(), "name", name.ptr()) != 0 ||
      PyObject_SetAttrString(made.ptr(), "routine", routine.ptr()) != 0) {
    return;
  }
  PyErr_SetObject(type, made.ptr());
}

/// What the driver says of the kernel that it has stopped in the current context for an interrupt;
/// empty if it has stopped none, or if another error has told of it.
std::string text_of_stopped_kernel() {
  if (!driver::process_driver_loaded()) return {};
  const driver::DriverTable& driver = driver::process_driver();
  std::size_t free_bytes = 0, all_bytes = 0;
  if (driver.last_fault == nullptr ||
      driver.cuMemGetInfo.status(&free_bytes, &all_bytes) != CUDA_ERROR_LAUNCH_TIMEOUT)
    return {};
  std::array<char, 4096> buffer{};
  if (driver.last_fault(buffer.data(), buffer.size()) != CUDA_SUCCESS) return {};
  const std::string_view text = buffer.data();
  const std::size_t kernel = text.find("kernel ");
  if (!text.starts_with("stopped by the user's interrupt") || kernel == std::string_view::npos ||
      note_fault())
    return {};
  return "This has stopped " + std::string(text.substr(kernel)) + advice_after_fault();
}

void translate(const std::exception_ptr& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (const driver::DriverError& failure) {
    set_driver_error(failure);
  } catch (const driver::DriverUnavailable& failure) {
    PyErr_SetString(runtime_error_class, failure.what());
  } catch (const array::TypeMismatch& failure) {
    PyErr_SetString(PyExc_TypeError, failure.what());
  } catch (const array::ValueMismatch& failure) {
    PyErr_SetString(PyExc_ValueError, failure.what());
  } catch (const array::OutOfRange& failure) {
    PyErr_SetString(PyExc_OverflowError, failure.what());
  }
}

PyObject* python_class(nb::exception_type type) {
  switch (type) {
    case nb::exception_type::index_error:
      return PyExc_IndexError;
    case nb::exception_type::value_error:
      return PyExc_ValueError;
    case nb::exception_type::type_error:
      return PyExc_TypeError;
    case nb::exception_type::buffer_error:
      return PyExc_BufferError;
    default:
      return PyExc_RuntimeError;
  }
}

PyObject* make_class(nb::module_& m, const char* name, PyObject* base, const char* text) {
  const std::string qualified = std::string("pycuda._driver.") + name;
  PyObject* made = PyErr_NewExceptionWithDoc(qualified.c_str(), text, base, nullptr);
  if (made == nullptr) throw nb::python_error();
  nb::setattr(m, name, nb::borrow(made));
  return made;
}

}  // namespace

void bind_errors(nb::module_& m) {
  error_class = make_class(m, "Error", PyExc_Exception, "Anything that the CUDA driver refuses.");
  for (const char* attribute : {"code", "name", "routine"}) {
    nb::setattr(nb::handle(error_class), attribute, nb::none());
  }
  memory_error_class = make_class(m, "MemoryError", error_class, "No memory is left.");
  logic_error_class = make_class(m, "LogicError", error_class, "A call that makes no sense.");
  launch_error_class = make_class(m, "LaunchError", error_class, "A kernel that could not run.");
  runtime_error_class = make_class(m, "RuntimeError", error_class, "A device that cannot do it.");
  nb::register_exception_translator(translate);
}

void note_stopped_kernel(const nb::python_error& exception) noexcept {
  try {
    const std::string text = text_of_stopped_kernel();
    if (text.empty()) return;
    if (nb::hasattr(exception.value(), "add_note")) {
      exception.value().attr("add_note")(text);
    } else {
      PySys_FormatStderr("%s\n", text.c_str());
    }
  } catch (nb::python_error& failure) {
    failure.discard_as_unraisable("pycuda");
  } catch (const std::exception&) {
    PyErr_Clear();  // out of memory: the exception goes without a note
  }
}

void set_python_error(const std::exception_ptr& error) noexcept {
  try {
    translate(error, nullptr);
  } catch (nb::python_error& failure) {
    failure.restore();
  } catch (const nb::builtin_exception& failure) {
    PyErr_SetString(python_class(failure.type()), failure.what());
  } catch (const nb::cast_error&) {
    PyErr_SetString(PyExc_TypeError, "an argument has the wrong type");
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& failure) {
    PyErr_SetString(PyExc_RuntimeError, failure.what());
  }
}

}  // namespace pycuda::bindings
