// SPDX-License-Identifier: MIT
// Copies of tables, and calls whose ABI differs between CUDA 12 and 13.
#include "driver/table.h"

#include <cstdint>
#include <cstring>

namespace pycuda::driver {
namespace {

// Names and symbols, each with its NUL.
constexpr char slot_names[] =
#define CU_FUNCTION(name, symbol, version, parameters) #name "\0"
#include "driver/driver_functions.def"
#include "driver/older_abis.def"
#undef CU_FUNCTION
    ;
constexpr char slot_symbols[] =
#define CU_FUNCTION(name, symbol, version, parameters) #symbol "\0"
#include "driver/driver_functions.def"
#include "driver/older_abis.def"
#undef CU_FUNCTION
    ;
constexpr std::size_t count_of_current = 0
#define CU_FUNCTION(name, symbol, version, parameters) +1
#include "driver/driver_functions.def"
#undef CU_FUNCTION
    ;

const char* next(const char* text) { return text + std::strlen(text) + 1; }

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

// What the slots differ by is in lists: a statement for each of them would take 60 kB of code.

struct DriverTable::SlotFacts {
  Slot::AnyFunction missing;
  std::uint16_t place;  ///< in the table
  std::uint16_t version;
};

std::span<const DriverTable::SlotFacts> DriverTable::slots() {
  static const SlotFacts facts[] = {
#define CU_FUNCTION(name, symbol, version, parameters)                        \
  {reinterpret_cast<Slot::AnyFunction>(&Entry<CUresult parameters>::missing), \
   static_cast<std::uint16_t>(offsetof(DriverTable, name)), version},
#include "driver/driver_functions.def"
#include "driver/older_abis.def"
#undef CU_FUNCTION
  };
  return facts;
}

Slot& DriverTable::slot_of(const SlotFacts& facts) {
  return *reinterpret_cast<Slot*>(reinterpret_cast<std::byte*>(this) + facts.place);
}

const Slot& DriverTable::slot_of(const SlotFacts& facts) const {
  return *reinterpret_cast<const Slot*>(reinterpret_cast<const std::byte*>(this) + facts.place);
}

DriverTable::DriverTable() {
  for (const SlotFacts& facts : slots()) {
    Slot& slot = slot_of(facts);
    slot.function_ = facts.missing;
    slot.driver_ = this;
  }
}

DriverTable::DriverTable(const DriverTable& other) : DriverTable() { *this = other; }

int DriverTable::fill(const Finder& find) {
  int found = 0;
  std::size_t number = 0;
  const char* name = slot_names;
  const char* symbol = slot_symbols;
  for (const SlotFacts& facts : slots()) {
    void* const function = find(name, symbol, facts.version);
    slot_of(facts).function_ =
        function != nullptr ? reinterpret_cast<Slot::AnyFunction>(function) : facts.missing;
    if (number++ < count_of_current) found += function != nullptr;
    name = next(name);
    symbol = next(symbol);
  }
  return found;
}

const char* Slot::name() const {
  const char* name = slot_names;
  for (const DriverTable::SlotFacts& facts : DriverTable::slots()) {
    if (&driver_->slot_of(facts) == this) break;
    name = next(name);
  }
  return name;
}

DriverError Slot::error(CUresult code) const { return error(code, {}); }

DriverError Slot::error(CUresult code, const std::string& extra) const {
  return DriverError(*driver_, name(), code, extra);
}

void Slot::throw_error(CUresult code, std::span<const GivenMember> given) const {
  throw error(code, unknown_members(given, code));
}

DriverTable& DriverTable::operator=(const DriverTable& other) {
  if (this == &other) return *this;
  for (const SlotFacts& facts : slots()) slot_of(facts).function_ = other.slot_of(facts).function_;
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
