// SPDX-License-Identifier: MIT
// Words for faults: what happened, where in the kernel, where in memory.
#include "cpu/exec/fault_message.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>

#include "base/cxx_names.h"
#include "cpu/exec/address_space.h"
#include "cpu/exec/address_table.h"
#include "cpu/exec/argument_text.h"
#include "cpu/exec/block_run.h"
#include "cpu/exec/check_settings.h"
#include "cpu/exec/constant_writes.h"
#include "cpu/exec/findings.h"
#include "cpu/exec/local_area.h"
#include "cpu/exec/local_memory.h"
#include "cpu/exec/shared_arena.h"
#include "cpu/exec/source_places.h"

namespace pycuda::cpu::exec {
namespace {

constexpr std::uint64_t near_bytes = std::uint64_t{1} << 30;
/// So near to null no memory is.
constexpr std::uint64_t null_bytes = 4096;

std::string coordinates(const Dim3& at) {
  return "(" + std::to_string(at.x) + ", " + std::to_string(at.y) + ", " + std::to_string(at.z) +
         ")";
}

std::string bytes_text(std::uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

/// Counts the bytes that are used: a pool's block may have more.
std::string block_text(const Allocation& allocation) {
  return "the " + std::to_string(allocation.used_bytes) + "-byte block of " +
         kind_name(allocation.kind);
}

std::string allocated_text(const Allocation& allocation) {
  return block_text(allocation) + " allocated at " + hexadecimal(allocation.begin) +
         (allocation.pooled ? ", which has been freed and is kept in a pool" : "");
}

/// `address` is in the allocation or behind it.
std::string offset_text(const Allocation& allocation, std::uint64_t address) {
  const std::uint64_t offset = address - allocation.begin;
  return offset < allocation.used_bytes
             ? bytes_text(offset) + " into "
             : bytes_text(offset - allocation.used_bytes) + " past the end of ";
}

std::string place_text(const LaunchContext& launch, const BlockFrame* block,
                       const ThreadFrame* thread) {
  std::string text = "kernel " + base::readable_name(launch.kernel.facts.name);
  if (block != nullptr) text += ", block " + coordinates(block->ctaid);
  if (thread != nullptr) text += ", thread " + coordinates(thread->tid);
  text += source_text(launch, thread);
  const Launcher& launcher = launch.request.launcher;
  if (launcher.kernel != nullptr) text += " (launched by " + launcher_text(launcher) + ")";
  return text;
}

/// The line that `thread` was at; both parts are empty when that is not known.
SourceLine source_line(const LaunchContext& launch, const ThreadFrame* thread) {
  if (thread == nullptr || thread->source_line == 0) return {};
  const auto& files = launch.kernel.facts.source_files;
  const std::string file =
      thread->source_file < files.size() ? files[thread->source_file] : std::string();
  return find_source_line(launch.request.keep_alive.get(), file, thread->source_line);
}

/// The line itself, for the end of a message.
std::string quoted_line(const LaunchContext& launch, const ThreadFrame* thread) {
  const std::string text = source_line(launch, thread).text;
  return text.empty() ? text : "\n    " + text;
}

/// Checked mode keeps shared variables apart: where the one lies that `offset` is nearest to. An
/// offset below the window is negative. Empty when variables do not lie apart.
std::string shared_variable_text(const KernelFacts& facts, std::int64_t offset) {
  const SharedVariable* nearest = nullptr;
  std::int64_t distance = 0;
  for (const SharedVariable& variable : facts.shared_variables) {
    const std::int64_t end = std::int64_t{variable.begin} + variable.bytes;
    const std::int64_t away = offset < variable.begin ? variable.begin - offset
                              : offset >= end         ? offset - end
                                                      : 0;
    if (nearest == nullptr || away < distance) {
      nearest = &variable;
      distance = away;
    }
  }
  if (nearest == nullptr) return {};
  const auto text = [&](std::int64_t bytes, const char* where) {
    return bytes_text(static_cast<std::uint64_t>(bytes)) + where + "the " +
           std::to_string(nearest->bytes) + "-byte shared variable '" +
           base::readable_name(nearest->name) + "'";
  };
  if (offset < nearest->begin) return text(distance, " before the start of ");
  if (offset < std::int64_t{nearest->begin} + nearest->bytes)
    return text(offset - nearest->begin, " into ");
  return text(distance, " past the end of ");
}

/// How far behind the start of the block's own shared memory an address lies that can only have
/// been meant for that.
std::optional<std::int64_t> shared_offset(const BlockFrame& block, std::uint64_t address) {
  constexpr std::int64_t window = std::int64_t{1} << 32;
  constexpr std::int64_t reserved = reserved_shared_bytes;
  constexpr std::int64_t guard = SharedArena::guard_bytes + reserved_shared_bytes;
  if (block.shared == nullptr) return std::nullopt;
  const auto offset =
      static_cast<std::int64_t>(address - reinterpret_cast<std::uint64_t>(own_shared(block)));
  if (offset < -guard || offset > window - reserved) return std::nullopt;
  // Addresses of the .shared space wrap at 32 bits: a large one was negative.
  return offset < window / 2 ? offset : offset - window;
}

std::string shared_text(const LaunchContext& launch, const BlockFrame& block,
                        std::uint64_t address) {
  const std::optional<std::int64_t> offset = shared_offset(block, address);
  if (!offset) return {};
  const KernelFacts& facts = launch.kernel.facts;
  const auto end = static_cast<std::int64_t>(launch.shared_bytes);
  const bool is_before = *offset < 0;
  const bool has_variables = !facts.shared_variables.empty();
  if ((is_before && has_variables) || (!is_before && *offset < end))
    return shared_variable_text(facts, *offset);
  std::string text = is_before
                         ? bytes_text(static_cast<std::uint64_t>(-*offset)) + " before the start"
                         : bytes_text(static_cast<std::uint64_t>(*offset - end)) + " past the end";
  const std::uint64_t declared = launch.shared_bytes - facts.shared_gap_bytes;
  text += " of the block's " + bytes_text(declared) + " of shared memory";
  // Nothing but what is declared `extern __shared__` can be meant.
  if (declared == 0)
    text += " (its size is an argument of the launch: shared= in pycuda, sharedMemBytes in CUDA)";
  if (launch.shared_bytes == facts.static_shared_bytes && has_variables)
    text += ", " + shared_variable_text(facts, *offset);
  return text;
}

/// Checked mode keeps the variables of a thread where their bounds are known.
std::string local_text(const LaunchContext& launch, const FaultRecord& record) {
  if (!launch.request.checks.has(Check::Memory) || !record.thread_known || record.thread == nullptr)
    return {};
  const FrameStack::Variable variable = frames_of(*record.thread).nearest_variable(record.address);
  const std::string block =
      "the thread's " + std::to_string(variable.bytes) + "-byte block of local memory";
  constexpr std::uint64_t near = 4096;
  const std::uint64_t end = variable.begin + variable.bytes;
  if (variable.bytes == 0) return {};
  if (record.address >= end && record.address - end < near)
    return bytes_text(record.address - end) + " past the end of " + block;
  if (record.address < variable.begin && variable.begin - record.address < near)
    return bytes_text(variable.begin - record.address) + " before the start of " + block;
  if (record.address >= variable.begin && record.address < end)
    return bytes_text(record.address - variable.begin) + " into " + block;
  return {};
}

/// Whether the address is one of a block of the thread's cluster whose shared memory is gone.
bool is_of_exited_block(const FaultRecord& record) {
  if (!record.thread_known || record.thread == nullptr || record.thread->block->block == nullptr)
    return false;
  const Cluster& cluster = static_cast<const BlockRun*>(record.thread->block->block)->cluster();
  const auto rank = cluster.owner(record.address, 1);
  return rank && !cluster.lives(*rank);
}

std::string happened(const LaunchContext& launch, const FaultRecord& record,
                     const BlockFrame& block) {
  if (record.headline != nullptr) return record.headline;
  const std::string at = hexadecimal(record.address);
  switch (record.kind) {
    case FaultKind::IllegalAddress: {
      if (!record.address_known) {
        return "illegal memory access at an address that is no address (not canonical; the "
               "processor does not tell which)";
      }
      if (is_of_exited_block(record))
        return "an access to the shared memory of a block that has exited";
      std::string text = "illegal memory access at address " + at;
      std::string place = shared_text(launch, block, record.address);
      if (place.empty()) place = local_text(launch, record);
      if (place.empty()) place = describe_address(record.address, &launch);
      return place.empty() ? text : text + ", " + place;
    }
    case FaultKind::MisalignedAddress:
      return record.address_known
                 ? "misaligned memory access at address " + at +
                       stray_argument(launch, record.address)
                 : std::string("misaligned memory access (the processor does not tell where)");
    case FaultKind::Trap:
      return "trap instruction";
    case FaultKind::Assert:
      return "assertion failed";
    case FaultKind::StackOverflow:
      return "stack overflow";
    case FaultKind::IllegalInstruction:
      return "illegal instruction";
    case FaultKind::InvalidProgramCounter:
      return "call of address " + at + ", which is no function";
    case FaultKind::BranchTarget:
      return "brx.idx with the index " + std::to_string(record.address) +
             ", for which its table has no label";
    case FaultKind::Timeout:
      return std::string(why_stopped(launch));
    case FaultKind::Deadlock:
      return "deadlock: every thread of the block waits and none can go on";
    case FaultKind::OtherProcess:
      return "another process has ended";
    case FaultKind::OutOfMemory:
      return "out of memory";
  }
  return "fault";
}

/// Where a texture's or surface's handle is the address of memory.
std::string array_for_handle(const LaunchContext& launch, const FaultRecord& record) {
  const auto memory = AddressTable::instance().find(record.address);
  if (!record.is_handle || !memory) return {};
  const bool is_surface =
      std::string_view(record.headline).find("surface") != std::string_view::npos;
  const std::string passed = passed_as(launch, *memory);
  return " but the address of an array" + passed + ": pass a " +
         (is_surface ? "SurfaceObject of an Array" : "TextureObject of the array");
}

void note_place(Fault& fault, const BlockFrame* block, const ThreadFrame* thread) {
  fault.block_known = block != nullptr;
  fault.thread_known = thread != nullptr;
  if (block != nullptr) fault.block = block->ctaid;
  if (thread == nullptr) return;
  fault.thread = thread->tid;
  fault.source_line = thread->source_line;
  fault.source_file = thread->source_file;
}

}  // namespace

std::string hexadecimal(std::uint64_t address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

std::string source_text(const LaunchContext& launch, const ThreadFrame* thread) {
  return source_line(launch, thread).place;
}

std::string describe_shared(const LaunchContext& launch, const BlockFrame& block,
                            std::uint64_t address) {
  const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(own_shared(block));
  const std::string variable = offset < launch.kernel.facts.static_shared_bytes
                                   ? shared_text(launch, block, address)
                                   : std::string();
  return variable.empty() ? bytes_text(offset) + " into the block's shared memory" : variable;
}

std::string describe_place(const LaunchContext& launch, const BlockFrame& block,
                           std::uint64_t address) {
  const auto begin = reinterpret_cast<std::uint64_t>(own_shared(block));
  if (block.shared != nullptr && address >= begin && address - begin < launch.shared_bytes)
    return "what is " + bytes_text(address - begin) + " into the block's shared memory";
  const std::string place = describe_address(address, &launch);
  return "what is at address " + hexadecimal(address) + (place.empty() ? place : ", " + place);
}

std::string launcher_text(const Launcher& launcher) {
  return "kernel " + base::readable_name(*launcher.kernel) + ", block " +
         coordinates(launcher.block) + ", thread " + coordinates(launcher.thread);
}

std::string_view why_stopped(const LaunchContext& launch) {
  return launch.interrupted.load(std::memory_order_relaxed)
             ? "stopped by the user's interrupt of the call that waited for it"
             : "stopped by the time limit (PYCUDA_CPU_TIMEOUT)";
}

std::string describe_address(std::uint64_t address, const LaunchContext* launch) {
  const AddressTable& table = AddressTable::instance();
  const auto passed = [launch](const Allocation& allocation) {
    return launch == nullptr ? std::string() : passed_as(*launch, allocation);
  };
  const auto stray = [&] {
    return launch == nullptr ? std::string() : stray_argument(*launch, address);
  };
  if (address < null_bytes) return "a null pointer or close to one" + stray();
  std::string reserved = AddressSpace::instance().describe(address);
  if (const auto holder = table.find(address)) {
    return offset_text(*holder, address) + allocated_text(*holder) + reserved + passed(*holder);
  }
  if (!reserved.empty()) return reserved;
  if (const auto gone = table.removed(address)) {
    return offset_text(*gone, address) + block_text(*gone) + " that was allocated at " +
           hexadecimal(gone->begin) + " and has been freed" + passed(*gone);
  }
  if (LocalArea::instance().spans(address))
    return "beside the threads' local memory: an index left an array of a thread";
  const auto nearest = table.nearest(address);
  if (!nearest) return {};
  const std::uint64_t end = nearest->begin + nearest->bytes;
  if (address >= end && address - end < near_bytes)
    return offset_text(*nearest, address) + allocated_text(*nearest) + passed(*nearest);
  if (address < nearest->begin && nearest->begin - address < near_bytes) {
    return bytes_text(nearest->begin - address) + " before the start of " +
           allocated_text(*nearest) + passed(*nearest);
  }
  const std::string index = launch == nullptr ? std::string() : index_text(*launch, address);
  return "far from every allocation" + (index.empty() ? stray() : index);
}

Fault describe_fault(const LaunchContext& launch, const FaultRecord& record,
                     const BlockFrame& block) {
  const ThreadFrame* const thread = record.thread_known ? record.thread : nullptr;
  Fault fault;
  fault.kind = record.kind;
  fault.kernel = launch.kernel.facts.name;
  note_place(fault, &block, thread);
  fault.address = record.address_known ? record.address : 0;
  fault.what = happened(launch, record, block);
  fault.detail = record.detail;
  if (record.headline != nullptr && record.address_known)
    fault.detail += array_for_handle(launch, record);
  if (record.kind == FaultKind::Trap && fault.detail.empty())
    fault.detail = constant_write_text(launch);
  fault.message = fault.what + " in " + place_text(launch, &block, thread);
  if (!fault.detail.empty()) fault.message += ": " + fault.detail;
  const bool at_null = record.kind == FaultKind::IllegalAddress && record.address_known &&
                       record.address < null_bytes;
  if (const std::string nulls = at_null ? null_arguments(launch) : std::string(); !nulls.empty())
    fault.message += (fault.detail.empty() ? ": " : "; ") + nulls;
  const std::string lanes = std::to_string(launch.kernel.facts.gang_lanes);
  if (record.kind == FaultKind::Timeout && launch.gangs && thread != nullptr)
    fault.message += "; the thread is the first of " + lanes + " that run together";
  if (record.for_gang)
    fault.message += "; the thread is the first of " + lanes +
                     " that run together, PYCUDA_CPU_CHECK=1 tells which one it was";
  fault.message += quoted_line(launch, thread);
  return fault;
}

bool list_fault(const LaunchContext& launch, const FaultRecord& record, const BlockFrame& block) {
  const bool of_access =
      record.kind == FaultKind::IllegalAddress || record.kind == FaultKind::MisalignedAddress;
  if (!of_access || !launch.request.checks.has(Check::Memory) || !record.thread_known ||
      record.thread == nullptr)
    return false;
  std::optional<Finding> finding = new_finding(Check::Memory, launch, block, *record.thread);
  if (!finding) return true;
  finding->at.access = record.detail;
  finding->message = happened(launch, record, block);
  finding->ended_launch = true;
  Findings::instance().add(std::move(*finding));
  return true;
}

Fault describe_failure(const LaunchContext& launch, FaultKind kind, const BlockFrame* block,
                       const ThreadFrame* thread, std::string_view what) {
  Fault fault;
  fault.kind = kind;
  fault.kernel = launch.kernel.facts.name;
  note_place(fault, block, thread);
  fault.what = what;
  fault.message = place_text(launch, block, thread) + ": " + fault.what;
  fault.message += quoted_line(launch, thread);
  return fault;
}

}  // namespace pycuda::cpu::exec
