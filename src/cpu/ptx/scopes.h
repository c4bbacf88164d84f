// SPDX-License-Identifier: MIT
// The names that are visible at a place inside a function.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

struct LocalName {
  enum class Kind : std::uint8_t {
    Register,
    Variable,
    ModuleVariable,  ///< Module::variables: a .global or .const variable of the function
    Parameter,
    ReturnParameter,
    Prototype,      ///< Function::prototypes
    BranchTargets,  ///< a list kept by the function's parser
    CallTargets,    ///< likewise
  } kind{};
  std::uint32_t index = 0;
};

/// The scopes of one function, innermost last. Names point into the parsed text.
class Scopes {
 public:
  void open();
  /// Labels that this scope used but did not define are left to the enclosing one.
  void close();
  std::size_t depth() const { return scopes_.size(); }

  /// False when the innermost scope has the name already.
  bool add(std::string_view name, LocalName what);
  /// Registers `prefix`0 ... `prefix`(count - 1), numbered from `first`.
  bool add_range(std::string_view prefix, std::uint32_t count, RegisterId first);
  std::optional<LocalName> find(std::string_view name) const;

  /// The label of that name, defined or not; `position` is where it is used.
  LabelId use_label(std::string_view name, SourcePosition position);
  /// Nothing when the innermost scope has defined it already.
  std::optional<LabelId> define_label(std::string_view name);

  /// Whether the innermost scope has defined a label of that name.
  bool defines_label(std::string_view name) const;
  /// Whether the innermost scope has a prototype or a list of targets of that name.
  bool names_list(std::string_view name) const;

  struct Undefined {
    std::string_view name;
    SourcePosition position;
  };
  /// After the last scope was closed: labels that nothing defines.
  const std::vector<Undefined>& undefined_labels() const { return undefined_; }
  /// After the last scope was closed: what a label that was used is the same as.
  LabelId resolved(LabelId label) const;
  std::uint32_t label_count() const { return static_cast<std::uint32_t>(labels_.size()); }
  bool is_defined(LabelId label) const { return labels_[label].defined; }
  std::string_view label_name(LabelId label) const { return labels_[label].name; }

 private:
  struct Range {
    std::string_view prefix;
    std::uint32_t count;
    RegisterId first;
  };
  struct Scope {
    std::unordered_map<std::string_view, LocalName> names;
    std::vector<Range> ranges;
    std::unordered_map<std::string_view, LabelId> labels;
  };
  struct LabelState {
    std::string_view name;
    SourcePosition first_use;
    LabelId same_as;
    bool defined = false;
  };
  static std::optional<RegisterId> find_in_ranges(const Scope& scope, std::string_view name);
  LabelId new_label(std::string_view name, SourcePosition position);

  std::vector<Scope> scopes_;
  std::vector<LabelState> labels_;
  std::vector<Undefined> undefined_;
};

}  // namespace pycuda::cpu::ptx
