// SPDX-License-Identifier: MIT
// Green contexts: a device's primary context whose kernels run on some of the workers.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "cpu/api/context.h"
#include "cpu/api/cuda_abi.h"
#include "cpu/exec/processor_set.h"

namespace pycuda::cpu::api {

class Stream;

/// Memory, modules and events are the primary context's, to which `context_handle` is a second
/// handle. Streams are its own: they keep it alive, but not its handles.
class GreenContext {
 public:
  /// `primary` is retained by the caller for it.
  GreenContext(Context& primary, const exec::ProcessorSet* processors);
  /// Its default stream goes, where the context does not.
  ~GreenContext();
  GreenContext(const GreenContext&) = delete;
  GreenContext& operator=(const GreenContext&) = delete;

  CUgreenCtx handle() const { return handle_; }
  CUcontext context_handle() const { return context_handle_; }
  std::uint64_t id() const { return id_; }
  VirtualDevice& device() const { return device_; }
  const exec::ProcessorSet* processors() const { return processors_; }
  /// While it is not gone.
  Context& context() const { return context_; }
  Stream& default_stream() const { return *default_stream_; }
  bool is_gone() const { return gone_.load(std::memory_order_acquire); }

 private:
  friend struct GreenContexts;
  Context& context_;
  VirtualDevice& device_;
  const exec::ProcessorSet* processors_;
  std::uint64_t id_;
  CUcontext context_handle_ = nullptr;
  CUgreenCtx handle_ = nullptr;
  Stream* default_stream_ = nullptr;  ///< the context's
  std::atomic<bool> gone_{false};
  std::atomic<bool> outlives_context_{false};
};

/// The green context that a context's handle is of, or null. A null handle is the current one's.
GreenContext* green_context_of(CUcontext handle);
GreenContext* current_green_context();
std::shared_ptr<GreenContext> share_current_green_context();

/// The device's primary context ends: its green contexts are gone, but for their handles.
void abandon_green_contexts(const VirtualDevice& device);

/// A new stream of the context, or of its green context.
CUstream make_stream(Context& context, unsigned flags, int priority,
                     std::shared_ptr<GreenContext> green);

/// Records the event after, or lets it precede, the work of all streams of the context or of its
/// green context.
CUresult record_all(Context& context, const GreenContext* green, CUevent event);
CUresult wait_all(Context& context, const GreenContext* green, CUevent event);

}  // namespace pycuda::cpu::api
