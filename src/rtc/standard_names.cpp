// SPDX-License-Identifier: MIT
// nvcc takes a host's standard library, of which kernels may call what is constexpr. This package's
// own headers declare the names that kernels use most: for the rest there is libcu++, whose headers
// take too long to read to be included before it is known that they are needed.
#include "rtc/standard_names.h"

#include <algorithm>
#include <initializer_list>

namespace pycuda::rtc {
namespace {

struct Names {
  std::string_view header;                        ///< of libcu++, behind cuda/std/
  std::initializer_list<std::string_view> names;  ///< a final * stands for any end
};

const Names kNames[] = {
    {"array", {"array", "to_array"}},
    {"bit",
     {"bit_cast", "bit_ceil", "bit_floor", "bit_width", "byteswap", "countl_*", "countr_*",
      "endian", "has_single_bit", "popcount", "rotl", "rotr"}},
    {"bitset", {"bitset"}},
    {"charconv", {"chars_format", "from_chars*", "to_chars*"}},
    {"chrono", {"chrono"}},
    {"compare",
     {"compare_*", "is_eq", "is_gt", "is_gteq", "is_lt", "is_lteq", "is_neq", "partial_ordering",
      "strong_*", "three_way_comparable*", "weak_*"}},
    {"complex", {"complex", "norm", "polar"}},
    {"concepts",
     {"assignable_from",
      "common_reference_with",
      "common_with",
      "constructible_from",
      "convertible_to",
      "copy_constructible",
      "copyable",
      "default_initializable",
      "derived_from",
      "destructible",
      "equality_comparable*",
      "equivalence_relation",
      "floating_point",
      "integral",
      "invocable",
      "movable",
      "move_constructible",
      "predicate",
      "regular",
      "regular_invocable",
      "relation",
      "same_as",
      "semiregular",
      "signed_integral",
      "strict_weak_order",
      "swappable*",
      "totally_ordered*",
      "unsigned_integral"}},
    {"cstddef", {"byte", "to_integer"}},
    {"expected", {"bad_expected_access", "expected", "unexpect*"}},
    {"functional",
     {"bind_front",   "bit_and",  "bit_not", "bit_or",           "bit_xor",    "divides",
      "equal_to",     "greater*", "hash",    "identity",         "invoke",     "less*",
      "logical_*",    "mem_fn",   "minus",   "modulus",          "multiplies", "negate",
      "not_equal_to", "not_fn",   "plus",    "reference_wrapper"}},
    {"inplace_vector", {"inplace_vector"}},
    {"iterator",
     {"advance",
      "back_inserter",
      "begin",
      "bidirectional_*",
      "cbegin",
      "cend",
      "contiguous_*",
      "crbegin",
      "crend",
      "data",
      "distance",
      "empty",
      "end",
      "forward_iterator*",
      "input_*",
      "iter_*",
      "iterator_traits",
      "make_move_iterator",
      "make_reverse_iterator",
      "move_iterator",
      "next",
      "output_iterator*",
      "prev",
      "random_access_*",
      "rbegin",
      "rend",
      "reverse_iterator",
      "size",
      "ssize"}},
    {"mdspan", {"default_accessor", "dextents", "dims", "extents", "layout_*", "mdspan"}},
    {"memory",
     {"addressof", "align", "assume_aligned", "construct_at", "default_delete", "destroy*",
      "make_unique", "pointer_traits", "to_address", "uninitialized_*", "unique_ptr"}},
    {"numbers", {"numbers"}},
    {"numeric",
     {"accumulate", "adjacent_difference", "exclusive_scan", "gcd", "inclusive_scan",
      "inner_product", "iota", "lcm", "midpoint", "partial_sum", "reduce",
      "transform_exclusive_scan", "transform_inclusive_scan", "transform_reduce"}},
    {"optional", {"bad_optional_access", "make_optional", "nullopt*", "optional"}},
    {"ratio", {"ratio*"}},
    {"source_location", {"source_location"}},
    {"span", {"as_bytes", "as_writable_bytes", "dynamic_extent", "span"}},
    {"string_view", {"basic_string_view", "string_view"}},
    {"tuple",
     {"apply", "forward_as_tuple", "get", "ignore", "make_from_tuple", "make_tuple", "tie",
      "tuple*"}},
    {"type_traits",
     {"add_*",
      "aligned_storage*",
      "aligned_union*",
      "alignment_of*",
      "basic_common_reference",
      "common_reference*",
      "common_type*",
      "conjunction*",
      "disjunction*",
      "extent*",
      "has_unique_object_representations*",
      "has_virtual_destructor*",
      "integral_constant",
      "invoke_result*",
      "is_*",
      "negation*",
      "rank*",
      "remove_*",
      "result_of*",
      "type_identity*",
      "unwrap_ref*"}},
    {"utility",
     {"as_const", "cmp_*", "declval", "forward_like", "in_place*", "in_range", "index_sequence*",
      "integer_sequence", "make_index_sequence", "make_integer_sequence", "move_if_noexcept",
      "piecewise_construct*", "to_underlying", "unreachable"}},
    {"variant",
     {"bad_variant_access", "get_if", "holds_alternative", "monostate", "variant*", "visit"}},
    // In libcu++ the algorithms are one header, which takes longest: what is left.
    {"algorithm", {"adjacent_find",    "all_of",
                   "any_of",           "binary_search",
                   "copy_*",           "count",
                   "count_if",         "equal",
                   "equal_range",      "fill_n",
                   "find_*",           "for_each*",
                   "generate*",        "includes",
                   "is_heap*",         "is_partitioned",
                   "is_permutation",   "is_sorted*",
                   "iter_swap",        "lexicographical_compare",
                   "make_heap",        "merge",
                   "minmax*",          "mismatch",
                   "move_backward",    "next_permutation",
                   "none_of",          "partial_sort*",
                   "partition*",       "pop_heap",
                   "prev_permutation", "push_heap",
                   "remove",           "remove_copy*",
                   "remove_if",        "replace*",
                   "reverse_copy",     "rotate*",
                   "search*",          "set_*",
                   "shift_*",          "sort_heap",
                   "stable_partition", "swap_ranges",
                   "transform",        "unique*"}},
};

/// Names that begin as traits of <type_traits> do.
constexpr std::string_view kAlgorithmsLikeTraits[] = {
    "is_heap",         "is_heap_until", "is_partitioned", "is_permutation", "is_sorted",
    "is_sorted_until", "remove_copy",   "remove_copy_if", "remove_if"};

/// In this package.
constexpr std::string_view kIntoStd = "pycuda_libcudacxx.h";

bool matches(std::string_view pattern, std::string_view name) {
  return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1))
                                : name == pattern;
}

std::string_view header_of(std::string_view name) {
  if (std::ranges::find(kAlgorithmsLikeTraits, name) != std::end(kAlgorithmsLikeTraits))
    return "algorithm";
  for (const Names& row : kNames) {
    for (const std::string_view pattern : row.names)
      if (matches(pattern, name)) return row.header;
  }
  return {};
}

bool is_of_name(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Calls `found` with each name behind `before` in the text.
template <class Found>
void for_names_behind(std::string_view text, std::string_view before, const Found& found) {
  for (std::size_t at = text.find(before); at != std::string_view::npos;
       at = text.find(before, at + before.size())) {
    std::string_view name = text.substr(at + before.size());
    const auto* const end = std::ranges::find_if_not(name, is_of_name);
    found(name.substr(0, static_cast<std::size_t>(end - name.begin())));
  }
}

}  // namespace

std::vector<std::string> headers_of_missing_names(std::string_view log) {
  std::vector<std::string> headers;
  const auto add = [&](std::string_view name) {
    const std::string_view header = header_of(name);
    if (header.empty()) return;
    std::string whole = "cuda/std/" + std::string(header);
    if (std::ranges::find(headers, whole) == headers.end()) headers.push_back(std::move(whole));
  };
  for (const std::string_view kind : {"", "class ", "template ", "class template "})
    for_names_behind(log, "namespace \"std\" has no member " + std::string(kind) + '"', add);
  // The compiler does not say which name is no namespace, but quotes the line.
  constexpr std::string_view kNoNamespace = "name followed by \"::\" must be a class or namespace";
  for (std::size_t at = log.find(kNoNamespace); at != std::string_view::npos;
       at = log.find(kNoNamespace, at + 1)) {
    std::string_view rest = log.substr(at);
    rest.remove_prefix(std::min(rest.find('\n'), rest.size()));
    if (rest.empty()) break;
    for_names_behind(rest.substr(0, rest.find('\n', 1)), "std::", add);
  }
  if (!headers.empty()) headers.emplace_back(kIntoStd);
  return headers;
}

}  // namespace pycuda::rtc
