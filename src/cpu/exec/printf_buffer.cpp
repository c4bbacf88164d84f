// SPDX-License-Identifier: MIT
// Walks a printf format and the packed arguments of device code.
#include "cpu/exec/printf_buffer.h"

#include <cstdio>
#include <cstring>
#include <string_view>

namespace pycuda::cpu::exec {
namespace {

/// The packed arguments, read one after the other.
class Arguments {
 public:
  Arguments(const void* packed, ProgramAccesses& accesses)
      : next_(static_cast<const char*>(packed)), accesses_(accesses) {}

  /// 0 for one that must not be read.
  template <class Value>
  Value take() {
    const auto address = reinterpret_cast<std::uintptr_t>(next_);
    next_ += (sizeof(Value) - address % sizeof(Value)) % sizeof(Value);
    Value value{};
    may_go_on_ = may_go_on_ && accesses_.allows_read(next_, sizeof value, "printf (its arguments)");
    if (!may_go_on_) return value;
    std::memcpy(static_cast<void*>(&value), next_, sizeof value);
    next_ += sizeof value;
    ++count_;
    return value;
  }
  /// The text that the next argument points to, of which at most `most` characters are read.
  const char* take_text(std::uint64_t most) {
    const auto* text = take<const char*>();
    may_go_on_ = may_go_on_ && accesses_.allows_text(text, 1, most, "printf (the text of a %s)");
    return may_go_on_ && text != nullptr ? text : "(null)";
  }
  int count() const { return count_; }
  bool may_go_on() const { return may_go_on_; }

 private:
  const char* next_;
  ProgramAccesses& accesses_;
  int count_ = 0;
  bool may_go_on_ = true;
};

/// One conversion: "%[flags][width][.precision][length]letter".
struct Conversion {
  std::string flags;
  int width = -1, precision = -1;
  bool wide = false;  ///< a 64-bit integer
  int halves = 0;     ///< h: 1, hh: 2
  char letter = '\0';
};

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

int take_number(const char*& at) {
  long long value = 0;
  for (; is_digit(*at); ++at) value = value < 100000000 ? value * 10 + (*at - '0') : value;
  return static_cast<int>(value);
}

Conversion parse(const char*& at, Arguments& arguments) {
  Conversion conversion;
  for (; *at != '\0' && std::strchr("-+ #0", *at) != nullptr; ++at) conversion.flags += *at;
  if (*at == '*') {
    ++at;
    conversion.width = arguments.take<std::int32_t>();
    if (conversion.width < 0) {
      conversion.flags += '-';
      conversion.width = conversion.width == INT32_MIN ? 0 : -conversion.width;
    }
  } else if (is_digit(*at)) {
    conversion.width = take_number(at);
  }
  if (*at == '.') {
    ++at;
    if (*at == '*') {
      ++at;
      conversion.precision = arguments.take<std::int32_t>();
    } else {
      conversion.precision = take_number(at);
    }
  }
  for (;; ++at) {
    if (*at == 'l' || *at == 'j' || *at == 'z' || *at == 't' || *at == 'q' || *at == 'L') {
      conversion.wide = true;  // long is 64 bits wide in device code, as here
    } else if (*at == 'h') {
      ++conversion.halves;
    } else {
      break;
    }
  }
  if (*at != '\0') conversion.letter = *at++;
  return conversion;
}

template <class Value>
void print(std::string& out, const Conversion& conversion, const char* length, Value value) {
  std::string format = "%" + conversion.flags;
  if (conversion.width >= 0) format += std::to_string(conversion.width);
  if (conversion.precision >= 0) format += "." + std::to_string(conversion.precision);
  format += length;
  format += conversion.letter;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int length_needed = std::snprintf(nullptr, 0, format.c_str(), value);
  if (length_needed <= 0) return;
  const std::size_t start = out.size();
  out.resize(start + static_cast<std::size_t>(length_needed) + 1);
  std::snprintf(out.data() + start, static_cast<std::size_t>(length_needed) + 1, format.c_str(),
                value);
#pragma GCC diagnostic pop
  out.pop_back();
}

void print_signed(std::string& out, const Conversion& conversion, Arguments& arguments) {
  if (conversion.wide) {
    print(out, conversion, "ll", static_cast<long long>(arguments.take<std::int64_t>()));
    return;
  }
  std::int32_t value = arguments.take<std::int32_t>();
  if (conversion.halves == 1) value = static_cast<std::int16_t>(value);
  // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number of 8 bits, not a character
  if (conversion.halves > 1) value = static_cast<std::int8_t>(value);
  print(out, conversion, "", value);
}

void print_unsigned(std::string& out, const Conversion& conversion, Arguments& arguments) {
  if (conversion.wide) {
    print(out, conversion, "ll", static_cast<unsigned long long>(arguments.take<std::uint64_t>()));
    return;
  }
  std::uint32_t value = arguments.take<std::uint32_t>();
  if (conversion.halves == 1) value = static_cast<std::uint16_t>(value);
  if (conversion.halves > 1) value = static_cast<std::uint8_t>(value);
  print(out, conversion, "", value);
}

}  // namespace

std::int32_t format_printf(std::string& out, const char* format, const void* packed,
                           ProgramAccesses& accesses) {
  if (format == nullptr ||
      !accesses.allows_text(format, 1, ProgramAccesses::no_limit, "printf (its format)"))
    return -1;
  Arguments arguments(packed, accesses);
  for (const char* at = format; *at != '\0' && arguments.may_go_on();) {
    const std::size_t plain = std::strcspn(at, "%");
    out.append(at, plain);
    at += plain;
    if (*at == '\0') break;
    const char* const start = at++;
    if (*at == '%') {
      out += *at++;
      continue;
    }
    const Conversion conversion = parse(at, arguments);
    switch (conversion.letter) {
      case 'd':
      case 'i':
        print_signed(out, conversion, arguments);
        break;
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        print_unsigned(out, conversion, arguments);
        break;
      case 'c':
        print(out, conversion, "", arguments.take<std::int32_t>());
        break;
      case 'p':
        print(out, conversion, "", arguments.take<const void*>());
        break;
      case 's':
        print(out, conversion, "",
              arguments.take_text(conversion.precision >= 0
                                      ? static_cast<std::uint64_t>(conversion.precision)
                                      : ProgramAccesses::no_limit));
        break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        print(out, conversion, "", arguments.take<double>());
        break;
      default:
        // Not a conversion of CUDA's: shown as written.
        out.append(start, static_cast<std::size_t>(at - start));
    }
  }
  return arguments.count();
}

}  // namespace pycuda::cpu::exec
