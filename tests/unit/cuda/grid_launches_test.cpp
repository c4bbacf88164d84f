// SPDX-License-Identifier: MIT
// Which kernels wait for their grid is read from PTX.
#include "cuda/grid_launches.h"

#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <string>

namespace pycuda::cuda {
namespace {

using Names = std::set<std::string, std::less<>>;

TEST_CASE("a kernel waits for its grid if it reads where the barrier is") {
  CHECK(kernels_that_wait_for_grid(R"(
.visible .entry waits(.param .u64 a) { mov.u32 %r1, %envreg2; ret; }
.visible .entry other(.param .u64 a) { trap; }
.visible .entry last
() { mov.u32 %r1, %envreg1; ret; }
)") == Names{"last", "waits"});
  CHECK(kernels_that_wait_for_grid(".visible .entry k() { ret; }").empty());
  CHECK(kernels_that_wait_for_grid("%envreg1").empty());
  CHECK(kernels_that_wait_for_grid(".entry k%envreg1").size() == 1);
}

TEST_CASE("where a function does, all kernels that call any may wait") {
  CHECK(kernels_that_wait_for_grid(R"(
.func wait() { mov.u32 %r1, %envreg2; ret; }
.visible .entry calls() { call.uni wait, (); ret; }
.visible .entry other() { ret; }
)") == Names{"calls"});
}

}  // namespace
}  // namespace pycuda::cuda
