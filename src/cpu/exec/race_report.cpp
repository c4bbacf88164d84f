// SPDX-License-Identifier: MIT
#include "cpu/exec/race_report.h"

#include <string>
#include <utility>

#include "cpu/exec/fault_message.h"
#include "cpu/exec/findings.h"

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

bool is_strong(const PastAccess& access) {
  return access.kind == PastAccess::StrongRead || access.kind == PastAccess::StrongWrite;
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
  if (is_strong(now) != is_strong(past))
    finding.message += ", and only one access is atomic or volatile";
  Findings::instance().add(std::move(finding));
}

std::string in_commas(const std::string& place) {
  return place.empty() ? std::string() : ", " + place + ",";
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
                  " access the same byte of global memory" + in_commas(describe_address(address)) +
                  (in_warp    ? " with no __syncwarp() or barrier between them"
                   : in_block ? " with no barrier between them"
                              : " with nothing that orders the blocks"),
              past);
}

}  // namespace pycuda::cpu::exec
