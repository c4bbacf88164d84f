// SPDX-License-Identifier: MIT
// Pieces of CUDA C++ as tokens, and the variables that they mention.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pycuda::cpu::exec {

using Tokens = std::vector<std::string_view>;  ///< parts of one text

/// Comments, literals and blanks are none. Operators of several characters are one token.
Tokens tokens_of(std::string_view code);

bool is_name(std::string_view token);

/// Behind the bracket that closes the one at `open`; the number of tokens if none does.
std::size_t behind_bracket(const Tokens& tokens, std::size_t open);
/// The bracket that the one at `close` closes; npos if there is none.
std::size_t opening_bracket(const Tokens& tokens, std::size_t close);

/// Tokens without what lies between them.
std::string joined(const Tokens& tokens, std::size_t begin, std::size_t end);

/// A variable, or a place in memory that one leads to: "s", "*p", "p->count", "bins[data[i]]".
struct Mention {
  std::size_t begin = 0, end = 0;  ///< tokens
  std::string name;                ///< "bins"
  std::string text;                ///< joined
  std::string written;             ///< as the code has it
  bool is_indirect = false;        ///< through an address or an index
};

/// All mentions, also those within others' indexes.
std::vector<Mention> mentions_of(const Tokens& tokens);

}  // namespace pycuda::cpu::exec
