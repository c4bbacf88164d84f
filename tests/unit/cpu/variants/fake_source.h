// SPDX-License-Identifier: MIT
// A compiler that makes codes of facts alone, for tests of who asks for which, and when.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "cpu/variants/table.h"
#include "unit/cpu/variants/late_thread.h"

namespace pycuda::cpu::variants::testing {

/// Of a kernel that runs in gangs of 32, with the forms that whole gangs need.
inline KernelFacts gang_code() {
  KernelFacts facts;
  facts.name = "k";
  facts.gang_lanes = 32;
  facts.forms = Form::Gangs;
  return facts;
}

inline KernelFacts baseline_code() {
  KernelFacts facts;
  facts.name = "k";
  facts.is_baseline = true;
  return facts;
}

inline KernelFacts makeshift_code() {
  KernelFacts facts = baseline_code();
  facts.is_makeshift = true;
  return facts;
}

class FakeSource {
 public:
  /// A table whose first code is this one. Its other codes take so long.
  explicit FakeSource(const KernelFacts& facts, Background workers = {},
                      std::chrono::nanoseconds compile_time = std::chrono::nanoseconds(1),
                      Streaming streaming = Streaming::Never)
      : background(std::move(workers)), table(source, background, 0) {
    first.facts = facts;
    first.table = &table;
    first.streaming = streaming;
    table.open(first, compile_time, false);
  }

  Made make(Variant variant) {
    const std::lock_guard lock(mutex);
    ++asked[variant];
    if (failing.contains(variant))
      return KernelFailure{KernelFailure::Stage::Compile, "kernel 'k' could not be compiled"};
    Kernel& made = codes.emplace_back();
    made.facts = gang_code();
    made.table = &table;
    if (variant == Variant::usual()) made.facts = usual;
    if (variant.is_form()) made.facts.forms = variant.form();
    if (variant == Variant::of(Form::Threads)) made.facts.gang_lanes = 0;
    if (in_a_hurry.contains(variant)) made.facts.is_makeshift = made.facts.is_baseline = true;
    if (variant == Variant::of(Form::Tails)) made.facts.forms = made.facts.forms | Form::Gangs;
    if (variant == Variant::of(Form::ShortRows)) {
      made.facts.gang_lanes = short_row;
      made.facts.forms = Forms(Form::Gangs) | Form::Tails;
    }
    return &made;
  }

  const Background background;
  const Source source{[this](std::size_t, Variant variant) { return make(variant); },
                      [this](std::size_t, Variant) { return [this] { compile(); }; }};
  Table table;
  Kernel first;
  std::function<void()> compile = [] {};  ///< what a thread in the background does before it links
  KernelFacts usual = gang_code();
  std::set<Variant> failing, in_a_hurry;
  std::map<Variant, int> asked;
  std::deque<Kernel> codes;
  std::mutex mutex;  ///< protects `asked` and `codes`
};

}  // namespace pycuda::cpu::variants::testing
