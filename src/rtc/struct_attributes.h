// SPDX-License-Identifier: MIT
// `struct { ... } __align__(16) name;`: nvcc applies an attribute after the closing brace to the
// struct, NVRTC to the name or to nothing, so the struct gets another size. A copy of the attribute
// after the keyword means the same to both.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pycuda::rtc {

/// One attribute behind the closing brace of a struct, class or union.
struct StructAttribute {
  std::size_t keyword_end = 0;  ///< offset behind the struct's keyword
  std::size_t begin = 0;        ///< offset of the attribute
  std::size_t end = 0;
};

/// Finds them in a source that is read token by token.
class StructAttributeFinder {
 public:
  /// What follows the word in a line of `#define`.
  void define(std::string_view rest);
  void token(std::size_t begin, std::string_view token);
  std::vector<StructAttribute> take() { return std::move(found_); }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  bool is_attribute(std::string_view token) const;
  /// True while `token` belongs to what stands behind a struct's brace.
  bool behind_brace(std::size_t begin, std::string_view token);
  void close_brace();

  std::set<std::string, std::less<>> macros_;  ///< that stand for attributes
  std::vector<std::size_t> braces_;            ///< the keyword of each open one that has one
  std::size_t head_ = kNone;                   ///< the keyword of what may become a struct
  std::size_t closed_ = kNone;                 ///< the keyword of the struct that ended last
  StructAttribute attribute_;                  ///< the one that is being read
  bool reading_ = false;
  int parentheses_ = 0;
  std::string last_;
  std::vector<StructAttribute> found_;
};

/// The source with each behind its struct's keyword; what else there is stays in its line.
std::string place_struct_attributes(std::string_view source,
                                    const std::vector<StructAttribute>& attributes);

/// The compiler's log with the user's lines as the user wrote them.
void unplace_struct_attributes(std::string& log);

}  // namespace pycuda::rtc
