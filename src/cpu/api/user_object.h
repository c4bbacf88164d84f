// SPDX-License-Identifier: MIT
// User objects that graphs keep alive: a reference count and a destructor callback.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "cpu/api/cuda_abi.h"

namespace pycuda::cpu::api {

class UserObject {
 public:
  UserObject(void* object, CUhostFn destroy, std::uint64_t references);
  UserObject(const UserObject&) = delete;
  UserObject& operator=(const UserObject&) = delete;

  CUuserObject handle() const { return handle_; }
  void retain(std::uint64_t count);
  /// The last one has the object destroyed, on a thread of the driver's. False, and nothing done,
  /// if there are not so many references.
  bool release(std::uint64_t count);

 private:
  ~UserObject();

  void* object_;
  CUhostFn destroy_;
  CUuserObject handle_;
  std::mutex mutex_;  // protects references_
  std::uint64_t references_;
};

/// The references that one graph owns. Copies have references of their own.
class UserReferences {
 public:
  UserReferences() = default;
  ~UserReferences();
  UserReferences(const UserReferences& other);
  UserReferences& operator=(const UserReferences&) = delete;
  UserReferences& operator=(UserReferences&& other) noexcept;

  /// Takes over existing references.
  void take(UserObject* object, std::uint64_t count) { counts_[object] += count; }
  /// False if it has not so many.
  bool give_up(UserObject* object, std::uint64_t count);

 private:
  std::map<UserObject*, std::uint64_t> counts_;
};

}  // namespace pycuda::cpu::api
