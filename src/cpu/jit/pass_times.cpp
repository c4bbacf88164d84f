// SPDX-License-Identifier: MIT
#include "cpu/jit/pass_times.h"

#include <llvm/IR/PassInstrumentation.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "base/log.h"
#include "cpu/jit/thread_time.h"

namespace pycuda::cpu::jit {

PassTimes::PassTimes(llvm::PassInstrumentationCallbacks& callbacks) : counted_(thread_time()) {
  const auto starts = [this](llvm::StringRef name, const llvm::Any&) { begin(name); };
  callbacks.registerBeforeNonSkippedPassCallback(starts);
  callbacks.registerBeforeAnalysisCallback(starts);
  callbacks.registerAfterPassCallback(
      [this](llvm::StringRef, const llvm::Any&, const llvm::PreservedAnalyses&) { end(); });
  // Where a pass has removed the function or the loop it ran on.
  callbacks.registerAfterPassInvalidatedCallback(
      [this](llvm::StringRef, const llvm::PreservedAnalyses&) { end(); });
  callbacks.registerAfterAnalysisCallback([this](llvm::StringRef, const llvm::Any&) { end(); });
}

PassTimes::~PassTimes() {
  using Row = std::pair<std::string, Total>;
  std::vector<Row> rows;
  std::chrono::nanoseconds all{};
  for (const auto& entry : totals_) {
    rows.emplace_back(entry.getKey().str(), entry.getValue());
    all += entry.getValue().time;
  }
  std::ranges::sort(rows, std::ranges::greater(), [](const Row& row) { return row.second.time; });
  for (const auto& [name, total] : rows) {
    if (total.time * 100 < all) break;
    char text[160];
    std::snprintf(text, sizeof text, "pass %.80s: %.2f ms, %u runs", name.c_str(),
                  milliseconds(total.time), total.runs);
    base::log(base::LogLevel::Debug, text);
  }
}

/// What has passed since the last call belongs to the innermost pass that runs.
void PassTimes::count_time() {
  const auto now = thread_time();
  if (!running_.empty()) running_.back()->time += now - counted_;
  counted_ = now;
}

void PassTimes::begin(llvm::StringRef name) {
  count_time();
  Total& total = totals_[name];
  ++total.runs;
  running_.push_back(&total);
}

void PassTimes::end() {
  count_time();
  if (!running_.empty()) running_.pop_back();
}

}  // namespace pycuda::cpu::jit
