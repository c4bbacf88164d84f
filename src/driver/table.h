// SPDX-License-Identifier: MIT
// The driver: a table of its functions, filled at run time. The one seam between this library and a
// GPU or a CPU.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "driver/entry.h"

namespace pycuda::driver {

/// `driver.cuMemAlloc(&pointer, bytes)` throws on failure, `driver.cuEventQuery.status(event)`
/// answers. An empty table answers CUDA_ERROR_NOT_SUPPORTED to everything. Once filled it is only
/// read, by any thread.
struct DriverTable {
  DriverTable();
  /// Copies what the slots hold; the copy's errors then come from the copy.
  DriverTable(const DriverTable& other);
  DriverTable& operator=(const DriverTable& other);
  ~DriverTable() = default;

  /// Finds a function, null if there is none: `name` and `version` are for cuGetProcAddress,
  /// `symbol` is the library's.
  using Finder = std::function<void*(const char* name, const char* symbol, int version)>;
  /// Fills each slot with what is found for it. How many functions of CUDA 13 are there; those of
  /// driver/older_abis.def do not count.
  int fill(const Finder& find);

#define CU_FUNCTION(name, symbol, version, parameters) Entry<CUresult parameters> name;
#include "driver/driver_functions.def"
#include "driver/older_abis.def"
#undef CU_FUNCTION

  /// NVIDIA's: a GPU's memory holds the code of kernels too.
  bool keeps_code_on_device = false;
  /// Of the CPU driver alone: writes what it knows of the last sticky fault, NUL-terminated; null
  /// elsewhere. Called once with no buffer, it leaves the reporting of faults to the program.
  CUresult (*last_fault)(char* text, std::size_t bytes) = nullptr;
  /// Of the CPU driver alone (cuCpuGetRefusal): writes why the calling thread's latest call failed
  /// with `code`, NUL-terminated; null elsewhere. Called once with no buffer, it leaves the
  /// reporting of reasons to the program.
  CUresult (*refusal)(CUresult code, char* text, std::size_t bytes) = nullptr;
  /// Of the CPU driver alone: lets an interrupt end the wait that begins; `waits` counts them and
  /// is odd in a wait; null elsewhere.
  CUresult (*watch_waits)(const unsigned long long* waits) = nullptr;
  /// Of the CPU driver alone (cuCpuWaitInSlices): with 1 waits of the calling thread may end early
  /// with NOT_READY until a call with 0, or with 2, which interrupts the wait; null elsewhere.
  CUresult (*wait_in_slices)(int how) = nullptr;
  /// Of the CPU driver alone (cuCpuSetLastThread): from a call with 1 to one with 0 the calling
  /// thread is the only one that runs the program's code, and does not wait for values that only
  /// others could write; null elsewhere.
  CUresult (*set_last_thread)(int last) = nullptr;
  /// Of the CPU driver alone (cuCpuFunctionGetPlan): the printable plan of a kernel; null
  /// elsewhere.
  CUresult (*function_plan)(char* text, std::size_t* bytes, CUfunction function, unsigned int x,
                            unsigned int y, unsigned int z) = nullptr;
  /// Of the CPU driver alone (cuCpuIsChecked): whether it checks every access; null elsewhere.
  CUresult (*is_checked)(int* checked) = nullptr;
  /// Of the CPU driver alone (cuCpuWatchUse): where to read how much of a block is used; null
  /// elsewhere.
  CUresult (*watch_use)(CUdeviceptr block, const unsigned long long* bytes) = nullptr;
  /// Of the CPU driver alone (cuCpuModuleSetSource): names the place of a module's source in
  /// faults; null elsewhere.
  CUresult (*set_source)(CUmodule module, const char* file, const char* place,
                         unsigned int first_line, const char* text, std::size_t bytes) = nullptr;

 private:
  friend class Slot;
  struct SlotFacts;
  static std::span<const SlotFacts> slots();
  Slot& slot_of(const SlotFacts& facts);
  const Slot& slot_of(const SlotFacts& facts) const;
};

/// A context with the driver's default affinity: cuCtxCreate of CUDA 12.5 and later, else its
/// forerunner.
void create_context(const DriverTable& driver, CUcontext* context, unsigned int flags,
                    CUdevice device);
/// Milliseconds between two events (cuEventElapsedTime, in whichever ABI the driver has): a status.
CUresult elapsed_milliseconds(const DriverTable& driver, float* milliseconds, CUevent start,
                              CUevent end);
/// cuMemPrefetchAsync and cuMemAdvise with CUDA 13's location, for drivers that know devices only:
/// those answer CUDA_ERROR_NOT_SUPPORTED to host NUMA nodes.
void prefetch(const DriverTable& driver, CUdeviceptr pointer, std::size_t bytes,
              CUmemLocation location, CUstream stream);
void advise(const DriverTable& driver, CUdeviceptr pointer, std::size_t bytes, CUmem_advise advice,
            CUmemLocation location);

}  // namespace pycuda::driver
