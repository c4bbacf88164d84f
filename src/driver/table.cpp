// SPDX-License-Identifier: MIT
// Copies of tables, and calls whose ABI differs between CUDA 12 and 13.
#include "driver/table.h"

namespace pycuda::driver {
namespace {

/// The ordinal that CUDA 12's calls take for a place.
CUdevice device_of(const DriverTable& driver, const char* routine, CUmemLocation location) {
  switch (location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
      return location.id;
    case CU_MEM_LOCATION_TYPE_HOST:
      return CU_DEVICE_CPU;
    default:
      throw DriverError(driver, routine, CUDA_ERROR_NOT_SUPPORTED,
                        "this driver knows devices and the host as places, no NUMA nodes");
  }
}

}  // namespace

// Here, once: it names each of 468 slots.
DriverTable::DriverTable() = default;

DriverTable::DriverTable(const DriverTable& other) : DriverTable() { *this = other; }

DriverTable& DriverTable::operator=(const DriverTable& other) {
  if (this == &other) return *this;
#define CU_FUNCTION(name, symbol, version, parameters) name.bind(other.name.function());
#include "driver/driver_functions.def"
#include "driver/older_abis.def"
#undef CU_FUNCTION
  keeps_code_on_device = other.keeps_code_on_device;
  last_fault = other.last_fault;
  refusal = other.refusal;
  watch_waits = other.watch_waits;
  wait_in_slices = other.wait_in_slices;
  set_last_thread = other.set_last_thread;
  function_plan = other.function_plan;
  is_checked = other.is_checked;
  watch_use = other.watch_use;
  set_source = other.set_source;
  return *this;
}

void create_context(const DriverTable& driver, CUcontext* context, unsigned int flags,
                    CUdevice device) {
  if (driver.cuCtxCreate.available()) {
    driver.cuCtxCreate(context, nullptr, flags, device);
    return;
  }
  const CUresult code = driver.cuCtxCreate_v2.status(context, flags, device);
  if (code != CUDA_SUCCESS) throw driver.cuCtxCreate.error(code);
}

CUresult elapsed_milliseconds(const DriverTable& driver, float* milliseconds, CUevent start,
                              CUevent end) {
  const auto& elapsed = driver.cuEventElapsedTime.available() ? driver.cuEventElapsedTime
                                                              : driver.cuEventElapsedTime_v1;
  return elapsed.status(milliseconds, start, end);
}

void prefetch(const DriverTable& driver, CUdeviceptr pointer, std::size_t bytes,
              CUmemLocation location, CUstream stream) {
  const auto& current = driver.cuMemPrefetchAsync;
  if (current.available()) {
    current(pointer, bytes, location, 0, stream);
    return;
  }
  const CUdevice device = device_of(driver, current.name(), location);
  const CUresult code = driver.cuMemPrefetchAsync_v1.status(pointer, bytes, device, stream);
  if (code != CUDA_SUCCESS) throw current.error(code);
}

void advise(const DriverTable& driver, CUdeviceptr pointer, std::size_t bytes, CUmem_advise advice,
            CUmemLocation location) {
  const auto& current = driver.cuMemAdvise;
  if (current.available()) {
    current(pointer, bytes, advice, location);
    return;
  }
  const CUdevice device = device_of(driver, current.name(), location);
  const CUresult code = driver.cuMemAdvise_v1.status(pointer, bytes, advice, device);
  if (code != CUDA_SUCCESS) throw current.error(code);
}

}  // namespace pycuda::driver
