// SPDX-License-Identifier: MIT
// Dynamic parallelism: the launches, copies and fills that the threads of one grid queue. They run
// when the grid has ended and before it counts as complete, in the order that its streams and
// events ask for.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "cpu/exec/check_settings.h"
#include "cpu/exec/device_runtime.h"
#include "cpu/exec/event_marker.h"
#include "cpu/exec/pitched_transfer.h"
#include "cpu/exec/stream.h"
#include "cpu/exec/worker_pool.h"

namespace pycuda::cpu::exec {

struct LaunchContext;

/// A thread of the grid, by its place.
struct ThreadPlace {
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
};

/// CUDA's handles of streams that exist without being created.
enum class KnownStream : std::uint64_t { Null = 0, Legacy, PerThread, Tail, FireAndForget };

/// Any thread, until `run`.
class ChildLaunches {
 public:
  /// `parent` is the launch whose threads call; its sink and the runtime outlive this.
  ChildLaunches(const LaunchContext& parent, DeviceRuntime& runtime);
  ~ChildLaunches();
  ChildLaunches(const ChildLaunches&) = delete;
  ChildLaunches& operator=(const ChildLaunches&) = delete;

  DeviceRuntime& runtime() { return runtime_; }

  /// Memory for the parameters of a launch, or null and the reason in `error`. It is of this object
  /// until it is launched.
  void* prepare(std::uint64_t kernel, const LaunchSize& size, DeviceError* error);
  void* prepare(std::uint64_t alignment, std::uint64_t bytes, DeviceError* error);
  DeviceError launch(void* parameters, std::uint64_t stream, const ThreadPlace& from);
  DeviceError launch(std::uint64_t kernel, void* parameters, const LaunchSize& size,
                     std::uint64_t stream, const ThreadPlace& from);
  /// `mode` is in the place of a stream. NotPermitted outside of graphs.
  DeviceError launch_graph(std::uint64_t graph, std::uint64_t mode);
  DeviceError enqueue(const PitchedTransfer& box, std::uint64_t stream, const ThreadPlace& from);

  std::uint64_t create_stream();
  DeviceError destroy_stream(std::uint64_t stream);
  std::uint64_t create_event();
  DeviceError destroy_event(std::uint64_t event);
  DeviceError record(std::uint64_t event, std::uint64_t stream, const ThreadPlace& from);
  /// Of the event's latest record.
  DeviceError wait(std::uint64_t stream, std::uint64_t event, const ThreadPlace& from);

  /// The error that a thread noted last; with `forget` none is left.
  void note(DeviceError error, const ThreadPlace& thread);
  DeviceError last_error(const ThreadPlace& thread, bool forget);

  /// Runs what is queued, and `finished` on whatever thread ends the last of it. Nothing blocks.
  static void run(std::unique_ptr<ChildLaunches> launches, Task finished);

 private:
  struct Prepared {
    LaunchableKernel kernel;  ///< none: only memory was asked for
    LaunchSize size;
    std::size_t bytes = 0;
    std::size_t alignment = 1;
    std::byte* memory = nullptr;
  };
  struct Copy {
    PitchedTransfer box;
    ThreadPlace from;
  };
  struct Record {
    std::shared_ptr<Marker> marker;
  };
  struct Wait {
    std::shared_ptr<Marker> marker;
  };
  using Item = std::variant<LaunchRequest, LaunchableGraph, Copy, Record, Wait>;
  /// What must run in order.
  struct Chain {
    std::deque<Item> items;
    bool is_tail = false;
    std::shared_ptr<ChildLaunches> owner;  ///< while it runs
  };
  using ChainPointer = std::shared_ptr<Chain>;
  /// A place in the grid: of a block, or of a thread with its own numbers.
  using PlaceKey = std::array<std::uint32_t, 7>;
  static PlaceKey key_of(const ThreadPlace& place, bool whole_block);

  void* allocate(Prepared prepared, DeviceError* error);
  void release(const Prepared& prepared);
  /// Null: there is no such stream. The caller holds the mutex.
  Chain* chain_of(std::uint64_t stream, const ThreadPlace& from);
  DeviceError queue(const LaunchableKernel& kernel, const LaunchSize& size, std::string parameters,
                    std::uint64_t stream, const ThreadPlace& from);

  /// Of streams or events.
  template <class Handles>
  std::uint64_t create(Handles& handles);
  template <class Handles>
  DeviceError destroy(Handles& handles, std::uint64_t handle);

  static Task drive_task(const ChainPointer& chain);
  static void drive(const ChainPointer& chain);
  static bool run_item(const ChainPointer& chain, Item& item);
  static void run_graph(const ChainPointer& chain, LaunchableGraph graph);
  static void start_tail(const std::shared_ptr<ChildLaunches>& launches);
  /// Gives back what was prepared for launches that did not come.
  void release_unlaunched();
  /// The grid and all that it launched is finished.
  void end();
  std::string text_of(const ThreadPlace& from) const;

  FaultSink& faults_;
  DeviceRuntime& runtime_;
  const std::shared_ptr<const std::string> kernel_;  ///< the parent's name
  const std::uint32_t level_;
  const std::uint32_t stack_bytes_, processor_warps_;
  const ProcessorSet* const processors_;
  const std::shared_ptr<Work> work_;         ///< null: its order is not kept
  const std::shared_ptr<GraphScope> graph_;  ///< null: the grid is of no graph
  const std::optional<std::chrono::steady_clock::time_point> began_;  ///< if there is a time limit

  std::mutex mutex_;  ///< protects what follows, until `run`
  std::unordered_map<void*, Prepared> prepared_;
  std::vector<ChainPointer> chains_;
  std::map<PlaceKey, Chain*> of_places_;
  std::unordered_map<std::uint64_t, Chain*> of_streams_;  ///< null: nothing is queued there yet
  std::unordered_map<std::uint64_t, std::shared_ptr<Marker>> events_;  ///< null: never recorded
  std::map<PlaceKey, DeviceError> errors_;
  ChainPointer tail_;
  Checks checks_;        ///< of all that is queued
  CheckedWork counted_;  ///< for these, until all has ended

  std::atomic<std::size_t> chains_left_{0};  ///< from `run` on
  Task finished_;
};

}  // namespace pycuda::cpu::exec
