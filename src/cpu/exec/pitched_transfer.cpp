// SPDX-License-Identifier: MIT
// The loop is entered like compiled code: a bad address is then a fault of the program, and the
// process continues.
#include "cpu/exec/pitched_transfer.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "cpu/exec/fault_message.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/stream_races.h"

namespace pycuda::cpu::exec {

std::uint64_t PitchedTransfer::bytes(std::uint64_t pitch, std::uint64_t slice) const {
  std::uint64_t rows = 0, slices = 0, all = 0;
  const bool overflow = __builtin_mul_overflow(pitch, height - 1, &rows) ||
                        __builtin_mul_overflow(slice, depth - 1, &slices) ||
                        __builtin_add_overflow(rows, slices, &all) ||
                        __builtin_add_overflow(all, width, &all);
  return overflow ? std::numeric_limits<std::uint64_t>::max() : all;
}

namespace {

void fill_row(const PitchedTransfer& box, void* to) {
  switch (box.element) {
    case 2:
      std::fill_n(static_cast<std::uint16_t*>(to), box.width / 2,
                  static_cast<std::uint16_t>(box.value));
      break;
    case 4:
      std::fill_n(static_cast<std::uint32_t*>(to), box.width / 4, box.value);
      break;
    default:
      std::memset(to, static_cast<std::uint8_t>(box.value), box.width);
  }
}

void note_rows(const PitchedTransfer& box) {
  if (!keeps_work_order()) return;
  for (std::uint64_t z = 0; z < box.depth; ++z) {
    for (std::uint64_t y = 0; y < box.height; ++y) {
      note_transfer(reinterpret_cast<void*>(box.to + z * box.to_slice + y * box.to_pitch),
                    box.fills ? nullptr
                              : reinterpret_cast<const void*>(box.from + z * box.from_slice +
                                                              y * box.from_pitch),
                    box.width);
    }
  }
}

}  // namespace

void run_pitched_transfer(const PitchedTransfer& box, const std::string& kernel,
                          const std::string& whose, FaultSink& faults) {
  note_rows(box);
  struct Run {
    const PitchedTransfer& box;
    KernelEntry& entry;
    ThreadFrame thread;
  } run{box, KernelEntry::of_this_thread(), {}};
  const bool whole = run.entry.run(
      nullptr,
      [](void* context) {
        Run& own = *static_cast<Run*>(context);
        const PitchedTransfer& rows = own.box;
        own.entry.enter(&own.thread);
        for (std::uint64_t z = 0; z < rows.depth; ++z) {
          for (std::uint64_t y = 0; y < rows.height; ++y) {
            auto* const to =
                reinterpret_cast<void*>(rows.to + z * rows.to_slice + y * rows.to_pitch);
            if (rows.fills) {
              fill_row(rows, to);
            } else {
              std::memmove(to,
                           reinterpret_cast<const void*>(rows.from + z * rows.from_slice +
                                                         y * rows.from_pitch),
                           rows.width);
            }
          }
        }
        own.entry.leave();
      },
      &run);
  if (whole) return;
  const FaultRecord& seen = run.entry.fault();
  Fault fault;
  fault.kind = seen.kind;
  fault.kernel = kernel;
  fault.address = seen.address_known ? seen.address : 0;
  const std::string place = seen.address_known ? describe_address(seen.address) : std::string();
  fault.message = "illegal memory access" + (place.empty() ? place : ", " + place) + ", in a " +
                  (box.fills ? "cudaMemsetAsync" : "cudaMemcpyAsync") + " of " + whose;
  faults.report(fault);
}

}  // namespace pycuda::cpu::exec
