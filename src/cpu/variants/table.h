// SPDX-License-Identifier: MIT
// For one kernel: its compiled code, what is being compiled, and when more is worth compiling.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "cpu/kernel_abi/kernel.h"
#include "cpu/variants/compile_job.h"
#include "cpu/variants/variant.h"

namespace pycuda::cpu::variants {

/// Why a kernel that passed its module's checks cannot be run.
struct KernelFailure {
  enum class Stage { Compile, Link } stage;
  std::string message;  ///< names the kernel
};

using Made = base::Result<const Kernel*, KernelFailure>;

/// What makes the code of a module's kernels, by their numbers.
struct Source {
  /// Compiles and links the variant, or a makeshift (KernelFacts::is_makeshift) where that takes
  /// long. Called once at a time for each; what comes back lives as long as the tables. Blocking,
  /// any thread.
  std::function<Made(std::size_t kernel, Variant variant)> make;
  /// The compiling alone, to its end: `make` finds it done then and makes no makeshift. For a
  /// thread that may outlive the module.
  std::function<std::function<void()>(std::size_t kernel, Variant variant)> compilation;
};

/// Who compiles what no launch waits for. Without it nothing is compiled but what is asked for.
struct Background {
  Spawn soon;           ///< for work that a call waits for, or may
  Spawn usual;          ///< for code that is several times as fast as what runs until it is there
  Spawn later;          ///< for all other work
  double patience = 1;  ///< PYCUDA_CPU_PATIENCE
  std::weak_ptr<const void> owner;  ///< holds the module: nothing is linked once it is gone
};

/// Any thread may call anything. What is Ready stays so, and its code where it is: other code takes
/// the place of a makeshift, which what has begun may still run.
class Table {
 public:
  /// `kernel` is the source's number of it. Both references outlive this.
  Table(const Source& source, const Background& background, std::size_t kernel)
      : source_(source), background_(background), kernel_(kernel) {}

  State state(Variant variant) const {
    return entry(variant).state.load(std::memory_order_acquire);
  }
  /// The code of a variant that is Ready, or null.
  const Kernel* ready(Variant variant) const {
    return entry(variant).code.load(std::memory_order_acquire);
  }
  /// Code that has this form, if any is Ready. A makeshift only where there is no other.
  const Kernel* with(Form form) const;
  /// Whether the variant may still come.
  bool may_come(Variant variant) const {
    return state(variant) == State::Missing || state(variant) == State::Making;
  }

  /// How far code that runs in vectors is, if the first code is baseline code.
  State vector_state() const;

  /// Before anyone can launch the kernel: `first` is its first code. Vector code is estimated to
  /// take `compile_time`; `is_coming`: what is better than the first is being compiled already.
  void open(const Kernel& first, std::chrono::nanoseconds compile_time, bool is_coming);
  std::chrono::nanoseconds compile_time() const { return compile_time_; }
  const Background& background() const { return background_; }

  /// The code of this variant, compiled and linked if it is not yet. Blocking. A failure is for
  /// ever.
  Made make(Variant variant);
  /// The same on another thread, begun by the first call. Null where there is none for it.
  std::shared_ptr<CompileJob> begin(Variant variant, const Spawn& spawn);
  /// A launch that `variant` would have been for has run for so long: it is begun when that is
  /// worth it.
  void add_run_time(Variant variant, std::chrono::nanoseconds time);
  /// For add_run_time: after so much run time from now on.
  void begin_after(Variant variant, std::chrono::nanoseconds run_time);

 private:
  struct Entry {
    std::atomic<State> state{State::Missing};
    std::atomic<const Kernel*> code{nullptr};
  };
  /// Of a variant that was requested.
  struct Making {
    std::mutex mutex;  ///< held while it is made; protects `failure`
    std::optional<KernelFailure> failure;
    std::shared_ptr<CompileJob> job;  ///< under the table's mutex
  };

  const Entry& entry(Variant variant) const { return entries_[variant.index()]; }
  Entry& entry(Variant variant) { return entries_[variant.index()]; }
  Making& making(Variant variant);
  void settle(Variant variant, Making& making, const Made& made);
  bool schedule(Variant variant, bool is_coming);
  void make_in_background(Variant variant, std::chrono::steady_clock::time_point began);
  void fail_in_background(Variant variant);
  void replace_in_background(Variant variant);
  void keep_makeshift(const std::string& failure) const;
  KernelFailure out_of_memory() const;
  const Kernel* with_usual(Form form) const;
  std::string name() const { return "kernel '" + ready(Variant::first())->facts.name + "'"; }
  /// Of variants that are begun once their kernel has run for so long.
  std::atomic<std::int64_t>& run_time_left(Variant variant) {
    return run_time_left_[variant.index()];
  }

  const Source& source_;
  const Background& background_;
  const std::size_t kernel_;
  std::chrono::nanoseconds compile_time_{0};
  std::array<Entry, Variant::count> entries_;
  /// Until those variants are begun; 0 or less: never, or they are.
  std::array<std::atomic<std::int64_t>, Variant::usual().index() + 1> run_time_left_{};
  std::mutex mutex_;  ///< protects the list, not what is in it
  std::map<Variant, Making> makings_;
};

}  // namespace pycuda::cpu::variants
