// SPDX-License-Identifier: MIT
// PTX's memory orders as LLVM's.
#pragma once

#include <llvm/Support/AtomicOrdering.h>

#include <cstdint>

#include "cpu/kernel_abi/checks.h"
#include "cpu/ptx/types.h"

namespace pycuda::cpu::lower {

/// For loads, stores and fences; weak is not atomic.
inline llvm::AtomicOrdering memory_order(ptx::Ordering ordering) {
  switch (ordering) {
    case ptx::Ordering::Weak:
      return llvm::AtomicOrdering::NotAtomic;
    case ptx::Ordering::Volatile:
    case ptx::Ordering::Relaxed:
    case ptx::Ordering::Mmio:
      return llvm::AtomicOrdering::Monotonic;
    case ptx::Ordering::Acquire:
      return llvm::AtomicOrdering::Acquire;
    case ptx::Ordering::Release:
      return llvm::AtomicOrdering::Release;
    case ptx::Ordering::AcqRel:
      return llvm::AtomicOrdering::AcquireRelease;
    case ptx::Ordering::Sc:
      return llvm::AtomicOrdering::SequentiallyConsistent;
  }
  return llvm::AtomicOrdering::SequentiallyConsistent;
}

/// The same for the checks: a part of an access's AccessFlags.
inline std::uint32_t order_flags(ptx::Ordering ordering) {
  switch (ordering) {
    case ptx::Ordering::Weak:
      return 0;
    case ptx::Ordering::Volatile:
    case ptx::Ordering::Relaxed:
    case ptx::Ordering::Mmio:
      return AccessFlags::strong;
    case ptx::Ordering::Acquire:
      return AccessFlags::strong | AccessFlags::acquire;
    case ptx::Ordering::Release:
      return AccessFlags::strong | AccessFlags::release;
    case ptx::Ordering::AcqRel:
    case ptx::Ordering::Sc:
      return AccessFlags::strong | AccessFlags::acquire | AccessFlags::release;
  }
  return 0;
}

inline std::uint32_t scope_flags(ptx::Scope scope) {
  if (scope == ptx::Scope::Cta) return AccessFlags::scope_block;
  return scope == ptx::Scope::Cluster ? AccessFlags::scope_cluster : 0;
}

}  // namespace pycuda::cpu::lower
