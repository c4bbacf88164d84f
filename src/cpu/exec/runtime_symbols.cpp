// SPDX-License-Identifier: MIT
// The table of every function that compiled code may call.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cpu/exec/device_runtime_symbols.h"
#include "cpu/exec/half_conversions.h"
#include "cpu/exec/math.h"
#include "cpu/kernel_abi/bulk_copies.h"
#include "cpu/kernel_abi/checks.h"
#include "cpu/kernel_abi/clusters.h"
#include "cpu/kernel_abi/counters.h"
#include "cpu/kernel_abi/multicast.h"
#include "cpu/kernel_abi/runtime_calls.h"
#include "cpu/kernel_abi/tensor_maps.h"
#include "cpu/kernel_abi/texture.h"
#include "cpu/kernel_abi/word_states.h"

// 128-bit arithmetic of the compiler's run-time library.
// NOLINTBEGIN(bugprone-reserved-identifier): it has these names
extern "C" {
__extension__ __int128 __divti3(__int128, __int128);
__extension__ __int128 __modti3(__int128, __int128);
__extension__ __int128 __multi3(__int128, __int128);
__extension__ unsigned __int128 __udivti3(unsigned __int128, unsigned __int128);
__extension__ unsigned __int128 __umodti3(unsigned __int128, unsigned __int128);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace pycuda::cpu {
namespace {

std::vector<RuntimeSymbol> all_symbols() {
  std::vector<RuntimeSymbol> symbols = {
      runtime_symbol("pycuda_cpu_fault", pycuda_cpu_fault),
      runtime_symbol("pycuda_cpu_trap", pycuda_cpu_trap),
      runtime_symbol("pycuda_cpu_assert_fail", pycuda_cpu_assert_fail),
      runtime_symbol("pycuda_cpu_vprintf", pycuda_cpu_vprintf),
      runtime_symbol("pycuda_cpu_malloc", pycuda_cpu_malloc),
      runtime_symbol("pycuda_cpu_free", pycuda_cpu_free),
      runtime_symbol("pycuda_cpu_set_condition", pycuda_cpu_set_condition),
      runtime_symbol("pycuda_cpu_check_access", pycuda_cpu_check_access),
      runtime_symbol("pycuda_cpu_check_gang", pycuda_cpu_check_gang),
      runtime_symbol("pycuda_cpu_note_access", pycuda_cpu_note_access),
      runtime_symbol("pycuda_cpu_note_read", pycuda_cpu_note_read),
      runtime_symbol("pycuda_cpu_note_gang", pycuda_cpu_note_gang),
      runtime_symbol("pycuda_cpu_note_gang_barrier", pycuda_cpu_note_gang_barrier),
      runtime_symbol("pycuda_cpu_note_gang_operation", pycuda_cpu_note_gang_operation),
      runtime_symbol("pycuda_cpu_note_row", pycuda_cpu_note_row),
      runtime_symbol("pycuda_cpu_note_lines", pycuda_cpu_note_lines),
      runtime_symbol("pycuda_cpu_note_lanes", pycuda_cpu_note_lanes),
      runtime_symbol("pycuda_cpu_note_written", pycuda_cpu_note_written),
      runtime_symbol("pycuda_cpu_note_warp_order", pycuda_cpu_note_warp_order),
      runtime_symbol("pycuda_cpu_note_gang_passed", pycuda_cpu_note_gang_passed),
      runtime_symbol("pycuda_cpu_note_passed", pycuda_cpu_note_passed),
      runtime_symbol("pycuda_cpu_note_fence", pycuda_cpu_note_fence),
      runtime_symbol("pycuda_cpu_note_barrier", pycuda_cpu_note_barrier),
      runtime_symbol("pycuda_cpu_count_access", pycuda_cpu_count_access),
      runtime_symbol("pycuda_cpu_count_first", pycuda_cpu_count_first),
      runtime_symbol("pycuda_cpu_count_strided", pycuda_cpu_count_strided),
      runtime_symbol("pycuda_cpu_is_local", pycuda_cpu_is_local),
      runtime_symbol("pycuda_cpu_is_constant", pycuda_cpu_is_constant),
      runtime_symbol("pycuda_cpu_is_parameter", pycuda_cpu_is_parameter),
      runtime_symbol("pycuda_cpu_is_global", pycuda_cpu_is_global),
      runtime_symbol("pycuda_cpu_frame_push", pycuda_cpu_frame_push),
      runtime_symbol("pycuda_cpu_variable_push", pycuda_cpu_variable_push),
      runtime_symbol("pycuda_cpu_local_push", pycuda_cpu_local_push),
      runtime_symbol("pycuda_cpu_local_pop", pycuda_cpu_local_pop),
      runtime_symbol("pycuda_cpu_mbarrier_arrive", pycuda_cpu_mbarrier_arrive),
      runtime_symbol("pycuda_cpu_mbarrier_add_bytes", pycuda_cpu_mbarrier_add_bytes),
      runtime_symbol("pycuda_cpu_cluster_pointer", pycuda_cpu_cluster_pointer),
      runtime_symbol("pycuda_cpu_cluster_address", pycuda_cpu_cluster_address),
      runtime_symbol("pycuda_cpu_cluster_has", pycuda_cpu_cluster_has),
      runtime_symbol("pycuda_cpu_cluster_map", pycuda_cpu_cluster_map),
      runtime_symbol("pycuda_cpu_cluster_rank", pycuda_cpu_cluster_rank),
      runtime_symbol("pycuda_cpu_cluster_use", pycuda_cpu_cluster_use),
      runtime_symbol("pycuda_cpu_cluster_arrive", pycuda_cpu_cluster_arrive),
      runtime_symbol("pycuda_cpu_cluster_wait", pycuda_cpu_cluster_wait),
      runtime_symbol("pycuda_cpu_bulk_copy", pycuda_cpu_bulk_copy),
      runtime_symbol("pycuda_cpu_bulk_multicast", pycuda_cpu_bulk_multicast),
      runtime_symbol("pycuda_cpu_bulk_reduce", pycuda_cpu_bulk_reduce),
      runtime_symbol("pycuda_cpu_bulk_complete", pycuda_cpu_bulk_complete),
      runtime_symbol("pycuda_cpu_tensor_load", pycuda_cpu_tensor_load),
      runtime_symbol("pycuda_cpu_tensor_store", pycuda_cpu_tensor_store),
      runtime_symbol("pycuda_cpu_tensor_map_replace", pycuda_cpu_tensor_map_replace),
      runtime_symbol("pycuda_cpu_frame_pop", pycuda_cpu_frame_pop),
      runtime_symbol("pycuda_cpu_begin_on_stack", pycuda_cpu_begin_on_stack),
      runtime_symbol("pycuda_cpu_wait_on_stack", pycuda_cpu_wait_on_stack),
      runtime_symbol("pycuda_cpu_clock", pycuda_cpu_clock),
      runtime_symbol("pycuda_cpu_globaltimer", pycuda_cpu_globaltimer),
      runtime_symbol("pycuda_cpu_nanosleep", pycuda_cpu_nanosleep),
      runtime_symbol("pycuda_cpu_texture_fetch", pycuda_cpu_texture_fetch),
      runtime_symbol("pycuda_cpu_texture_fetch_level", pycuda_cpu_texture_fetch_level),
      runtime_symbol("pycuda_cpu_texture_fetch_gradient", pycuda_cpu_texture_fetch_gradient),
      runtime_symbol("pycuda_cpu_texture_query", pycuda_cpu_texture_query),
      runtime_symbol("pycuda_cpu_is_reference", pycuda_cpu_is_reference),
      runtime_symbol("pycuda_cpu_surface_load", pycuda_cpu_surface_load),
      runtime_symbol("pycuda_cpu_surface_store", pycuda_cpu_surface_store),
      runtime_symbol("pycuda_cpu_surface_reduce", pycuda_cpu_surface_reduce),
      runtime_symbol("pycuda_cpu_multimem_load", pycuda_cpu_multimem_load),
      runtime_symbol("pycuda_cpu_multimem_store", pycuda_cpu_multimem_store),
      runtime_symbol("pycuda_cpu_multimem_reduce", pycuda_cpu_multimem_reduce),
      runtime_symbol("memcpy", std::memcpy),
      runtime_symbol("memmove", std::memmove),
      runtime_symbol("memset", std::memset),
      runtime_symbol<int(const void*, const void*, std::size_t)>("memcmp", std::memcmp),
      runtime_symbol<double(double, double)>("fmod", ::fmod),
      runtime_symbol<float(float, float)>("fmodf", ::fmodf),
      runtime_symbol<double(double)>("sqrt", ::sqrt),
      runtime_symbol<float(float)>("sqrtf", ::sqrtf),
      runtime_symbol<double(double)>("rint", ::rint),
      runtime_symbol<float(float)>("rintf", ::rintf),
      runtime_symbol<double(double)>("nearbyint", ::nearbyint),
      runtime_symbol<float(float)>("nearbyintf", ::nearbyintf),
      runtime_symbol<double(double)>("exp2", ::exp2),
      runtime_symbol<float(float)>("exp2f", ::exp2f),
      runtime_symbol<double(double)>("log2", ::log2),
      runtime_symbol<float(float)>("log2f", ::log2f),
      runtime_symbol<double(double, double)>("fmin", ::fmin),
      runtime_symbol<double(double, double)>("fmax", ::fmax),
      runtime_symbol<float(float, float)>("fminf", ::fminf),
      runtime_symbol<float(float, float)>("fmaxf", ::fmaxf),
      runtime_symbol<double(double, int)>("ldexp", ::ldexp),
      runtime_symbol<float(float, int)>("ldexpf", ::ldexpf),
      runtime_symbol("__divti3", __divti3),
      runtime_symbol("__modti3", __modti3),
      runtime_symbol("__multi3", __multi3),
      runtime_symbol("__udivti3", __udivti3),
      runtime_symbol("__umodti3", __umodti3),
  };
  const auto device_runtime = exec::device_runtime_symbols();
  symbols.insert(symbols.end(), device_runtime.begin(), device_runtime.end());
  const auto math = exec::math_symbols();
  symbols.insert(symbols.end(), math.begin(), math.end());
  const auto halves = exec::half_symbols();
  symbols.insert(symbols.end(), halves.begin(), halves.end());
  return symbols;
}

}  // namespace

std::span<const RuntimeSymbol> runtime_symbols() {
  static const std::vector<RuntimeSymbol> symbols = all_symbols();
  return symbols;
}

}  // namespace pycuda::cpu
