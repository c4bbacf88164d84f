// SPDX-License-Identifier: MIT
// Addresses of all exported symbols. cuda.h is not included: only the names matter here.
#include "cpu/api/symbol_table.h"

#define CU_SYMBOL(name, symbol, version, streams) extern "C" int symbol();
#include "cpu/api/exported_symbols.def"
#undef CU_SYMBOL
extern "C" int cuCpuGetLastFault();
extern "C" int cuCpuGetFault();
extern "C" int cuCpuGetRefusal();
extern "C" int cuCpuWatchWaits();
extern "C" int cuCpuWaitInSlices();
extern "C" int cuCpuHandleSignalsBy();
extern "C" int cuCpuSetLastThread();
extern "C" int cuCpuFunctionGetPlan();
extern "C" int cuCpuIsChecked();
extern "C" int cuCpuWatchUse();
extern "C" int cuCpuSetChecks();
extern "C" int cuCpuTakeFindings();
extern "C" int cuCpuSetCounters();
extern "C" int cuCpuTakeCounters();

namespace pycuda::cpu::api {

std::span<const ExportedSymbol> exported_symbols() {
  static const ExportedSymbol symbols[] = {
#define CU_SYMBOL(name, symbol, version, streams) \
  {#name, #symbol, version, StreamZero::streams, reinterpret_cast<void*>(&symbol)},
#include "cpu/api/exported_symbols.def"
#undef CU_SYMBOL
      {"cuCpuGetLastFault", "cuCpuGetLastFault", 13000, StreamZero::Legacy,
       reinterpret_cast<void*>(&cuCpuGetLastFault)},
      {"cuCpuGetFault", "cuCpuGetFault", 13000, StreamZero::Legacy,
       reinterpret_cast<void*>(&cuCpuGetFault)},
      {"cuCpuGetRefusal", "cuCpuGetRefusal", 13000, StreamZero::Legacy,
       reinterpret_cast<void*>(&cuCpuGetRefusal)},
      {"cuCpuWatchWaits", "cuCpuWatchWaits", 13000, StreamZero::Legacy,
       reinterpret_cast<void*>(&cuCpuWatchWaits)},
      {"cuCpuWaitInSlices", "cuCpuWaitInSlices", 13000, StreamZero::Legacy,
       reinterpret_cast<void*>(&cuCpuWaitInSlices)},
      {"cuCpuHandleSignalsBy", "cuCpuHandleSignalsBy", 13000, StreamZero::Legacy,
       reinterpret_cast<void*>(&cuCpuHandleSignalsBy)},
      {"cuCpuSetLastThread", "cuCpuSetLastThread", 13000, StreamZero::Legacy,
       reinterpret_cast<void*>(&cuCpuSetLastThread)},
      {"cuCpuFunctionGetPlan", "cuCpuFunctionGetPlan", 13000, StreamZero::Legacy,
       reinterpret_cast<void*>(&cuCpuFunctionGetPlan)},
      {"cuCpuIsChecked", "cuCpuIsChecked", 13000, StreamZero::Legacy,
       reinterpret_cast<void*>(&cuCpuIsChecked)},
      {"cuCpuWatchUse", "cuCpuWatchUse", 13000, StreamZero::Legacy,
       reinterpret_cast<void*>(&cuCpuWatchUse)},
      {"cuCpuSetChecks", "cuCpuSetChecks", 13000, StreamZero::Legacy,
       reinterpret_cast<void*>(&cuCpuSetChecks)},
      {"cuCpuTakeFindings", "cuCpuTakeFindings", 13000, StreamZero::Legacy,
       reinterpret_cast<void*>(&cuCpuTakeFindings)},
      {"cuCpuSetCounters", "cuCpuSetCounters", 13000, StreamZero::Legacy,
       reinterpret_cast<void*>(&cuCpuSetCounters)},
      {"cuCpuTakeCounters", "cuCpuTakeCounters", 13000, StreamZero::Legacy,
       reinterpret_cast<void*>(&cuCpuTakeCounters)},
  };
  return symbols;
}

}  // namespace pycuda::cpu::api
