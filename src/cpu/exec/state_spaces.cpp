// SPDX-License-Identifier: MIT
// Which state space a generic address lies in: isspacep.
#include "cpu/exec/address_table.h"
#include "cpu/exec/block_run.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/local_memory.h"
#include "cpu/kernel_abi/runtime_calls.h"

namespace pycuda::cpu::exec {
namespace {

bool in_constant(std::uint64_t address) {
  const RuntimeScope scope;
  const auto found = AddressTable::instance().find(address);
  return found && found->kind == MemoryKind::ModuleConstant;
}

/// Of the block, or of another one of its cluster.
bool in_shared(const ThreadFrame& thread, std::uint64_t address) {
  const BlockFrame& block = *thread.block;
  const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(block.shared);
  if (offset < block.launch->total_shared_bytes + reserved_shared_bytes) return true;
  const auto* const run = static_cast<const BlockRun*>(block.block);
  return run != nullptr && run->cluster().owner(address, 1).has_value();
}

/// Frames of a thread that ran before may be given back first.
bool in_local(const ThreadFrame& thread, std::uint64_t address) {
  const RuntimeScope scope;
  return in_local_memory(thread, address, 1);
}

}  // namespace
}  // namespace pycuda::cpu::exec

using pycuda::cpu::ThreadFrame;
namespace exec = pycuda::cpu::exec;

extern "C" {

std::uint32_t pycuda_cpu_is_local(ThreadFrame* thread, std::uint64_t address) {
  return exec::in_local(*thread, address) ? 1 : 0;
}

std::uint32_t pycuda_cpu_is_constant(ThreadFrame*, std::uint64_t address) {
  return exec::in_constant(address) ? 1 : 0;
}

std::uint32_t pycuda_cpu_is_parameter(ThreadFrame* thread, std::uint64_t address) {
  const pycuda::cpu::LaunchFrame& launch = *thread->block->launch;
  const std::uint64_t bytes =
      static_cast<const exec::LaunchContext*>(launch.launch)->parameter_bytes;
  return address - reinterpret_cast<std::uint64_t>(launch.params) < bytes ? 1 : 0;
}

std::uint32_t pycuda_cpu_is_global(ThreadFrame* thread, std::uint64_t address) {
  const bool elsewhere = exec::in_shared(*thread, address) || exec::in_local(*thread, address) ||
                         exec::in_constant(address);
  return elsewhere ? 0 : 1;
}

}  // extern "C"
