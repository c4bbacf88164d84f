// SPDX-License-Identifier: MIT
#include "cpu/exec/constant_writes.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace pycuda::cpu::exec {
namespace {

std::string found(std::string_view source) {
  const auto write = find_constant_write(source);
  return write ? write->name + ":" + std::to_string(write->line) : std::string();
}

TEST_CASE("a store to a __constant__ variable has its line") {
  CHECK(found("__constant__ float c[4] = {1, 2}, d;\n__global__ void k(float *o) {\n"
              "  o[0] = c[1];\n  c[0] = 2; }") == "c:4");
  CHECK(found("__constant__ float c[4], d;\nvoid k() { d += 1; }") == "d:2");
  CHECK(found("__constant__ struct P { int x; } p;\n\nvoid k() { ++p.x; }") == "p:3");
}

TEST_CASE("reads, other variables and traps of the source are none") {
  CHECK(found("__constant__ float c[4];\nvoid k(float *o) { o[0] = c[0]; if (c[1] == 2) o = 0; }")
            .empty());
  CHECK(found("__constant__ float c[4];\nvoid k(float *d) { d[0] = 2; }").empty());
  CHECK(found("__constant__ int c;\nvoid k() { c = 1; __trap(); }").empty());
  CHECK(found("__constant__ int c;\nvoid k() { int c = 1; }").empty());
  CHECK(found("__shared__ int c;\nvoid k() { c = 1; }").empty());
}

}  // namespace
}  // namespace pycuda::cpu::exec
