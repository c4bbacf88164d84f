// SPDX-License-Identifier: MIT
// Writes the text of one reducing kernel.
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
  /// Reduced elements anywhere.
  std::string scattered_lanes() const;
  std::string lanes() const;
  /// The same for a processor, without packs: each part reads a stretch of its own. A prefetcher
  /// ends at the end of a page, so several pages at a time keep more of memory busy.
  std::string streams() const;

  /// The loop of a thread over its columns' elements. `checked`: some columns may be beyond the
  /// last one.
  std::string column_loop(bool checked) const;
  std::string columns() const;

  static constexpr int parts = 4;
  const ReductionKey& key_;
  const bool finds_;
  const bool seeks_;  ///< compares elements, not positions found before
  const std::size_t arrays_;
};

}  // namespace pycuda::array
