// SPDX-License-Identifier: MIT
// The kernels that a source declares, and its enumerations, found in its tokens: no templates, no
// macros.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pycuda::rtc {

/// Finds `__global__` functions in a source that is read token by token (names and numbers whole,
/// other characters one by one). What it is not sure of, it leaves out.
class KernelNameFinder {
 public:
  void token(std::size_t begin, std::string_view token);
  /// Qualified names ("k", "space::k"; of enumerations "enum space::e"), each once, in the source's
  /// order.
  std::vector<std::string> take() { return std::move(found_); }
  /// Where `extern "C"` may be put so that their names are plain: offsets, ascending. Not for those
  /// that have it or are static.
  std::vector<std::size_t> take_places() { return std::move(places_); }

 private:
  void open_brace();
  void read_declarator(std::string_view token);
  void read_statement(std::size_t begin, std::string_view token);
  void read_enumeration(std::string_view token);
  bool is_in_namespace() const;
  void note(std::string_view prefix, const std::string& name);

  std::vector<std::string> scopes_;  ///< open braces: a namespace's name, "" or kOpaque
  std::string space_;                ///< what stands behind `namespace`, as far as it was read
  std::string last_;
  std::string last_but_one_;
  bool in_namespace_head_ = false;
  bool in_template_ = false;     ///< since the statement's begin
  bool in_linkage_ = false;      ///< `extern "C"` was read
  bool in_enumeration_ = false;  ///< between `enum` and what stands behind its name
  std::string enumeration_;
  bool in_declarator_ = false;  ///< between `__global__` and the parameter list
  int attribute_depth_ = 0;     ///< parentheses behind __launch_bounds__ and its like
  static constexpr std::size_t kNoPlace = static_cast<std::size_t>(-1);
  std::size_t statement_ = 0;     ///< where it begins, if `at_statement_`
  bool at_statement_ = false;     ///< something of it was read
  bool has_linkage_ = false;      ///< `static` or `extern` was
  bool only_specifiers_ = true;   ///< that may stand behind `extern "C"`
  int statement_depth_ = 0;       ///< parentheses and brackets
  std::size_t place_ = kNoPlace;  ///< of the declaration that is read
  std::vector<std::string> found_;
  std::vector<std::size_t> places_;
};

}  // namespace pycuda::rtc
