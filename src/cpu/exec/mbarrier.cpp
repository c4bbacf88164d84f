// SPDX-License-Identifier: MIT
// mbarrier objects: 64 bits in shared memory that count arrivals and bytes.
//
// Bits 0-19: arrivals that this phase still waits for. Bits 20-39: arrivals of every phase. Bits
// 40-61: bytes that are still to come (two's complement). Bit 63: the phase's parity. A phase ends
// when nothing is left to wait for; the next one begins with it.
#include <atomic>
#include <cstdint>

#include "cpu/kernel_abi/runtime_calls.h"

namespace pycuda::cpu::exec {
namespace {

constexpr std::uint64_t count_mask = (std::uint64_t{1} << 20) - 1;
constexpr unsigned expected_shift = 20, bytes_shift = 40;
constexpr std::uint64_t bytes_mask = (std::uint64_t{1} << 22) - 1;
constexpr std::uint64_t parity = std::uint64_t{1} << 63;

struct State {
  std::uint64_t pending, expected, bytes, phase;

  explicit State(std::uint64_t bits)
      : pending(bits & count_mask),
        expected(bits >> expected_shift & count_mask),
        bytes(bits >> bytes_shift & bytes_mask),
        phase(bits & parity) {}

  std::uint64_t bits() {
    if (pending == 0 && bytes == 0) {
      pending = expected;
      phase ^= parity;
    }
    return pending | expected << expected_shift | bytes << bytes_shift | phase;
  }
};

template <class Change>
std::uint64_t update(std::uint64_t* barrier, Change change) {
  const std::atomic_ref<std::uint64_t> shared(*barrier);
  std::uint64_t before = shared.load(std::memory_order_relaxed);
  for (;;) {
    State state(before);
    change(state);
    if (shared.compare_exchange_weak(before, state.bits(), std::memory_order_acq_rel,
                                     std::memory_order_relaxed)) {
      return before;
    }
  }
}

}  // namespace
}  // namespace pycuda::cpu::exec

extern "C" {

std::uint64_t pycuda_cpu_mbarrier_arrive(std::uint64_t* barrier, std::uint32_t count,
                                         std::uint32_t drops, std::uint32_t bytes) {
  namespace exec = pycuda::cpu::exec;
  return exec::update(barrier, [&](exec::State& state) {
    state.bytes = (state.bytes + bytes) & exec::bytes_mask;
    state.pending = (state.pending - count) & exec::count_mask;
    if (drops != 0) state.expected = (state.expected - count) & exec::count_mask;
  });
}

void pycuda_cpu_mbarrier_add_bytes(std::uint64_t* barrier, std::uint32_t bytes) {
  namespace exec = pycuda::cpu::exec;
  exec::update(barrier,
               [&](exec::State& state) { state.bytes = (state.bytes + bytes) & exec::bytes_mask; });
}

}  // extern "C"
