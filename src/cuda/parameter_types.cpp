// SPDX-License-Identifier: MIT
#include "cuda/parameter_types.h"

#include <algorithm>
#include <iterator>

namespace pycuda::cuda {
namespace {

using Kind = ElementType::Kind;

struct PlainNumber {
  std::string_view name;
  ElementType element;
};

// The other types of one byte stand for raw memory.
constexpr PlainNumber kPlainNumbers[] = {
    {"bool", {Kind::Integer, 1}},
    {"short", {Kind::Integer, 2}},
    {"unsigned short", {Kind::Integer, 2}},
    {"int", {Kind::Integer, 4}},
    {"unsigned int", {Kind::Integer, 4}},
    {"long", {Kind::Integer, 8}},
    {"unsigned long", {Kind::Integer, 8}},
    {"long long", {Kind::Integer, 8}},
    {"unsigned long long", {Kind::Integer, 8}},
    {"__int128", {Kind::Integer, 16}},
    {"unsigned __int128", {Kind::Integer, 16}},
    {"wchar_t", {Kind::Integer, 4}},
    {"char16_t", {Kind::Integer, 2}},
    {"char32_t", {Kind::Integer, 4}},
    {"float", {Kind::Float, 4}},
    {"double", {Kind::Float, 8}},
    {"__half", {Kind::Float, 2}},
    {"__nv_bfloat16", {Kind::BFloat, 2}},
};

constexpr PlainNumber kNumbersOfVectors[] = {
    {"char", {Kind::Integer, 1}},     {"uchar", {Kind::Integer, 1}},
    {"short", {Kind::Integer, 2}},    {"ushort", {Kind::Integer, 2}},
    {"int", {Kind::Integer, 4}},      {"uint", {Kind::Integer, 4}},
    {"long", {Kind::Integer, 8}},     {"ulong", {Kind::Integer, 8}},
    {"longlong", {Kind::Integer, 8}}, {"ulonglong", {Kind::Integer, 8}},
    {"float", {Kind::Float, 4}},      {"double", {Kind::Float, 8}},
    {"__half", {Kind::Float, 2}},     {"__nv_bfloat16", {Kind::BFloat, 2}},
};
// As in "double4_16a": by how many bytes they are aligned.
constexpr std::string_view kAlignments[] = {"_16a", "_32a"};

// What the types of pointers and references end with; "(*)" and "(&)" are to arrays.
constexpr std::string_view kPointers[] = {"(*)", "*", "(&)", "&"};

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool remove_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  text = trimmed(text);
  return true;
}

ElementType pointed_to(std::string_view type) {
  const std::string_view target = pointer_target(type);
  // Addresses.
  if (target.ends_with('*')) return {Kind::Integer, 8};
  const ElementType number = plain_number(target);
  return number.kind == Kind::Any ? complex_number(target) : number;
}

/// How deep in brackets of any sort the character leads; "->" does not occur in types of kernels.
int depth_change(char c) {
  if (c == '(' || c == '<' || c == '[' || c == '{') return 1;
  if (c == ')' || c == '>' || c == ']' || c == '}') return -1;
  return 0;
}

/// What commas outside of brackets separate.
std::vector<std::string_view> listed(std::string_view list) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size()) depth += depth_change(list[i]);
    if (i < list.size() && (list[i] != ',' || depth != 0)) continue;
    parts.push_back(trimmed(list.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

}  // namespace

ElementType plain_number(std::string_view type) {
  const auto* found = std::ranges::find(kPlainNumbers, type, &PlainNumber::name);
  return found == std::end(kPlainNumbers) ? ElementType{} : found->element;
}

ElementType complex_number(std::string_view type) {
  const std::size_t name = type.rfind("complex<");
  if (name == std::string_view::npos || (name != 0 && !type.substr(0, name).ends_with("::"))) {
    return {};
  }
  if (type.substr(name) == "complex<float>") return {Kind::Complex, 8};
  if (type.substr(name) == "complex<double>") return {Kind::Complex, 16};
  return {};
}

VectorType vector_type(std::string_view type) {
  for (const std::string_view alignment : kAlignments) {
    if (type.ends_with(alignment)) type.remove_suffix(alignment.size());
  }
  if (type.empty() || type.back() < '1' || type.back() > '4') return {};
  const auto* found =
      std::ranges::find(kNumbersOfVectors, type.substr(0, type.size() - 1), &PlainNumber::name);
  if (found == std::end(kNumbersOfVectors)) return {};
  return {found->element, static_cast<std::uint8_t>(type.back() - '0')};
}

NumberKind number_kind(std::string_view type) {
  if (type == "signed char") return NumberKind::Signed;
  if (type == "unsigned char") return NumberKind::Unsigned;
  const ElementType number = plain_number(type);
  if (number.kind == Kind::Float || number.kind == Kind::BFloat) return NumberKind::Floating;
  if (number.kind != Kind::Integer || number.bytes == 1 || number.bytes == 16) {
    return NumberKind::Other;
  }
  const bool is_unsigned = type.starts_with("unsigned ") || type.starts_with("char");
  return is_unsigned ? NumberKind::Unsigned : NumberKind::Signed;
}

std::string_view pointer_target(std::string_view type) {
  while (type.ends_with(']')) {
    const std::size_t open = type.rfind('[');
    if (open == std::string_view::npos) return {};
    type = trimmed(type.substr(0, open));
  }
  while (remove_suffix(type, "__restrict__") || remove_suffix(type, "__restrict")) {
  }
  if (std::ranges::none_of(kPointers, [&](auto mark) { return remove_suffix(type, mark); }))
    return {};
  while (remove_suffix(type, " const") || remove_suffix(type, " volatile")) {
  }
  return type;
}

std::vector<ParameterType> read_parameter_types(std::string_view function) {
  if (!function.ends_with(')')) return {};
  std::size_t open = function.size() - 1;
  for (int depth = -1; open > 0 && depth < 0;) depth += depth_change(function[--open]);
  if (function[open] != '(') return {};
  std::vector<ParameterType> types;
  for (const std::string_view type : listed(function.substr(open + 1, function.size() - open - 2)))
    if (!type.empty() && type != "void") types.push_back({std::string(type), pointed_to(type)});
  return types;
}

std::vector<ParameterType> read_type_arguments(std::string_view function) {
  const std::size_t open = function.find('<');
  constexpr std::string_view kEnd = ">()";
  if (open == std::string_view::npos || !function.ends_with(kEnd)) return {};
  const std::vector<std::string_view> arguments =
      listed(function.substr(open + 1, function.size() - kEnd.size() - open - 1));
  std::vector<ParameterType> types = read_parameter_types(arguments.front());
  if (arguments.size() < 2) return types;
  const std::vector<ParameterType> numbers = read_parameter_types(arguments[1]);
  if (numbers.size() != types.size()) return types;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i].text == numbers[i].text) continue;
    if (pointer_target(types[i].text).empty()) {
      types[i].enumeration = ParameterType::Enumeration::Yes;
      continue;
    }
    types[i].element = numbers[i].element;
    if (types[i].element.kind == Kind::Any) types[i].element = {Kind::Integer, 1};
  }
  return types;
}

}  // namespace pycuda::cuda
