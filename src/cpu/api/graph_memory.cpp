// SPDX-License-Identifier: MIT
// The account of graph memory, per device and per block, and what programs ask of it.
#include "cpu/api/graph_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "cpu/api/entry_guard.h"
#include "cpu/api/virtual_device.h"

namespace pycuda::cpu::api {

struct GraphMemory {
  struct Account {
    std::uint64_t used = 0, used_high = 0;
    std::uint64_t reserved = 0, reserved_high = 0;
    // Parts of the two above that belong to no block any more. As in NVIDIA's driver, what a
    // program or a graph frees counts as used until graphs are launched or destroyed, and what
    // graphs held stays reserved for others until it is trimmed.
    std::uint64_t left_used = 0, left_reserved = 0;
  };

  std::mutex mutex;  // protects the rest, and what blocks note down
  std::map<CUdeviceptr, std::weak_ptr<GraphAllocation>> blocks;
  std::map<CUdeviceptr, SharedAllocation> live;  // the program can use them: they stay
  std::map<const VirtualDevice*, Account> accounts;

  static GraphMemory& instance() {
    static auto& all = *new GraphMemory;
    return all;
  }

  void reserve(GraphAllocation& block) {
    if (block.reserved_) return;
    block.reserved_ = true;
    Account& account = accounts[&block.device_];
    const std::uint64_t again = std::min<std::uint64_t>(account.left_reserved, block.bytes());
    account.left_reserved -= again;
    account.reserved += block.bytes() - again;
    account.reserved_high = std::max(account.reserved_high, account.reserved);
  }

  void begin(const SharedAllocation& block) {
    reserve(*block);
    if (block->live_) return;
    block->live_ = true;
    accounts[&block->device_].used += block->bytes();
    live[block->address()] = block;
  }

  void end(GraphAllocation& block) {
    block.live_ = false;
    accounts[&block.device_].used -= block.bytes();
    live.erase(block.address());
  }

  /// For a block that is about to end.
  void leave_used(const GraphAllocation& block) {
    Account& account = accounts[&block.device_];
    account.left_used += block.bytes();
    account.used += block.bytes();  // which the end takes off
  }

  // Pages that nothing uses go back to the system; the addresses stay.
  static void give_back_pages(const GraphAllocation& block) {
    constexpr std::uintptr_t page = 4096;
    const std::uintptr_t begin = (block.address() + page - 1) / page * page;
    const std::uintptr_t end = (block.address() + block.bytes()) / page * page;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }

  /// `looked_at` keeps what was looked at until the lock is let go.
  void trim(const VirtualDevice& device, std::vector<std::shared_ptr<const void>>* looked_at) {
    for (const auto& [address, weak] : blocks) {
      const auto block = weak.lock();
      if (block == nullptr) continue;
      const auto run = block->last_run_.lock();
      looked_at->push_back(block);
      looked_at->push_back(run);
      if (&block->device_ != &device || !block->reserved_ || block->live_ || !exec::finished(run))
        continue;
      give_back_pages(*block);
      block->reserved_ = false;
      accounts[&device].reserved -= block->bytes();
    }
    drop_left_used(accounts[&device]);
    accounts[&device].reserved -= std::exchange(accounts[&device].left_reserved, 0);
  }

  static void drop_left_used(Account& account) {
    account.used -= std::exchange(account.left_used, 0);
  }

  static void forget(GraphAllocation& block) {
    GraphMemory& all = instance();
    const std::lock_guard lock(all.mutex);
    all.blocks.erase(block.address());
    if (block.reserved_) all.accounts[&block.device_].left_reserved += block.bytes();
  }

  static bool is_live(const GraphAllocation& block) { return block.live_; }
  static void set_run(GraphAllocation& block, const std::shared_ptr<exec::SequenceRun>& run) {
    block.last_run_ = run;
  }
};

GraphAllocation::GraphAllocation(VirtualDevice& device, const CUDA_MEM_ALLOC_NODE_PARAMS& params,
                                 void* memory)
    : device_(device),
      params_(params),
      access_(params.accessDescs, params.accessDescs + params.accessDescCount) {
  params_.dptr = reinterpret_cast<CUdeviceptr>(memory);
}

SharedAllocation GraphAllocation::make(VirtualDevice& device,
                                       const CUDA_MEM_ALLOC_NODE_PARAMS& params) {
  const bool managed = params.poolProps.allocType == CU_MEM_ALLOCATION_TYPE_MANAGED;
  void* memory = device.memory().allocate(
      params.bytesize, managed ? exec::MemoryKind::ManagedPool : exec::MemoryKind::Pool, nullptr);
  if (memory == nullptr) return nullptr;
  const SharedAllocation made(new GraphAllocation(device, params, memory));
  GraphMemory& all = GraphMemory::instance();
  const std::lock_guard lock(all.mutex);
  all.blocks[made->address()] = made;
  return made;
}

GraphAllocation::~GraphAllocation() {
  GraphMemory::forget(*this);
  device_.memory().release(reinterpret_cast<void*>(address()));
}

bool GraphAllocation::is_reached_from(int device) const {
  return device == device_.ordinal() ||
         std::ranges::any_of(access_, [&](const CUmemAccessDesc& access) {
           return access.location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
                  access.location.id == device && access.flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
         });
}

CUDA_MEM_ALLOC_NODE_PARAMS GraphAllocation::params() const {
  CUDA_MEM_ALLOC_NODE_PARAMS told = params_;
  told.accessDescs = access_.empty() ? nullptr : access_.data();
  return told;
}

SharedAllocation find_graph_allocation(CUdeviceptr address) {
  GraphMemory& all = GraphMemory::instance();
  const std::lock_guard lock(all.mutex);
  const auto found = all.blocks.find(address);
  return found != all.blocks.end() ? found->second.lock() : nullptr;
}

CUresult begin_memory_effects(const MemoryEffects& effects, bool free_first) {
  if (effects.none()) return CUDA_SUCCESS;
  GraphMemory& all = GraphMemory::instance();
  std::vector<SharedAllocation> ended;  // destroyed after the lock is let go
  const std::lock_guard lock(all.mutex);
  const auto is_live = [](const SharedAllocation& block) { return GraphMemory::is_live(*block); };
  if (!free_first && std::ranges::any_of(effects.kept, is_live)) return CUDA_ERROR_INVALID_VALUE;
  if (!std::ranges::all_of(effects.freed, is_live)) return CUDA_ERROR_INVALID_VALUE;
  for (auto& [device, account] : all.accounts) GraphMemory::drop_left_used(account);
  for (const auto& block : effects.kept) all.begin(block);
  for (const auto& block : effects.passing) all.begin(block);
  for (auto& [device, account] : all.accounts) {
    account.used_high = std::max(account.used_high, account.used);
  }
  const auto end_later = [&](GraphAllocation& block) {
    all.leave_used(block);
    all.end(block);
  };
  for (const auto& block : effects.passing) end_later(*block);
  for (const auto& block : effects.freed) {
    ended.push_back(block);
    end_later(*block);
  }
  return CUDA_SUCCESS;
}

void note_run(const MemoryEffects& effects, const std::shared_ptr<exec::SequenceRun>& run) {
  if (effects.none()) return;
  const std::lock_guard lock(GraphMemory::instance().mutex);
  for (const auto* blocks : {&effects.kept, &effects.passing, &effects.freed}) {
    for (const auto& block : *blocks) GraphMemory::set_run(*block, run);
  }
}

bool free_graph_allocation(const SharedAllocation& allocation) {
  GraphMemory& all = GraphMemory::instance();
  const std::lock_guard lock(all.mutex);
  if (!GraphMemory::is_live(*allocation)) return false;
  all.leave_used(*allocation);
  all.end(*allocation);
  return true;
}

void settle_graph_memory() {
  GraphMemory& all = GraphMemory::instance();
  const std::lock_guard lock(all.mutex);
  for (auto& [device, account] : all.accounts) GraphMemory::drop_left_used(account);
}

}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

namespace {

template <class Body>
CUresult with_account(CUdevice device, Body&& body,
                      const char* entry = __builtin_FUNCTION()) noexcept {
  return with_driver(
      [&]() -> CUresult {
        VirtualDevice* found = find_device(device);
        if (found == nullptr) return CUDA_ERROR_INVALID_DEVICE;
        GraphMemory& all = GraphMemory::instance();
        const std::lock_guard lock(all.mutex);
        return body(all, *found, all.accounts[found]);
      },
      entry);
}

}  // namespace

extern "C" {

CUresult cuDeviceGraphMemTrim(CUdevice device) {
  return with_driver([&]() -> CUresult {
    std::vector<std::shared_ptr<const void>> looked_at;
    return with_account(device, [&](GraphMemory& all, VirtualDevice& found, auto&) -> CUresult {
      all.trim(found, &looked_at);
      return CUDA_SUCCESS;
    });
  });
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void* value) {
  return with_account(
      device, [&](GraphMemory&, VirtualDevice&, const GraphMemory::Account& account) -> CUresult {
        if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
        const auto answer = [&](std::uint64_t bytes) {
          *static_cast<cuuint64_t*>(value) = bytes;
          return CUDA_SUCCESS;
        };
        switch (attr) {
          case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
            return answer(account.used);
          case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
            return answer(account.used_high);
          case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
            return answer(account.reserved);
          case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
            return answer(account.reserved_high);
        }
        return CUDA_ERROR_INVALID_VALUE;
      });
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void* value) {
  return with_account(device,
                      [&](GraphMemory&, VirtualDevice&, GraphMemory::Account& account) -> CUresult {
                        // Marks of the most can be set back, nothing else.
                        if (value == nullptr || *static_cast<const cuuint64_t*>(value) != 0)
                          return CUDA_ERROR_INVALID_VALUE;
                        switch (attr) {
                          case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
                            account.used_high = account.used;
                            return CUDA_SUCCESS;
                          case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
                            account.reserved_high = account.reserved;
                            return CUDA_SUCCESS;
                          default:
                            return CUDA_ERROR_INVALID_VALUE;
                        }
                      });
}

}  // extern "C"
