// SPDX-License-Identifier: MIT
// Which memory of this process other processes may have mapped too.
#pragma once

#include <cstdint>
#include <vector>

namespace pycuda::cpu::exec {

/// A range of addresses, [begin, end).
struct SharedMapping {
  std::uintptr_t begin = 0, end = 0;
  bool writable = false;  ///< by this process
};

/// Calls `visit` for each shared mapping until it returns false. False too if the system does not
/// tell. Takes no lock and no memory: a copy of the process may call it.
bool for_each_shared_mapping(bool (*visit)(const SharedMapping& mapping, void* context),
                             void* context);

/// Whether other processes may write to one of these addresses; true if the system does not tell.
bool may_be_shared(const std::vector<std::uintptr_t>& addresses);

}  // namespace pycuda::cpu::exec
