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
#include "cpu/kernel_abi/runtime_calls.h"
#include "cpu/kernel_abi/texture.h"

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

template <class Function>
RuntimeSymbol symbol(const char* name, Function* function) {
  return {name, reinterpret_cast<void*>(function)};
}

std::vector<RuntimeSymbol> all_symbols() {
  std::vector<RuntimeSymbol> symbols = {
      symbol("pycuda_cpu_fault", pycuda_cpu_fault),
      symbol("pycuda_cpu_trap", pycuda_cpu_trap),
      symbol("pycuda_cpu_assert_fail", pycuda_cpu_assert_fail),
      symbol("pycuda_cpu_vprintf", pycuda_cpu_vprintf),
      symbol("pycuda_cpu_malloc", pycuda_cpu_malloc),
      symbol("pycuda_cpu_free", pycuda_cpu_free),
      symbol("pycuda_cpu_check_access", pycuda_cpu_check_access),
      symbol("pycuda_cpu_is_local", pycuda_cpu_is_local),
      symbol("pycuda_cpu_frame_push", pycuda_cpu_frame_push),
      symbol("pycuda_cpu_variable_push", pycuda_cpu_variable_push),
      symbol("pycuda_cpu_mbarrier_arrive", pycuda_cpu_mbarrier_arrive),
      symbol("pycuda_cpu_mbarrier_add_bytes", pycuda_cpu_mbarrier_add_bytes),
      symbol("pycuda_cpu_frame_pop", pycuda_cpu_frame_pop),
      symbol("pycuda_cpu_clock", pycuda_cpu_clock),
      symbol("pycuda_cpu_globaltimer", pycuda_cpu_globaltimer),
      symbol("pycuda_cpu_nanosleep", pycuda_cpu_nanosleep),
      symbol("pycuda_cpu_texture_fetch", pycuda_cpu_texture_fetch),
      symbol("pycuda_cpu_texture_query", pycuda_cpu_texture_query),
      symbol("pycuda_cpu_surface_load", pycuda_cpu_surface_load),
      symbol("pycuda_cpu_surface_store", pycuda_cpu_surface_store),
      symbol("memcpy", std::memcpy),
      symbol("memmove", std::memmove),
      symbol("memset", std::memset),
      symbol<int(const void*, const void*, std::size_t)>("memcmp", std::memcmp),
      symbol<double(double, double)>("fmod", ::fmod),
      symbol<float(float, float)>("fmodf", ::fmodf),
      symbol<double(double)>("sqrt", ::sqrt),
      symbol<float(float)>("sqrtf", ::sqrtf),
      symbol<double(double)>("rint", ::rint),
      symbol<float(float)>("rintf", ::rintf),
      symbol<double(double)>("nearbyint", ::nearbyint),
      symbol<float(float)>("nearbyintf", ::nearbyintf),
      symbol<double(double)>("exp2", ::exp2),
      symbol<float(float)>("exp2f", ::exp2f),
      symbol<double(double)>("log2", ::log2),
      symbol<float(float)>("log2f", ::log2f),
      symbol<double(double, double)>("fmin", ::fmin),
      symbol<double(double, double)>("fmax", ::fmax),
      symbol<float(float, float)>("fminf", ::fminf),
      symbol<float(float, float)>("fmaxf", ::fmaxf),
      symbol<double(double, int)>("ldexp", ::ldexp),
      symbol<float(float, int)>("ldexpf", ::ldexpf),
      symbol("__divti3", __divti3),
      symbol("__modti3", __modti3),
      symbol("__multi3", __multi3),
      symbol("__udivti3", __udivti3),
      symbol("__umodti3", __umodti3),
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
