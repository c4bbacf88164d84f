// SPDX-License-Identifier: MIT
// Captures the work of a stream into a graph, and keeps what the graph refers to.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "cuda/capturing.h"
#include "cuda/graph.h"
#include "cuda/graph_resources.h"
#include "cuda/memory_pool.h"
#include "cuda/stream.h"

namespace pycuda::cuda {

/// Which work of the thread a capture takes.
enum class CaptureScope {
  Stream,  ///< what is put into the stream
  Thread,  ///< what the thread that begins it puts into no stream, too
};

/// From `begin` to `end`. Memory that is allocated meanwhile for arrays comes from a pool of the
/// capture's own: no other code gets it as long as the graph can be launched.
class Capture : public std::enable_shared_from_this<Capture> {
  struct Key {};

 public:
  /// With CaptureScope::Thread the thread may allocate and compile meanwhile, in every mode.
  static std::shared_ptr<Capture> begin(const Stream& stream, CUstreamCaptureMode mode,
                                        CaptureScope scope);
  /// Captures what its thread puts into no stream, or into the stream of `around`, into the body of
  /// one of its conditional nodes.
  static std::shared_ptr<Capture> begin_body(const std::shared_ptr<Capture>& around, CUgraph body);
  /// Captures the work of a stream, and what the thread puts into none, into a graph that stays its
  /// owner's. What comes first waits for `dependencies`.
  static std::shared_ptr<Capture> begin_in(const Stream& stream, const Graph& graph,
                                           Dependencies dependencies, CUstreamCaptureMode mode);
  /// The innermost one that this thread has begun, or null.
  static Capture* of_thread() noexcept;
  /// The one that work put into `stream` is captured by, as far as this library knows; null when
  /// there is none. A stream that joined a capture by an event counts for this thread's innermost
  /// one.
  static std::shared_ptr<Capture> of_stream(CUstream stream) noexcept;
  /// Any one under way in `context`, or null.
  static std::shared_ptr<Capture> in_context(const Context& context) noexcept;
  /// Waits for the work of `context`. False, without waiting, where a capture is under way in it,
  /// which that would spoil. No capture begins meanwhile: that takes its turn. `result`, where
  /// given, is what the driver answered.
  static bool wait_for_work(const Context& context, CUresult* result = nullptr) noexcept;
  /// An event was recorded somewhere: other streams may follow the captured ones from there on.
  static void note_event() noexcept;

  /// `resources`: of the graph that is captured into, if there is one already.
  Capture(Key, ContextPtr context, CUstream stream, CaptureScope scope,
          std::shared_ptr<GraphResources> resources = nullptr);
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture();

  CUstream stream() const { return stream_; }
  const ContextPtr& context() const { return context_; }
  CaptureScope scope() const { return scope_; }
  bool ended() const { return ended_.load(std::memory_order_acquire); }

  /// Whether this thread's work for `stream` goes into this one's.
  bool takes_work_of(CUstream stream) const;
  /// A condition for the graph that is captured, as `make_condition`.
  CUgraphConditionalHandle make_condition(std::optional<unsigned int> value) const;
  /// Adds a conditional node, which waits for what was captured before and which the rest waits
  /// for.
  Conditional add_conditional(CUgraphConditionalHandle condition, CUgraphConditionalNodeType type,
                              unsigned int bodies) const;

  /// What the graph will keep.
  const std::shared_ptr<GraphResources>& resources() const { return resources_; }
  /// Memory for the captured work, and only for that. Once other streams may have joined, what is
  /// freed is not handed out again: the order of their work is not known.
  PooledDeviceMemory allocate(std::size_t bytes);
  bool owns(const PooledDeviceMemory& block) const { return resources_->holds(block.pool().get()); }

  /// Ends the capture; the graph is the caller's. Throws what was wrong with the capture: then the
  /// stream is usable again as well. A second call throws "Stream::end_capture failed: ...".
  CUgraph end();
  /// Ends it and drops what was captured.
  void abandon() noexcept;
  /// The same for the one that began in `stream`, if there is one.
  static void abandon(CUstream stream) noexcept;

 private:
  static std::shared_ptr<Capture> enter(
      std::shared_ptr<Capture> capture,
      const std::function<void(const driver::DriverTable&, CUstream)>& begin);
  /// Of the body of a conditional node: the graph around it is not complete.
  void invalidate_outer() noexcept;
  /// Ends it in the driver, and then takes it off the lists: those who find none there wait for the
  /// context, which would spoil it.
  CUresult finish(CUgraph* graph) noexcept;

  ContextPtr context_;
  CUstream stream_;
  CaptureScope scope_;
  bool owns_graph_;  ///< until the end
  std::shared_ptr<GraphResources> resources_;
  std::shared_ptr<DeviceMemoryPool> pool_;
  /// The thread's mode before, to be restored.
  std::optional<CUstreamCaptureMode> mode_before_;
  std::shared_ptr<Capture> around_;     ///< of a conditional node's body
  std::unique_ptr<Stream> own_stream_;  ///< the body is captured from it
  std::atomic<bool> invalidated_{false};
  std::atomic<bool> forked_{false};
  std::atomic<bool> ended_{true};  ///< so until it has begun
};

}  // namespace pycuda::cuda
