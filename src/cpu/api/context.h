// SPDX-License-Identifier: MIT
// A context: what it owns, its limits, and the fault that ended its use.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cpu/api/cuda_abi.h"
#include "cpu/api/device_runtime.h"
#include "cpu/api/ipc_memory.h"
#include "cpu/api/virtual_device.h"
#include "cpu/exec/printf_fifo.h"
#include "cpu/exec/stream.h"

namespace pycuda::cpu::api {

class Event;
class GreenContext;
class Library;
class Module;
class Stream;

class Context final : public exec::FaultSink {
 public:
  /// A context of its own, with a new handle.
  Context(VirtualDevice& device, unsigned flags);
  /// The device's primary context, behind a handle that outlives it.
  Context(VirtualDevice& device, unsigned flags, CUcontext primary_handle);
  /// Waits for all work, then releases everything that was made in this context.
  ~Context() override;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  CUcontext handle() const { return handle_; }
  VirtualDevice& device() const { return device_; }
  std::uint64_t id() const { return id_; }
  bool is_primary() const { return is_primary_; }
  /// Its destructor has begun.
  bool is_ending() const { return ending_.load(std::memory_order_acquire); }
  std::atomic<unsigned>& flags() { return flags_; }

  /// CUDA_SUCCESS, or the fault that every call reports from now on.
  CUresult status() const noexcept { return status_.load(std::memory_order_acquire); }
  void report(const exec::Fault& fault) override;
  bool poisoned() const override { return status() != CUDA_SUCCESS; }
  exec::PrintfFifo* printf_fifo() override { return &printed_; }
  ContextRuntime* device_runtime() override { return &device_runtime_; }
  /// The whole story of the fault, or empty.
  std::string fault_text() const;

  /// The stream a handle names here: 0 (which of the default streams depends on the ABI in use),
  /// the two default streams' special handles, or any live stream. Null for anything else.
  Stream* borrow_stream(CUstream handle);
  /// A share in a stream that was created in this context, or null when it is not of this context.
  std::shared_ptr<Stream> share_stream(Stream* stream) const;
  Stream& legacy_stream() { return *legacy_; }
  Stream& per_thread_stream();

  /// The streams that synchronise with the legacy stream, or with the default stream of a green
  /// context.
  std::vector<std::shared_ptr<Stream>> blocking_streams(const GreenContext* green) const;
  /// All streams, or those of a green context.
  std::vector<std::shared_ptr<Stream>> all_streams(const GreenContext* green = nullptr) const;
  /// `synchronize` for calls at a program's end, which otherwise seems to hang: tells the user when
  /// that takes long. Starts a thread while work is pending, so it is not for calls in loops.
  CUresult finish_before(const char* call);
  bool has_blocking_streams() const {
    return blocking_streams_.load(std::memory_order_acquire) != 0;
  }
  void adopt(std::shared_ptr<Stream> stream);
  /// Lets go of a stream once its work is done, without waiting for that.
  void retire(const std::shared_ptr<Stream>& stream);

  /// Waits for all work of all streams, or of a green context's.
  CUresult synchronize(const GreenContext* green = nullptr);

  /// Device memory that ends with this context.
  void* allocate(std::uint64_t bytes, exec::MemoryKind kind, std::uint64_t alignment = 256);
  /// False when the block at `memory` is not of this context.
  bool release(void* memory);

  /// Another process's block, for `opened_memory` alone, which counts how often it is open.
  base::Result<void*, exec::PagesFailure> open(const exec::PagesName& name);
  /// Part of another library's file, freed like device memory; null when it cannot be mapped.
  void* map_file(int descriptor, std::uint64_t offset, std::uint64_t bytes);
  OpenedMemory& opened_memory() { return opened_memory_; }

  /// Page-locked memory that ends with this context: allocated by the driver, or the program's own
  /// and only registered.
  struct HostBlock {
    bool allocated = false;
    unsigned flags = 0;
  };
  void own_host(void* memory, HostBlock block);
  std::optional<HostBlock> find_host(void* memory) const;
  /// Forgets (and frees, if allocated) the block. False when there is none of that sort.
  bool release_host(void* memory, bool allocated);

  void adopt(std::shared_ptr<Module> module);
  std::shared_ptr<Module> disown(Module* module);
  void adopt(std::unique_ptr<Event> event);
  std::unique_ptr<Event> disown(Event* event);

  /// cuCtxSetLimit and cuCtxGetLimit.
  CUresult set_limit(CUlimit limit, std::size_t value);
  CUresult get_limit(CUlimit limit, std::size_t* value) const;
  /// CU_LIMIT_STACK_SIZE.
  std::uint32_t stack_bytes() const { return stack_bytes_.load(std::memory_order_relaxed); }
  std::atomic<CUfunc_cache>& cache_preference() { return cache_preference_; }
  std::atomic<CUsharedconfig>& shared_banks() { return shared_banks_; }

  /// Peer contexts whose memory this one was given access to. False: it was so (or was not)
  /// already.
  bool enable_peer(CUcontext peer);
  bool disable_peer(CUcontext peer);

 private:
  void sweep_retired();
  /// What it owns is not found by its handles any more.
  void retire_handles();
  void free_host(void* memory, bool allocated);

  VirtualDevice& device_;
  std::uint64_t id_;
  bool is_primary_;
  std::atomic<bool> ending_{false};
  std::atomic<unsigned> flags_;
  CUcontext handle_;

  std::atomic<CUresult> status_{CUDA_SUCCESS};
  mutable std::mutex fault_mutex_;  // protects fault_text_
  std::string fault_text_;

  std::atomic<CUfunc_cache> cache_preference_{CU_FUNC_CACHE_PREFER_NONE};
  std::atomic<CUsharedconfig> shared_banks_{CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE};

  mutable std::mutex limits_mutex_;  // protects limits_
  std::map<CUlimit, std::size_t> limits_;
  std::atomic<std::uint32_t> stack_bytes_{default_stack_bytes};
  exec::PrintfFifo printed_;
  ContextRuntime device_runtime_{*this};
  OpenedMemory opened_memory_{*this};

  mutable std::mutex owned_mutex_;  // protects what follows
  std::unordered_set<void*> device_blocks_;
  std::unordered_map<void*, HostBlock> host_blocks_;
  std::unordered_map<Event*, std::unique_ptr<Event>> events_;
  std::unordered_map<Module*, std::shared_ptr<Module>> modules_;
  std::set<CUcontext> peers_;

  mutable std::mutex streams_mutex_;  // protects streams_, retired_ and per_thread_
  std::unordered_map<Stream*, std::shared_ptr<Stream>> streams_;
  std::vector<std::shared_ptr<Stream>> retired_;
  std::unordered_map<std::thread::id, std::shared_ptr<Stream>> per_thread_;
  std::atomic<int> blocking_streams_{0};
  std::shared_ptr<Stream> legacy_;
};

/// The result that a GPU gives for a fault of this kind.
CUresult result_of(FaultKind kind);

/// The text of the latest fault of any context of the process, or empty.
std::string last_fault_text();

/// From now on the program reads the texts of faults itself. A fault is printed when it happens
/// otherwise, and at the program's end if it has not been read.
void announce_fault_reader();
void note_fault_read() noexcept;
/// The text of what fails one call without poisoning its context, read and printed like a fault's.
void note_failure(const std::string& text);

}  // namespace pycuda::cpu::api
