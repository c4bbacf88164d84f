// SPDX-License-Identifier: MIT
#pragma once

namespace pycuda::cudart {

/// Logs that the function is not supported and why, records cudaErrorNotSupported and returns it.
int refuse(const char* name, const char* reason) noexcept;

}  // namespace pycuda::cudart
