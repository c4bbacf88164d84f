// SPDX-License-Identifier: MIT
// The bindings rely on the GIL, on the main interpreter, and on being loaded once.
#pragma once

namespace pycuda::bindings {

/// Throws ImportError where this interpreter runs without the GIL. A free-threaded Python enables
/// it for modules like this one when they are imported, except where -X gil=0 or PYTHON_GIL=0
/// forbids.
void require_gil();

/// Throws ImportError in a sub-interpreter: what ends with the process would end with that.
void require_main_interpreter();

/// Throws ImportError from the second call on: the classes of the first import are in use.
void require_first_import();

}  // namespace pycuda::bindings
