// SPDX-License-Identifier: MIT
#include "cpu/api/advice.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

namespace pycuda::cpu::api {
namespace {

constexpr std::uint64_t page = 4096;

/// Of one block. An entry holds from its address to the next one's; before the first, and where a
/// default one begins, nothing was advised.
using Pages = std::map<CUdeviceptr, Advice>;

struct AllAdvice {
  std::mutex mutex;  ///< protects the rest
  std::map<std::uint64_t, Pages> blocks;
};

AllAdvice& all_advice() {
  static auto& all = *new AllAdvice;
  return all;
}

/// The entry that begins at the address, made from the one that held it before.
Pages::iterator split(Pages& pages, CUdeviceptr at) {
  const auto next = pages.lower_bound(at);
  if (next != pages.end() && next->first == at) return next;
  Advice held;
  if (next != pages.begin()) held = std::prev(next)->second;
  return pages.emplace_hint(next, at, std::move(held));
}

std::pair<CUdeviceptr, CUdeviceptr> pages_of(CUdeviceptr begin, std::size_t bytes) {
  return {begin / page * page, (begin + bytes + page - 1) / page * page};
}

bool same(const CUmemLocation& first, const CUmemLocation& second) {
  return first.type == second.type && first.id == second.id;
}

void keep_common(Advice& common, const Advice& other) {
  common.read_mostly = common.read_mostly && other.read_mostly;
  if (!same(common.preferred_location, other.preferred_location))
    common.preferred_location = Advice::nowhere;
  if (!same(common.last_prefetch, other.last_prefetch)) common.last_prefetch = Advice::nowhere;
  std::erase_if(common.accessed_by,
                [&](CUdevice device) { return !other.accessed_by.contains(device); });
}

}  // namespace

void change_advice(std::uint64_t allocation, CUdeviceptr begin, std::size_t bytes,
                   const std::function<void(Advice&)>& change) {
  const auto [first, last] = pages_of(begin, bytes);
  AllAdvice& all = all_advice();
  const std::lock_guard lock(all.mutex);
  Pages& pages = all.blocks[allocation];
  split(pages, last);
  for (auto at = split(pages, first); at->first != last; ++at) change(at->second);
}

Advice common_advice(std::uint64_t allocation, CUdeviceptr begin, std::size_t bytes) {
  const auto [first, last] = pages_of(begin, bytes);
  AllAdvice& all = all_advice();
  const std::lock_guard lock(all.mutex);
  const auto block = all.blocks.find(allocation);
  if (block == all.blocks.end()) return {};
  const Pages& pages = block->second;
  auto at = pages.upper_bound(first);
  if (at == pages.begin()) return {};  // the first page has none
  Advice common = std::prev(at)->second;
  for (; at != pages.end() && at->first < last; ++at) keep_common(common, at->second);
  return common;
}

}  // namespace pycuda::cpu::api
