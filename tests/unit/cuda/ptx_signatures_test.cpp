// SPDX-License-Identifier: MIT
// Which parameters of a kernel are floating-point numbers, by its PTX.
#include "cuda/ptx_signatures.h"

#include <doctest/doctest.h>

namespace pycuda::cuda {
namespace {

using Kinds = std::vector<ParameterKind>;
constexpr ParameterKind F = ParameterKind::Float, I = ParameterKind::Integer,
                        U = ParameterKind::Unknown;

TEST_CASE("kinds of parameters are read from declarations of all sorts") {
  const auto signatures = read_signatures(
      ".version 8.0\n.visible .entry first(\n\t.param .u64 .ptr .global .align 4 first_param_0,\n"
      "\t.param .f32 first_param_1,\n\t.param .s8 n, .param .f64 x\n)\n{ ret; }\n"
      ".entry structs(.param .align 8 .b8 s[16], .param .b32 raw, .param .f16 h)\n{ ret; }\n"
      ".weak .entry none()\n{ ret; }\n");
  REQUIRE(signatures.size() == 3);
  CHECK(signatures.at("first") == Kinds{I, F, I, F});
  CHECK(signatures.at("structs") == Kinds{U, U, U});
  CHECK(signatures.at("none").empty());
}

TEST_CASE("what is not understood is left out") {
  CHECK(read_signatures("").empty());
  CHECK(read_signatures(".entry").empty());
  CHECK(read_signatures(".entry k").empty());
  CHECK(read_signatures(".entry k(").empty());
  CHECK(read_signatures(".visible .entry k\n{ ret; }").empty());
  CHECK(read_signatures(".entry k(.param .u32 /* , */ n)").empty());
  CHECK(read_signatures(".entry k(,)").at("k") == Kinds{U, U});
}

}  // namespace
}  // namespace pycuda::cuda
