// SPDX-License-Identifier: MIT
// The objects of a library that programs hold by their addresses.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace pycuda::hostwork {

/// Programs may pass any pointer: it is looked up here before it is followed.
template <class T>
class Registry {
 public:
  /// The process's registry of this type, which is never destroyed.
  static Registry& instance() {
    static auto& only = *new Registry;
    return only;
  }
  bool contains(const T* object) {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(objects_, [&](const auto& one) { return one.get() == object; });
  }
  T* insert(std::unique_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    return objects_.emplace_back(std::move(object)).get();
  }
  /// False if it is not in here.
  bool erase(const T* object) {
    const std::lock_guard lock(mutex_);
    return std::erase_if(objects_, [&](const auto& one) { return one.get() == object; }) != 0;
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> objects_;
};

}  // namespace pycuda::hostwork
