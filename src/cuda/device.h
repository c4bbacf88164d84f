// SPDX-License-Identifier: MIT
// A device of the driver and its attributes.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "driver/process_driver.h"
#include "driver/table.h"

namespace pycuda::cuda {

/// cuInit: must have been called before any device is asked for. More calls do nothing.
void initialize(unsigned int flags = 0,
                const driver::DriverTable& driver = driver::process_driver());

/// A number to ask the driver about. Copies are cheap and equal.
class Device {
 public:
  /// "cuDeviceGet failed: invalid device ordinal" when there is no such device.
  explicit Device(int ordinal, const driver::DriverTable& driver = driver::process_driver());
  /// By an address such as "0000:01:00.0".
  explicit Device(const std::string& pci_bus_id,
                  const driver::DriverTable& driver = driver::process_driver());
  /// The device that has this handle already.
  static Device from_handle(CUdevice handle, const driver::DriverTable& driver);
  static int count(const driver::DriverTable& driver = driver::process_driver());

  CUdevice handle() const { return handle_; }
  const driver::DriverTable& driver() const { return *driver_; }

  std::string name() const;
  std::string pci_bus_id() const;
  /// 16 bytes.
  std::array<unsigned char, 16> uuid() const;
  struct ComputeCapability {
    int major;
    int minor;
  };
  ComputeCapability compute_capability() const;
  std::size_t total_memory_bytes() const;
  int attribute(CUdevice_attribute attribute) const;
  bool can_access_peer(const Device& peer) const;
  /// Of what lies between this device and `peer`.
  int peer_attribute(CUdevice_P2PAttribute attribute, const Device& peer) const;
  /// The most texels of a texture of memory without rows.
  std::size_t linear_texture_width(CUarray_format format, unsigned int channels) const;
  /// CU_ATOMIC_CAPABILITY_* bits of what kernels can do atomically with the host's memory, or with
  /// that of another device.
  unsigned int host_atomics(CUatomicOperation operation) const;
  unsigned int peer_atomics(CUatomicOperation operation, const Device& peer) const;

  bool operator==(const Device& other) const {
    return handle_ == other.handle_ && driver_ == other.driver_;
  }

 private:
  Device(CUdevice handle, const driver::DriverTable* driver) : handle_(handle), driver_(driver) {}

  CUdevice handle_ = 0;
  const driver::DriverTable* driver_;
};

}  // namespace pycuda::cuda
