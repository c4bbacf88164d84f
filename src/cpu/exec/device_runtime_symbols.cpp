// SPDX-License-Identifier: MIT
#include "cpu/exec/device_runtime_symbols.h"

#include <array>

#include "cpu/kernel_abi/device_runtime_calls.h"

namespace pycuda::cpu::exec {
std::span<const RuntimeSymbol> device_runtime_symbols() {
  static const std::array symbols = {
#define PYCUDA_SYMBOL(NAME) runtime_symbol("pycuda_cpu_device_" #NAME, pycuda_cpu_device_##NAME)
      PYCUDA_SYMBOL(parameter_buffer),
      PYCUDA_SYMBOL(parameter_buffer_of),
      PYCUDA_SYMBOL(launch),
      PYCUDA_SYMBOL(launch_prepared),
      PYCUDA_SYMBOL(graph_launch),
      PYCUDA_SYMBOL(current_graph),
      PYCUDA_SYMBOL(node_set_parameter),
      PYCUDA_SYMBOL(node_set_enabled),
      PYCUDA_SYMBOL(node_set_grid),
      PYCUDA_SYMBOL(node_apply_updates),
      PYCUDA_SYMBOL(stream_create),
      PYCUDA_SYMBOL(stream_destroy),
      PYCUDA_SYMBOL(stream_wait_event),
      PYCUDA_SYMBOL(event_create),
      PYCUDA_SYMBOL(event_record),
      PYCUDA_SYMBOL(event_record_with_flags),
      PYCUDA_SYMBOL(event_destroy),
      PYCUDA_SYMBOL(malloc),
      PYCUDA_SYMBOL(free),
      PYCUDA_SYMBOL(memcpy),
      PYCUDA_SYMBOL(memcpy_2d),
      PYCUDA_SYMBOL(memcpy_3d),
      PYCUDA_SYMBOL(memset),
      PYCUDA_SYMBOL(memset_2d),
      PYCUDA_SYMBOL(memset_3d),
      PYCUDA_SYMBOL(last_error),
      PYCUDA_SYMBOL(peek_at_last_error),
      PYCUDA_SYMBOL(error_name),
      PYCUDA_SYMBOL(error_string),
      PYCUDA_SYMBOL(device),
      PYCUDA_SYMBOL(device_count),
      PYCUDA_SYMBOL(attribute),
      PYCUDA_SYMBOL(limit),
      PYCUDA_SYMBOL(cache_config),
      PYCUDA_SYMBOL(shared_config),
      PYCUDA_SYMBOL(version),
      PYCUDA_SYMBOL(function_attributes),
      PYCUDA_SYMBOL(occupancy),
      PYCUDA_SYMBOL(occupancy_with_flags),
#undef PYCUDA_SYMBOL
  };
  return symbols;
}

}  // namespace pycuda::cpu::exec
