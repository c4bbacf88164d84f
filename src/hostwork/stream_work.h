// SPDX-License-Identifier: MIT
// Host work in stream order.
#pragma once

#include <cuda.h>

#include <atomic>
#include <functional>
#include <memory>

namespace pycuda::hostwork {

bool is_capturing(CUstream stream);

/// Runs `work`, which may not call CUDA, when the stream has come so far; false if the stream does
/// not take it. In a captured stream it becomes part of the graph, and lives forever. `failed` is
/// set if it throws.
bool enqueue(CUstream stream, std::shared_ptr<std::atomic<bool>> failed,
             std::function<void()> work);

}  // namespace pycuda::hostwork
