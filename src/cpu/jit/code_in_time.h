// SPDX-License-Identifier: MIT
// A module's code, made soon: where vector forms take longer than anyone should wait for, first
// code without them.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "cpu/jit/object_cache.h"
#include "cpu/jit/program.h"
#include "cpu/jit/timed_work.h"
#include "cpu/ptx/diagnostic.h"
#include "cpu/ptx/module.h"

namespace pycuda::cpu::jit {

using Code = base::Result<std::shared_ptr<const CompiledProgram>, ptx::Diagnostics>;

/// Code that was still being made when nobody waited for it any longer.
class LateCode {
 public:
  /// Blocking, with checkpoints; any thread.
  Code wait();

  /// Of whoever makes it. Calls `keep` with the code, or where that is there already neither it nor
  /// what else would be kept meanwhile.
  void set(Code code, const std::function<void(const CompiledProgram&)>& keep);
  bool keep_meanwhile(const std::function<void()>& keep);
  void set_work(std::shared_ptr<TimedWork> work) { work_ = std::move(work); }
  TimedWork& work() { return *work_; }

 private:
  std::shared_ptr<TimedWork> work_;
  std::mutex mutex_;  ///< protects `code_`, and is held while either is kept: the better one stays
  std::optional<Code> code_;
};

struct CodeInTime {
  Code code;
  /// If the kernels of `code` are KernelFacts::vectors_later because they took too long: what has
  /// their vector forms.
  std::shared_ptr<LateCode> late;
};

/// Compiles `parsed` as the options say (Options::aside: who compiles what may take long), adds
/// what `rest` holds beside kernels and object code, and stores it under `key` in the disk cache if
/// the options name a folder; likewise later what comes late. Blocking, any thread.
CodeInTime code_in_time(const std::shared_ptr<const ptx::Module>& parsed, const Options& options,
                        const std::string& key, const CompiledProgram& rest);

}  // namespace pycuda::cpu::jit
