// SPDX-License-Identifier: MIT
// Bulk copies are made at once, by the thread that asks for them.
#include "cpu/exec/bulk_copies.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "cpu/exec/block_run.h"
#include "cpu/exec/half_conversions.h"
#include "cpu/exec/invalid_results.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/stream.h"
#include "cpu/kernel_abi/bulk_copies.h"
#include "cpu/kernel_abi/checks.h"

namespace pycuda::cpu::exec {
namespace {

constexpr std::uint32_t piece = 16;

const LaunchContext& launch_of(const ThreadFrame& thread) {
  return *static_cast<const LaunchContext*>(thread.block->launch->launch);
}

std::uint64_t number_of(const void* memory) { return reinterpret_cast<std::uint64_t>(memory); }

void check_form(ThreadFrame* thread, const void* to, const void* from) {
  for (const void* memory : {to, from}) {
    if (number_of(memory) % piece != 0)
      refuse_bulk(thread, FaultKind::MisalignedAddress, number_of(memory),
                  "a bulk copy, whose addresses are multiples of 16");
  }
}

/// GPUs leave out what a number of bytes has beyond a multiple of 16.
std::uint32_t whole_pieces(std::uint32_t bytes) { return bytes / piece * piece; }

float bfloat_value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// What an element becomes, both as bits.
template <class Bits, class Number, class Read, class Write>
Bits combine(BulkOperation operation, Bits old, Bits by, Read read, Write write) {
  const Number x = read(old), y = read(by);
  switch (operation) {
    case BulkOperation::Add:
      return write(static_cast<Number>(x + y));
    case BulkOperation::Min:
      return y < x ? by : old;
    case BulkOperation::Max:
      return x < y ? by : old;
    default:
      break;
  }
  if constexpr (std::is_integral_v<Number> && std::is_unsigned_v<Number>) {
    switch (operation) {
      case BulkOperation::Inc:
        return old >= by ? 0 : old + 1;
      case BulkOperation::Dec:
        return old == 0 || old > by ? by : old - 1;
      case BulkOperation::And:
        return old & by;
      case BulkOperation::Or:
        return old | by;
      case BulkOperation::Xor:
        return old ^ by;
      default:
        break;
    }
  }
  return old;
}

template <class Bits, class Change>
void update_each(void* to, const void* from, std::uint32_t bytes, Change change) {
  auto* elements = static_cast<std::byte*>(to);
  const auto* values = static_cast<const std::byte*>(from);
  for (std::uint32_t i = 0; i < bytes; i += sizeof(Bits)) {
    Bits by;
    std::memcpy(&by, values + i, sizeof by);
    const std::atomic_ref<Bits> element(*reinterpret_cast<Bits*>(elements + i));
    Bits old = element.load(std::memory_order_relaxed);
    while (!element.compare_exchange_weak(old, change(old, by), std::memory_order_relaxed)) {
    }
  }
}

template <class Bits, class Number>
void reduce_integers(void* to, const void* from, std::uint32_t bytes, BulkOperation operation) {
  update_each<Bits>(to, from, bytes, [operation](Bits old, Bits by) {
    return combine<Bits, Number>(
        operation, old, by, [](Bits bits) { return static_cast<Number>(bits); },
        [](Number number) { return static_cast<Bits>(number); });
  });
}

/// A NaN gives way to a number in minimum and maximum; -0 is less than 0.
std::uint16_t extreme_half(BulkOperation operation, std::uint16_t old, std::uint16_t by, float x,
                           float y) {
  constexpr std::uint16_t nan = 0x7fff;
  if (std::isnan(x)) return std::isnan(y) ? nan : by;
  if (std::isnan(y)) return old;
  const bool less = y < x || (y == x && (by >> 15) > (old >> 15));
  const bool takes = operation == BulkOperation::Min ? less : !less;
  return takes ? by : old;
}

template <class Value, class Bits>
void reduce_halves(void* to, const void* from, std::uint32_t bytes, BulkOperation operation,
                   Value value, Bits bits) {
  update_each<std::uint16_t>(to, from, bytes, [&](std::uint16_t old, std::uint16_t by) {
    const float x = value(old), y = value(by);
    if (operation != BulkOperation::Add) return extreme_half(operation, old, by, x, y);
    const float sum = x + y;
    return std::isnan(sum) ? std::uint16_t{0x7fff} : bits(sum);
  });
}

std::uint32_t flushed(std::uint32_t bits) {
  return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
}

/// GPUs flush subnormal numbers in sums of f32 in memory.
std::uint32_t add_floats(std::uint32_t old, std::uint32_t by) {
  const float sum = std::bit_cast<float>(flushed(old)) + std::bit_cast<float>(flushed(by));
  return std::isnan(sum) ? 0x7fffffffu : flushed(std::bit_cast<std::uint32_t>(sum));
}

std::uint64_t add_doubles(std::uint64_t old, std::uint64_t by) {
  const double left = std::bit_cast<double>(old), right = std::bit_cast<double>(by);
  return std::bit_cast<std::uint64_t>(with_negative_nan(left + right, left, right));
}

BlockRun& run_of(const ThreadFrame& thread) { return *static_cast<BlockRun*>(thread.block->block); }

}  // namespace

void refuse_bulk(ThreadFrame* thread, FaultKind kind, std::uint64_t address, const char* what) {
  FaultRecord record;
  record.kind = kind;
  record.thread = thread;
  record.address = address;
  record.address_known = address != 0;
  std::snprintf(record.detail, sizeof record.detail, "%s", what);
  KernelEntry::of_this_thread().raise(record);
}

void check_bulk_access(ThreadFrame* thread, const void* memory, std::uint32_t bytes, bool writes) {
  const Checks checks = launch_of(*thread).request.checks;
  if (!checks.any() || bytes == 0) return;
  const std::uint64_t address = number_of(memory);
  if (checks.has(Check::Memory))
    pycuda_cpu_check_access(thread, address, bytes, writes ? 1 : 0, no_check_site);
  if (!checks.note_accesses()) return;
  for (std::uint32_t done = 0; done < bytes; done += piece)
    pycuda_cpu_note_access(thread, address + done, std::min(piece, bytes - done),
                           writes ? AccessFlags::write : 0, 0, 0);
}

void complete_bulk(ThreadFrame* thread, std::uint64_t* barrier, std::uint32_t bytes) {
  if (barrier == nullptr) return;
  const Checks checks = launch_of(*thread).request.checks;
  if (checks.has(Check::Memory))
    pycuda_cpu_check_access(thread, number_of(barrier), sizeof *barrier, 1, no_check_site);
  if (checks.note_accesses())
    pycuda_cpu_note_access(thread, number_of(barrier), sizeof *barrier,
                           AccessFlags::update | AccessFlags::strong | AccessFlags::release, 0, 0);
  pycuda_cpu_mbarrier_add_bytes(barrier, ~bytes + 1);
}

std::uint32_t bulk_element_bytes(std::uint32_t code) {
  switch (bulk_type(code)) {
    case BulkType::F16:
    case BulkType::BF16:
      return 2;
    case BulkType::U64:
    case BulkType::S64:
    case BulkType::F64:
      return 8;
    default:
      return 4;
  }
}

void reduce_bulk(void* to, const void* from, std::uint32_t bytes, std::uint32_t code) {
  const BulkOperation operation = bulk_operation(code);
  switch (bulk_type(code)) {
    case BulkType::U32:
      return reduce_integers<std::uint32_t, std::uint32_t>(to, from, bytes, operation);
    case BulkType::S32:
      return reduce_integers<std::uint32_t, std::int32_t>(to, from, bytes, operation);
    case BulkType::U64:
      return reduce_integers<std::uint64_t, std::uint64_t>(to, from, bytes, operation);
    case BulkType::S64:
      return reduce_integers<std::uint64_t, std::int64_t>(to, from, bytes, operation);
    case BulkType::F16:
      return reduce_halves(to, from, bytes, operation, half_value,
                           [](float sum) { return half_bits(sum); });
    case BulkType::BF16:
      return reduce_halves(to, from, bytes, operation, bfloat_value,
                           [](float sum) { return bfloat_bits(sum); });
    case BulkType::F32:
      return update_each<std::uint32_t>(to, from, bytes, add_floats);
    case BulkType::F64:
      return update_each<std::uint64_t>(to, from, bytes, add_doubles);
  }
}

std::uint32_t cluster_size_of(const ThreadFrame& thread) {
  return run_of(thread).cluster().blocks();
}

void* in_block(ThreadFrame* thread, void* memory, std::uint32_t rank) {
  const Cluster& cluster = run_of(*thread).cluster();
  const auto owner = cluster.owner(number_of(memory), 1);
  if (!owner)
    refuse_bulk(thread, FaultKind::IllegalAddress, number_of(memory),
                "a copy to blocks of the cluster, and not to their shared memory");
  return cluster.window(rank) + (number_of(memory) - number_of(cluster.window(*owner)));
}

}  // namespace pycuda::cpu::exec

using pycuda::cpu::ThreadFrame;
namespace exec = pycuda::cpu::exec;

extern "C" {

void pycuda_cpu_bulk_copy(ThreadFrame* thread, void* to, const void* from, std::uint32_t bytes,
                          std::uint64_t* barrier) {
  exec::check_form(thread, to, from);
  bytes = exec::whole_pieces(bytes);
  exec::check_bulk_access(thread, from, bytes, false);
  exec::check_bulk_access(thread, to, bytes, true);
  std::memmove(to, from, bytes);
  exec::complete_bulk(thread, barrier, bytes);
}

void pycuda_cpu_bulk_multicast(ThreadFrame* thread, void* to, const void* from, std::uint32_t bytes,
                               std::uint64_t* barrier, std::uint32_t blocks) {
  exec::for_blocks(thread, blocks, [&](std::uint32_t rank) {
    pycuda_cpu_bulk_copy(thread, exec::in_block(thread, to, rank), from, bytes,
                         static_cast<std::uint64_t*>(exec::in_block(thread, barrier, rank)));
  });
}

void pycuda_cpu_bulk_reduce(ThreadFrame* thread, void* to, const void* from, std::uint32_t bytes,
                            std::uint64_t* barrier, std::uint32_t code) {
  exec::check_form(thread, to, from);
  bytes = exec::whole_pieces(bytes);
  exec::check_bulk_access(thread, from, bytes, false);
  exec::check_bulk_access(thread, to, bytes, true);
  exec::reduce_bulk(to, from, bytes, code);
  exec::complete_bulk(thread, barrier, bytes);
}

void pycuda_cpu_bulk_complete(ThreadFrame* thread, std::uint64_t* barrier, std::uint32_t bytes) {
  exec::complete_bulk(thread, barrier, bytes);
}

}  // extern "C"
