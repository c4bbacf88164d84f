// SPDX-License-Identifier: MIT
// Fault recovery: the driver accesses memory at addresses that a program gave, and survives bad
// ones.
#pragma once

namespace pycuda::cpu::exec {

/// Calls body(context). False if it read unmapped memory or wrote to read-only memory: a jump ended
/// it there, so it must hold no objects with destructors. Not to be called by compiled code.
bool runs_without_fault(void (*body)(void* context), void* context);

/// The same for a callable object.
template <class Body>
bool runs_without_fault(Body body) {
  return runs_without_fault([](void* context) { (*static_cast<Body*>(context))(); }, &body);
}

}  // namespace pycuda::cpu::exec
