// SPDX-License-Identifier: MIT
// The room for what the checks find: one entry for each place of the program, however often it
// happens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cpu/exec/fault.h"
#include "cpu/exec/finding_situation.h"
#include "cpu/exec/launch_context.h"
#include "cpu/kernel_abi/checks.h"

namespace pycuda::cpu::exec {

/// One of the accesses or calls that a finding is about.
struct FoundPlace {
  std::string file;        ///< of the user's program where that is known; may be empty
  std::uint32_t line = 0;  ///< 0: not known
  std::string place;       ///< as messages name it: " at program.py:12"; may be empty
  std::string source;      ///< the line itself; may be empty
  std::string above;       ///< the few lines before it, as SourceLine has them
  std::string whole;       ///< the line where `source` is shortened; else empty
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
  std::string access;        ///< "write of 4 bytes"; empty when it is not an access
  std::string kernel;        ///< if that is another one than the finding's, or has another stream
  std::string stream;        ///< of races between streams
  bool is_transfer = false;  ///< a copy or a fill by the host's order: no kernel, block or thread
};

struct Finding {
  Check check{};
  std::string kernel;
  FoundPlace at;
  std::optional<FoundPlace> other;
  std::string message;        ///< what is wrong, in a sentence or two without the places
  bool ended_launch = false;  ///< the error that the program gets says the same
  std::string remedy;         ///< what to do about it, set by Findings::add; may be empty
};

/// What identifies a finding. The same twice is one.
struct FindingKey {
  Check check{};
  const void* kernel = nullptr;  ///< whose line it is
  std::uint32_t line = 0, file = 0, other_line = 0, other_file = 0;
  std::uint32_t kind = 0;  ///< of those of the check
  bool operator==(const FindingKey&) const = default;
};

/// Any thread.
class Findings {
 public:
  static Findings& instance();

  /// True for the first of these; later ones are counted. Above the limit nothing is the first.
  bool is_new(const FindingKey& key);
  /// Keeps it, and writes it to the standard error stream unless findings are collected. Also
  /// appends it to the file of PYCUDA_CPU_CHECK_REPORT, a line of JSON each.
  void add(Finding finding, const FindingSituation& situation = {});
  /// Whether a file is written: what PYCUDA_CPU_CHECK_REPORT names.
  static bool has_report();
  /// Appends a line to it: a launch that failed without a finding that says so.
  void add_to_report(const std::string& json);
  /// Gives all that are kept, and forgets them and their keys. `left_out`: how many places were
  /// above the limit.
  std::vector<Finding> take(std::uint64_t* left_out);
  /// While findings are collected, they are not printed.
  void collect(bool collects);

  /// Adds the leaks, and prints how many findings there were if there are any.
  void end();

  static constexpr std::size_t limit = 100;

 private:
  Findings() = default;
  struct State;
  static State& state();
};

/// Where `thread` of `block` stands in the user's program.
FoundPlace place_of(const LaunchContext& launch, const BlockFrame& block, const Dim3& thread,
                    std::uint32_t line, std::uint32_t file);

/// What a check finds of one thread where that stands: without access and message. Null if it has
/// found something in this line before.
std::optional<Finding> new_finding(Check check, const LaunchContext& launch,
                                   const BlockFrame& block, const ThreadFrame& thread);

/// As it is printed, with a newline at the end of each line.
std::string finding_text(const Finding& finding);
/// A JSON object on one line.
std::string finding_json(const Finding& finding);
/// The same of a fault that ended a launch. With `check` it names one, as a finding does.
std::string fault_json(const LaunchContext& launch, const Fault& fault, std::string_view check);

}  // namespace pycuda::cpu::exec
