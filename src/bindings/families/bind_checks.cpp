// SPDX-License-Identifier: MIT
// What `pycuda.checks` and `pycuda.counters` need of the CPU driver.
#include <nanobind/stl/string.h>

#include <string>

#include "bindings/base/bind.h"
#include "cuda/checks.h"
#include "cuda/counters.h"
#include "cuda/kernel_names.h"

namespace nb = nanobind;

namespace pycuda::bindings {

void bind_checks(nb::module_& m) {
  m.def("_set_checks", &cuda::set_checks, nb::arg("names"),
        "Check launches from now on, and keep what is found; an empty string ends that.");
  m.def("_take_findings", &cuda::take_findings, "What was found since, as JSON.");
  m.def("_readable_name", &cuda::readable_name, nb::arg("name"),
        "A kernel's name as C++ writes it: `k<float>(float*)`.");
  m.def("_set_counters", &cuda::set_counters, nb::arg("count"),
        "Let launches count what their warps do from now on, or not.");
  m.def("_take_counters", &cuda::take_counters, "What was counted since, as JSON.");
}

}  // namespace pycuda::bindings
