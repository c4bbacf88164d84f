// SPDX-License-Identifier: MIT
// How Python objects hold resources whose release waits for the device: they give them up without
// the interpreter lock, which what the device does may need, as Python functions of graphs do.
#pragma once

#include <memory>
#include <utility>

#include "bindings/unlocked.h"

namespace pycuda::bindings {

/// A resource that lies in its Python object.
template <class Resource>
class Held : public Resource {
 public:
  using Resource::Resource;
  explicit Held(Resource&& resource) : Resource(std::move(resource)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    unlocked_if_possible([this] { const Resource released(std::move(*this)); });
  }
};

/// A reference to a resource that others may share.
template <class Resource>
class HeldReference {
 public:
  HeldReference() = default;
  explicit HeldReference(std::shared_ptr<Resource> resource) : resource_(std::move(resource)) {}
  HeldReference(HeldReference&&) = default;
  HeldReference& operator=(HeldReference&&) = default;
  ~HeldReference() {
    if (resource_) unlocked_if_possible([this] { resource_.reset(); });
  }
  Resource* operator->() const { return resource_.get(); }
  const std::shared_ptr<Resource>& shared() const { return resource_; }

 private:
  std::shared_ptr<Resource> resource_;
};

/// The same as a pointer that nanobind knows, so that one resource has one Python object. Not for
/// what derives from enable_shared_from_this: nanobind keeps a reference of its own to that.
template <class Resource>
std::shared_ptr<Resource> held(std::shared_ptr<Resource> resource) {
  Resource* const pointer = resource.get();
  return {pointer, [reference = HeldReference(std::move(resource))](Resource*) mutable {
            const HeldReference last(std::move(reference));
          }};
}

}  // namespace pycuda::bindings
