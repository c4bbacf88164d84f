// SPDX-License-Identifier: MIT
// Parameters as C++ declares them, and kernels by their C++ names.
#include "cuda/parameter_types.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/cxx_names.h"
#include "cuda/kernel_names.h"

using namespace pycuda::cuda;
using Kind = ElementType::Kind;

namespace {

ElementType element_of(const std::string& parameter) {
  const std::vector<ParameterType> types = read_parameter_types("k(" + parameter + ")");
  REQUIRE(types.size() == 1);
  CHECK(types[0].text == parameter);
  return types[0].element;
}

}  // namespace

TEST_CASE("pointers to plain numbers tell their elements") {
  CHECK(element_of("float*") == ElementType{Kind::Float, 4});
  CHECK(element_of("double const*") == ElementType{Kind::Float, 8});
  CHECK(element_of("unsigned long long volatile*") == ElementType{Kind::Integer, 8});
  CHECK(element_of("unsigned short const volatile*") == ElementType{Kind::Integer, 2});
  CHECK(element_of("int (*) [4]") == ElementType{Kind::Integer, 4});
  CHECK(element_of("float const (*) [4][5]") == ElementType{Kind::Float, 4});
  CHECK(element_of("long*") == ElementType{Kind::Integer, 8});
  CHECK(element_of("__half const*") == ElementType{Kind::Float, 2});
  CHECK(element_of("__nv_bfloat16*") == ElementType{Kind::BFloat, 2});
  CHECK(element_of("bool const*") == ElementType{Kind::Integer, 1});
}

TEST_CASE("references are addresses of what they refer to") {
  CHECK(element_of("float&") == ElementType{Kind::Float, 4});
  CHECK(element_of("double const&") == ElementType{Kind::Float, 8});
  CHECK(element_of("int (&) [4]") == ElementType{Kind::Integer, 4});
  CHECK(element_of("thrust::complex<double> const&") == ElementType{Kind::Complex, 16});
}

TEST_CASE("characters of several bytes and integers of 16 are plain numbers") {
  CHECK(element_of("wchar_t const*") == ElementType{Kind::Integer, 4});
  CHECK(element_of("char16_t*") == ElementType{Kind::Integer, 2});
  CHECK(element_of("char32_t*") == ElementType{Kind::Integer, 4});
  CHECK(element_of("__int128*") == ElementType{Kind::Integer, 16});
  CHECK(element_of("unsigned __int128 const*") == ElementType{Kind::Integer, 16});
}

TEST_CASE("numbers by value are told by their type alone") {
  CHECK(plain_number("__nv_bfloat16") == ElementType{Kind::BFloat, 2});
  CHECK(plain_number("__half") == ElementType{Kind::Float, 2});
  CHECK(plain_number("__half2") == ElementType{});
}

TEST_CASE("pointers to complex numbers tell their size") {
  CHECK(element_of("pycuda::complex<float>*") == ElementType{Kind::Complex, 8});
  CHECK(element_of("thrust::complex<double> const*") == ElementType{Kind::Complex, 16});
  CHECK(element_of("cuda::std::__4::complex<float> (*) [3]") == ElementType{Kind::Complex, 8});
  CHECK(element_of("complex<double>*") == ElementType{Kind::Complex, 16});
  CHECK(element_of("my_complex<float>*") == ElementType{});
  CHECK(element_of("n::complex<int>*") == ElementType{});
}

TEST_CASE("vectors tell their numbers") {
  CHECK(vector_type("float2") == VectorType{{Kind::Float, 4}, 2});
  CHECK(vector_type("double1") == VectorType{{Kind::Float, 8}, 1});
  CHECK(vector_type("double4_16a") == VectorType{{Kind::Float, 8}, 4});
  CHECK(vector_type("uchar4") == VectorType{{Kind::Integer, 1}, 4});
  CHECK(vector_type("ulonglong2") == VectorType{{Kind::Integer, 8}, 2});
  CHECK(vector_type("__half2") == VectorType{{Kind::Float, 2}, 2});
  CHECK(vector_type("__nv_bfloat162") == VectorType{{Kind::BFloat, 2}, 2});
  for (const char* type :
       {"float", "float5", "float0", "half2", "__nv_bfloat16", "2", "_16a", "", "n::float2"}) {
    CHECK(vector_type(type) == VectorType{});
  }
}

TEST_CASE("pointers to pointers take integers of their size") {
  for (const char* type : {"float**", "float const* const*", "n::S**", "void**", "int* (*) [3]"}) {
    CHECK(element_of(type) == ElementType{Kind::Integer, 8});
  }
}

TEST_CASE("everything else fits all arrays") {
  for (const char* type :
       {"int", "void*", "char*", "signed char*", "unsigned char*", "float4*", "n::float*",
        "n::float&", "void (&)(int*)", "thrust::complex<float>", "void (*)(int*)", "__half2*"}) {
    CHECK(element_of(type) == ElementType{});
  }
}

TEST_CASE("parameter lists are read from function types and from mangled names") {
  CHECK(read_parameter_types("void ()").empty());
  CHECK(read_parameter_types("void (void)").empty());
  CHECK(read_parameter_types("no function").empty());
  CHECK(read_parameter_types(")").empty());
  CHECK(read_parameter_types("k(float (*) [)").empty());
  CHECK(read_parameter_types("").empty());
  const auto types =
      read_parameter_types("void n::k<float, 3, (e)1>(float*, a<b, c>, int (*) [2])");
  REQUIRE(types.size() == 3);
  CHECK(types[1].text == "a<b, c>");
  CHECK(types[2].element == ElementType{Kind::Integer, 4});
  CHECK(read_parameter_types(pycuda::base::demangled("_Z1fPKdi")).size() == 2);
}

TEST_CASE("types that a template is instantiated with are read, and numbers of enumerations") {
  CHECK(read_type_arguments("void t").empty());
  CHECK(read_type_arguments("void t<>()").empty());
  const auto plain = read_type_arguments("void t<void (float*, int)>()");
  REQUIRE(plain.size() == 2);
  CHECK(plain[0].element == ElementType{Kind::Float, 4});
  const auto types = read_type_arguments(
      "void t<void (E*, n::F const*, char*, a<b, c>*, G (&) [2]), "
      "void (unsigned char*, short*, char*, a<b, c>*, long long (&) [2])>()");
  REQUIRE(types.size() == 5);
  CHECK(types[0].text == "E*");
  CHECK(types[0].element == ElementType{Kind::Integer, 1});
  CHECK(types[1].text == "n::F const*");
  CHECK(types[1].element == ElementType{Kind::Integer, 2});
  CHECK(types[2].element.kind == Kind::Any);
  CHECK(types[3].element.kind == Kind::Any);
  CHECK(types[4].element == ElementType{Kind::Integer, 8});
  CHECK(read_type_arguments("void t<void (E*), void (int*, int)>()")[0].element.kind == Kind::Any);
  const auto by_value = read_type_arguments("void t<void (E, S, int), void (unsigned, S, int)>()");
  using enum ParameterType::Enumeration;
  REQUIRE(by_value.size() == 3);
  CHECK(by_value[0].enumeration == Yes);
  CHECK(by_value[0].element.kind == Kind::Any);
  CHECK(by_value[1].enumeration == No);
  CHECK(by_value[2].enumeration == No);
}

TEST_CASE("kernels are found by their names in C++") {
  const std::vector<std::string> names = {"plain", "_Z1kIfLi3EEvPT_", "_ZN1n1zEPi", "_Z1fPf",
                                          "_Z1fPi"};
  const auto found = [&](const char* wanted) { return symbols_named(names, wanted); };
  CHECK(found("k<float, 3>") == std::vector<std::string>{"_Z1kIfLi3EEvPT_"});
  CHECK(found(" k<float,3>( float * ) ") == std::vector<std::string>{"_Z1kIfLi3EEvPT_"});
  CHECK(found("n :: z") == std::vector<std::string>{"_ZN1n1zEPi"});
  CHECK(found("f").size() == 2);
  CHECK(found("f(int*)") == std::vector<std::string>{"_Z1fPi"});
  CHECK(found("k").empty());
  CHECK(found("").empty());
}

TEST_CASE("unnamed namespaces are no part of a kernel's name") {
  const std::vector<std::string> names = {"_ZN12_GLOBAL__N_11kEPf", "_ZN1n12_GLOBAL__N_11kEPi"};
  const auto found = [&](const char* wanted) { return symbols_named(names, wanted); };
  CHECK(found("k") == std::vector<std::string>{names[0]});
  CHECK(found("k(float *)") == std::vector<std::string>{names[0]});
  CHECK(found("(anonymous namespace)::k") == std::vector<std::string>{names[0]});
  CHECK(found("n::k(int*)") == std::vector<std::string>{names[1]});
}

TEST_CASE("a kernel that is not found is told from what there is") {
  const std::vector<std::string> names = {"matmul", "_Z1kIfLi3EEvPT_"};
  CHECK(
      no_such_symbol("kernel", names, "matmlu") ==
      "no kernel 'matmlu': the module has 'matmul', 'k<float, 3>(float*)'; did you mean 'matmul'?");
  CHECK(no_such_symbol("kernel", names, "other")
            .starts_with("no kernel 'other': the module has 'matmul'"));
  CHECK(no_such_symbol("kernel", {}, "k") == "no kernel 'k': the module has no kernels");
  CHECK(no_such_symbol("kernel", names, "").starts_with("no kernel '': the module has"));
  const std::vector<std::string> many(20, "a_kernel");
  CHECK(no_such_symbol("kernel", many, "zzz").ends_with(" and 12 more"));
}
