// SPDX-License-Identifier: MIT
// Options of the driver's compiler and linker, and the logs that they write.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "driver/cuda_types.h"

namespace pycuda::cuda {

/// Options with plain numbers as values: those whose value is a pointer are set by this library.
using JitOptions = std::vector<std::pair<CUjit_option, std::uintptr_t>>;

/// What the driver's compiler said, success or not.
struct JitLog {
  std::string information;
  std::string errors;
};

/// The two arrays that the driver wants, with buffers for both logs among them. Stays where it is:
/// the driver keeps the addresses.
class JitCall {
 public:
  explicit JitCall(const JitOptions& options);
  JitCall(const JitCall&) = delete;
  JitCall& operator=(const JitCall&) = delete;

  unsigned int count() const { return static_cast<unsigned int>(keys_.size()); }
  CUjit_option* keys() { return keys_.data(); }
  void** values() { return values_.data(); }
  /// What has been written so far.
  JitLog log() const;

 private:
  std::vector<CUjit_option> keys_;
  std::vector<void*> values_;
  std::vector<char> information_;
  std::vector<char> errors_;
};

}  // namespace pycuda::cuda
