// SPDX-License-Identifier: MIT
#include "cpu/exec/graph_condition.h"

#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/probe_process.h"
#include "cpu/kernel_abi/runtime_calls.h"

namespace pycuda::cpu::exec {
namespace {

struct Conditions {
  std::shared_mutex mutex;  ///< protects what follows
  std::unordered_map<std::uint64_t, GraphCondition*> by_handle;
};

Conditions& conditions() {
  static auto* const all = new Conditions;  // kernels may run when static objects have gone
  return *all;
}

/// Not 0 and no small number, so that an argument of the wrong kind is told from a handle.
std::uint64_t next_handle() {
  static std::atomic<std::uint64_t> last{std::uint64_t{0xc0d} << 32};
  return ++last;
}

}  // namespace

GraphCondition::GraphCondition(std::uint32_t start, bool set_by_launches)
    : handle_(next_handle()), start_(start), set_by_launches_(set_by_launches) {
  Conditions& all = conditions();
  const std::unique_lock lock(all.mutex);
  all.by_handle.emplace(handle_, this);
}

GraphCondition::~GraphCondition() {
  Conditions& all = conditions();
  const std::unique_lock lock(all.mutex);
  all.by_handle.erase(handle_);
}

bool GraphCondition::set(std::uint64_t handle, std::uint32_t value) {
  Conditions& all = conditions();
  const std::shared_lock lock(all.mutex);
  const auto found = all.by_handle.find(handle);
  if (found == all.by_handle.end()) return false;
  found->second->value_.store(value, std::memory_order_release);
  return true;
}

}  // namespace pycuda::cpu::exec

namespace exec = pycuda::cpu::exec;

extern "C" void pycuda_cpu_set_condition(pycuda::cpu::ThreadFrame* thread, std::uint64_t handle,
                                         std::uint32_t value) {
  if (exec::in_probe_process()) return;
  bool known = false;
  {
    const exec::RuntimeScope scope;
    known = exec::GraphCondition::set(handle, value);
  }
  if (known) return;
  exec::FaultRecord record;
  record.kind = pycuda::cpu::FaultKind::IllegalAddress;
  record.thread = thread;
  record.address = handle;
  record.address_known = true;
  std::snprintf(record.detail, sizeof record.detail,
                "cudaGraphSetConditional with a handle that belongs to no graph");
  exec::KernelEntry::of_this_thread().raise(record);
}
