// SPDX-License-Identifier: MIT
#include "cpu/exec/number_types.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace pycuda::cpu::exec {
namespace {

using Numbers = NumberType::Kind;
using Update = PlaceUpdate::Kind;

struct NamedType {
  std::string_view name;
  NumberType type;
};
constexpr NamedType named_types[] = {
    {"float", {Numbers::Floating, 4}},         {"double", {Numbers::Floating, 8}},
    {"half", {Numbers::Floating, 2}},          {"__half", {Numbers::Floating, 2}},
    {"__nv_bfloat16", {Numbers::Floating, 2}}, {"bool", {Numbers::Unsigned, 1}},
    {"int8_t", {Numbers::Signed, 1}},          {"uint8_t", {Numbers::Unsigned, 1}},
    {"int16_t", {Numbers::Signed, 2}},         {"uint16_t", {Numbers::Unsigned, 2}},
    {"int32_t", {Numbers::Signed, 4}},         {"uint32_t", {Numbers::Unsigned, 4}},
    {"int64_t", {Numbers::Signed, 8, true}},   {"uint64_t", {Numbers::Unsigned, 8, true}},
    {"size_t", {Numbers::Unsigned, 8, true}},  {"uchar", {Numbers::Unsigned, 1}},
    {"ushort", {Numbers::Unsigned, 2}},        {"uint", {Numbers::Unsigned, 4}},
    {"ulong", {Numbers::Unsigned, 8, true}},
};

/// "float" of "float4".
std::string_view element_of(std::string_view word) {
  const bool is_vector = word.size() > 1 && word.back() >= '1' && word.back() <= '4';
  return is_vector ? word.substr(0, word.size() - 1) : word;
}

bool is_small(NumberType type) {
  return type.kind != Numbers::Floating && (type.bytes == 1 || type.bytes == 2);
}

bool is_unsigned_long_long(NumberType type) {
  return type.kind == Numbers::Unsigned && type.bytes == 8 && !type.is_long;
}

struct Operation {
  const char* function;
  bool has_signed_longs = false;  ///< takes long long
  bool has_shorts = false;        ///< takes unsigned short
};

Operation operation_of(Update kind) {
  switch (kind) {
    case Update::Add:
      return {"atomicAdd"};
    case Update::Subtract:
      return {"atomicSub"};
    case Update::And:
      return {"atomicAnd"};
    case Update::Or:
      return {"atomicOr"};
    case Update::Xor:
      return {"atomicXor"};
    case Update::Maximum:
      return {"atomicMax", true};
    case Update::Minimum:
      return {"atomicMin", true};
    default:
      return {"atomicCAS", false, true};
  }
}

/// The conversion of a pointer that an operation needs.
const char* cast_for(Operation operation, NumberType type) {
  if (type == NumberType{Numbers::Signed, 2} && operation.has_shorts) return "(unsigned short *)";
  if (type.bytes != 8 || type.kind == Numbers::Floating || is_unsigned_long_long(type)) return "";
  if (type.kind == Numbers::Signed && operation.has_signed_longs)
    return type.is_long ? "(long long *)" : "";
  return "(unsigned long long *)";
}

constexpr const char* by_loop = "a loop with atomicCAS";

/// The numbers that the operation cannot take in any way; empty if it takes them.
std::string refused(Operation operation, NumberType type) {
  if (!is_small(type)) return {};
  if (type.bytes == 1) return "numbers of 1 byte";
  return operation.has_shorts ? "" : "integers of 2 bytes";
}

std::string loop_for(NumberType type) {
  std::string loop = "a loop with atomicCAS";
  if (type.kind != Numbers::Floating) return loop;
  return loop + " on the bits (" +
         (type.bytes == 2   ? "unsigned short"
          : type.bytes == 4 ? "__float_as_int"
                            : "__double_as_longlong") +
         ")";
}

bool is_member(std::string_view place) {
  const Tokens tokens = tokens_of(place);
  for (std::size_t at = 0; at < tokens.size();
       at = tokens[at] == "[" ? behind_bracket(tokens, at) : at + 1)
    if (tokens[at] == "." || tokens[at] == "->") return true;
  return false;
}

/// What to declare otherwise: "make a an array of int".
std::string make_int(const PlaceUpdate& update) {
  const bool is_one = is_member(update.place);
  const bool is_array = is_one ? update.place.ends_with(']') : update.place != update.name;
  return "make " + (is_one ? "the member" : update.name) +
         (is_array ? " an array of int" : " an int");
}

/// Those of a declaration that stand before the name that it declares, which may be missing.
Tokens before_name(const Tokens& declaration) {
  const auto end = std::find_if(declaration.begin(), declaration.end(), [](std::string_view token) {
    return token == "[" || token == ",";
  });
  Tokens words(declaration.begin(), end);
  while (!words.empty() && words.back() == ")") words.pop_back();  // of "(*x)[3]"
  if (words.size() > 1 && is_name(words.back())) words.pop_back();
  return words;
}

}  // namespace

NumberType number_type_of(const Tokens& declaration) {
  NumberType type;
  std::size_t longs = 0;
  bool is_unsigned = false, is_integer = false;
  const Tokens words = before_name(declaration);
  const auto count = [](const Tokens& tokens, std::string_view token) {
    return std::count(tokens.begin(), tokens.end(), token);
  };
  const bool is_array = count(declaration, "[") > 0 && count(words, "(") == 0;
  if (count(words, "<") > 0 || count(words, "*") + is_array > 1) return {};
  for (const std::string_view word : words) {
    const std::string_view element = element_of(word);
    const auto* const named =
        std::find_if(std::begin(named_types), std::end(named_types),
                     [&](const NamedType& one) { return one.name == word || one.name == element; });
    if (named != std::end(named_types)) return named->type;
    if (word == "unsigned") is_unsigned = is_integer = true;
    if (word == "signed" || element == "int") is_integer = true;
    if (element == "char") type.bytes = 1;
    if (element == "short") type.bytes = 2;
    if (element == "long") ++longs;
    if (element == "longlong") longs = 2;
  }
  if (longs > 0) type = {Numbers::Signed, 8, longs == 1};
  if (type.bytes == 0 && is_integer) type.bytes = 4;
  if (type.bytes != 0) type.kind = is_unsigned ? Numbers::Unsigned : Numbers::Signed;
  return type;
}

std::string atomic_update(const PlaceUpdate& update, NumberType type) {
  const std::string& place = update.place;
  const Operation operation = operation_of(update.kind);
  const std::string name = operation.function;
  const std::string target =
      cast_for(operation, type) + (place.starts_with('*') ? place.substr(1) : "&" + place);
  std::string call = name + "(" + target + ", ...)";
  const bool is_floating = type.kind == Numbers::Floating;
  if (update.kind == Update::Other || (update.kind == Update::Claim && is_floating))
    call = loop_for(type);
  if (const std::string none = refused(operation, type); !none.empty())
    return make_int(update) + " and use " + call + " (" + name + " takes no " + none + ")";
  if (update.kind == Update::Subtract) {
    const std::string negative = "atomicAdd(" + target + ", -...)";
    if (type.kind == Numbers::Unknown)
      return "use " + call + " for int, " + negative + " for other types";
    return "use " + (type.bytes == 4 && !is_floating ? call : negative);
  }
  const bool is_extreme = operation.has_signed_longs;
  if (is_floating && is_extreme)
    return "use a loop with atomicCAS (" + name + " takes integers" +
           (type.bytes == 2 ? "; atomicCAS takes unsigned short)" : ")");
  if (type.kind == Numbers::Unknown && is_extreme)
    return "use " + call + " for integers, a loop with atomicCAS for floating-point numbers";
  return "use " + call;
}

}  // namespace pycuda::cpu::exec
