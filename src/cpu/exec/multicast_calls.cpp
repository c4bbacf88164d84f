// SPDX-License-Identifier: MIT
// multimem: what one thread reads of all devices of a multicast object, and writes to all.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "cpu/exec/bulk_copies.h"
#include "cpu/exec/half_conversions.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/math.h"
#include "cpu/exec/multicast.h"
#include "cpu/kernel_abi/multicast.h"
#include "cpu/processor/float_control.h"

namespace pycuda::cpu::exec {
namespace {

Multicast::Places places(ThreadFrame* thread, std::uint64_t address, std::uint32_t bytes,
                         bool writes) {
  if (address % bytes != 0) refuse_bulk(thread, FaultKind::MisalignedAddress, address, "multimem");
  Multicast::Places found;
  {
    const RuntimeScope scope;  // else an interrupt could leave mutexes locked
    found = Multicast::places_of(address, bytes, writes);
  }
  if (found.problem != nullptr)
    refuse_bulk(thread, FaultKind::IllegalAddress, address, found.problem);
  return found;
}

template <class Bits, class Each>
void for_elements(std::byte* place, std::uint32_t bytes, Each each) {
  for (std::uint32_t i = 0; i < bytes; i += sizeof(Bits))
    each(std::atomic_ref<Bits>(*reinterpret_cast<Bits*>(place + i)), i);
}

template <class Bits>
void read(std::byte* place, std::uint32_t bytes, std::byte* values) {
  for_elements<Bits>(place, bytes, [&](std::atomic_ref<Bits> element, std::uint32_t i) {
    const Bits value = element.load(std::memory_order_acquire);
    std::memcpy(values + i, &value, sizeof value);
  });
}

template <class Bits>
void write(std::byte* place, std::uint32_t bytes, const std::byte* values) {
  for_elements<Bits>(place, bytes, [&](std::atomic_ref<Bits> element, std::uint32_t i) {
    Bits value;
    std::memcpy(&value, values + i, sizeof value);
    element.store(value, std::memory_order_release);
  });
}

/// Calls `change` with a number of the type that has so many bytes.
template <class Change>
void with_element(std::uint32_t bytes, Change change) {
  if (bytes == sizeof(std::uint64_t)) return change(std::uint64_t{});
  if (bytes == sizeof(std::uint32_t)) return change(std::uint32_t{});
  change(std::uint16_t{});
}

float value_of(WideType type, std::uint32_t bits) {
  switch (type) {
    case WideType::BF16:
      return std::bit_cast<float>(bits << 16);
    case WideType::E4M3:
      return pycuda_cpu_f32_from_e4m3(bits);
    case WideType::E5M2:
      return pycuda_cpu_f32_from_e5m2(bits);
    default:
      return half_value(static_cast<std::uint16_t>(bits));
  }
}

std::uint32_t bits_of(WideType type, float value) {
  const bool is_nan = std::isnan(value);
  switch (type) {
    case WideType::BF16:
      return is_nan ? 0x7fff : bfloat_bits(value);
    case WideType::E4M3:
      return pycuda_cpu_e4m3_from_f32(value);
    case WideType::E5M2:
      return pycuda_cpu_e5m2_from_f32(value);
    default:
      return is_nan ? 0x7fff : half_bits(value);
  }
}

/// One element of all devices. A NaN gives way to a number in minimum and maximum.
float reduced(BulkOperation operation, float old, float by, bool in_halves) {
  if (operation == BulkOperation::Add) {
    const float sum = old + by;
    return in_halves ? half_value(half_bits(sum)) : sum;
  }
  if (std::isnan(old) || std::isnan(by)) return std::isnan(old) ? by : old;
  const bool is_less = by < old || (by == old && std::signbit(by) && !std::signbit(old));
  return is_less == (operation == BulkOperation::Min) ? by : old;
}

Texels reduce_wide(std::span<const Texels> devices, std::uint32_t bytes, BulkOperation operation,
                   std::uint32_t wide) {
  const auto type = static_cast<WideType>(wide & ~half_sums);
  const std::uint32_t element = type == WideType::E4M3 || type == WideType::E5M2 ? 1 : 2;
  Texels result;
  for (std::uint32_t i = 0; i < bytes; i += element) {
    const auto value = [&](const Texels& of) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, reinterpret_cast<const std::byte*>(&of) + i, element);
      return value_of(type, bits);
    };
    float found = value(devices.front());
    for (const Texels& other : devices.subspan(1))
      found = reduced(operation, found, value(other), (wide & half_sums) != 0);
    const std::uint32_t bits = bits_of(type, found);
    std::memcpy(reinterpret_cast<std::byte*>(&result) + i, &bits, element);
  }
  return result;
}

}  // namespace
}  // namespace pycuda::cpu::exec

using pycuda::cpu::Texels;
using pycuda::cpu::ThreadFrame;
namespace exec = pycuda::cpu::exec;

extern "C" {

Texels pycuda_cpu_multimem_load(ThreadFrame* thread, std::uint64_t address, std::uint32_t bytes,
                                std::uint32_t code, std::uint32_t wide) {
  const auto places = exec::places(thread, address, bytes, false);
  const pycuda::cpu::processor::UsualFloats usual;
  Texels devices[exec::Multicast::most_devices];
  for (std::size_t i = 0; i < places.count; ++i)
    exec::with_element(exec::bulk_element_bytes(code), [&](auto element) {
      exec::read<decltype(element)>(places.at[i], bytes, reinterpret_cast<std::byte*>(&devices[i]));
    });
  if (wide != 0)
    return exec::reduce_wide({devices, places.count}, bytes, pycuda::cpu::bulk_operation(code),
                             wide);
  for (std::size_t i = 1; i < places.count; ++i)
    exec::reduce_bulk(&devices[0], &devices[i], bytes, code);
  return devices[0];
}

void pycuda_cpu_multimem_store(ThreadFrame* thread, std::uint64_t address, std::uint32_t bytes,
                               std::uint32_t element_bytes, std::uint64_t low, std::uint64_t high) {
  const auto places = exec::places(thread, address, bytes, true);
  const Texels value{low, high};
  const auto* const from = reinterpret_cast<const std::byte*>(&value);
  for (std::size_t i = 0; i < places.count; ++i)
    exec::with_element(element_bytes, [&](auto element) {
      exec::write<decltype(element)>(places.at[i], bytes, from);
    });
}

void pycuda_cpu_multimem_reduce(ThreadFrame* thread, std::uint64_t address, std::uint32_t bytes,
                                std::uint32_t code, std::uint64_t low, std::uint64_t high) {
  const auto places = exec::places(thread, address, bytes, true);
  const pycuda::cpu::processor::UsualFloats usual;
  const Texels value{low, high};
  std::atomic_thread_fence(std::memory_order_release);
  for (std::size_t i = 0; i < places.count; ++i)
    exec::reduce_bulk(places.at[i], &value, bytes, code);
}

}  // extern "C"
