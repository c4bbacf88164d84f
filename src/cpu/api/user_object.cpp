// SPDX-License-Identifier: MIT
// cuUserObject* and what graphs keep of them.
#include "cpu/api/user_object.h"

#include <limits>

#include "cpu/api/entry_guard.h"
#include "cpu/api/graph.h"
#include "cpu/api/host_callback.h"
#include "cpu/exec/callback_threads.h"

namespace pycuda::cpu::api {

UserObject::UserObject(void* object, CUhostFn destroy, std::uint64_t references)
    : object_(object),
      destroy_(destroy),
      handle_(registry.user_objects.insert(this)),
      references_(references) {}

UserObject::~UserObject() { registry.user_objects.erase(handle_); }

void UserObject::retain(std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  references_ += count;
}

bool UserObject::release(std::uint64_t count) {
  {
    const std::lock_guard lock(mutex_);
    if (count > references_) return false;
    references_ -= count;
    if (references_ != 0) return true;
  }
  exec::run_on_callback_thread([destroy = destroy_, object = object_] {
    const HostCallbackScope scope;
    destroy(object);
  });
  delete this;
  return true;
}

UserReferences::~UserReferences() {
  for (const auto& [object, count] : counts_) object->release(count);
}

UserReferences::UserReferences(const UserReferences& other) : counts_(other.counts_) {
  for (const auto& [object, count] : counts_) object->retain(count);
}

UserReferences& UserReferences::operator=(UserReferences&& other) noexcept {
  counts_.swap(other.counts_);
  return *this;
}

bool UserReferences::give_up(UserObject* object, std::uint64_t count) {
  const auto found = counts_.find(object);
  if (found == counts_.end() || found->second < count) return false;
  found->second -= count;
  if (found->second == 0) counts_.erase(found);
  object->release(count);
  return true;
}

}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

namespace {

constexpr unsigned most_references = std::numeric_limits<int>::max();

bool is_count(unsigned count) { return count != 0 && count <= most_references; }

}  // namespace

extern "C" {

CUresult cuUserObjectCreate(CUuserObject* object_out, void* ptr, CUhostFn destroy,
                            unsigned int initialRefcount, unsigned int flags) {
  return with_driver([&]() -> CUresult {
    // The program says that it does not count on the destructor's end being waited for.
    if (object_out == nullptr || destroy == nullptr || !is_count(initialRefcount) ||
        flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *object_out = (new UserObject(ptr, destroy, initialRefcount))->handle();
    return CUDA_SUCCESS;
  });
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned int count) {
  return with_driver([&]() -> CUresult {
    UserObject* found = registry.user_objects.find(object);
    if (found == nullptr || !is_count(count)) return CUDA_ERROR_INVALID_VALUE;
    found->retain(count);
    return CUDA_SUCCESS;
  });
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned int count) {
  return with_driver([&]() -> CUresult {
    UserObject* found = registry.user_objects.find(object);
    if (found == nullptr || !is_count(count)) return CUDA_ERROR_INVALID_VALUE;
    return found->release(count) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count,
                                 unsigned int flags) {
  return with_driver([&]() -> CUresult {
    Graph* into = registry.graphs.find(graph);
    UserObject* found = registry.user_objects.find(object);
    if (into == nullptr || found == nullptr || !is_count(count) ||
        (flags & ~static_cast<unsigned>(CU_GRAPH_USER_OBJECT_MOVE)) != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if ((flags & CU_GRAPH_USER_OBJECT_MOVE) == 0) found->retain(count);
    into->user_objects.take(found, count);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count) {
  return with_driver([&]() -> CUresult {
    Graph* from = registry.graphs.find(graph);
    UserObject* found = registry.user_objects.find(object);
    if (from == nullptr || found == nullptr || !is_count(count)) return CUDA_ERROR_INVALID_VALUE;
    return from->user_objects.give_up(found, count) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

}  // extern "C"
