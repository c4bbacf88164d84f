// SPDX-License-Identifier: MIT
#include "cpu/exec/program_accesses.h"

#include <algorithm>
#include <cstdio>

#include "cpu/exec/checked_access.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/stream.h"

namespace pycuda::cpu::exec {
namespace {

Checks checks_of(const ThreadFrame& thread) {
  return static_cast<const LaunchContext*>(thread.block->launch->launch)->request.checks;
}

bool is_zero(const std::byte* character, std::uint64_t bytes) {
  return std::all_of(character, character + bytes, [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

ProgramAccesses::ProgramAccesses(ThreadFrame* thread)
    : thread_(thread), checks_memory_(checks_of(*thread).has(Check::Memory)) {}

bool ProgramAccesses::allows_read(const void* memory, std::uint64_t bytes, const char* by) {
  return allows(memory, bytes, false, by);
}

bool ProgramAccesses::allows_write(const void* memory, std::uint64_t bytes, const char* by) {
  return allows(memory, bytes, true, by);
}

bool ProgramAccesses::allows(const void* memory, std::uint64_t bytes, bool is_write,
                             const char* by) {
  if (!checks_memory_ || bytes == 0) return true;
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  const std::uint64_t legal = legal_bytes_at(*thread_, address);
  if (legal >= bytes) return true;
  failed_ = {address + legal, bytes, is_write, by};
  return false;
}

bool ProgramAccesses::allows_text(const void* text, std::uint64_t char_bytes, std::uint64_t most,
                                  const char* by) {
  if (!checks_memory_) return true;
  const auto* next = static_cast<const std::byte*>(text);
  std::uint64_t legal = 0;
  for (; most != 0; --most, next += char_bytes) {
    const auto address = reinterpret_cast<std::uint64_t>(next);
    if (legal < char_bytes) legal = legal_bytes_at(*thread_, address);
    if (legal < char_bytes) {
      failed_ = {address + legal, char_bytes, false, by};
      return false;
    }
    if (is_zero(next, char_bytes)) return true;
    legal -= char_bytes;
  }
  return true;
}

void ProgramAccesses::raise_failure() const {
  if (!failed()) return;
  FaultRecord record;
  record.kind = FaultKind::IllegalAddress;
  record.thread = thread_;
  record.address = failed_.address;
  record.address_known = true;
  std::snprintf(record.detail, sizeof record.detail, "%s of %llu bytes by %s",
                failed_.is_write ? "write" : "read", static_cast<unsigned long long>(failed_.bytes),
                failed_.by);
  KernelEntry::of_this_thread().raise(record);
}

}  // namespace pycuda::cpu::exec
