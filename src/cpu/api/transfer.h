// SPDX-License-Identifier: MIT
// Copies and fills whose addresses may turn out to be invalid.
#pragma once

#include <utility>

#include "cpu/api/cuda_abi.h"
#include "cpu/api/stream.h"

namespace pycuda::cpu::api {

/// INVALID_VALUE, after a line that says which memory `what` ("copy") could not do with.
CUresult refuse_transfer(const char* what);
/// The same when no call waits for the result: a fault of the context.
void report_transfer(Context& context, const char* what);

/// Runs `transfer` at its place in the stream's order. It gives false if an address was none; then
/// so was an argument.
template <class Transfer>
CUresult run_transfer(Stream& stream, const Transfer& transfer, const char* what) {
  bool whole = true;
  const CUresult status = stream.run([&] { whole = transfer(); });
  return status == CUDA_SUCCESS && !whole ? refuse_transfer(what) : status;
}

/// Queues `transfer`, as Stream::start: memory that is gone when its turn comes is a fault.
template <class Transfer>
CUresult start_transfer(Stream& stream, Transfer transfer, bool small, const char* what) {
  return stream.start(
      [transfer = std::move(transfer), &context = stream.context(), what] {
        if (!transfer()) report_transfer(context, what);
      },
      small);
}

}  // namespace pycuda::cpu::api
