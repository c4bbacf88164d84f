// SPDX-License-Identifier: MIT
#include "cpu/ptx/printer.h"

#include "parsed.h"
#include "samples.h"

using namespace pycuda::cpu::ptx;

namespace {

std::size_t instructions(const Module& module) {
  std::size_t count = 0;
  for (const Function& function : module.functions) count += function.body.size();
  return count;
}

}  // namespace

TEST_CASE("printing what was parsed from printed text changes nothing") {
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    const Module first = parsed(sample.text);
    const std::string text = print(first);
    const Module second = parsed(text);
    CHECK(print(second) == text);
    CHECK(second.functions.size() == first.functions.size());
    CHECK(second.variables.size() == first.variables.size());
    CHECK(instructions(second) == instructions(first));
    for (const Variable& variable : first.variables) {
      const Variable* again = second.find_variable(variable.name);
      REQUIRE(again);
      CHECK(again->initial == variable.initial);
      CHECK(again->initial_addresses.size() == variable.initial_addresses.size());
      CHECK(again->bytes == variable.bytes);
      CHECK(again->alignment == variable.alignment);
    }
  }
}

TEST_CASE("line ends of another system change nothing") {
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    std::string text;
    for (const char c : sample.text) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
    CHECK(print(parsed(text)) == print(parsed(sample.text)));
  }
}

TEST_CASE("names that scopes repeat become different ones") {
  const std::string text = print(parsed(kernel_text(
      ".reg .u32 a; mov.u32 a, 1;\n{ .reg .u32 a; mov.u32 a, 2; l: bra l; }\n{ l: bra l; }")));
  CHECK(text.find("mov.u32 a, 1;") != std::string::npos);
  CHECK(text.find("mov.u32 a_1, 2;") != std::string::npos);
  CHECK(text.find("bra l_1;") != std::string::npos);
}

TEST_CASE("a loop that is not to be unrolled is printed as one") {
  const std::string text = print(
      parsed(kernel_text("before: mov.u32 %r1, 1;\nagain:\n.pragma \"nounroll\";\nmov.u32 %r1, 2;\n"
                         "bra again;\n.pragma \"other\";\n")));
  const auto pragma = text.find("again:\n\t.pragma \"nounroll\";\n");
  CHECK(pragma != std::string::npos);
  CHECK(text.find(".pragma", pragma + 12) == std::string::npos);
  CHECK(print(parsed(text)) == text);
}

TEST_CASE("a local name never hides a name of the module") {
  const std::string text = print(parsed(
      kernel_text("{ .reg .b64 memory; mov.b64 memory, 1; }\nld.global.u32 %r1, [memory];")));
  CHECK(text.find("mov.b64 memory_1, 1;") != std::string::npos);
  CHECK(text.find("[memory]") != std::string::npos);
}

TEST_CASE("variables that initialisers name are printed before") {
  const std::string text =
      print(parsed(std::string(kHead) + ".extern .global .u32 late;\n.global .u64 p = late;\n"
                                        ".global .u64 q = p;\n.visible .global .u32 late = 3;"));
  CHECK(text.find(".u32 late") < text.find(".u64 p"));
  CHECK(text.find(".u64 p") < text.find(".u64 q"));
}

TEST_CASE("registers that were renamed do not become a range of another register's name") {
  std::string body;
  for (int i = 0; i < 13; ++i) body += "{ .reg .b32 t; mov.b32 t, 1; }\n";
  const std::string text = print(parsed(kernel_text(body)));
  CHECK(text.find(".reg .b32 t_1;") != std::string::npos);
  CHECK(text.find("t_1<") == std::string::npos);
  CHECK(text.find(".reg .b32 %r<8>;") != std::string::npos);
}
