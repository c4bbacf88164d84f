// SPDX-License-Identifier: MIT
// Parameters as sources declare them.
#include "cpu/exec/declared_parameters.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace pycuda::cpu::exec {
namespace {

using Parameters = std::vector<std::string>;

TEST_CASE("a kernel's parameters are found with types and names") {
  CHECK(declared_parameters("__global__ void k(const float *x,\n    int n) { }", "k", 2) ==
        Parameters{"const float *x", "int n"});
  CHECK(declared_parameters("extern \"C\" __global__ void __launch_bounds__(64, 2)\nk(int *a) {}",
                            "k", 1) == Parameters{"int *a"});
  CHECK(declared_parameters("KERNEL void k(int *a) {}", "k", 1) == Parameters{"int *a"});
}

TEST_CASE("commas within a type part no parameters") {
  CHECK(declared_parameters("__global__ void k(pair<int, float> *p, float (*rows)[4]) {}", "k",
                            2) == Parameters{"pair<int, float> *p", "float (*rows)[4]"});
  CHECK(declared_parameters("__global__ void k(pair<int, pair<A, B>> *p, int n) {}", "k", 2) ==
        Parameters{"pair<int, pair<A, B>> *p", "int n"});
}

TEST_CASE("comments and strings declare nothing") {
  CHECK(declared_parameters("// __global__ void k(int *old) {}\n"
                            "/* void k(int *b) {} */ const char *s = \"void k(int *c) {\";\n"
                            "__global__ void k(int *a /* , here */) {}",
                            "k", 1) == Parameters{"int *a"});
  CHECK(declared_parameters("#error don't\nconstexpr int n = 1'000; void k(int /* in */ *a) {}",
                            "k", 1) == Parameters{"int *a"});
}

TEST_CASE("a function's own name stands before its parameters, whatever these are of") {
  CHECK(own_name("k") == "k");
  CHECK(own_name("ns::k<float, 3>(float*)") == "k");
  CHECK(own_name("k(ns::V*, int)") == "k");
  CHECK(own_name("k((anonymous namespace)::V*, int)") == "k");
  CHECK(own_name("(anonymous namespace)::k((anonymous namespace)::V*)") == "k");
  CHECK(own_name("ns::(anonymous namespace)::k<(anonymous namespace)::V>(int)") == "k");
  CHECK(own_name("(anonymous namespace)::S<(anonymous namespace)::V>::k<int>(int)") == "k");
  CHECK(own_name("") == "");
}

TEST_CASE("calls, other names and other functions are no declarations") {
  CHECK(declared_parameters("__global__ void kk(int *b) {} void run() { k(p); if (x) k(q) {} }",
                            "k", 1)
            .empty());
  CHECK(declared_parameters("struct k { k(int *a) {} };", "k", 1).empty());
}

TEST_CASE("of overloads that call their parameters otherwise nothing is said") {
  const char* const two = "__global__ void k(int *a) {} __global__ void k(float *b) {}";
  CHECK(declared_parameters(two, "k", 1).empty());
  CHECK(declared_parameters("__global__ void k(int *a) {} __global__ void k(int *a, int n) {}", "k",
                            2) == Parameters{"int *a", "int n"});
}

TEST_CASE("a text that ends early, or has another number of parameters, has none") {
  for (const char* const text : {"__global__ void k(int *a", "__global__ void k(int *a)", "void k",
                                 "__global__ void k(int *a, int b) {}", "\"", "/*", "k('"})
    CHECK(declared_parameters(text, "k", 1).empty());
  CHECK(declared_parameters("__global__ void k(void) {}", "k", 0).empty());
}

TEST_CASE("sources may be cut anywhere") {
  const std::string source =
      "/* c */ #define A \"\\\"(\" // x\n__global__ void k(pair<int, 'a'> *p, int (*r)[4]) { k(p); "
      "}";
  for (std::size_t at = 0; at <= source.size(); ++at) {
    const bool has_body = at > source.find('{');
    CHECK(declared_parameters(source.substr(0, at), "k", 2).size() == (has_body ? 2 : 0));
    static_cast<void>(declared_parameters(source.substr(at), "k", 2));
  }
}

TEST_CASE("a readable name has an own name") {
  CHECK(own_name("k") == "k");
  CHECK(own_name("ns::k<float, 3>(float*)") == "k");
  CHECK(own_name("(anonymous namespace)::k(ns::pair<int>*)") == "k");
}

}  // namespace
}  // namespace pycuda::cpu::exec
