// SPDX-License-Identifier: MIT
#include "bindings/gil/required.h"

#include <nanobind/nanobind.h>

#include <utility>

namespace nb = nanobind;

namespace pycuda::bindings {

void require_gil() {
  // Python 3.13 and later have it, with and without free threading.
  nb::object is_enabled = nb::getattr(nb::module_::import_("sys"), "_is_gil_enabled", nb::none());
  if (!is_enabled.is_none() && !nb::cast<bool>(is_enabled()))
    throw nb::import_error(
        "pycuda relies on the GIL, which -X gil=0 or PYTHON_GIL=0 has disabled: run Python without "
        "that setting; a free-threaded Python then enables the GIL when pycuda is imported");
}

void require_main_interpreter() {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0)
    throw nb::import_error(
        "pycuda does not support sub-interpreters: import it in the main interpreter, or in a "
        "process of its own");
}

void require_first_import() {
  static bool is_imported = false;  // under the GIL
  if (std::exchange(is_imported, true))
    throw nb::import_error(
        "pycuda's extension can be loaded once in a process, and the program has taken it out of "
        "sys.modules: leave all of pycuda there, or import it in a process of its own");
}

}  // namespace pycuda::bindings
