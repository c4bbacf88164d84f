// SPDX-License-Identifier: MIT
#include "cpu/exec/findings.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>

#include "base/env.h"
#include "cpu/exec/check_settings.h"
#include "cpu/exec/finding_remedies.h"
#include "cpu/exec/leaks.h"

namespace pycuda::cpu::exec {
namespace {

auto order_of(const FindingKey& key) {
  return std::tuple(key.check, key.kernel, key.line, key.file, key.other_line, key.other_file,
                    key.kind);
}

struct Before {
  bool operator()(const FindingKey& left, const FindingKey& right) const {
    return order_of(left) < order_of(right);
  }
};

std::uint64_t hash_of(const FindingKey& key, std::uint64_t generation) {
  std::uint64_t hash = generation;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(key.check), reinterpret_cast<std::uint64_t>(key.kernel),
        std::uint64_t{key.line} << 32 | key.file,
        std::uint64_t{key.other_line} << 32 | key.other_file, std::uint64_t{key.kind}}) {
    hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash | 1;  // 0: none
}

const std::string& report_path() {
  static const std::string path =
      base::environment("PYCUDA_CPU_CHECK_REPORT").value_or(std::string());
  return path;
}

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

}  // namespace

struct Findings::State {
  void sum_up() const {
    const std::uint64_t number = printed + told_by_errors;
    if (number == 0 && printed_left_out == 0) return;
    std::string text = "pycuda: " + std::to_string(number) + " finding" + (number == 1 ? "" : "s") +
                       " (PYCUDA_CPU_CHECK)";
    if (printed_left_out != 0)
      text += ", and others at " + std::to_string(printed_left_out) + " more places";
    print(text + "\n");
  }

  std::atomic<std::uint64_t> generation{1};            ///< grows when keys are forgotten
  std::array<std::atomic<std::uint64_t>, 256> seen{};  ///< hashes of keys, by the hash
  std::mutex mutex;                                    ///< protects the rest
  std::set<FindingKey, Before> known;
  std::vector<Finding> kept;
  std::uint64_t left_out = 0;
  std::uint64_t printed = 0;
  std::uint64_t told_by_errors = 0;  ///< of launches that ended with them, since the last collector
  std::uint64_t printed_left_out = 0;
  bool collects = false;

  void forget() {
    known.clear();
    generation.fetch_add(1, std::memory_order_relaxed);
  }
};

/// Never destroyed: kernels may run while the process ends.
Findings::State& Findings::state() {
  static State* const only = new State;
  return *only;
}

Findings& Findings::instance() {
  static Findings findings;
  return findings;
}

bool Findings::is_new(const FindingKey& key) {
  State& own = state();
  // The same line comes again and again.
  const std::uint64_t hash = hash_of(key, own.generation.load(std::memory_order_relaxed));
  std::atomic<std::uint64_t>& seen = own.seen[hash % own.seen.size()];
  if (seen.load(std::memory_order_relaxed) == hash) return false;
  const std::lock_guard lock(own.mutex);
  seen.store(hash, std::memory_order_relaxed);
  if (!own.known.insert(key).second) return false;
  if (own.known.size() <= limit) return true;
  ++(own.collects ? own.left_out : own.printed_left_out);
  return false;
}

bool Findings::has_report() { return !report_path().empty(); }

void Findings::add_to_report(const std::string& json) {
  const std::lock_guard lock(state().mutex);
  if (has_report()) std::ofstream(report_path(), std::ios::app) << json + "\n";
}

void Findings::add(Finding finding, const FindingSituation& situation) {
  finding.remedy = remedy_of(finding, situation);
  if (has_report()) add_to_report(finding_json(finding));
  State& own = state();
  const std::lock_guard lock(own.mutex);
  if (own.collects) {
    own.kept.push_back(std::move(finding));
    return;
  }
  // The error that ended the launch is told by whoever waits for it.
  if (finding.ended_launch) {
    ++own.told_by_errors;
    return;
  }
  print(finding_text(finding));
  ++own.printed;
}

std::vector<Finding> Findings::take(std::uint64_t* left_out) {
  State& own = state();
  const std::lock_guard lock(own.mutex);
  *left_out = std::exchange(own.left_out, 0);
  own.forget();
  return std::exchange(own.kept, {});
}

void Findings::collect(bool collects) {
  State& own = state();
  const std::lock_guard lock(own.mutex);
  // What was printed before is to be found again.
  own.forget();
  own.collects = collects;
  // The program looks after its findings, and it got these as errors.
  if (collects) own.told_by_errors = 0;
}

void Findings::end() {
  report_leaks();
  State& own = state();
  const std::lock_guard lock(own.mutex);
  own.sum_up();
}

namespace {

/// When the library is unloaded, or after the program's last destructor.
[[gnu::destructor]] void end_of_library() { Findings::instance().end(); }

}  // namespace

}  // namespace pycuda::cpu::exec
