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

}  // namespace

void report_shared_race(const LaunchContext& launch, const BlockFrame& block,
                        const ThreadFrame& thread, const PastAccess& now, const PastAccess& past,
                        std::uint64_t address) {
  if (!Findings::instance().is_new(key_of(launch, now, past))) return;
  Finding finding;
  finding.check = Check::Race;
  finding.kernel = launch.kernel.facts.name;
  finding.at = found(launch, block, now);
  finding.at.thread = thread.tid;
  finding.other = found(launch, block, past);
  const bool in_warp = now.thread / 32 == past.thread / 32;
  const std::string place = describe_shared(launch, block, address);
  finding.message =
      std::string(in_warp ? "two threads of a warp" : "two threads") +
      " access the same byte of shared memory" +
      (place.empty() ? std::string() : ", " + place + ",") +
      (in_warp ? " with no __syncwarp() or barrier between them" : " with no barrier between them");
  if (is_strong(now) != is_strong(past))
    finding.message += ", and only one access is atomic or volatile";
  Findings::instance().add(std::move(finding));
}

}  // namespace pycuda::cpu::exec
