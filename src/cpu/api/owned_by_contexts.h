// SPDX-License-Identifier: MIT
// Objects that live until the program destroys them, or their context ends.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace pycuda::cpu::api {

class Context;

/// Owns objects of one type, each with a `context()`. Any thread.
template <class Object>
class OwnedByContexts {
 public:
  void add(std::unique_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    const Object* const key = object.get();
    objects_.emplace(key, std::move(object));
  }
  /// Whether it was one of them.
  bool destroy(const Object& object) {
    const std::lock_guard lock(mutex_);
    return objects_.erase(&object) != 0;
  }
  void destroy_all_of(const Context& context) {
    const std::lock_guard lock(mutex_);
    std::erase_if(objects_, [&](const auto& entry) { return &entry.first->context() == &context; });
  }

 private:
  std::mutex mutex_;  ///< protects `objects_`
  std::unordered_map<const Object*, std::unique_ptr<Object>> objects_;
};

}  // namespace pycuda::cpu::api
