// SPDX-License-Identifier: MIT
// Switches profilers on and off.
#include <nanobind/stl/string.h>

#include <string>

#include "bindings/base/bind.h"
#include "bindings/convert/enumerators.h"
#include "cuda/profiler.h"

namespace nb = nanobind;

namespace pycuda::bindings {

void bind_profiler(nb::module_& m) {
  m.def(
      "initialize_profiler",
      [](const std::string& config_file, const std::string& output_file, nb::handle mode) {
        cuda::initialize_profiler(config_file, output_file,
                                  as_enumerator<CUoutput_mode>(mode, "the output mode"));
      },
      nb::arg("config_file"), nb::arg("output_file"), nb::arg("output_mode"),
      "Configure the driver's profiler; removed from CUDA 12 drivers, which refuse it.");
  m.def("start_profiler", &cuda::start_profiler, "Start recording for an external profiler.");
  m.def("stop_profiler", &cuda::stop_profiler, "Stop recording.");
}

}  // namespace pycuda::bindings
