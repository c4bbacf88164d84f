// SPDX-License-Identifier: MIT
#include "parsed.h"

using namespace pycuda::cpu::ptx;

TEST_CASE("every wrong statement is reported once, and the others are read") {
  const Diagnostics errors =
      errors_of(kernel_text("foo.s32 %r1, %r2;\nadd.s32 %r1, %r2, %r3\nmov.u32 %r1, 1;\nmov.b64 "
                            "{%r1 %r2}, %rd1;\nret;\nbar;"));
  REQUIRE(errors.size() == 4);
  CHECK(errors[0].message == "unknown instruction 'foo'");
  CHECK(errors[0].position.line == 14);
  CHECK(errors[1].message == "expected ';', found 'mov'");
  CHECK(errors[1].position.line == 16);
  CHECK(errors[2].message == "expected '}', found '%r2'");
  CHECK(errors[2].position.column == 14);
  CHECK(errors[3].message == "'bar' takes 1 to 4 operands, not 0");
  CHECK(errors[3].position.line == 19);
}

TEST_CASE("parsing gives up after twenty errors") {
  std::string body;
  for (int i = 0; i < 100; ++i) body += "foo;\n";
  CHECK(errors_of(kernel_text(body)).size() == 20);
}

TEST_CASE("a wrong header does not drag its body along") {
  const Diagnostics errors =
      errors_of(std::string(kHead) + ".entry f (.param .foo x) { ret; { } }\n.entry g () { foo; }");
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].message == "expected a type, found '.foo'");
  CHECK(errors[1].message == "unknown instruction 'foo'");
}

TEST_CASE("a body that does not end is reported at its function") {
  CHECK(error_of(std::string(kHead) + ".entry f () { ret;") ==
        "4:8 the body of 'f' has no closing brace");
}

TEST_CASE("bytes that are no text are shown as numbers") {
  CHECK(error_of(kernel_text("add\x01 ;")) == "14:4 this is no PTX: '\\x01'");
  CHECK(error_of(kernel_text("ret; /* and no more")).find("the comment has no end") !=
        std::string::npos);
}

TEST_CASE("diagnostics become lines of a log") {
  const Diagnostics diagnostics{{Diagnostic::Severity::Error, {12, 5}, "unknown instruction 'foo'"},
                                {Diagnostic::Severity::Warning, {0, 0}, "no kernel"}};
  CHECK(to_text(diagnostics) ==
        "ptx:12:5: error: unknown instruction 'foo'\nptx: warning: no kernel\n");
}

TEST_CASE("long texts are cut in messages") {
  const std::string error = error_of(kernel_text(std::string(1000, 'x') + ";"));
  CHECK(error.size() < 120);
}
