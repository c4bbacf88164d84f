// SPDX-License-Identifier: MIT
// Numbers among the operands: NumPy's rules that ask for their values.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>

#include "array/ufunc.h"

using namespace pycuda::array;

namespace {

Scalar integer(std::int64_t value) { return {DType::I64, static_cast<std::uint64_t>(value), {}}; }
Scalar large(std::uint64_t value) { return {DType::U64, value, {}}; }

/// The types of an operation of an array and one of Python's numbers.
UfuncTypes types_with(Ufunc ufunc, DType array, const Scalar& number, DType type = DType::I64) {
  return resolve(ufunc, std::array{OperandType{array}, OperandType{type, true, &number}});
}

}  // namespace

TEST_CASE("an integer fits the types whose range it is in") {
  CHECK(integer(127).fits(DType::I8));
  CHECK_FALSE(integer(128).fits(DType::I8));
  CHECK(integer(-128).fits(DType::I8));
  CHECK_FALSE(integer(-1).fits(DType::U64));
  CHECK(integer(std::numeric_limits<std::int64_t>::min()).fits(DType::I64));
  CHECK_FALSE(large(std::uint64_t{1} << 63).fits(DType::I64));
  CHECK(large(~std::uint64_t{0}).fits(DType::U64));
  CHECK(integer(300).fits(DType::F16));
}

TEST_CASE("Python's integers must fit the array's type, NumPy's find a common one") {
  CHECK(types_with(Ufunc::add, DType::U8, integer(255)).result == DType::U8);
  CHECK_THROWS_WITH_AS(types_with(Ufunc::add, DType::U8, integer(256)),
                       "Python integer 256 out of bounds for uint8", OutOfRange);
  const Scalar number = integer(256);
  const std::array operands{OperandType{DType::U8}, OperandType{DType::I64, false, &number}};
  CHECK(resolve(Ufunc::add, operands).result == DType::I64);
}

TEST_CASE("comparisons with integers out of the array's range compare in a wider type") {
  const UfuncTypes above = types_with(Ufunc::less, DType::I8, integer(1000));
  CHECK(above.operands[0] == DType::I64);
  CHECK(above.operands[1] == DType::I64);
  const UfuncTypes below = types_with(Ufunc::less, DType::U64, integer(-1));
  CHECK(below.operands[0] == DType::U64);
  CHECK(below.operands[1] == DType::I64);
}

TEST_CASE("integers have no negative integer powers") {
  CHECK_THROWS_WITH_AS(types_with(Ufunc::power, DType::I16, integer(-2)),
                       "integers of dtype int16 to the negative integer power -2", ValueMismatch);
  CHECK(types_with(Ufunc::power, DType::F32, integer(-2)).result == DType::F32);
  CHECK(types_with(Ufunc::power, DType::I16, integer(2)).result == DType::I16);
}

TEST_CASE("Python's numbers beside small floats are small floats first") {
  const Scalar tenth{DType::F64, 0, 0.1};
  const UfuncTypes types = types_with(Ufunc::equal, DType::F16, tenth, DType::F64);
  CHECK_FALSE(types.rounded[0]);
  REQUIRE(types.rounded[1] == DType::F16);
  CHECK(rounded(tenth, DType::F16).number.real() == 0.0999755859375);
  CHECK_FALSE(types_with(Ufunc::equal, DType::F32, tenth, DType::F64).rounded[1]);
  CHECK_FALSE(types_with(Ufunc::logical_and, DType::F16, tenth, DType::F64).rounded[1]);
}

TEST_CASE("results are stored in types of the same kind or a higher one") {
  CHECK(is_same_kind(DType::F64, DType::F16));
  CHECK(is_same_kind(DType::U64, DType::I8));
  CHECK_FALSE(is_same_kind(DType::I8, DType::U8));
  CHECK_FALSE(is_same_kind(DType::F16, DType::I64));
  CHECK_FALSE(is_same_kind(DType::C64, DType::F64));
}
