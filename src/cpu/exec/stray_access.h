// SPDX-License-Identifier: MIT
// Code of the driver's own that goes where a program's addresses lead.
#pragma once

namespace pycuda::cpu::exec {

/// Calls body(context). False when it met an address that is none, or not to be written to: it then
/// ended there, by a jump, so it holds nothing with a destructor. Not from within compiled code.
bool runs_without_fault(void (*body)(void* context), void* context);

/// The same for what can be called.
template <class Body>
bool runs_without_fault(Body body) {
  return runs_without_fault([](void* context) { (*static_cast<Body*>(context))(); }, &body);
}

}  // namespace pycuda::cpu::exec
