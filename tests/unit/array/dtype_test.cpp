// SPDX-License-Identifier: MIT
#include "array/dtype.h"

#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "array/ufunc.h"

using namespace pycuda::array;

namespace {

constexpr std::array all = {DType::Bool, DType::I8,  DType::U8,  DType::I16, DType::U16,
                            DType::I32,  DType::U32, DType::I64, DType::U64, DType::F16,
                            DType::F32,  DType::F64, DType::C64, DType::C128};

DType result(const char* ufunc, std::vector<OperandType> operands) {
  return resolve(*find_ufunc(ufunc), operands).result;
}

}  // namespace

TEST_CASE("promotion is symmetric, and a type with itself is itself") {
  for (const DType a : all) {
    CHECK(promote(a, a) == a);
    for (const DType b : all) CHECK(promote(a, b) == promote(b, a));
  }
}

TEST_CASE("integers of unlike sign find a type that holds both") {
  CHECK(promote(DType::I8, DType::U8) == DType::I16);
  CHECK(promote(DType::I16, DType::U8) == DType::I16);
  CHECK(promote(DType::I32, DType::U32) == DType::I64);
  CHECK(promote(DType::I64, DType::U64) == DType::F64);
  CHECK(promote(DType::Bool, DType::U16) == DType::U16);
}

TEST_CASE("floats hold integers as far as NumPy says they do") {
  CHECK(promote(DType::F16, DType::I8) == DType::F16);
  CHECK(promote(DType::F16, DType::I16) == DType::F32);
  CHECK(promote(DType::F32, DType::I32) == DType::F64);
  CHECK(promote(DType::F32, DType::U16) == DType::F32);
  CHECK(promote(DType::C64, DType::F64) == DType::C128);
  CHECK(promote(DType::C64, DType::I32) == DType::C128);
  CHECK(promote(DType::C64, DType::F16) == DType::C64);
}

TEST_CASE("bfloat16 mixes with what it holds and with what holds it") {
  CHECK(promote(DType::BF16, DType::BF16) == DType::BF16);
  CHECK(promote(DType::BF16, DType::I8) == DType::BF16);
  CHECK(promote(DType::Bool, DType::BF16) == DType::BF16);
  CHECK(promote(DType::BF16, DType::F32) == DType::F32);
  CHECK(promote(DType::C64, DType::BF16) == DType::C64);
  CHECK_THROWS_AS(promote(DType::BF16, DType::F16), TypeMismatch);
  CHECK_THROWS_AS(promote(DType::I64, DType::BF16), TypeMismatch);
  CHECK(compute_type(DType::BF16) == DType::F32);
}

TEST_CASE("Python's numbers take their type from the array") {
  CHECK(promote_weak(DType::U8, Kind::Signed) == DType::U8);
  CHECK(promote_weak(DType::U8, Kind::Float) == DType::F64);
  CHECK(promote_weak(DType::F16, Kind::Float) == DType::F16);
  CHECK(promote_weak(DType::BF16, Kind::Float) == DType::BF16);
  CHECK(promote_weak(DType::F32, Kind::Complex) == DType::C64);
  CHECK(promote_weak(DType::I8, Kind::Complex) == DType::C128);
  CHECK(promote_weak(DType::Bool, Kind::Signed) == DType::I64);
}

TEST_CASE("structured types are never computed with") {
  CHECK_THROWS_AS(promote(DType::Raw, DType::F32), TypeMismatch);
  CHECK_THROWS_AS(result("add", {{DType::Raw}, {DType::Raw}}), TypeMismatch);
}

TEST_CASE("operations choose the types of their results") {
  CHECK(result("add", {{DType::Bool}, {DType::Bool}}) == DType::Bool);
  CHECK(result("true_divide", {{DType::I8}, {DType::I8}}) == DType::F64);
  CHECK(result("true_divide", {{DType::F32}, {DType::I64, true}}) == DType::F32);
  CHECK(result("sin", {{DType::I8}}) == DType::F16);
  CHECK(result("sin", {{DType::I32}}) == DType::F64);
  CHECK(result("absolute", {{DType::C64}}) == DType::F32);
  CHECK(result("equal", {{DType::I64}, {DType::U64}}) == DType::Bool);
  CHECK(result("where", {{DType::F32}, {DType::I8}, {DType::I16}}) == DType::I16);
  CHECK(result("arcsin", {{DType::C64}}) == DType::C64);
  CHECK_THROWS_AS(result("subtract", {{DType::Bool}, {DType::Bool}}), TypeMismatch);
  CHECK_THROWS_AS(result("floor", {{DType::C64}}), TypeMismatch);
  CHECK_THROWS_AS(result("left_shift", {{DType::F32}, {DType::F32}}), TypeMismatch);
}

TEST_CASE("signed and unsigned integers of 64 bits are compared as they are") {
  const UfuncTypes types =
      resolve(*find_ufunc("less"), std::array{OperandType{DType::I64}, OperandType{DType::U64}});
  CHECK(types.operands[0] == DType::I64);
  CHECK(types.operands[1] == DType::U64);
}

TEST_CASE("operations are found by NumPy's names") {
  CHECK(find_ufunc("logaddexp").has_value());
  CHECK_FALSE(find_ufunc("no such operation").has_value());
}
