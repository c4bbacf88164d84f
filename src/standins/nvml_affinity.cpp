// SPDX-License-Identifier: MIT
// NVML: which processors and which memory a device is near. The device is all processors of the
// machine, with one node of memory.
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "standins/nvml_state.h"

using namespace pycuda::standins;

namespace {

constexpr unsigned bits_per_word = sizeof(unsigned long) * CHAR_BIT;

/// Sets the first `count` bits of a set of so many words, as far as there is room.
nvmlReturn_t give_set(unsigned long* set, unsigned words, unsigned count) {
  if (set == nullptr || words == 0) return NVML_ERROR_INVALID_ARGUMENT;
  std::fill_n(set, words, 0UL);
  for (unsigned bit = 0; bit < std::min(count, words * bits_per_word); ++bit)
    set[bit / bits_per_word] |= 1UL << (bit % bits_per_word);
  return NVML_SUCCESS;
}

unsigned processors() { return static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN))); }

constexpr unsigned last_scope = 1;  // NVML_AFFINITY_SCOPE_SOCKET

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetCpuAffinity(NvmlHandle handle, unsigned words, unsigned long* set) {
  return with_device(handle, [&](const NvmlDevice&) { return give_set(set, words, processors()); });
}

nvmlReturn_t nvmlDeviceGetCpuAffinityWithinScope(NvmlHandle handle, unsigned words,
                                                 unsigned long* set, unsigned scope) {
  if (scope > last_scope) return with_nvml([](auto&) { return NVML_ERROR_INVALID_ARGUMENT; });
  return nvmlDeviceGetCpuAffinity(handle, words, set);
}

nvmlReturn_t nvmlDeviceGetMemoryAffinity(NvmlHandle handle, unsigned words, unsigned long* set,
                                         unsigned scope) {
  return with_device(handle, [&](const NvmlDevice&) {
    return scope <= last_scope ? give_set(set, words, 1) : NVML_ERROR_INVALID_ARGUMENT;
  });
}

/// The devices that are near a processor.
nvmlReturn_t nvmlSystemGetTopologyGpuSet(unsigned processor, unsigned* count, NvmlHandle* devices) {
  return with_nvml([&](const NvmlDriver& driver) -> nvmlReturn_t {
    if (count == nullptr || processor >= processors()) return NVML_ERROR_INVALID_ARGUMENT;
    const auto all = static_cast<unsigned>(driver.devices.size());
    const unsigned room = *count;
    *count = all;
    if (room == 0 && devices == nullptr) return NVML_SUCCESS;
    if (devices == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (room < all) return NVML_ERROR_INSUFFICIENT_SIZE;
    std::ranges::transform(driver.devices, devices, handle_of);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlUnitGetCount(unsigned* count) {
  return with_nvml([&](const NvmlDriver&) { return give(count, 0U); });
}

}  // extern "C"
