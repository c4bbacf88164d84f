// SPDX-License-Identifier: MIT
#include "cuda/kernel_names.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>
#include <string_view>

#include "cuda/parameter_types.h"

namespace pycuda::cuda {
namespace {

constexpr std::size_t kMostListed = 8;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Without the white space that separates no words.
std::string squeezed(std::string_view text) {
  std::string result;
  bool space = false;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      space = true;
      continue;
    }
    if (space && !result.empty() && is_word(result.back()) && is_word(c)) result += ' ';
    space = false;
    result += c;
  }
  return result;
}

/// Without the parameter list.
std::string_view bare(std::string_view name) {
  if (!name.ends_with(')')) return name;
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    depth += name[i] == ')' ? 1 : name[i] == '(' ? -1 : 0;
    if (depth == 0) return name.substr(0, i);
  }
  return name;
}

/// How many characters must be put in, left out or replaced.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
      const std::size_t replaced = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// The name that was meant perhaps, or nothing.
std::string closest(const std::vector<std::string>& names, const std::string& wanted) {
  constexpr std::size_t kMostCompared = 200;
  const std::string target(bare(squeezed(wanted)));
  std::string best;
  if (target.empty() || target.size() > kMostCompared) return best;
  // Two characters in the wrong order are two edits.
  const std::size_t most = std::max<std::size_t>(target.size() < 4 ? 1 : 2, target.size() / 3);
  std::size_t least = std::min(most, target.size() - 1) + 1;
  for (const std::string& name : names) {
    const std::string readable = readable_name(name);
    const std::string_view candidate = bare(readable);
    if (candidate.size() > kMostCompared) continue;
    const std::string given = squeezed(candidate);
    const std::size_t distance = std::min(edit_distance(target, given),
                                          edit_distance(target, given.substr(0, given.find('<'))));
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostListed); ++i) {
    text += (i == 0 ? "'" : ", '") + readable_name(names[i]) + "'";
  }
  if (names.size() > kMostListed) {
    text += " and " + std::to_string(names.size() - kMostListed) + " more";
  }
  return text;
}

/// Names of an unnamed namespace are those of the namespace around it.
std::string without_unnamed_namespaces(std::string name) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  for (std::size_t i; (i = name.find(kUnnamed)) != std::string::npos;) {
    name.erase(i, kUnnamed.size());
  }
  return name;
}

}  // namespace

std::vector<std::string> symbols_named(const std::vector<std::string>& names,
                                       const std::string& wanted) {
  const std::string target = squeezed(wanted);
  std::vector<std::string> found;
  for (const std::string& name : names) {
    const std::string whole = readable_name(name);
    const std::string readable = squeezed(whole);
    const std::string shorter = squeezed(without_unnamed_namespaces(whole));
    const bool is_wanted = readable == target || bare(readable) == target || shorter == target ||
                           bare(shorter) == target;
    if (is_wanted) found.push_back(name);
  }
  return found;
}

std::string no_such_symbol(const std::string& kind, const std::vector<std::string>& names,
                           const std::string& wanted) {
  const std::size_t line_end = wanted.find('\n');
  if (line_end != std::string::npos) {
    return "a text of several lines is no name of a " + kind + ": the module has " +
           (names.empty() ? "none" : listed(names));
  }
  std::string text = "no " + kind + " '" + wanted + "'";
  if (names.empty()) return text + ": the module has no " + kind + "s";
  text += ": the module has " + listed(names);
  const std::string meant = closest(names, wanted);
  return meant.empty() ? text : text + "; did you mean '" + meant + "'?";
}

std::string ambiguous_symbol(const std::string& kind, const std::vector<std::string>& found,
                             const std::string& wanted) {
  return "several " + kind + "s are named '" + wanted + "': " + listed(found);
}

}  // namespace pycuda::cuda
