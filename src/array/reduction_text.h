// SPDX-License-Identifier: MIT
// Generates the source of one reduction kernel.
#pragma once

#include <cstddef>
#include <string>

#include "array/kernel_source.h"
#include "array/kernel_text.h"

namespace pycuda::array {

class ReductionText {
 public:
  explicit ReductionText(const ReductionKey& key)
      : key_(key),
        finds_(finds_position(key.op)),
        seeks_(finds_ && !key.partial_input),
        arrays_(takes_two(key.op) && !key.partial_input ? 2 : 1) {}

  std::string text() const;

 private:
  std::string parameters() const;
  /// Whether eight blocks shall fit on a multiprocessor, as the plan of one long reduction assumes:
  /// some of its blocks would run after all others. That leaves 32 registers, without spills where
  /// little is kept.
  bool all_at_once() const;

  /// take(all, the element of each array that `read(k)` says, at position i).
  template <class Read>
  std::string take(const std::string& all, const std::string& position, Read&& read) const {
    if (seeks_)
      return "take(" + all + ", cast<T>(" + read(std::size_t{0}) + "), " + position + ");";
    return "take(" + all + ", " + read(std::size_t{0}) +
           (arrays_ == 2 ? ", " + read(std::size_t{1}) : std::string()) + ");";
  }

  std::string offsets(const std::string& prefix) const;
  /// Lines that declare v<k>, what lies at p<k> + `offset`<k>.
  std::string load(const std::string& offset) const;
  static std::string loaded(std::size_t k) { return "v" + number(k); }
  /// `part[0..count)` become part[0].
  static std::string join(int count);
  static std::string bounds();
  /// The result comes after the inputs: its offset is o<arrays_>.
  std::string store(const std::string& total, const std::string& offset) const;
  std::string kept_offsets(const std::string& linear) const;

  /// Reduced elements that lie side by side, in packs.
  std::string dense_lanes() const;
  /// Reduced elements anywhere: lines that take number i of them, and all.
  std::string take_scattered(const std::string& all) const;
  std::string scattered_lanes() const;
  /// The head of the loop over what is left of the elements in batches: fewer than `parts` trips.
  std::string left_over_loop(const std::string& head) const;
  std::string lanes() const;
  // For a processor.
  /// Reduced elements that lie side by side, most of them: each part reads a stretch of its own.
  std::string streams() const;
  /// Rows side by side: where each is, its elements, its results.
  std::string rows() const;
  std::string elements_of_rows() const;
  /// Few elements, without a loop.
  std::string once() const;
  std::string first_found() const;
  std::string last_found() const;
  /// Columns, without positions.
  std::string bands() const;
  std::string rows_of_band(int rows) const;
  std::string band_of(int rows) const;
  std::string in_band(std::size_t k, const std::string& u, const std::string& c) const;
  /// A function: what one element is before it is combined with others.
  std::string element() const;
  bool is_float_extreme() const;
  /// Whether x[0..count) are numbers.
  static std::string whole(int count);
  std::string better(const std::string& x, const std::string& best) const;
  /// A line that makes x of the elements `from`[0..count).
  static std::string values(int count, const std::string& from);

  /// The loop of a thread over its columns' elements. `checked`: some columns may be beyond the
  /// last one.
  std::string column_loop(bool checked) const;
  std::string columns() const;

  static constexpr int parts = 4;
  static constexpr int band_rows = 8;
  const ReductionKey& key_;
  const bool finds_;
  const bool seeks_;  ///< compares elements, not positions found before
  const std::size_t arrays_;
};

}  // namespace pycuda::array
