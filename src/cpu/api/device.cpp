// SPDX-License-Identifier: MIT
// cuDevice*: counting, naming and finding devices.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "cpu/api/entry_guard.h"

using namespace pycuda::cpu::api;

namespace {

template <class Body>
CUresult with_device(CUdevice ordinal, Body&& body,
                     const char* entry = __builtin_FUNCTION()) noexcept {
  return with_driver(
      [&]() -> CUresult {
        VirtualDevice* device = find_device(ordinal);
        return device != nullptr ? body(*device) : CUDA_ERROR_INVALID_DEVICE;
      },
      entry);
}

void copy_text(const std::string& text, char* to, int bytes) {
  const std::size_t length = std::min(text.size(), static_cast<std::size_t>(bytes) - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

struct PciAddress {
  unsigned domain, bus, slot, function;
};

/// Of "FFFF:01:00.0", or of "ffff:01:00": its function is 0. Nothing where a number is missing.
std::optional<PciAddress> pci_address(std::string_view text) {
  std::array<unsigned, 4> numbers{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool is_function = i == 3;
    if (i != 0) {
      const bool follows = at != end && *at == (is_function ? '.' : ':');
      if (!follows && is_function) break;
      if (!follows) return std::nullopt;
      ++at;
    }
    const auto [next, error] = std::from_chars(at, end, numbers[i], 16);
    if (error != std::errc()) return std::nullopt;
    at = next;
  }
  return PciAddress{numbers[0], numbers[1], numbers[2], numbers[3]};
}

}  // namespace

extern "C" {

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return with_driver([&]() -> CUresult {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (find_device(ordinal) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetCount(int* count) {
  return with_driver([&]() -> CUresult {
    if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = device_count();
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetName(char* name, int len, CUdevice dev) {
  return with_device(dev, [&](VirtualDevice& device) -> CUresult {
    if (name == nullptr || len <= 0) return CUDA_ERROR_INVALID_VALUE;
    copy_text(device.name(), name, len);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice dev) {
  return with_device(dev, [&](VirtualDevice& device) -> CUresult {
    if (uuid == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *uuid = device.uuid();
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice dev) { return cuDeviceGetUuid_v2(uuid, dev); }

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice dev) {
  return with_device(dev, [&](VirtualDevice& device) -> CUresult {
    if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *bytes = device.memory().total_bytes();
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice dev) {
  return with_device(dev, [&](VirtualDevice&) -> CUresult {
    if (major == nullptr || minor == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *major = claimed_architecture().major();
    *minor = claimed_architecture().minor();
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetPCIBusId(char* pciBusId, int len, CUdevice dev) {
  return with_device(dev, [&](VirtualDevice& device) -> CUresult {
    if (pciBusId == nullptr || len <= 0) return CUDA_ERROR_INVALID_VALUE;
    const std::string text = device.pci_bus_id();
    if (static_cast<std::size_t>(len) <= text.size()) return CUDA_ERROR_INVALID_VALUE;
    copy_text(text, pciBusId, len);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetByPCIBusId(CUdevice* dev, const char* pciBusId) {
  return with_driver([&]() -> CUresult {
    if (dev == nullptr || pciBusId == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const std::optional<PciAddress> named = pci_address(pciBusId);
    if (!named) return CUDA_ERROR_INVALID_VALUE;
    if (named->domain != 0xffff || named->slot != 0 || named->function != 0 ||
        find_device(static_cast<int>(named->bus) - 1) == nullptr) {
      return CUDA_ERROR_INVALID_DEVICE;
    }
    *dev = static_cast<int>(named->bus) - 1;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetExecAffinitySupport(int* pi, CUexecAffinityType type, CUdevice dev) {
  return with_device(dev, [&](VirtualDevice&) -> CUresult {
    if (pi == nullptr || type < 0 || type >= CU_EXEC_AFFINITY_TYPE_MAX)
      return CUDA_ERROR_INVALID_VALUE;
    *pi = 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetProperties(CUdevprop* prop, CUdevice dev) {
  return with_device(dev, [&](VirtualDevice&) -> CUresult {
    if (prop == nullptr) return CUDA_ERROR_INVALID_VALUE;
    int clock_kilohertz = 0;
    const CUresult status =
        cuDeviceGetAttribute(&clock_kilohertz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, dev);
    if (status != CUDA_SUCCESS) return status;
    *prop = {};
    prop->maxThreadsPerBlock = static_cast<int>(DeviceLimits::threads_per_block);
    prop->maxThreadsDim[0] = static_cast<int>(DeviceLimits::block_x);
    prop->maxThreadsDim[1] = static_cast<int>(DeviceLimits::block_y);
    prop->maxThreadsDim[2] = static_cast<int>(DeviceLimits::block_z);
    prop->maxGridSize[0] = static_cast<int>(DeviceLimits::grid_x);
    prop->maxGridSize[1] = static_cast<int>(DeviceLimits::grid_y);
    prop->maxGridSize[2] = static_cast<int>(DeviceLimits::grid_z);
    prop->sharedMemPerBlock = static_cast<int>(DeviceLimits::shared_bytes_per_block);
    prop->totalConstantMemory = static_cast<int>(DeviceLimits::constant_bytes);
    prop->SIMDWidth = static_cast<int>(DeviceLimits::warp_lanes);
    prop->memPitch = 0x7fffffff;
    prop->regsPerBlock = static_cast<int>(DeviceLimits::registers_per_block);
    prop->clockRate = clock_kilohertz;
    prop->textureAlign = static_cast<int>(DeviceLimits::pitch_alignment);
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
