// SPDX-License-Identifier: MIT
#include "cpu/exec/declared_parameters.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "cpu/exec/code_tokens.h"

namespace pycuda::cpu::exec {
namespace {

/// One blank in place of what lies between tokens.
std::string in_one_line(const Tokens& tokens, std::size_t begin, std::size_t end) {
  std::string line;
  for (std::size_t at = begin; at < end; ++at) {
    const bool is_apart =
        at > begin && tokens[at - 1].data() + tokens[at - 1].size() != tokens[at].data();
    if (is_apart) line += ' ';
    line += tokens[at];
  }
  return line;
}

int depth_of(std::string_view token) {
  if (token == ">>") return -2;
  if (token.size() != 1) return 0;
  if (std::string_view("([<{").find(token) != std::string_view::npos) return 1;
  return std::string_view(")]>}").find(token) != std::string_view::npos ? -1 : 0;
}

struct List {
  std::vector<std::string> parameters;
  std::size_t end = 0;  ///< behind the parenthesis
};

/// The list whose parenthesis is at `begin`.
std::optional<List> read_list(const Tokens& code, std::size_t begin) {
  List list;
  int depth = 0;
  std::size_t from = begin + 1;
  for (std::size_t at = begin; at < code.size(); ++at) {
    depth += depth_of(code[at]);
    if ((code[at] == "," && depth == 1) || depth <= 0) {
      std::string parameter = in_one_line(code, from, at);
      if (!parameter.empty() && parameter != "void")
        list.parameters.push_back(std::move(parameter));
      from = at + 1;
    }
    if (depth <= 0) {
      list.end = at + 1;
      return list;
    }
  }
  return std::nullopt;
}

/// Whether what stands before a name declares a function that returns nothing.
bool declares(const Tokens& code, std::size_t name) {
  for (std::size_t at = name; at-- > 0;) {
    const std::string_view token = code[at];
    if (token == ";" || token == "{" || token == "}") break;
    if (token == "void" || token == "__global__") return true;
  }
  return false;
}

/// Behind the arguments of a template that begin at `at`.
std::size_t end_of_template(std::string_view name, std::size_t at) {
  int depth = 0;
  for (; at < name.size(); ++at) {
    if (name[at] == '<') ++depth;
    if (name[at] == '>' && --depth == 0) return at + 1;
  }
  return at;
}

}  // namespace

std::string_view own_name(std::string_view readable) {
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  std::size_t begin = 0;
  std::size_t at = 0;
  while (at < readable.size() &&
         (readable[at] != '(' || readable.substr(at).starts_with(unnamed))) {
    if (readable[at] == '(') {
      at += unnamed.size();
      begin = at;
    } else if (readable[at] == '<') {
      const std::size_t end = end_of_template(readable, at);
      if (!readable.substr(end).starts_with("::")) break;
      at = end;
    } else if (readable[at++] == ':') {
      begin = at;
    }
  }
  return readable.substr(begin, at - begin);
}

std::vector<std::string> declared_parameters(std::string_view source, std::string_view function,
                                             std::size_t count) {
  if (function.empty() || source.find(function) == std::string_view::npos) return {};
  const Tokens code = tokens_of(source);
  std::vector<std::string> found;
  for (std::size_t at = 0; at + 1 < code.size(); ++at) {
    if (code[at] != function || code[at + 1] != "(" || !declares(code, at)) continue;
    std::optional<List> list = read_list(code, at + 1);
    if (!list || list->parameters.size() != count) continue;
    if (list->end == code.size() || code[list->end] != "{") continue;
    if (!found.empty() && found != list->parameters) return {};
    found = std::move(list->parameters);
  }
  return found;
}

}  // namespace pycuda::cpu::exec
