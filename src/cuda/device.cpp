// SPDX-License-Identifier: MIT
// Questions about devices.
#include "cuda/device.h"

#include "cuda/flag_refusal.h"

namespace pycuda::cuda {

using driver::DriverTable;

void initialize(unsigned int flags, const DriverTable& driver) {
  const CUresult code = driver.cuInit.status(flags);
  if (code != CUDA_SUCCESS) throw flag_error(driver.cuInit, code, flags, 0, "they must be 0");
}

Device::Device(int ordinal, const DriverTable& driver) : driver_(&driver) {
  const CUresult code = driver.cuDeviceGet.status(&handle_, ordinal);
  if (code == CUDA_SUCCESS) return;
  std::string why;
  int count = 0;
  if (code == CUDA_ERROR_INVALID_DEVICE && driver.cuDeviceGetCount.status(&count) == CUDA_SUCCESS) {
    why = "there is no device " + std::to_string(ordinal) + ": the driver has " +
          (count == 1 ? "one, number 0" : std::to_string(count) + ", from number 0");
    // The CPU driver has as many as it is asked for, up to 64.
    if (driver.last_fault != nullptr && ordinal >= count && ordinal < 64) {
      why += "; PYCUDA_CPU_DEVICES=" + std::to_string(ordinal + 1) + " makes that many";
    }
  }
  throw driver.cuDeviceGet.error(code, why);
}

Device::Device(const std::string& pci_bus_id, const DriverTable& driver) : driver_(&driver) {
  const CUresult code = driver.cuDeviceGetByPCIBusId.status(&handle_, pci_bus_id.c_str());
  if (code != CUDA_SUCCESS) {
    throw driver.cuDeviceGetByPCIBusId.error(
        code, "no device has the PCI bus id '" + pci_bus_id + "'; Device(0) is the first device");
  }
}

Device Device::from_handle(CUdevice handle, const DriverTable& driver) {
  return Device(handle, &driver);
}

int Device::count(const DriverTable& driver) {
  int count = 0;
  driver.cuDeviceGetCount(&count);
  return count;
}

std::string Device::name() const {
  std::array<char, 256> name{};
  driver_->cuDeviceGetName(name.data(), static_cast<int>(name.size()), handle_);
  name.back() = '\0';
  return name.data();
}

std::string Device::pci_bus_id() const {
  std::array<char, 64> id{};
  driver_->cuDeviceGetPCIBusId(id.data(), static_cast<int>(id.size()), handle_);
  id.back() = '\0';
  return id.data();
}

std::array<unsigned char, 16> Device::uuid() const {
  CUuuid uuid{};
  driver_->cuDeviceGetUuid(&uuid, handle_);
  std::array<unsigned char, 16> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>(uuid.bytes[i]);
  }
  return bytes;
}

Device::ComputeCapability Device::compute_capability() const {
  return {attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
          attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)};
}

std::size_t Device::total_memory_bytes() const {
  std::size_t bytes = 0;
  driver_->cuDeviceTotalMem(&bytes, handle_);
  return bytes;
}

int Device::attribute(CUdevice_attribute attribute) const {
  int value = 0;
  driver_->cuDeviceGetAttribute(&value, attribute, handle_);
  return value;
}

bool Device::can_access_peer(const Device& peer) const {
  int can = 0;
  driver_->cuDeviceCanAccessPeer(&can, handle_, peer.handle_);
  return can != 0;
}

int Device::peer_attribute(CUdevice_P2PAttribute attribute, const Device& peer) const {
  int value = 0;
  driver_->cuDeviceGetP2PAttribute(&value, attribute, handle_, peer.handle_);
  return value;
}

std::size_t Device::linear_texture_width(CUarray_format format, unsigned int channels) const {
  std::size_t width = 0;
  driver_->cuDeviceGetTexture1DLinearMaxWidth(&width, format, channels, handle_);
  return width;
}

unsigned int Device::host_atomics(CUatomicOperation operation) const {
  unsigned int capabilities = 0;
  driver_->cuDeviceGetHostAtomicCapabilities(&capabilities, &operation, 1, handle_);
  return capabilities;
}

unsigned int Device::peer_atomics(CUatomicOperation operation, const Device& peer) const {
  unsigned int capabilities = 0;
  driver_->cuDeviceGetP2PAtomicCapabilities(&capabilities, &operation, 1, handle_, peer.handle_);
  return capabilities;
}

}  // namespace pycuda::cuda
