// SPDX-License-Identifier: MIT
// The extension pycuda._driver: a list of its families.
#include "bindings/base/bind.h"
#include "bindings/base/errors.h"
#include "bindings/base/limited_api.h"
#include "bindings/gil/on_driver_thread.h"
#include "bindings/gil/released.h"
#include "bindings/gil/required.h"
#include "bindings/pointer/device_pointer.h"

NB_MODULE(_driver, m) {
  using namespace pycuda::bindings;
  // What a program still holds at its end is the driver's to take back, and no news to its user.
  nanobind::set_leak_warnings(false);
  require_gil();
  require_main_interpreter();
  require_first_import();
  find_python_functions();
  GilReleased::wait_at_exit();
  GilOnDriverThread::close_at_exit();
  bind_errors(m);
  bind_enums(m);
  bind_device_pointer(m);
  bind_driver_call(m);
  bind_device(m);
  bind_context(m);
  bind_stream(m);
  bind_green_context(m);
  bind_device_memory(m);
  bind_host_memory(m);
  bind_copies(m);
  bind_cuda_array(m);
  bind_structured_copies(m);
  bind_memset(m);
  bind_memory_pools(m);
  bind_stream_ordered_memory(m);
  bind_texture(m);
  bind_module(m);
  bind_function(m);
  bind_graph(m);
  bind_capture(m);
  bind_conditional(m);
  bind_graph_exec(m);
  bind_graph_parts(m);
  bind_stream_memory(m);
  bind_ipc(m);
  bind_virtual_memory(m);
  bind_memory_batches(m);
  bind_external_memory(m);
  bind_graphics(m);
  bind_tensor_map(m);
  bind_driver_log(m);
  bind_profile(m);
  bind_profiler(m);
  bind_checks(m);
  bind_value_format(m);
  bind_rtc(m);
  bind_array(m);
}
