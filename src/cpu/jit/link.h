// SPDX-License-Identifier: MIT
// Object code into this process.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace pycuda::cpu::jit {

/// One object file, linked and executable. Its memory goes back when the owner dies.
class LinkedObject {
 public:
  /// Links `object` against `symbols` (name, address) and the runtime calls, and makes it
  /// executable. Any thread.
  static base::Result<std::unique_ptr<LinkedObject>> link(
      const std::string& object, const std::vector<std::pair<std::string, void*>>& symbols);
  ~LinkedObject();

  /// The address of a symbol that the object defines, or null.
  void* find(std::string_view name) const;

  struct State;

 private:
  explicit LinkedObject(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pycuda::cpu::jit
