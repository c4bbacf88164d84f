// SPDX-License-Identifier: MIT
// OpenGL's buffers by the deprecated functions, which know them by their names.
#pragma once

#include <cstddef>
#include <memory>

#include "cuda/context.h"
#include "cuda/context_stack.h"

namespace pycuda::cuda {

/// A registered buffer.
class GlBufferObject {
 public:
  explicit GlBufferObject(unsigned int buffer);
  GlBufferObject(const GlBufferObject&) = delete;
  GlBufferObject& operator=(const GlBufferObject&) = delete;
  ~GlBufferObject();

  unsigned int gl_name() const { return gl_name_; }
  const ContextPtr& context() const { return context_; }
  bool is_registered() const { return is_registered_; }
  void unregister();

 private:
  ContextPtr context_;
  unsigned int gl_name_;
  bool is_registered_ = false;
};

/// A buffer while CUDA has it.
class GlBufferMapping {
 public:
  explicit GlBufferMapping(std::shared_ptr<GlBufferObject> buffer);
  GlBufferMapping(const GlBufferMapping&) = delete;
  GlBufferMapping& operator=(const GlBufferMapping&) = delete;
  ~GlBufferMapping();

  CUdeviceptr address() const { return address_; }
  std::size_t bytes() const { return bytes_; }
  void unmap();

 private:
  std::shared_ptr<GlBufferObject> buffer_;
  CUdeviceptr address_ = 0;
  std::size_t bytes_ = 0;
  bool is_mapped_ = false;
};

}  // namespace pycuda::cuda
