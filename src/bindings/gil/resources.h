// SPDX-License-Identifier: MIT
// Resources of Python objects whose release waits for the device: they are released without the
// GIL, because the device's work may need it, for instance Python functions in graphs.
#pragma once

#include <memory>
#include <utility>

#include "bindings/gil/released.h"

namespace pycuda::bindings {

/// A resource that lies in its Python object.
template <class Resource>
class ReleasedWithoutGil : public Resource {
 public:
  using Resource::Resource;
  explicit ReleasedWithoutGil(Resource&& resource) : Resource(std::move(resource)) {}
  ReleasedWithoutGil(const ReleasedWithoutGil&) = delete;
  ReleasedWithoutGil& operator=(const ReleasedWithoutGil&) = delete;
  // Not every Resource has a virtual destructor.
  ~ReleasedWithoutGil() {  // NOLINT(modernize-use-override)
    without_gil_if_possible([this] { const Resource released(std::move(*this)); });
  }
};

/// A reference to a resource that others may share.
template <class Resource>
class SharedReleasedWithoutGil {
 public:
  SharedReleasedWithoutGil() = default;
  explicit SharedReleasedWithoutGil(std::shared_ptr<Resource> resource)
      : resource_(std::move(resource)) {}
  SharedReleasedWithoutGil(SharedReleasedWithoutGil&&) = default;
  SharedReleasedWithoutGil& operator=(SharedReleasedWithoutGil&&) = default;
  ~SharedReleasedWithoutGil() {
    if (resource_) without_gil_if_possible([this] { resource_.reset(); });
  }
  Resource* operator->() const { return resource_.get(); }
  const std::shared_ptr<Resource>& shared() const { return resource_; }

 private:
  std::shared_ptr<Resource> resource_;
};

/// The same as a pointer that nanobind knows, so that one resource has one Python object. Not for
/// what derives from enable_shared_from_this: nanobind keeps a reference of its own to that.
template <class Resource>
std::shared_ptr<Resource> released_without_gil(std::shared_ptr<Resource> resource) {
  Resource* const pointer = resource.get();
  return {pointer, [reference = SharedReleasedWithoutGil(std::move(resource))](Resource*) mutable {
            const SharedReleasedWithoutGil last(std::move(reference));
          }};
}

}  // namespace pycuda::bindings
