// SPDX-License-Identifier: MIT
// Register ranges are looked up by their prefix, so that %r<5000> costs no table entries.
#include "cpu/ptx/scopes.h"

#include <charconv>

namespace pycuda::cpu::ptx {

void Scopes::open() { scopes_.emplace_back(); }

void Scopes::close() {
  const Scope closed = std::move(scopes_.back());
  scopes_.pop_back();
  for (const auto& [name, label] : closed.labels) {
    if (labels_[label].defined) continue;
    if (scopes_.empty()) {
      undefined_.push_back({name, labels_[label].first_use});
      continue;
    }
    const auto [outer, is_new] = scopes_.back().labels.emplace(name, label);
    if (!is_new) labels_[label].same_as = outer->second;
  }
}

bool Scopes::add(std::string_view name, LocalName what) {
  Scope& scope = scopes_.back();
  if (find_in_ranges(scope, name)) return false;
  return scope.names.emplace(name, what).second;
}

bool Scopes::add_range(std::string_view prefix, std::uint32_t count, RegisterId first) {
  for (const Range& range : scopes_.back().ranges) {
    if (range.prefix == prefix) return false;
  }
  const Scope added{{}, {{prefix, count, first}}, {}};
  for (const auto& [name, what] : scopes_.back().names) {
    if (find_in_ranges(added, name)) return false;
  }
  scopes_.back().ranges.push_back({prefix, count, first});
  return true;
}

std::optional<RegisterId> Scopes::find_in_ranges(const Scope& scope, std::string_view name) {
  if (scope.ranges.empty() || name.empty() || name.back() < '0' || name.back() > '9') {
    return std::nullopt;
  }
  for (const Range& range : scope.ranges) {
    if (name.size() <= range.prefix.size() || !name.starts_with(range.prefix)) continue;
    const char* begin = name.data() + range.prefix.size();
    const char* end = name.data() + name.size();
    std::uint32_t number = 0;
    const auto [stop, error] = std::from_chars(begin, end, number);
    if (error == std::errc{} && stop == end && number < range.count) {
      return range.first + number;
    }
  }
  return std::nullopt;
}

std::optional<LocalName> Scopes::find(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->names.find(name); found != scope->names.end()) {
      return found->second;
    }
    if (const auto reg = find_in_ranges(*scope, name)) {
      return LocalName{LocalName::Kind::Register, *reg};
    }
  }
  return std::nullopt;
}

LabelId Scopes::new_label(std::string_view name, SourcePosition position) {
  const LabelId label = label_count();
  labels_.push_back({name, position, label});
  scopes_.back().labels.emplace(name, label);
  return label;
}

LabelId Scopes::use_label(std::string_view name, SourcePosition position) {
  const auto found = scopes_.back().labels.find(name);
  return found != scopes_.back().labels.end() ? found->second : new_label(name, position);
}

std::optional<LabelId> Scopes::define_label(std::string_view name) {
  const LabelId label = use_label(name, {});
  if (labels_[label].defined) return std::nullopt;
  labels_[label].defined = true;
  return label;
}

bool Scopes::defines_label(std::string_view name) const {
  const auto found = scopes_.back().labels.find(name);
  return found != scopes_.back().labels.end() && labels_[found->second].defined;
}

bool Scopes::names_list(std::string_view name) const {
  const auto found = scopes_.back().names.find(name);
  if (found == scopes_.back().names.end()) return false;
  const LocalName::Kind kind = found->second.kind;
  return kind == LocalName::Kind::Prototype || kind == LocalName::Kind::BranchTargets ||
         kind == LocalName::Kind::CallTargets;
}

LabelId Scopes::resolved(LabelId label) const {
  while (labels_[label].same_as != label) label = labels_[label].same_as;
  return label;
}

}  // namespace pycuda::cpu::ptx
