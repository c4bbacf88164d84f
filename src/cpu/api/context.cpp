// SPDX-License-Identifier: MIT
// A context's life: what it owns ends with it, and a fault ends its use.
#include "cpu/api/context.h"

#include <algorithm>
#include <cstdlib>

#include "base/log.h"
#include "cpu/api/array.h"
#include "cpu/api/context_pins.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/event.h"
#include "cpu/api/fault_events.h"
#include "cpu/api/graphics_resource.h"
#include "cpu/api/green_context.h"
#include "cpu/api/mipmapped_array.h"
#include "cpu/api/module.h"
#include "cpu/api/registry.h"
#include "cpu/api/stream.h"
#include "cpu/api/texture_object.h"
#include "cpu/api/texture_reference.h"
#include "cpu/exec/device_heap.h"
#include "cpu/exec/process_exit.h"
#include "cpu/exec/slow_wait_notice.h"

namespace pycuda::cpu::api {
namespace {

std::mutex last_fault_mutex;  // protects last_fault
std::string& last_fault() {
  static auto& text = *new std::string;
  return text;
}

std::atomic<bool> program_reads_faults{false};
std::atomic<bool> fault_unread{false};

void print_unread_fault() {
  if (fault_unread.exchange(false)) base::log(base::LogLevel::Warning, last_fault_text());
}

}  // namespace

void announce_fault_reader() {
  if (!program_reads_faults.exchange(true)) exec::at_process_exit(&print_unread_fault);
}

void note_fault_read() noexcept { fault_unread.store(false); }

void note_failure(const std::string& text) {
  {
    const std::lock_guard lock(last_fault_mutex);
    last_fault() = text;
  }
  const bool read_by_program = program_reads_faults.load();
  if (read_by_program) fault_unread.store(true);
  report(text, read_by_program ? base::LogLevel::Info : base::LogLevel::Warning);
}

CUresult result_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::IllegalAddress:
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    case FaultKind::MisalignedAddress:
      return CUDA_ERROR_MISALIGNED_ADDRESS;
    case FaultKind::Assert:
      return CUDA_ERROR_ASSERT;
    case FaultKind::IllegalInstruction:
      return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    case FaultKind::InvalidProgramCounter:
    case FaultKind::BranchTarget:
      return CUDA_ERROR_INVALID_PC;
    case FaultKind::Timeout:
      return CUDA_ERROR_LAUNCH_TIMEOUT;
    case FaultKind::Trap:
    case FaultKind::StackOverflow:
    case FaultKind::Deadlock:
      return CUDA_ERROR_LAUNCH_FAILED;
    case FaultKind::OtherProcess:
      return CUDA_ERROR_EXTERNAL_DEVICE;
    case FaultKind::OutOfMemory:
      return CUDA_ERROR_OUT_OF_MEMORY;
  }
  return CUDA_ERROR_LAUNCH_FAILED;
}

std::string last_fault_text() {
  const std::lock_guard lock(last_fault_mutex);
  return last_fault();
}

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

Context::Context(VirtualDevice& device, unsigned flags)
    : device_(device),
      id_(next_id()),
      is_primary_(false),
      flags_(flags),
      handle_(registry.contexts.insert(this)) {
  legacy_ = std::make_shared<Stream>(*this, StreamKind::Legacy, CU_STREAM_DEFAULT, 0);
}

Context::Context(VirtualDevice& device, unsigned flags, CUcontext primary_handle)
    : device_(device), id_(next_id()), is_primary_(true), flags_(flags), handle_(primary_handle) {
  legacy_ = std::make_shared<Stream>(*this, StreamKind::Legacy, CU_STREAM_DEFAULT, 0);
  registry.contexts.rebind(handle_, this);
}

Context::~Context() {
  ending_.store(true, std::memory_order_release);
  if (is_primary_) {
    registry.contexts.rebind(handle_, nullptr);
  } else {
    registry.contexts.erase(handle_);
  }
  wait_for_pins(handle_);
  // Nobody makes anything here any more. Nor is any of it found from now on.
  retire_handles();
  wait_for_pins(handle_);
  // The streams go first: each waits for its queue, which uses the code and the memory that go
  // next.
  static_cast<void>(finish_before("cuCtxDestroy"));
  per_thread_.clear();
  retired_.clear();
  streams_.clear();
  legacy_.reset();
  printed_.flush();
  modules_.clear();
  events_.clear();
  release_texture_references_of(*this);
  release_texture_objects_of(*this);
  release_graphics_of(*this);
  release_mipmapped_arrays_of(*this);
  release_arrays_of(*this);
  exec::DeviceHeap::instance().release_all(static_cast<exec::FaultSink*>(this));
  for (void* block : device_blocks_) device_.memory().release(block);
  for (const auto& [memory, block] : host_blocks_) {
    free_host(memory, block.allocated);
  }
}

void Context::retire_handles() {
  const std::scoped_lock lock(owned_mutex_, streams_mutex_);
  for (const auto& [key, event] : events_) registry.events.erase(event->handle(), event.get());
  for (const auto& [key, module] : modules_) {
    module->retire();
    for (const auto& function : module->functions())
      registry.functions.erase(function->handle(), function.get());
  }
  for (const auto& [key, stream] : streams_) {
    if (stream->handle() != nullptr) registry.streams.erase(stream->handle(), stream.get());
  }
}

void Context::report(const exec::Fault& fault) {
  // To the end: whoever comes second must find the context poisoned when it goes on.
  const std::lock_guard lock(fault_mutex_);
  if (!fault_text_.empty()) return;  // the first one is the cause, what follows it is noise
  fault_text_ = fault.message;
  note_failure(fault.message);
  note_fault_event(device_.ordinal(), result_of(fault.kind));
  status_.store(result_of(fault.kind), std::memory_order_release);
}

std::string Context::fault_text() const {
  const std::lock_guard lock(fault_mutex_);
  return fault_text_;
}

Stream* Context::borrow_stream(CUstream handle) {
  if (this_thread.current != handle_) [[unlikely]] {
    // A green context of this one may be current: its default stream is another, and it has none
    // for each thread.
    if (GreenContext* const green = current_green_context(); green != nullptr) {
      if (handle == CU_STREAM_PER_THREAD) return nullptr;
      if (handle == nullptr || handle == CU_STREAM_LEGACY) return &green->default_stream();
    }
  }
  if (handle == nullptr)
    return this_thread.stream_zero_is_own ? &per_thread_stream() : legacy_.get();
  if (handle == CU_STREAM_LEGACY) return legacy_.get();
  if (handle == CU_STREAM_PER_THREAD) return &per_thread_stream();
  return registry.streams.find(handle);
}

Stream& Context::per_thread_stream() {
  // Streams of threads that are gone are taken over by new threads with the same id, so there are
  // never many.
  struct Remembered {
    std::uint64_t context = 0;
    Stream* stream = nullptr;
  };
  static thread_local Remembered last;
  if (last.context == id_) return *last.stream;
  std::shared_ptr<Stream> made;
  {
    const std::lock_guard lock(streams_mutex_);
    auto& slot = per_thread_[std::this_thread::get_id()];
    if (slot == nullptr) {
      slot = made = std::make_shared<Stream>(*this, StreamKind::PerThread, CU_STREAM_DEFAULT, 0);
      streams_.emplace(slot.get(), slot);
      ++blocking_streams_;
    }
    last = {id_, slot.get()};
  }
  return *last.stream;
}

std::vector<std::shared_ptr<Stream>> Context::blocking_streams(const GreenContext* green) const {
  std::vector<std::shared_ptr<Stream>> found;
  const std::lock_guard lock(streams_mutex_);
  for (const auto& [key, stream] : streams_) {
    if (stream->is_blocking() && stream->green() == green) found.push_back(stream);
  }
  for (const auto& stream : retired_) {
    if (stream->is_blocking() && stream->green() == green) found.push_back(stream);
  }
  return found;
}

std::vector<std::shared_ptr<Stream>> Context::all_streams(const GreenContext* green) const {
  std::vector<std::shared_ptr<Stream>> found;
  const std::lock_guard lock(streams_mutex_);
  found.push_back(legacy_);
  for (const auto& [key, stream] : streams_) found.push_back(stream);
  found.insert(found.end(), retired_.begin(), retired_.end());
  if (green != nullptr)
    std::erase_if(found, [green](const auto& stream) { return stream->green() != green; });
  return found;
}

void Context::adopt(std::shared_ptr<Stream> stream) {
  sweep_retired();
  const std::lock_guard lock(streams_mutex_);
  if (stream->is_blocking()) ++blocking_streams_;
  streams_.emplace(stream.get(), std::move(stream));
}

void Context::retire(const std::shared_ptr<Stream>& stream) {
  {
    const std::lock_guard lock(streams_mutex_);
    if (streams_.erase(stream.get()) == 0) return;
    retired_.push_back(stream);
  }
  sweep_retired();
}

std::shared_ptr<Stream> Context::share_stream(Stream* stream) const {
  const std::lock_guard lock(streams_mutex_);
  const auto found = streams_.find(stream);
  return found != streams_.end() ? found->second : nullptr;
}

void Context::sweep_retired() {
  std::vector<std::shared_ptr<Stream>> done;  // destroyed after the lock is let go
  const std::lock_guard lock(streams_mutex_);
  std::erase_if(retired_, [&](std::shared_ptr<Stream>& stream) {
    if (!stream->idle()) return false;
    if (stream->is_blocking()) --blocking_streams_;
    done.push_back(std::move(stream));
    return true;
  });
}

CUresult Context::synchronize(const GreenContext* green) {
  for (const auto& stream : all_streams(green)) stream->wait_for_queue();
  sweep_retired();
  return status();
}

CUresult Context::finish_before(const char* call) {
  const auto streams = all_streams();
  std::optional<exec::SlowWaitNotice> notice;
  if (!std::ranges::all_of(streams, [](const auto& stream) { return stream->idle(); })) {
    notice.emplace(std::string(call) +
                   " waits for a kernel that still runs; Ctrl-C ends one without an end, and "
                   "PYCUDA_CPU_TIMEOUT=SECONDS limits all");
  }
  return synchronize();
}

void* Context::allocate(std::uint64_t bytes, exec::MemoryKind kind, std::uint64_t alignment) {
  void* memory = device_.memory().allocate(bytes, kind, handle_, alignment);
  if (memory == nullptr) return nullptr;
  const std::lock_guard lock(owned_mutex_);
  device_blocks_.insert(memory);
  return memory;
}

base::Result<void*, exec::PagesFailure> Context::open(const exec::PagesName& name) {
  auto opened = device_.memory().open(name, handle_);
  if (!opened) return opened;
  const std::lock_guard lock(owned_mutex_);
  device_blocks_.insert(*opened);
  return opened;
}

void* Context::map_file(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
  void* const mapped = device_.memory().map_file(descriptor, offset, bytes, handle_);
  if (mapped == nullptr) return nullptr;
  const std::lock_guard lock(owned_mutex_);
  device_blocks_.insert(mapped);
  return mapped;
}

bool Context::release(void* memory) {
  {
    const std::lock_guard lock(owned_mutex_);
    if (device_blocks_.erase(memory) == 0) return false;
  }
  return device_.memory().release(memory);
}

void Context::own_host(void* memory, HostBlock block) {
  const std::lock_guard lock(owned_mutex_);
  host_blocks_.emplace(memory, block);
}

std::optional<Context::HostBlock> Context::find_host(void* memory) const {
  const std::lock_guard lock(owned_mutex_);
  const auto found = host_blocks_.find(memory);
  if (found == host_blocks_.end()) return std::nullopt;
  return found->second;
}

bool Context::release_host(void* memory, bool allocated) {
  {
    const std::lock_guard lock(owned_mutex_);
    const auto found = host_blocks_.find(memory);
    if (found == host_blocks_.end() || found->second.allocated != allocated) return false;
    host_blocks_.erase(found);
  }
  free_host(memory, allocated);
  return true;
}

void Context::free_host(void* memory, bool allocated) {
  if (allocated) {
    device_.host_memory().release(memory);
  } else {
    exec::AddressTable::instance().remove(reinterpret_cast<std::uintptr_t>(memory));
  }
}

void Context::adopt(std::shared_ptr<Module> module) {
  const std::lock_guard lock(owned_mutex_);
  Module* const key = module.get();
  modules_.emplace(key, std::move(module));
}

std::shared_ptr<Module> Context::disown(Module* module) {
  const std::lock_guard lock(owned_mutex_);
  auto node = modules_.extract(module);
  return node.empty() ? nullptr : std::move(node.mapped());
}

void Context::adopt(std::unique_ptr<Event> event) {
  const std::lock_guard lock(owned_mutex_);
  events_.emplace(event.get(), std::move(event));
}

std::unique_ptr<Event> Context::disown(Event* event) {
  const std::lock_guard lock(owned_mutex_);
  auto node = events_.extract(event);
  return node.empty() ? nullptr : std::move(node.mapped());
}

bool Context::enable_peer(CUcontext peer) {
  const std::lock_guard lock(owned_mutex_);
  return peers_.insert(peer).second;
}

bool Context::disable_peer(CUcontext peer) {
  const std::lock_guard lock(owned_mutex_);
  return peers_.erase(peer) != 0;
}

}  // namespace pycuda::cpu::api
