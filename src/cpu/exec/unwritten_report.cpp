// SPDX-License-Identifier: MIT
#include "cpu/exec/unwritten_report.h"

#include <optional>
#include <string>
#include <utility>

#include "cpu/exec/fault_message.h"
#include "cpu/exec/findings.h"
#include "cpu/exec/local_memory.h"
#include "cpu/exec/unwritten.h"

namespace pycuda::cpu::exec {
namespace {

std::string memory_text(const LaunchContext& launch, const BlockFrame& block,
                        const ThreadFrame& thread, std::uint64_t address, std::uint32_t bytes) {
  const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(own_shared(block));
  if (offset < launch.shared_bytes) {
    return "shared memory that nobody wrote, " + describe_shared(launch, block, address);
  }
  if (in_local_variable(thread, address, bytes))
    return "a local variable of the thread that it did not write";
  const std::string place = describe_address(address, &launch);
  return "global memory that nobody wrote" + (place.empty() ? place : ", " + place);
}

}  // namespace

WrittenWords& WrittenWords::instance() {
  static WrittenWords* const words = new WrittenWords;
  return *words;
}

void WrittenWords::add(std::uint64_t address, std::uint32_t bytes) {
  constexpr std::size_t most = 1 << 20;
  constexpr std::uint64_t word = sizeof unwritten_word;
  const std::lock_guard lock(mutex_);
  for (std::uint64_t at = address / word; at * word < address + bytes && words_.size() < most; ++at)
    words_.insert(at);
}

bool WrittenWords::has(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  return words_.contains(address / sizeof unwritten_word);
}

void report_unwritten(const LaunchContext& launch, const BlockFrame& block,
                      const ThreadFrame& thread, std::uint64_t address, std::uint32_t bytes) {
  std::optional<Finding> finding = new_finding(Check::Init, launch, block, thread);
  if (!finding) return;
  finding->at.access = "read of " + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  finding->message = "a thread reads " + memory_text(launch, block, thread, address, bytes);
  Findings::instance().add(std::move(*finding));
}

}  // namespace pycuda::cpu::exec
