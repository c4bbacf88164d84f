// SPDX-License-Identifier: MIT
// A module's code by a deadline: where it takes longer than anyone should wait for, baseline code
// first.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cpu/jit/object_cache.h"
#include "cpu/jit/program.h"
#include "cpu/ptx/module.h"
#include "cpu/variants/compile_job.h"

namespace pycuda::cpu::jit {

/// Code that was still being compiled when its deadline passed.
struct LateCode {
  std::shared_ptr<variants::CompileJob> job;
  std::optional<Code> code;  ///< once the job is done

  /// Blocking, with checkpoints; any thread.
  Code wait() const {
    job->wait();
    return *code;
  }
};

struct CodeByDeadline {
  Code code;
  std::shared_ptr<const LateCode> late;  ///< if `code` is baseline code (KernelFacts::is_baseline)
};

/// Compiles `parsed` as the options say (Options::background: who compiles what may take long),
/// adds what `rest` holds beside kernels and object code, and stores it in the disk cache if the
/// options name a folder; `digest` is that of the text. Likewise baseline code, under a key of its
/// own: who finds that knows that the deadline would pass, and waits no more. Blocking, any thread.
CodeByDeadline compile_by_deadline(const std::shared_ptr<const ptx::Module>& parsed,
                                   const Options& options, const std::string& digest,
                                   const CompiledProgram& rest);

}  // namespace pycuda::cpu::jit
