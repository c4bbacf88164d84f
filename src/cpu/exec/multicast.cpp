// SPDX-License-Identifier: MIT
#include "cpu/exec/multicast.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <shared_mutex>
#include <string>
#include <utility>

#include "base/log.h"
#include "cpu/exec/address_space.h"

namespace pycuda::cpu::exec {

/// A mapping of memory for the object alone: programs may have none, or none that they may write
/// to.
class Multicast::View {
 public:
  View(PhysicalMemory::Pointer memory, std::byte* place, std::uint64_t bytes)
      : memory_(std::move(memory)), place_(place), bytes_(bytes) {}
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  ~View() { munmap(place_, bytes_); }

 private:
  PhysicalMemory::Pointer memory_;
  std::byte* place_;
  std::uint64_t bytes_;
};

namespace {

struct Range {
  std::uint64_t bytes;
  Multicast::Pointer object;
  PageAccess access;
};

struct Ranges {
  std::shared_mutex mutex;  ///< protects `by_begin`
  std::map<std::uintptr_t, Range> by_begin;
};

Ranges& ranges() {
  static auto& all = *new Ranges;
  return all;
}

Multicast::Places problem(const char* what) {
  Multicast::Places places;
  places.problem = what;
  return places;
}

}  // namespace

Multicast::Member* Multicast::member(int device) {
  const auto found = std::ranges::find(members_, device, &Member::device);
  return found != members_.end() ? &*found : nullptr;
}

bool Multicast::add(int device) {
  const std::lock_guard lock(mutex_);
  if (members_.size() == size_ || member(device) != nullptr) return false;
  members_.push_back({device, {}});
  added_.notify_all();
  return true;
}

bool Multicast::has(int device) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::find(members_, device, &Member::device) != members_.end();
}

void Multicast::wait_until_whole(const char* call) const {
  constexpr std::chrono::seconds patience{2};
  std::unique_lock lock(mutex_);
  const auto is_whole = [this] { return members_.size() == size_; };
  if (added_.wait_for(lock, patience, is_whole)) return;
  base::log(base::LogLevel::Warning, std::string(call) + " waits for cuMulticastAddDevice: " +
                                         std::to_string(members_.size()) + " of " +
                                         std::to_string(size_) + " devices were added");
  added_.wait(lock, is_whole);
}

Multicast::Bound Multicast::insert(int device, Binding binding) {
  const std::lock_guard lock(mutex_);
  auto& bindings = member(device)->bindings;
  const std::uint64_t begin = binding.offset, end = begin + binding.bytes;
  if (std::ranges::any_of(bindings, [&](const Binding& other) {
        return begin < other.offset + other.bytes && other.offset < end;
      }))
    return Bound::Overlaps;
  bindings.push_back(std::move(binding));
  return Bound::Done;
}

Multicast::Bound Multicast::bind(int device, std::uint64_t offset,
                                 const PhysicalMemory::Pointer& memory, std::uint64_t memory_offset,
                                 std::uint64_t bytes) {
  void* const place =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return Bound::NoRoom;
  const auto view = std::make_shared<View>(memory, static_cast<std::byte*>(place), bytes);
  if (!memory->map(reinterpret_cast<std::uintptr_t>(place), memory_offset, bytes) ||
      mprotect(place, bytes, PROT_READ | PROT_WRITE) != 0)
    return Bound::NoRoom;
  return insert(device, {offset, bytes, static_cast<std::byte*>(place), view});
}

Multicast::Bound Multicast::bind(int device, std::uint64_t offset, std::byte* place,
                                 std::uint64_t bytes) {
  return insert(device, {offset, bytes, place, nullptr});
}

bool Multicast::unbind(int device, std::uint64_t offset, std::uint64_t bytes) {
  std::shared_ptr<View> removed;  // goes after the lock
  const std::lock_guard lock(mutex_);
  Member* const found = member(device);
  if (found == nullptr) return false;
  const auto binding = std::ranges::find_if(found->bindings, [&](const Binding& one) {
    return one.offset == offset && one.bytes == bytes;
  });
  if (binding == found->bindings.end()) return false;
  removed = std::move(binding->view);
  found->bindings.erase(binding);
  return true;
}

Multicast::Places Multicast::places(std::uint64_t offset, std::uint64_t bytes) const {
  Places places;
  const std::lock_guard lock(mutex_);
  for (const Member& one : members_) {
    const auto binding = std::ranges::find_if(one.bindings, [&](const Binding& bound) {
      return offset >= bound.offset && offset - bound.offset + bytes <= bound.bytes;
    });
    if (binding == one.bindings.end())
      return problem("an address of a multicast object where a device has no memory bound");
    places.at[places.count++] = binding->place + (offset - binding->offset);
  }
  return places;
}

void Multicast::map(std::uintptr_t begin, std::uint64_t bytes, const Pointer& object,
                    PageAccess access) {
  Ranges& all = ranges();
  const std::unique_lock lock(all.mutex);
  all.by_begin.insert_or_assign(begin, Range{bytes, object, access});
}

void Multicast::unmap(std::uintptr_t begin) {
  Ranges& all = ranges();
  const std::unique_lock lock(all.mutex);
  all.by_begin.erase(begin);
}

Multicast::Places Multicast::places_of(std::uintptr_t address, std::uint64_t bytes, bool writes) {
  Ranges& all = ranges();
  const std::shared_lock lock(all.mutex);
  auto found = all.by_begin.upper_bound(address);
  if (found == all.by_begin.begin()) return problem("multimem and no multicast object's address");
  --found;
  const Range& range = found->second;
  const std::uint64_t offset = address - found->first;
  if (offset >= range.bytes) return problem("multimem and no multicast object's address");
  if (range.access == PageAccess::None || (writes && range.access == PageAccess::Read))
    return problem("multimem at an address to which no access was given (cuMemSetAccess)");
  return range.object->places(offset, bytes);
}

}  // namespace pycuda::cpu::exec
