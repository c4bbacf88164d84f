// SPDX-License-Identifier: MIT
// The one place where C++ exceptions become Python's: PyCUDA's classes and messages.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>

namespace pycuda::bindings {

/// Makes pycuda._driver.Error and its subclasses and translates every exception that leaves a bound
/// function. Errors of the driver carry `code` (its number), `name` ("CUDA_ERROR_OUT_OF_MEMORY")
/// and `routine` ("cuMemAlloc").
void bind_errors(nanobind::module_& m);

/// Sets the Python error that stands for `error`.
void set_python_error(const std::exception_ptr& error) noexcept;

/// After an exception of a signal's handler that ended the wait for a kernel: if the driver has
/// stopped that, adds a note that says where (Python 3.10 has none: prints it).
void note_stopped_kernel(const nanobind::python_error& exception) noexcept;

/// Runs the body of an entry that Python calls past nanobind; exceptions become Python errors.
template <class Body>
PyObject* python_entry(Body&& body) noexcept {
  try {
    return body();
  } catch (...) {
    set_python_error(std::current_exception());
    return nullptr;
  }
}

}  // namespace pycuda::bindings
