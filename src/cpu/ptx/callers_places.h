// SPDX-License-Identifier: MIT
// Places in the program for code that was inlined from headers that are not the user's: CUDA's,
// NVRTC's own, which is not in a file, and this package's for texture references.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace pycuda::cpu::ptx {

/// As .loc has it.
struct FilePlace {
  std::uint32_t file = 0, line = 0, column = 0;
  auto operator<=>(const FilePlace&) const = default;
};

class CallersPlaces {
 public:
  /// Of a module's text, which outlives this.
  explicit CallersPlaces(std::string_view text) : text_(text) {}

  /// The place of the call, if `at` is in such a header, else `at`.
  FilePlace of(const FilePlace& at, const FilePlace& inlined_at);

 private:
  std::string_view text_;
  std::optional<std::vector<std::uint32_t>> headers_;  ///< their numbers, once they are needed
  std::map<FilePlace, FilePlace> inlined_;             ///< places in the headers that a .loc had
};

}  // namespace pycuda::cpu::ptx
