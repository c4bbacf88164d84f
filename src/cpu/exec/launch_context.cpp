// SPDX-License-Identifier: MIT
// Sets up a launch's frame, runs blocks that never suspend, reports faults once.
#include "cpu/exec/launch_context.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <new>

#include "cpu/exec/address_table.h"
#include "cpu/exec/block_checks.h"
#include "cpu/exec/check_settings.h"
#include "cpu/exec/child_launches.h"
#include "cpu/exec/counting.h"
#include "cpu/exec/cpu_budget.h"
#include "cpu/exec/fault_message.h"
#include "cpu/exec/fault_search.h"
#include "cpu/exec/findings.h"
#include "cpu/exec/gang_block.h"
#include "cpu/exec/grid_races.h"
#include "cpu/exec/interrupts.h"
#include "cpu/exec/shared_arena.h"
#include "cpu/exec/stream.h"
#include "cpu/exec/streaming.h"
#include "cpu/exec/unwritten.h"
#include "cpu/exec/watchdog.h"
#include "cpu/processor/instructions.h"
#include "cpu/variants/launch_form.h"
#include "cpu/variants/table.h"

namespace pycuda::cpu::exec {
namespace {

std::atomic<std::uint64_t> next_grid_id{1};

constexpr std::uint32_t round_up(std::uint32_t value, std::uint32_t step) {
  return step <= 1 ? value : (value + step - 1) / step * step;
}

}  // namespace

// Chosen again, since other code may have come while the launch waited for its turn.
variants::Choice choose_code(const LaunchRequest& request) {
  const Kernel& code = *request.kernel;
  const bool streams = code.streaming != Streaming::Never && should_stream(code, request);
  if (!streams && !code.facts.is_baseline) [[likely]]
    return {&code, std::nullopt};
  return variants::choose(code, request.grid, request.block, streams);
}

LaunchContext::LaunchContext(const LaunchRequest& given, FaultSink& sink)
    : LaunchContext(given, sink, choose_code(given), nullptr) {}

LaunchContext::LaunchContext(LaunchContext& first, const variants::Choice& other)
    : LaunchContext(first.request, first.faults, other, &first) {}

LaunchContext::LaunchContext(const LaunchRequest& given, FaultSink& sink,
                             const variants::Choice& chosen, LaunchContext* first)
    : request(given),
      choice(chosen),
      kernel(*choice.code),
      faults(sink),
      races(request.checks.has(Check::Race) ? std::make_unique<GridRaces>() : nullptr),
      reported_(first != nullptr ? first->reported_ : own_reported_) {
  const KernelFacts& facts = kernel.facts;
  if (facts.streams) count_streamed_launch();
  if (facts.counted) counters = &kernel_counters(*this);
  frame.grid = request.grid;
  frame.block = request.block;
  frame.dynamic_shared_bytes = request.dynamic_shared_bytes;
  frame.dynamic_shared_offset =
      round_up(reserved_shared_bytes + facts.static_shared_bytes, facts.dynamic_shared_alignment);
  frame.processor_count = worker_count();
  frame.processor_warps = request.processor_warps;
  frame.grid_id = first != nullptr ? first->frame.grid_id
                                   : next_grid_id.fetch_add(1, std::memory_order_relaxed);
  frame.launch = this;
  frame.stack_bytes = request.stack_bytes;
  grid_frame.cluster = request.cluster;
  grid_frame.explicit_cluster = request.explicit_cluster ? 1 : 0;
  cluster_blocks = request.cluster.x * request.cluster.y * request.cluster.z;
  blocks = std::uint64_t{frame.grid.x} * frame.grid.y * frame.grid.z;
  const Form form = variants::form_of_launch(facts, frame.grid, frame.block);
  assert(facts.forms.has(form));
  gangs = form != Form::Threads;
  const bool lines = gangs && facts.forms.are_lines();
  frame.rows = frame.block;
  if (lines) frame.rows = {frame.block.x * frame.block.y * frame.block.z, 1, 1};
  // What these checks know of threads they know by their numbers in a block.
  const bool by_number = request.checks.has(Check::Init) || request.checks.has(Check::Race);
  if (gangs && !by_number) most_fused = variants::most_fused_blocks(facts, frame.grid, frame.block);
  tiles = form == Form::Tiles;
  suspends = facts.suspends && !gangs;
  threads = frame.block.x * frame.block.y * frame.block.z;
  assert(threads <= 1024);
  shared_bytes = request.dynamic_shared_bytes == 0
                     ? facts.static_shared_bytes
                     : std::uint64_t{frame.dynamic_shared_offset} - reserved_shared_bytes +
                           frame.dynamic_shared_bytes;
  frame.total_shared_bytes =
      round_up(static_cast<std::uint32_t>(shared_bytes), shared_allocation_unit);
  // Compiled code may read all of the declared parameters, wide and aligned.
  parameter_bytes = std::max<std::uint64_t>(facts.parameter_bytes, request.params.size());
  std::byte* params = params_;
  if (parameter_bytes > inline_params) {
    params = large_params_ = static_cast<std::byte*>(
        ::operator new(parameter_bytes, std::align_val_t{parameter_alignment}));
  }
  std::memcpy(params, request.params.data(), request.params.size());
  if (parameter_bytes > request.params.size()) {
    std::memset(params + request.params.size(), 0, parameter_bytes - request.params.size());
  }
  frame.params = params;
  if (request.cooperative) {
    workspace_ = std::make_unique<GridWorkspace>();
    const auto address = reinterpret_cast<std::uintptr_t>(workspace_.get());
    frame.env_regs[1] = address >> 32;
    frame.env_regs[2] = address & 0xffffffffu;
    AddressTable::instance().insert(
        {address, sizeof(GridWorkspace), MemoryKind::GridWorkspace, 0, nullptr, 0});
  }
  const auto& began = first != nullptr ? first->limited_since : request.began;
  if (time_limit_set()) watch(*this, began.value_or(std::chrono::steady_clock::now()));
  if (interrupting()) give_up();
}

LaunchContext::~LaunchContext() {
  if (watched.load(std::memory_order_relaxed)) unwatch(*this);
  if (workspace_ != nullptr) {
    AddressTable::instance().remove(reinterpret_cast<std::uintptr_t>(workspace_.get()));
  }
  if (large_params_ != nullptr)
    ::operator delete(large_params_, std::align_val_t{parameter_alignment});
}

void LaunchContext::add_run_time(std::chrono::steady_clock::duration time) const {
  if (choice.work) kernel.table->add_run_time(*choice.work, time);
}

bool LaunchContext::prepare_shared(SharedArena& arena) const {
  return kernel.facts.reads_reserved_shared ? arena.prepare_with_system(shared_bytes)
                                            : arena.prepare(shared_bytes);
}

bool LaunchContext::needs_fresh_shared() const {
  return kernel.facts.reads_reserved_shared ||
         ((checked_mode() || request.checks.has(Check::Init)) && shared_bytes != 0);
}

void LaunchContext::refresh_shared(SharedArena& arena) const {
  if (request.checks.has(Check::Init)) {
    fill_unwritten(arena.own(), shared_bytes);
  } else if (checked_mode()) {
    arena.scrub(shared_bytes);
  }
  if (kernel.facts.reads_reserved_shared) std::memset(arena.window(), 0, reserved_shared_bytes);
}

ChildLaunches* LaunchContext::children() {
  DeviceRuntime* const runtime = faults.device_runtime();
  if (runtime == nullptr) return nullptr;
  const std::unique_lock lock(children_mutex_);
  if (children_ == nullptr) children_ = std::make_unique<ChildLaunches>(*this, *runtime);
  return children_.get();
}

std::unique_ptr<ChildLaunches> LaunchContext::take_children() { return std::move(children_); }

std::uint64_t LaunchContext::block_in_cluster(std::uint64_t cluster, std::uint32_t rank) const {
  const Dim3 size = grid_frame.cluster;
  const Dim3 clusters{frame.grid.x / size.x, frame.grid.y / size.y, frame.grid.z / size.z};
  const std::uint64_t row = cluster / clusters.x;
  const std::uint64_t x = cluster % clusters.x * size.x + rank % size.x;
  const std::uint64_t y = row % clusters.y * size.y + rank / size.x % size.y;
  const std::uint64_t z = row / clusters.y * size.z + rank / (size.x * size.y);
  return x + frame.grid.x * (y + frame.grid.y * z);
}

Dim3 LaunchContext::block_at(std::uint64_t index) const {
  const std::uint64_t row = index / frame.grid.x;
  return {static_cast<std::uint32_t>(index % frame.grid.x),
          static_cast<std::uint32_t>(row % frame.grid.y),
          static_cast<std::uint32_t>(row / frame.grid.y)};
}

void LaunchContext::report(const FaultRecord& record, const BlockFrame& block) {
  stopped.store(true, std::memory_order_release);
  if (reported_.exchange(true, std::memory_order_acq_rel)) return;
  const bool is_listed = list_fault(*this, record, block);
  report(gangs && record.thread != nullptr ? describe_gang_fault(record, block)
                                           : describe_fault(*this, record, block),
         is_listed);
}

Fault LaunchContext::describe_gang_fault(const FaultRecord& seen, const BlockFrame& block) {
  FaultRecord record = seen;
  BlockFrame own_block = block;
  ThreadFrame thread = *seen.thread;
  record.thread = &thread;
  // A thread of fused blocks has its own block again.
  if (in_lines(frame)) {
    thread.tid = thread_of_number(frame.block, number_of_thread(frame.block, thread.tid));
  } else {
    own_block.ctaid.x += thread.tid.x / frame.block.x;
    thread.tid.x %= frame.block.x;
  }
  record.for_gang = stands_for_gang(*this, seen);
  if (record.for_gang) {
    if (const auto found = find_faulted_thread(*this, seen, block)) {
      record.for_gang = false;
      if (found->address_known) record.kind = found->kind;
      record.address = found->address;
      record.address_known = found->address_known;
      own_block.ctaid = found->block;
      thread.tid = found->thread;
      thread.source_line = found->source_line;
      thread.source_file = found->source_file;
    }
  }
  return describe_fault(*this, record, own_block);
}

void LaunchContext::report(FaultKind kind, const BlockFrame* block, const ThreadFrame* thread,
                           std::string_view what) {
  stopped.store(true, std::memory_order_release);
  if (reported_.exchange(true, std::memory_order_acq_rel)) return;
  const bool is_listed = kind == FaultKind::Deadlock && request.checks.has(Check::Sync);
  report(describe_failure(*this, kind, block, thread, what), is_listed);
}

void LaunchContext::report(const Fault& fault, bool is_listed) {
  if (counters != nullptr) note_counted_fault(fault_json(*this, fault, ""));
  // A user who interrupts a kernel knows.
  if (!is_listed && !interrupted.load(std::memory_order_relaxed) && Findings::has_report())
    Findings::instance().add_to_report(fault_json(*this, fault, "launch"));
  faults.report(fault);
}

void run_plain_blocks(LaunchContext& launch, std::uint64_t first, std::uint64_t last,
                      unsigned processor) {
  SharedArena* const arena = thread_arena();
  if (arena == nullptr || !launch.prepare_shared(*arena)) {
    launch.report(FaultKind::OutOfMemory, nullptr, nullptr, "no memory for its shared memory");
    return;
  }
  GangBlock* gang_block = nullptr;
  if (launch.gangs &&
      (launch.kernel.facts.gangs_suspend || launch.kernel.facts.gang_frame_bytes != 0 ||
       (launch.tiles && launch.kernel.facts.tile_frame_bytes != 0))) {
    Dim3 size = launch.frame.rows;
    size.x *= static_cast<std::uint32_t>(std::min(launch.most_fused, last - first));
    gang_block = GangBlock::prepare(launch.kernel, size, launch.tiles);
    if (gang_block == nullptr) {
      launch.report(FaultKind::OutOfMemory, nullptr, nullptr, "no memory to run its threads");
      return;
    }
  }
  struct Run {
    LaunchContext& launch;
    GangBlock* gang_block;
    KernelEntry& entry;
    SharedArena& arena;
    std::uint64_t first, last;
    BlockFrame block;
    ThreadFrame thread;
  } run{launch, gang_block, KernelEntry::of_this_thread(), *arena, first, last, {}, {}};
  run.block.launch = &launch.frame;
  run.block.processor = processor;
  run.block.shared = arena->window();
  run.thread.block = &run.block;
  count_on_this_thread(launch, run.block);
  const bool whole = run.entry.run(
      &launch,
      [](void* context) {
        Run& own = *static_cast<Run*>(context);
        const bool fresh = own.launch.needs_fresh_shared();
        own.block.ctaid = own.launch.block_at(own.first);
        const Dim3 grid = own.launch.frame.grid;
        std::uint64_t fused = 1;
        for (std::uint64_t i = own.first; i < own.last; i += fused) {
          if (own.launch.stopped.load(std::memory_order_relaxed)) break;
          fused = std::min(
              {own.launch.most_fused, own.last - i, std::uint64_t{grid.x - own.block.ctaid.x}});
          own.block.row_threads = own.launch.frame.rows.x * static_cast<std::uint32_t>(fused);
          if (fresh) own.launch.refresh_shared(own.arena);
          if (own.launch.request.checks.find()) {
            BlockChecks& checks = BlockChecks::of_this_thread();
            checks.start(own.launch, own.block);
            own.block.allowed = checks.allowed();
            own.thread.scratch = reinterpret_cast<std::uint64_t>(&checks);
          }
          own.entry.enter(&own.thread);
          if (own.gang_block != nullptr) {
            own.gang_block->run(own.entry, own.block, own.thread);
          } else if (own.launch.gangs) {
            const Kernel& kernel = own.launch.kernel;
            (own.launch.tiles ? kernel.run_tiles : kernel.run_gangs)(&own.block, &own.thread);
          } else {
            own.launch.kernel.run_block(&own.block, &own.thread);
          }
          own.entry.leave();
          if (own.launch.gangs && own.launch.request.checks.find())
            BlockChecks::of_this_thread().end_gangs();
          own.block.ctaid.x += static_cast<std::uint32_t>(fused);
          if (own.block.ctaid.x == grid.x) {
            own.block.ctaid.x = 0;
            if (++own.block.ctaid.y == grid.y) {
              own.block.ctaid.y = 0;
              ++own.block.ctaid.z;
            }
          }
        }
      },
      &run);
  if (launch.kernel.facts.streams) processor::end_streaming();
  if (!whole) {
    launch.report(run.entry.fault(), run.block);
  } else if (launch.timed_out.load(std::memory_order_relaxed)) {
    FaultRecord late;
    late.kind = FaultKind::Timeout;
    late.thread_known = false;
    launch.report(late, run.block);
  }
}

}  // namespace pycuda::cpu::exec
