// SPDX-License-Identifier: MIT
// The kernels that a source declares, by a reading of its tokens: no templates, no macros.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pycuda::rtc {

/// Finds `__global__` functions in a source that is read token by token (names and numbers whole,
/// other characters one by one). What it is not sure of, it leaves out.
class KernelNameFinder {
 public:
  void token(std::string_view token);
  /// Qualified names ("k", "space::k"), each once, in the source's order.
  std::vector<std::string> take() { return std::move(found_); }

 private:
  void open_brace();
  void read_declarator(std::string_view token);
  void note(const std::string& name);

  std::vector<std::string> scopes_;  ///< open braces: a namespace's name, "" or kOpaque
  std::string space_;                ///< what stands behind `namespace`, as far as it was read
  std::string last_;
  std::string last_but_one_;
  bool in_namespace_head_ = false;
  bool in_template_ = false;    ///< since the statement's begin
  bool in_linkage_ = false;     ///< `extern "C"` was read
  bool in_declarator_ = false;  ///< between `__global__` and the parameter list
  int attribute_depth_ = 0;     ///< parentheses behind __launch_bounds__ and its like
  std::vector<std::string> found_;
};

}  // namespace pycuda::rtc
