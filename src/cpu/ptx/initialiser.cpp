// SPDX-License-Identifier: MIT
// Values go straight into the bytes: tables of a megabyte are common.
#include "cpu/ptx/initialiser.h"

#include <bit>
#include <cstring>

#include "cpu/ptx/constant_expression.h"

namespace pycuda::cpu::ptx {
namespace {

constexpr std::uint64_t kMaxInitialBytes = std::uint64_t{1} << 28;

class Initialiser {
 public:
  Initialiser(ParseState& state, Variable& variable)
      : state_(state), cursor_(state.cursor), variable_(variable) {
    element_bytes_ = bits_of(variable.type) / 8;
    // extents_[k]: bytes of one element of dimension k; the components of a vector are the last
    // dimension.
    sizes_ = variable.dimensions;
    if (variable.vector > 1) sizes_.push_back(variable.vector);
    extents_.resize(sizes_.size());
    std::uint64_t bytes = element_bytes_;
    for (std::size_t k = sizes_.size(); k-- > 0;) {
      extents_[k] = bytes;
      bytes *= sizes_[k];
    }
  }

  void run() {
    if (sizes_.empty()) {
      value(0);
      return;
    }
    const bool open = sizes_[0] == 0;
    const std::uint64_t end = list(0, 0);
    if (open && !cursor_.failed()) {
      const std::uint64_t count = (end + extents_[0] - 1) / extents_[0];
      variable_.dimensions[0] = count;
      variable_.bytes = count * extents_[0];
    }
  }

 private:
  /// `{...}` for dimension `depth`, which begins at `start`; returns where the values ended.
  std::uint64_t list(std::size_t depth, std::uint64_t start) {
    const SourcePosition position = cursor_.current().position;
    cursor_.expect('{');
    const bool open = depth == 0 && sizes_[0] == 0;
    const std::uint64_t end = open ? kMaxInitialBytes : start + sizes_[depth] * extents_[depth];
    std::uint64_t at = start;
    while (!cursor_.current().is('}') && !cursor_.failed()) {
      if (at >= end) {
        cursor_.fail_at(position, "more values than the array has elements");
        break;
      }
      if (cursor_.current().is('{')) {
        // A brace list begins an element of the next dimension, which plain values before it may
        // have left unfinished.
        if (depth + 1 == sizes_.size()) {
          cursor_.fail("braces around a single value");
          break;
        }
        const std::uint64_t extent = extents_[depth];
        at = start + (at - start + extent - 1) / extent * extent;
        if (at >= end) {
          cursor_.fail("more values than the array has elements");
          break;
        }
        list(depth + 1, at);
        at += extent;
      } else {
        value(at);
        at += element_bytes_;
      }
      if (!cursor_.accept(',')) break;
      if (cursor_.current().is('}')) cursor_.fail_expected("a value");
    }
    cursor_.expect('}');
    return at;
  }

  void value(std::uint64_t at) {
    const Token& token = cursor_.current();
    if (token.kind == Token::Kind::Number && cursor_.following().is('(')) {
      mask(at);
    } else if (token.kind == Token::Kind::Identifier && token.text != "WARP_SZ") {
      address(at, element_bytes_, 0);
    } else {
      const SourcePosition position = token.position;
      const Number number = constant_expression(cursor_);
      if (cursor_.failed()) return;
      const bool mixes = number.is_integer() && is_float(variable_.type);
      const auto bits = stored_bits(number, variable_.type);
      if (!bits || mixes) {
        cursor_.fail_at(position, "a variable of type ." + std::string(name_of(variable_.type)) +
                                      " cannot have this value");
        return;
      }
      store(at, *bits);
    }
  }

  void store(std::uint64_t at, std::uint64_t bits) {
    if (!reserve(at + element_bytes_)) return;
    std::memcpy(variable_.initial.data() + at, &bits, element_bytes_);
  }

  bool reserve(std::uint64_t bytes) {
    if (bytes > kMaxInitialBytes) {
      cursor_.fail("the initialiser is too large");
      return false;
    }
    if (variable_.initial.size() < bytes) variable_.initial.resize(bytes);
    return true;
  }

  /// 0xFF00(symbol + 4): some bytes of an address.
  void mask(std::uint64_t at) {
    const Token token = cursor_.current();
    const Number number = constant_term(cursor_);
    const int shift = number.bits == 0 ? 0 : std::countr_zero(number.bits);
    const std::uint64_t ones = number.bits >> shift;
    const int width = std::countr_one(ones);
    const bool usable = number.is_integer() && number.bits != 0 &&
                        width == 64 - std::countl_zero(ones) && width == 8 && element_bytes_ == 1 &&
                        shift % 8 == 0;
    if (!usable) {
      cursor_.fail_at(token.position, "the mask " + quoted(token.text) +
                                          " does not pick one byte for a variable of bytes");
      return;
    }
    cursor_.expect('(');
    address(at, element_bytes_, static_cast<std::uint32_t>(shift), /*masked=*/true);
    cursor_.expect(')');
  }

  /// symbol + 4, generic(symbol) + 4 or generic(symbol + 4).
  void address(std::uint64_t at, std::uint64_t bytes, std::uint32_t shift, bool masked = false) {
    InitialAddress result;
    result.offset = at;
    result.bytes = static_cast<std::uint32_t>(bytes);
    result.shift = shift;
    const Token first = cursor_.take();
    if (first.kind != Token::Kind::Identifier) {
      cursor_.fail_at(first.position, "expected a symbol, found " + quoted(first.text));
      return;
    }
    std::string_view name = first.text;
    SourcePosition position = first.position;
    if (name == "generic" && cursor_.accept('(')) {
      result.generic = true;
      position = cursor_.current().position;
      name = cursor_.expect_name("a symbol");
      result.addend = addend();
      cursor_.expect(')');
    }
    result.addend = static_cast<std::int64_t>(static_cast<std::uint64_t>(result.addend) +
                                              static_cast<std::uint64_t>(addend()));
    if (cursor_.failed()) return;
    const bool is_whole = shift == 0 && bytes >= 4;
    if (is_float(variable_.type) || is_signed(variable_.type) || (!is_whole && !masked)) {
      cursor_.fail_at(position, "a variable of type ." + std::string(name_of(variable_.type)) +
                                    " cannot hold an address");
      return;
    }
    result.symbol = symbol(name, position);
    if (cursor_.failed()) return;
    if (!reserve(at + bytes)) return;
    variable_.initial_addresses.push_back(result);
  }

  /// What the name of an address means: memory that is at one place for all threads, or a function.
  SymbolRef symbol(std::string_view name, SourcePosition position) {
    const auto local = state_.local_symbol ? state_.local_symbol(name) : std::nullopt;
    const bool own = !local && name == variable_.name && !state_.symbols.contains(name);
    if (own) {
      return {SymbolRef::Kind::ModuleVariable,
              static_cast<std::uint32_t>(state_.module.variables.size())};
    }
    const SymbolRef found = local ? *local : state_.symbol(name, position);
    const bool is_variable = found.kind == SymbolRef::Kind::ModuleVariable;
    const Space space = is_variable ? state_.module.variables[found.index].space : Space::Generic;
    if (space == Space::Shared || (!is_variable && found.kind != SymbolRef::Kind::Function)) {
      cursor_.fail_at(position,
                      "an initialiser takes the address of .global and .const variables "
                      "and of functions, and " +
                          quoted(name) + " is none");
    }
    return found;
  }

  std::int64_t addend() {
    if (!cursor_.current().is('+')) return 0;
    const Number number = constant_expression(cursor_);
    if (!number.is_integer()) cursor_.fail("an offset must be an integer");
    return static_cast<std::int64_t>(number.bits);
  }

  ParseState& state_;
  Cursor& cursor_;
  Variable& variable_;
  std::uint64_t element_bytes_ = 0;
  std::vector<std::uint64_t> sizes_, extents_;
};

}  // namespace

void initialise(ParseState& state, Variable& variable) {
  if (is_float(variable.type) && variable.type != Type::F32 && variable.type != Type::F64) {
    state.cursor.fail("a variable of type ." + std::string(name_of(variable.type)) +
                      " cannot have an initialiser");
    return;
  }
  if (bits_of(variable.type) > 64) {
    state.cursor.fail("a .b128 variable cannot have an initialiser");
    return;
  }
  Initialiser(state, variable).run();
}

void reference_properties(ParseState& state, Variable& variable) {
  Cursor& cursor = state.cursor;
  cursor.expect('{');
  do {
    std::string key(cursor.expect_name("a property"));
    cursor.expect('=');
    const bool number = cursor.current().kind == Token::Kind::Number;
    const Token value =
        number ? cursor.take() : cursor.expect_kind(Token::Kind::Identifier, "a property's value");
    variable.properties.emplace_back(std::move(key), value.text);
  } while (cursor.accept(','));
  cursor.expect('}');
}

}  // namespace pycuda::cpu::ptx
