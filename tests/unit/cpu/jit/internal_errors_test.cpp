// SPDX-License-Identifier: MIT
// An error of the vector path leaves kernels to the scalar one, and says so; where contracts are
// verified it is an error.
#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>

#include "cpu/jit/compile.h"
#include "cpu/ptx/parser.h"

namespace {

namespace jit = pycuda::cpu::jit;
namespace ptx = pycuda::cpu::ptx;

constexpr const char* text = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b64 %a, %d; .reg .b32 %t;
  ld.param.u64 %a, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %d, %t, 4; add.u64 %a, %a, %d;
  st.global.u32 [%a], %t; ret;
}
)";

/// Whose vector path fails, where its kernels could still be left to a thread of their own.
jit::Options failing() {
  jit::Options options;
  options.vectors = true;
  options.background = [](const std::function<void()>&) { return false; };
  options.before_vectors = [] { throw std::runtime_error("an invented error"); };
  return options;
}

struct Verifying {
  explicit Verifying(const char* value) { setenv("PYCUDA_CPU_VERIFY", value, 1); }
  ~Verifying() { unsetenv("PYCUDA_CPU_VERIFY"); }
  Verifying(const Verifying&) = delete;
  Verifying& operator=(const Verifying&) = delete;
};

}  // namespace

TEST_CASE("a kernel whose vector form fails has scalar code, and its plan says why") {
  const Verifying no("0");
  const auto parsed = ptx::parse(text);
  REQUIRE(parsed);
  const auto compiled = jit::compile_module(*parsed, failing());
  REQUIRE(compiled);
  REQUIRE(compiled->kernels.size() == 1);
  CHECK(compiled->kernels.front().gang_lanes == 0);
  CHECK(compiled->kernels.front().scalar_reason.find("an invented error") != std::string::npos);
  const auto planned = jit::plan_module(*parsed, failing());
  REQUIRE(planned);
  CHECK(planned->kernels.front().scalar_reason.find("an invented error") != std::string::npos);
}

TEST_CASE("where contracts are verified it has none") {
  const Verifying yes("1");
  const auto parsed = ptx::parse(text);
  REQUIRE(parsed);
  const auto compiled = jit::compile_module(*parsed, failing());
  REQUIRE(!compiled);
  CHECK(ptx::to_text(compiled.error()).find("an invented error") != std::string::npos);
}
