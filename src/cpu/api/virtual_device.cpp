// SPDX-License-Identifier: MIT
// The virtual devices: how many, what they are called and how they are told apart.
#include "cpu/api/virtual_device.h"

#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>

#include "base/env.h"
#include "cpu/api/context.h"
#include "cpu/api/memory_pool.h"
#include "cpu/target/target.h"

namespace pycuda::cpu::api {
namespace {

/// The host's memory has no limit of the device's.
constexpr std::uint64_t all_addresses = std::uint64_t{1} << 47;

// Never destroyed: a program may free device memory in its own static destructors.
std::vector<std::unique_ptr<VirtualDevice>>& devices() {
  static auto& all = *new std::vector<std::unique_ptr<VirtualDevice>>;
  return all;
}

std::string processor_model() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

std::string device_name() {
  const unsigned workers = exec::worker_count();
  std::string name = "CPU";
  const std::string model = processor_model();
  if (!model.empty()) name += ' ' + model;
  return name + " (" + target::host_instruction_set() + ", " + std::to_string(workers) +
         (workers == 1 ? " core)" : " cores)");
}

}  // namespace

VirtualDevice::VirtualDevice(int ordinal, std::uint64_t memory_bytes)
    : ordinal_(ordinal),
      memory_(ordinal, memory_bytes, exec::memory_margin_bytes()),
      host_memory_(ordinal, all_addresses, exec::memory_margin_bytes()),
      name_(device_name()) {
  default_pool_ = std::make_unique<MemoryPool>(*this, memory_bytes);
  current_pool_ = default_pool_->handle();
}

VirtualDevice::~VirtualDevice() = default;

CUuuid VirtualDevice::uuid() const {
  // Stable for a machine, different between machines and between the devices of one.
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : std::string_view(host.data()))
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  CUuuid uuid{};
  std::memcpy(uuid.bytes, "PYCUCPU", 7);
  uuid.bytes[7] = static_cast<char>(ordinal_);
  std::memcpy(uuid.bytes + 8, &hash, sizeof hash);
  return uuid;
}

std::string VirtualDevice::pci_bus_id() const {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "FFFF:%02X:00.0",
                static_cast<unsigned>(ordinal_ + 1) & 0xffu);
  return text.data();
}

int VirtualDevice::processor_count() const { return static_cast<int>(exec::worker_count()); }

CUmemoryPool VirtualDevice::current_pool() {
  const std::lock_guard lock(pool_mutex_);
  return current_pool_;
}

void VirtualDevice::set_current_pool(CUmemoryPool pool) {
  const std::lock_guard lock(pool_mutex_);
  current_pool_ = pool;
}

void create_devices() {
  const auto count =
      static_cast<int>(base::environment_integer("PYCUDA_CPU_DEVICES", 1, 64, "1").value_or(1));
  const std::uint64_t bytes = exec::default_device_memory_bytes();
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    devices().push_back(std::make_unique<VirtualDevice>(ordinal, bytes));
  }
}

int device_count() { return static_cast<int>(devices().size()); }

VirtualDevice* find_device(CUdevice ordinal) {
  if (ordinal < 0 || ordinal >= device_count()) return nullptr;
  return devices()[static_cast<std::size_t>(ordinal)].get();
}

}  // namespace pycuda::cpu::api
