// SPDX-License-Identifier: MIT
// Links several pieces of device code into one module.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cuda/jit_options.h"
#include "cuda/module.h"
#include "cuda/owned.h"

namespace pycuda::cuda {

/// In the current context; usable for one link. Failures carry the linker's error log after " - ".
class Linker {
 public:
  explicit Linker(const JitOptions& options = {});

  void add_data(std::string_view data, CUjitInputType type, const std::string& name = "unknown");
  void add_file(const std::string& path, CUjitInputType type);
  /// The linked image, which lives as long as the linker.
  std::string_view complete();
  /// The linked image, loaded.
  ModulePtr link_module();
  /// What the linker has said so far.
  JitLog log() const { return call_->log(); }

 private:
  /// Throws with the linker's log; where that is empty, with `why`.
  void check(CUresult code, const char* routine, const std::string& why = {}) const;
  void check_addition(CUresult code, const char* routine, CUjitInputType type,
                      const std::string& name) const;

  std::unique_ptr<JitCall> call_;  // outlives the linker's state, which writes into it
  Owned<&driver::DriverTable::cuLinkDestroy> linker_;
};

}  // namespace pycuda::cuda
