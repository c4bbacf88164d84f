// SPDX-License-Identifier: MIT
#include "cpu/exec/updatable_launch.h"

#include <atomic>
#include <cstring>
#include <shared_mutex>
#include <unordered_map>

#include "cpu/variants/choose.h"

namespace pycuda::cpu::exec {
namespace {

/// All nodes by their handles. Never freed: kernels may name any number until the process ends.
struct Handles {
  std::shared_mutex mutex;  // protects nodes
  std::unordered_map<std::uint64_t, std::weak_ptr<UpdatableLaunch>> nodes;
  std::atomic<std::uint64_t> next{first};

  /// Not a small number, nor an address.
  static constexpr std::uint64_t first = 0x6e00'0000'0000'0001;
};

Handles& handles() {
  static auto& all = *new Handles;
  return all;
}

std::uint64_t count(const Dim3& grid) { return std::uint64_t{grid.x} * grid.y * grid.z; }

bool same(const Dim3& one, const Dim3& other) {
  return one.x == other.x && one.y == other.y && one.z == other.z;
}

/// The node's code for another grid than the one that it was chosen for; null if there is none.
const Kernel* code_for(const LaunchRequest& request, const Dim3& grid) {
  const variants::Made made = variants::code_for(*request.kernel, grid, request.block);
  return made ? *made : nullptr;
}

}  // namespace

std::shared_ptr<UpdatableLaunch> UpdatableLaunch::make(std::int32_t device,
                                                       const Dim3& most_blocks) {
  Handles& all = handles();
  const std::uint64_t handle = all.next.fetch_add(1, std::memory_order_relaxed);
  auto node = std::make_shared<UpdatableLaunch>(handle, device, most_blocks);
  const std::unique_lock lock(all.mutex);
  all.nodes[handle] = node;
  return node;
}

std::shared_ptr<UpdatableLaunch> UpdatableLaunch::find(std::uint64_t handle) {
  Handles& all = handles();
  const std::shared_lock lock(all.mutex);
  const auto found = all.nodes.find(handle);
  return found != all.nodes.end() ? found->second.lock() : nullptr;
}

UpdatableLaunch::~UpdatableLaunch() {
  Handles& all = handles();
  const std::unique_lock lock(all.mutex);
  all.nodes.erase(handle_);
}

void UpdatableLaunch::reset(const LaunchRequest& request) {
  const std::lock_guard lock(mutex_);
  params_ = request.params;
  grid_ = request.grid;
  first_ = request;
  first_.params.clear();
  first_.updates = nullptr;  // it would keep itself alive
}

bool UpdatableLaunch::has_parameters(std::uint64_t offset, std::uint64_t bytes) const {
  const std::lock_guard lock(mutex_);
  return fits(offset, bytes);
}

bool UpdatableLaunch::fits(std::uint64_t offset, std::uint64_t bytes) const {
  return bytes <= params_.size() && offset <= params_.size() - bytes;
}

DeviceError UpdatableLaunch::set_parameters(std::uint64_t offset, const void* from,
                                            std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (!fits(offset, bytes)) return DeviceError::InvalidValue;
  std::memcpy(params_.data() + offset, from, bytes);
  return DeviceError::Success;
}

bool UpdatableLaunch::is_possible(const Dim3& grid) const {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return false;
  if (grid.x > most_blocks_.x || grid.y > most_blocks_.y || grid.z > most_blocks_.z) return false;
  // As many blocks as the host was allowed have a place at the same time.
  if (first_.cooperative && count(grid) > count(first_.grid)) return false;
  const Dim3& cluster = first_.cluster;
  const bool has_clusters = cluster.x != 0 && cluster.y != 0 && cluster.z != 0;
  return !has_clusters ||
         (grid.x % cluster.x == 0 && grid.y % cluster.y == 0 && grid.z % cluster.z == 0);
}

DeviceError UpdatableLaunch::set_grid(const Dim3& grid) {
  const std::lock_guard lock(mutex_);
  if (!is_possible(grid) || code_for(first_, grid) == nullptr) return DeviceError::InvalidValue;
  grid_ = grid;
  return DeviceError::Success;
}

void UpdatableLaunch::set_enabled(bool enabled) {
  const std::lock_guard lock(mutex_);
  enabled_ = enabled;
}

bool UpdatableLaunch::is_enabled() const {
  const std::lock_guard lock(mutex_);
  return enabled_;
}

bool UpdatableLaunch::apply(LaunchRequest* request) const {
  {
    const std::lock_guard lock(mutex_);
    if (!enabled_) return false;
    request->params = params_;
    if (same(request->grid, grid_)) return true;
    request->grid = grid_;
  }
  if (const Kernel* const code = code_for(*request, request->grid)) request->kernel = code;
  return true;
}

}  // namespace pycuda::cpu::exec
