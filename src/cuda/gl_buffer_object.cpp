// SPDX-License-Identifier: MIT
// Buffers by the driver's deprecated functions.
#include "cuda/gl_buffer_object.h"

#include <utility>

#include "cuda/cleanup.h"

namespace pycuda::cuda {

using driver::DriverError;

namespace {

void report(const Context& context, const char* routine, CUresult code) noexcept {
  if (code != CUDA_SUCCESS && !driver::is_sticky(code)) {
    report_cleanup_failure(context.driver(), routine, code);
  }
}

}  // namespace

GlBufferObject::GlBufferObject(unsigned int buffer)
    : context_(require_context()), gl_name_(buffer) {
  context_->driver().cuGLRegisterBufferObject(buffer);
  is_registered_ = true;
}

GlBufferObject::~GlBufferObject() {
  if (!is_registered_) return;
  const auto& entry = context_->driver().cuGLUnregisterBufferObject;
  report(*context_, entry.name(), context_->release([&] { return entry.status(gl_name_); }));
}

void GlBufferObject::unregister() {
  if (!is_registered_) {
    throw DriverError("buffer_object::unregister", CUDA_ERROR_INVALID_HANDLE,
                      "it has been unregistered before");
  }
  const ContextScope scope(context_);
  context_->driver().cuGLUnregisterBufferObject(gl_name_);
  is_registered_ = false;
}

GlBufferMapping::GlBufferMapping(std::shared_ptr<GlBufferObject> buffer)
    : buffer_(std::move(buffer)) {
  if (!buffer_->is_registered()) {
    throw DriverError("buffer_object::map", CUDA_ERROR_INVALID_HANDLE,
                      "it has been unregistered before");
  }
  const ContextScope scope(buffer_->context());
  buffer_->context()->driver().cuGLMapBufferObject(&address_, &bytes_, buffer_->gl_name());
  is_mapped_ = true;
}

GlBufferMapping::~GlBufferMapping() {
  if (!is_mapped_) return;
  const auto& entry = buffer_->context()->driver().cuGLUnmapBufferObject;
  report(*buffer_->context(), entry.name(),
         buffer_->context()->release([&] { return entry.status(buffer_->gl_name()); }));
}

void GlBufferMapping::unmap() {
  if (!is_mapped_) {
    throw DriverError("buffer_object_mapping::unmap", CUDA_ERROR_INVALID_HANDLE,
                      "it has been unmapped before");
  }
  const ContextScope scope(buffer_->context());
  buffer_->context()->driver().cuGLUnmapBufferObject(buffer_->gl_name());
  is_mapped_ = false;
}

}  // namespace pycuda::cuda
