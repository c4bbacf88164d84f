// SPDX-License-Identifier: MIT
// The bindings rely on the GIL.
#pragma once

namespace pycuda::bindings {

/// Throws ImportError where this interpreter runs without the GIL. A free-threaded Python enables
/// it for modules like this one when they are imported, except where -X gil=0 or PYTHON_GIL=0
/// forbids.
void require_gil();

}  // namespace pycuda::bindings
