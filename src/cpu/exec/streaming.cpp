// SPDX-License-Identifier: MIT
// Cheap questions first: most launches are small.
#include "cpu/exec/streaming.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <optional>

#include "cpu/exec/address_table.h"
#include "cpu/exec/last_level_cache.h"
#include "cpu/exec/stream.h"
#include "cpu/variants/launch_form.h"

namespace pycuda::cpu::exec {
namespace {

std::atomic<std::uint64_t> streamed{0};

/// A parameter's value; 0 past the end of what was given, as the kernel sees it.
std::uint64_t parameter(const std::string& params, std::uint32_t offset, std::uint32_t bytes) {
  std::uint64_t value = 0;
  if (offset + std::uint64_t{bytes} <= params.size())
    std::memcpy(&value, params.data() + offset, bytes);
  return value;
}

bool meets_conditions(const StreamedStores& form, const LaunchRequest& request) {
  if (request.block.x % form.block_multiple != 0) return false;
  return std::all_of(form.multiples.begin(), form.multiples.end(), [&](const auto& condition) {
    return parameter(request.params, condition.parameter, condition.bytes) % condition.multiple ==
           0;
  });
}

bool is_address(const StreamedStores& form, std::uint32_t offset) {
  return std::any_of(form.accesses.begin(), form.accesses.end(),
                     [&](const auto& access) { return access.parameter == offset; });
}

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

std::uint64_t product(std::uint64_t left, std::uint64_t right) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(left, right, &result) ? most : result;
}

std::uint64_t sum(std::uint64_t left, std::uint64_t right) {
  return left > most - right ? most : left + right;
}

/// How much of its array an access walks through, were that long enough. Not too much: loops make
/// no more trips than the largest parameter that their ends depend on.
std::uint64_t extent(const StreamedStores& form, std::uint32_t number, std::uint64_t threads,
                     const std::string& params) {
  const StreamedStores::Access& access = form.accesses[number];
  std::uint64_t trips = 1;
  for (std::uint32_t loop = 0; loop < access.loops; ++loop) {
    std::uint64_t longest = 1;
    for (const StreamedStores::Bound& bound : form.bounds) {
      if (bound.access == number && bound.loop == loop && !is_address(form, bound.parameter))
        longest = std::max(longest, parameter(params, bound.parameter, bound.bytes));
    }
    trips = product(trips, longest);
  }
  trips = access.for_threads != 0 ? product(trips, threads) : std::max(trips, threads);
  return product(trips, access.bytes);
}

/// Of each array the longest extent.
struct Walked {
  std::uint64_t streamed = 0, all = 0;
};

template <class Limit>
Walked walked_by(const StreamedStores& form, std::uint64_t threads, const std::string& params,
                 Limit limit) {
  Walked walked;
  for (std::uint32_t i = 0; i < form.accesses.size(); ++i) {
    const std::uint32_t array = form.accesses[i].parameter;
    bool is_first = true;
    for (std::uint32_t j = 0; j < i; ++j) is_first &= form.accesses[j].parameter != array;
    if (!is_first) continue;
    std::uint64_t bytes = 0;
    bool is_streamed = false;
    for (std::uint32_t j = i; j < form.accesses.size(); ++j) {
      if (form.accesses[j].parameter != array) continue;
      bytes = std::max(bytes, extent(form, j, threads, params));
      is_streamed |= form.accesses[j].is_streamed != 0;
    }
    bytes = limit(parameter(params, array, sizeof(std::uint64_t)), bytes);
    walked.all = sum(walked.all, bytes);
    if (is_streamed) walked.streamed = sum(walked.streamed, bytes);
  }
  return walked;
}

/// What was measured: from where on reading the lines that are overwritten costs more than finding
/// them in the cache later gains. A result much smaller than the cache stays in it.
bool is_large(const Walked& walked, std::uint64_t cache) {
  return walked.all >= cache && walked.streamed >= cache / 4;
}

/// Most launches, told in a few instructions: without loops, so many threads walk through little.
bool is_small(const StreamedStores& form, std::uint64_t threads, std::uint64_t cache) {
  std::uint64_t bytes = 0;
  for (const StreamedStores::Access& access : form.accesses) {
    if (access.loops != 0) return false;
    bytes += access.bytes;
  }
  return product(threads, bytes) < cache;
}

/// Whether none but the form's own arrays begins where `written` lies.
bool is_written_only(const StreamedStores& form, const std::string& params, std::uint64_t written,
                     const std::optional<Allocation>& allocation) {
  for (std::uint32_t offset = 0; offset + sizeof(std::uint64_t) <= params.size();
       offset += sizeof(std::uint64_t)) {
    if (std::find(form.arrays.begin(), form.arrays.end(), offset) != form.arrays.end()) continue;
    const std::uint64_t other = parameter(params, offset, sizeof other);
    if (other == written) return false;
    if (allocation && other >= allocation->begin && other - allocation->begin < allocation->bytes)
      return false;
  }
  return true;
}

}  // namespace

bool should_stream(const Kernel& kernel, const LaunchRequest& request) {
  const StreamedStores& form = kernel.facts.streamed;
  const bool always = kernel.streaming == Streaming::WhereverPossible;
  const std::uint64_t cache = dependable_cache_bytes();
  const std::uint64_t threads = std::uint64_t{request.grid.x} * request.grid.y * request.grid.z *
                                request.block.x * request.block.y * request.block.z;
  if (!always && is_small(form, threads, cache)) return false;
  const auto unlimited = [](std::uint64_t, std::uint64_t bytes) { return bytes; };
  if (!always && !is_large(walked_by(form, threads, request.params, unlimited), cache))
    return false;
  if (!variants::uses_gangs(kernel.facts, request.grid, request.block) ||
      !meets_conditions(form, request))
    return false;
  const AddressTable& table = AddressTable::instance();
  for (const std::uint32_t array : form.arrays) {
    const std::uint64_t address = parameter(request.params, array, sizeof address);
    if (!is_written_only(form, request.params, address, table.find(address))) return false;
  }
  const auto within = [&](std::uint64_t address, std::uint64_t bytes) {
    const std::optional<Allocation> found = table.find(address);
    return found ? std::min(bytes, found->begin + found->bytes - address) : bytes;
  };
  return always || is_large(walked_by(form, threads, request.params, within), cache);
}

std::uint64_t streamed_launches() { return streamed.load(std::memory_order_relaxed); }
void count_streamed_launch() { streamed.fetch_add(1, std::memory_order_relaxed); }

}  // namespace pycuda::cpu::exec
