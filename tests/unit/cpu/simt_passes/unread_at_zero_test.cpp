// SPDX-License-Identifier: MIT
// Which values are seen where an operand is zero.
#include "cpu/libdevice/unread_at_zero.h"

#include <doctest/doctest.h>

#include <string>

#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::libdevice::is_unread_at_zero;
using pycuda::cpu::testing::FunctionText;

namespace {

/// Of %v, where `body` gives %r from it.
bool is_unread(const std::string& body) {
  FunctionText text("define float @f(float %x, float %y, ptr %p) {\n  %v = fadd float %x, %y\n" +
                    body + "  ret float %r\n}\n");
  llvm::Function& function = text.function();
  return is_unread_at_zero(&function.front().front(), function.getArg(0));
}

const std::string zero = "  %z = fcmp oeq float %x, 0.0\n";
const std::string twice = "  %t = fmul float %v, 2.0\n";

}  // namespace

TEST_CASE("what is replaced where the operand is zero is not seen there") {
  CHECK(is_unread(zero + "  %r = select i1 %z, float 1.0, float %v\n"));
  CHECK(is_unread(zero + twice + "  %r = select i1 %z, float 1.0, float %t\n"));
  CHECK(is_unread("  %z = fcmp une float %x, 0.0\n  %r = select i1 %z, float %v, float 1.0\n"));
  CHECK(is_unread(zero + twice +
                  "  %n = fcmp uno float %t, 0.0\n  %e = select i1 %z, i1 true, i1 %n\n"
                  "  %r = select i1 %e, float 1.0, float %t\n"));
  CHECK(
      is_unread("  %s = fcmp olt float %x, 0x3810000000000000\n"
                "  %l = fmul float %x, 0x4160000000000000\n"
                "  %a = select i1 %s, float %l, float %x\n  %z = fcmp oeq float %a, 0.0\n"
                "  %r = select i1 %z, float 1.0, float %v\n"));
}

TEST_CASE("anything else may be") {
  CHECK_FALSE(is_unread(zero + "  %r = select i1 %z, float %v, float 1.0\n"));
  CHECK_FALSE(is_unread(zero + twice + "  %r = select i1 %z, float %t, float %v\n"));
  CHECK_FALSE(
      is_unread("  %z = fcmp oeq float %y, 0.0\n  %r = select i1 %z, float 1.0, float %v\n"));
  CHECK_FALSE(
      is_unread("  %z = fcmp ueq float %x, 0.0\n  %r = select i1 %z, float 1.0, float %v\n"));
  CHECK_FALSE(
      is_unread(zero + "  store float %v, ptr %p\n  %r = select i1 %z, float 1.0, float %v\n"));
  CHECK_FALSE(is_unread("  %r = fneg float %v\n"));
}
