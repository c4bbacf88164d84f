// SPDX-License-Identifier: MIT
// Semaphores of other libraries and processes: words in files that both have mapped.
#pragma once

#include "cpu/api/cuda_abi.h"
#include "cpu/api/graph_action.h"

namespace pycuda::cpu::api {

/// The semaphores that a call names, with what it wants of each.
template <class Parameters>
struct SemaphoreList {
  const CUexternalSemaphore* semaphores;
  const Parameters* parameters;
  unsigned count;
};

/// INVALID_HANDLE for what is not a semaphore, INVALID_VALUE for flags that there are not.
CUresult make_semaphore_action(const SemaphoreList<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>& list,
                               SignalAction* action);
CUresult make_semaphore_action(const SemaphoreList<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>& list,
                               AwaitAction* action);

}  // namespace pycuda::cpu::api
