// SPDX-License-Identifier: MIT
#include "cpu/libdevice/float_code.h"

#include <llvm/ADT/STLExtras.h>

#include "cpu/target/native_operations.h"

namespace pycuda::cpu::libdevice {

using llvm::Value;

Value* FloatCode::polynomial(Value* x, llvm::ArrayRef<double> coefficients) {
  Value* sum = like(x, coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, like(x, coefficient));
  return sum;
}

Value* FloatCode::polynomial_by_pairs(Value* x, Value* square,
                                      llvm::ArrayRef<double> coefficients) {
  Value* sum = like(x, coefficients.back());
  for (std::size_t i = coefficients.size() - 1; i > 1; i -= 2)
    sum = fma(sum, square, fma(x, coefficients[i - 1], like(x, coefficients[i - 2])));
  return sum;
}

Value* FloatCode::canonical(Value* value) {
  return b_.CreateSelect(b_.CreateFCmpUNO(value, real(0)), nan(), value);
}

Value* FloatCode::at_least(Value* x, double bound) {
  return b_.CreateSelect(less(x, bound), like(x, bound), x);
}

Value* FloatCode::at_most(Value* x, double bound) {
  return b_.CreateSelect(b_.CreateFCmpOGT(x, like(x, bound)), like(x, bound), x);
}

Value* FloatCode::scaled(Value* value, Value* steps) {
  if (native_)
    return target::call_native(b_, target::NativeOperation::Scale,
                               {value, b_.CreateFSub(steps, real(round_to_integer))});
  // In two halves, of which the first does not round.
  Value* half = b_.CreateAShr(bits(steps), 1);
  Value* rest = b_.CreateSub(bits(steps), half);
  for (Value* part : {half, rest})
    value = b_.CreateFMul(value,
                          from_bits(b_.CreateAdd(b_.CreateShl(part, 23), b_.getInt32(0x3f800000))));
  return value;
}

}  // namespace pycuda::cpu::libdevice
