// SPDX-License-Identifier: MIT
// The text is read for its headers alone: a module may come from the disk cache, unparsed.
#include "cpu/ptx/cluster_directives.h"

#include <algorithm>

#include "cpu/ptx/lexer.h"
#include "cpu/ptx/literal.h"

namespace pycuda::cpu::ptx {
namespace {

constexpr std::string_view words[] = {"reqnctapercluster", "explicitcluster", "maxclusterrank"};

/// Reads the headers of kernels.
class Reader {
 public:
  explicit Reader(std::string_view ptx) : lexer_(ptx), token_(lexer_.next()) {}

  /// The next kernel with directives; false at the end.
  bool next(std::string& name, ClusterDirectives& directives) {
    while (token_.kind != Token::Kind::End && token_.kind != Token::Kind::Invalid) {
      const bool is_kernel = token_.is_dot("entry");
      advance();
      if (!is_kernel) continue;
      name = token_.text;
      directives = {};
      if (read_header(directives)) return true;
    }
    return false;
  }

 private:
  void advance() { token_ = lexer_.next(); }

  std::uint32_t number() {
    const auto value = parse_number(token_.text);
    advance();
    return value ? static_cast<std::uint32_t>(value->bits) : 0;
  }

  bool read_header(ClusterDirectives& directives) {
    bool any = false;
    while (token_.kind != Token::Kind::End && !token_.is('{') && !token_.is(';')) {
      const Token word = token_;
      advance();
      if (word.kind != Token::Kind::Dot) continue;
      if (word.text == words[0]) {
        for (std::uint32_t& extent : directives.required) extent = 1;
        for (std::uint32_t& extent : directives.required) {
          extent = number();
          if (!token_.is(',')) break;
          advance();
        }
      } else if (word.text == words[1]) {
        directives.is_explicit = true;
      } else if (word.text == words[2]) {
        directives.most_blocks = number();
      } else {
        continue;
      }
      any = true;
    }
    return any;
  }

  Lexer lexer_;
  Token token_;
};

}  // namespace

std::map<std::string, ClusterDirectives, std::less<>> cluster_directives(std::string_view ptx) {
  std::map<std::string, ClusterDirectives, std::less<>> found;
  const bool any = std::any_of(std::begin(words), std::end(words), [&](std::string_view word) {
    return ptx.find(word) != std::string_view::npos;
  });
  if (!any) return found;
  Reader reader(ptx);
  std::string name;
  for (ClusterDirectives directives; reader.next(name, directives);) found[name] = directives;
  return found;
}

}  // namespace pycuda::cpu::ptx
