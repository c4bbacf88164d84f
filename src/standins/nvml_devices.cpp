// SPDX-License-Identifier: MIT
#include "standins/nvml_devices.h"

#include <cuda.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

namespace pycuda::standins {
namespace {

using base::DynamicLibrary;
using base::Failure;
using base::Result;

struct Functions {
  decltype(&::cuInit) init = nullptr;
  decltype(&::cuDriverGetVersion) version = nullptr;
  decltype(&::cuDeviceGetCount) count = nullptr;
  decltype(&::cuDeviceGet) get = nullptr;
  decltype(&::cuDeviceGetName) name = nullptr;
  decltype(&::cuDeviceGetUuid_v2) uuid = nullptr;
  decltype(&::cuDeviceGetPCIBusId) bus_id = nullptr;
  decltype(&::cuDeviceTotalMem_v2) memory = nullptr;
  decltype(&::cuDeviceGetAttribute) attribute = nullptr;
};

template <class Pointer>
bool resolve(const DynamicLibrary& library, const char* name, Pointer& slot) {
  slot = reinterpret_cast<Pointer>(library.symbol(name));
  return slot != nullptr;
}

bool resolve_all(const DynamicLibrary& library, Functions& functions) {
  return resolve(library, "cuInit", functions.init) &&
         resolve(library, "cuDriverGetVersion", functions.version) &&
         resolve(library, "cuDeviceGetCount", functions.count) &&
         resolve(library, "cuDeviceGet", functions.get) &&
         resolve(library, "cuDeviceGetName", functions.name) &&
         resolve(library, "cuDeviceGetUuid_v2", functions.uuid) &&
         resolve(library, "cuDeviceGetPCIBusId", functions.bus_id) &&
         resolve(library, "cuDeviceTotalMem_v2", functions.memory) &&
         resolve(library, "cuDeviceGetAttribute", functions.attribute);
}

/// The driver beside this library; in another folder, the one that the loader finds.
Result<DynamicLibrary> open_driver() {
  const std::filesystem::path own = base::library_of(reinterpret_cast<const void*>(&read_driver));
  auto beside = DynamicLibrary::open((own.parent_path() / "libcuda.so.1").native());
  return beside ? std::move(beside) : DynamicLibrary::open("libcuda.so.1");
}

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    text += digits.data();
  }
  return text;
}

NvmlDevice read_device(const Functions& cuda, unsigned index) {
  NvmlDevice device;
  device.index = index;
  CUdevice handle = 0;
  if (cuda.get(&handle, static_cast<int>(index)) != CUDA_SUCCESS) return device;
  const auto number = [&](CUdevice_attribute attribute) {
    int value = 0;
    return cuda.attribute(&value, attribute, handle) == CUDA_SUCCESS && value > 0 ? value : 0;
  };
  std::array<char, 256> text{};
  if (cuda.name(text.data(), text.size(), handle) == CUDA_SUCCESS) device.name = text.data();
  if (cuda.bus_id(text.data(), text.size(), handle) == CUDA_SUCCESS) device.bus_id = text.data();
  CUuuid uuid{};
  if (cuda.uuid(&uuid, handle) == CUDA_SUCCESS) device.uuid = uuid_text(uuid);
  std::size_t bytes = 0;
  if (cuda.memory(&bytes, handle) == CUDA_SUCCESS) device.memory = bytes;
  const auto natural = [&](CUdevice_attribute one) { return static_cast<unsigned>(number(one)); };
  device.domain = natural(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
  device.bus = natural(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
  device.slot = natural(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
  device.compute_major = number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  device.compute_minor = number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  device.clock_mhz = natural(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000;
  device.memory_clock_mhz = natural(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) / 1000;
  device.memory_bus_bits = natural(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  device.multiprocessors = natural(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  return device;
}

}  // namespace

Result<NvmlDriver> read_driver() {
  auto library = open_driver();
  if (!library) return library.error();
  library->leak();
  Functions cuda;
  if (!resolve_all(*library, cuda)) return Failure{library->path() + " is no CUDA driver"};
  NvmlDriver driver;
  int count = 0;
  if (cuda.init(0) != CUDA_SUCCESS || cuda.version(&driver.cuda_version) != CUDA_SUCCESS ||
      cuda.count(&count) != CUDA_SUCCESS)
    return Failure{library->path() + " does not initialise"};
  driver.library = base::library_of(reinterpret_cast<const void*>(cuda.init));
  for (int i = 0; i < count; ++i)
    driver.devices.push_back(read_device(cuda, static_cast<unsigned>(i)));
  return driver;
}

}  // namespace pycuda::standins
