// SPDX-License-Identifier: MIT
#include "cpu/exec/last_thread.h"

#include <atomic>

namespace pycuda::cpu::exec {
namespace {

thread_local bool is_last = false;
std::atomic<int> waits{0};

}  // namespace

void set_last_thread(bool last) { is_last = last; }

LastThreadWait::LastThreadWait() : counts_(is_last) {
  if (counts_) waits.fetch_add(1);
}

LastThreadWait::~LastThreadWait() {
  if (counts_) waits.fetch_sub(1);
}

bool last_thread_waits() { return waits.load() != 0; }

}  // namespace pycuda::cpu::exec
