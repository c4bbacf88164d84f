// SPDX-License-Identifier: MIT
#include "cpu/exec/race_report.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <string>
#include <utility>

#include "base/cxx_names.h"
#include "cpu/exec/address_table.h"
#include "cpu/exec/argument_text.h"
#include "cpu/exec/fault_message.h"
#include "cpu/exec/findings.h"
#include "cpu/exec/source_places.h"

namespace pycuda::cpu::exec {
namespace {

std::string access_text(const PastAccess& access) {
  const std::string size = " of " + std::to_string(1u << access.log_bytes) +
                           (access.log_bytes == 0 ? " byte" : " bytes");
  if (access.is_update) return "atomic update" + size;
  switch (access.kind) {
    case PastAccess::Read:
      return "read" + size;
    case PastAccess::Write:
      return "write" + size;
    case PastAccess::StrongRead:
      return "volatile read" + size;
    default:
      return "volatile write" + size;
  }
}

FoundPlace found(const LaunchContext& launch, const BlockFrame& block, const PastAccess& access) {
  FoundPlace place = place_of(launch, block, thread_of_number(launch.frame.block, access.thread),
                              access.line(), access.file());
  place.access = access_text(access);
  return place;
}

/// The same for both orders of the two.
FindingKey key_of(const LaunchContext& launch, const PastAccess& now, const PastAccess& past) {
  FindingKey key;
  key.check = Check::Race;
  key.kernel = &launch.kernel;
  std::pair<std::uint32_t, std::uint32_t> first{now.line(), now.file()};
  std::pair<std::uint32_t, std::uint32_t> second{past.line(), past.file()};
  if (second < first) std::swap(first, second);
  key.line = first.first;
  key.file = first.second;
  key.other_line = second.first;
  key.other_file = second.second;
  return key;
}

void add_finding(const LaunchContext& launch, const BlockFrame& block, const PastAccess& now,
                 FoundPlace other, std::string message, const PastAccess& past) {
  Finding finding;
  finding.check = Check::Race;
  finding.kernel = launch.kernel.facts.name;
  finding.at = found(launch, block, now);
  finding.other = std::move(other);
  finding.message = std::move(message);
  if (now.is_strong() != past.is_strong())
    finding.message += ", and only one access is atomic or volatile";
  Findings::instance().add(std::move(finding), situation_of(launch));
}

std::string in_commas(const std::string& place) {
  return place.empty() ? std::string() : ", " + place + ",";
}

/// What is missing between accesses of two blocks.
std::string missing_between_blocks(const LaunchContext& launch, const GridAccess& now,
                                   const GridAccess& past) {
  if (now.is_strong() && past.is_strong()) {
    const bool of_block = std::max(now.scope, past.scope) == PastAccess::OfBlock;
    return std::string(" with an atomic access whose scope is the ") +
           (of_block ? "block" : "cluster") + ", not the device";
  }
  return std::string(" with nothing that orders the blocks") +
         (launch.races->has_narrow_release()
              ? " (what has the scope of a block, such as __threadfence_block(), does not)"
              : "");
}

}  // namespace

void report_shared_race(const LaunchContext& launch, const BlockFrame& block, const PastAccess& now,
                        const PastAccess& past, std::uint64_t address) {
  if (!Findings::instance().is_new(key_of(launch, now, past))) return;
  const bool in_warp = is_same_warp(now, past);
  add_finding(launch, block, now, found(launch, block, past),
              std::string(in_warp ? "two threads of a warp" : "two threads") +
                  " access the same byte of shared memory" +
                  in_commas(describe_shared(launch, block, address)) +
                  (in_warp ? " with no __syncwarp() or barrier between them"
                           : " with no barrier between them"),
              past);
}

void report_global_race(const LaunchContext& launch, const BlockFrame& block, const GridAccess& now,
                        const GridAccess& past, std::uint64_t address) {
  if (!Findings::instance().is_new(key_of(launch, now, past))) return;
  const bool in_block = now.block == past.block, in_warp = is_same_warp(now, past);
  FoundPlace other = found(launch, block, past);
  other.block = launch.block_at(past.block);
  add_finding(launch, block, now, std::move(other),
              std::string(in_warp    ? "two threads of a warp"
                          : in_block ? "two threads of a block"
                                     : "threads of two blocks") +
                  " access the same byte of global memory" +
                  in_commas(describe_address(address, &launch)) +
                  (in_warp    ? " with no __syncwarp() or barrier between them"
                   : in_block ? " with no barrier between them"
                              : missing_between_blocks(launch, now, past)),
              past);
}

namespace {

/// The line of a kernel, as PastAccess has it, for both sides of a finding alike.
struct SidePlace {
  std::string kernel;
  std::uint32_t line = 0, file = 0;
  auto operator<=>(const SidePlace&) const = default;
};

FindingKey key_of(const SidePlace& first, const SidePlace& second) {
  FindingKey key;
  key.check = Check::Race;
  key.line = first.line;
  key.file = first.file;
  key.other_line = second.line;
  key.other_file = second.file;
  const std::hash<std::string> hash;
  key.kind = static_cast<std::uint32_t>(hash(first.kernel) * 3 + hash(second.kernel)) | 1;
  return key;
}

bool in_one_graph(const Work& left, const Work& right) {
  return left.in_graph && left.stream_name == right.stream_name;
}

std::string name_of(const Work& work) {
  if (!work.kernel.empty())
    return "kernel " + base::readable_name(work.kernel) + " in " + work.stream_name;
  return (work.fills ? "a fill in " : "a copy in ") + work.stream_name;
}

FoundPlace found(const Work& work, const WorkAccess& access) {
  FoundPlace place;
  place.stream = work.stream_name;
  if (work.kernel.empty()) {
    place.is_transfer = true;
    place.access = (access.kind == PastAccess::Read ? "read by " : "write by ") + name_of(work);
    return place;
  }
  place.kernel = work.kernel;
  place.block = {access.block % work.grid.x, access.block / work.grid.x % work.grid.y,
                 access.block / (work.grid.x * work.grid.y)};
  place.thread = thread_of_number(work.block, access.thread);
  place.access = access_text(access);
  if (access.line() == 0) return place;
  const auto code = work.code.lock();
  SourceLine line = find_source_line(
      code.get(),
      access.file() < work.source_files.size() ? work.source_files[access.file()] : std::string(),
      access.line());
  place.file = std::move(line.file);
  place.line = line.line;
  place.place = std::move(line.place);
  place.source = std::move(line.text);
  place.above = std::move(line.above);
  place.whole = std::move(line.whole);
  return place;
}

/// What the work has been given of the allocation; empty for a copy or a fill.
std::string arguments_in(const Work& work, const Allocation& allocation) {
  const auto code = work.code.lock();
  return arguments_in(PassedArguments{work.kernel, work.source_files, work.parameters,
                                      work.arguments.data(), code.get()},
                      allocation);
}

/// Which arguments of both lead to the byte: ", passed as 'float *x', argument #1 (0-based), to
/// both"; empty where none does.
std::string passed_to(const Work& first, const Work& second, std::uint64_t address) {
  const auto allocation = AddressTable::instance().find(address);
  if (!allocation) return {};
  const std::string to_first = arguments_in(first, *allocation);
  const std::string to_second = arguments_in(second, *allocation);
  if (to_first.empty() && to_second.empty()) return {};
  if (first.kernel.empty() || second.kernel.empty()) return ", passed as " + to_first + to_second;
  if (to_first == to_second) return ", passed as " + to_first + ", to both";
  const bool same = first.kernel == second.kernel;
  const std::string to = ", to " + (same ? "the first" : base::readable_name(first.kernel));
  const std::string to_other = ", to " + (same ? "the second" : base::readable_name(second.kernel));
  if (to_second.empty()) return ", passed as " + to_first + to;
  if (to_first.empty()) return ", passed as " + to_second + to_other;
  return ", passed as " + to_first + to + ", and as " + to_second + to_other;
}

}  // namespace

void report_stream_race(const Work& work, const WorkAccess& now, const Work& other,
                        const WorkAccess& past, std::uint64_t address) {
  SidePlace first{work.kernel, now.line(), now.file()};
  SidePlace second{other.kernel, past.line(), past.file()};
  if (second < first) std::swap(first, second);
  if (!Findings::instance().is_new(key_of(first, second))) return;
  Finding finding;
  finding.check = Check::Race;
  finding.message =
      name_of(work) + " and " + name_of(other) + " access the same byte of global memory" +
      in_commas(describe_address(address) + passed_to(work, other, address)) +
      (in_one_graph(work, other) ? " with no edge of the graph that orders them"
                                 : " with no event or synchronisation that orders them");
  if (now.is_strong() != past.is_strong())
    finding.message += ", and only one access is atomic or volatile";
  finding.at = found(work, now);
  finding.other = found(other, past);
  // A finding is about a kernel, if there is one.
  if (finding.at.is_transfer) std::swap(finding.at, *finding.other);
  finding.kernel = std::exchange(finding.at.kernel, {});
  Findings::instance().add(std::move(finding));
}

}  // namespace pycuda::cpu::exec
