// SPDX-License-Identifier: MIT
#include "cublaslt/product.h"

#include <optional>

namespace pycuda::cublaslt {
namespace {

struct Types {
  Inner inner;
  Finish finish;
  DataType scale;
};

Finish finish_of(Inner inner) {
  switch (inner) {
    case Inner::Double:
      return Finish::Double;
    case Inner::SingleComplex:
      return Finish::SingleComplex;
    case Inner::DoubleComplex:
      return Finish::DoubleComplex;
    case Inner::Integer:
      return Finish::Integer;
    default:
      return Finish::Float;
  }
}

std::optional<Types> types_of(int compute, int scale, int a, int b, int c, int d) {
  if (c != d) return std::nullopt;
  const bool is_integer = compute == kComputeInt || compute == kComputeIntPedantic;
  if (is_integer && a == kInt8 && b == kInt8 && c == kInt8 && scale == kFloat)
    return Types{Inner::Integer, Finish::Float, kFloat};
  const auto kind = kind_of(static_cast<DataType>(a), static_cast<DataType>(b),
                            static_cast<DataType>(c), compute);
  if (!kind || kind->scale != scale) return std::nullopt;
  return Types{kind->inner, finish_of(kind->inner), kind->scale};
}

[[noreturn]] void refuse(const char* why) { throw Refusal{Outcome::NotSupported, why}; }

bool is_epilogue(std::uint32_t epilogue) {
  constexpr std::uint32_t all[] = {
      kNoEpilogue,
      kRelu,
      kRelu | kAuxiliary,
      kBias,
      kRelu | kBias,
      kRelu | kAuxiliary | kBias,
      kReluGradient | kAuxiliary,
      kReluGradient | kAuxiliary | kBiasGradient,
      kGelu,
      kGelu | kAuxiliary,
      kGelu | kBias,
      kGelu | kAuxiliary | kBias,
      kGeluGradient | kAuxiliary,
      kGeluGradient | kAuxiliary | kBiasGradient,
      kBiasGradientOfA,
      kBiasGradientOfB,
  };
  return std::ranges::find(all, epilogue) != std::end(all);
}

void require_epilogue(Product& p) {
  require(is_epilogue(p.how.epilogue), "an epilogue is not one");
  if (p.how.epilogue == kNoEpilogue) return;
  if (p.finish != Finish::Float && p.finish != Finish::Double)
    refuse("an epilogue of complex numbers or 32-bit integers");
  p.bias = type_of(p.d) == kInt8 ? kFloat : type_of(p.d);
  if (p.how.bias_type >= 0) p.bias = static_cast<DataType>(p.how.bias_type);
  p.auxiliary = type_of(p.d);
  if (p.how.auxiliary_type >= 0) p.auxiliary = static_cast<DataType>(p.how.auxiliary_type);
  const auto is_real = [](DataType type) {
    return type == kFloat || type == kDouble || type == kHalf || type == kBfloat16;
  };
  if (!is_real(p.bias) || (p.has(kAuxiliary) && p.has(kGelu) && !is_real(p.auxiliary)))
    refuse("the type of a bias or an auxiliary matrix");
  if (p.has(kAuxiliary)) {
    const bool is_bits = p.has(kRelu) || p.has(kReluGradient);
    const Int unit = is_bits ? 128 : 8;
    require(p.how.auxiliary_leading >= p.m && p.how.auxiliary_leading % unit == 0,
            "the leading dimension of the auxiliary matrix is too small or no multiple");
    require(p.how.auxiliary_stride % unit == 0,
            "the distance of the auxiliary matrices is no multiple");
  }
}

void require_plain(const MatmulDescriptor& how) {
  require(is_operation(static_cast<Operation>(how.operation_a)) &&
              is_operation(static_cast<Operation>(how.operation_b)),
          "an operation is not one");
  require(how.pointer_mode >= kHostScalars && how.pointer_mode <= kDeviceVectorAndHostScalar,
          "a pointer mode is not one");
  if (how.operation_c != kNone) refuse("C can only be taken as it is");
  if (how.fill != kFull) refuse("results of which one half is stored");
  require(how.scale_a == nullptr && how.scale_b == nullptr && how.scale_c == nullptr &&
              how.scale_d == nullptr && how.scale_auxiliary == nullptr &&
              how.scale_out == nullptr && how.largest_d == nullptr &&
              how.largest_auxiliary == nullptr,
          "scales and largest values belong to 8-bit floats, which are not supported");
  if (how.emulation != nullptr) refuse("descriptors of emulated precision");
}

}  // namespace

bool is_supported(int compute, int scale, int a, int b, int c, int d) {
  return types_of(compute, scale, a, b, c, d).has_value();
}

Product product_of(const MatmulDescriptor* how, const MatrixLayout* a, const MatrixLayout* b,
                   const MatrixLayout* c, const MatrixLayout* d) {
  require(is_one(how), "the descriptor of the product is not one");
  require_layout(a, "a");
  require_layout(b, "b");
  require_layout(c, "c");
  require_layout(d, "d");
  require_plain(*how);
  Product p{.how = *how, .a = *a, .b = *b, .c = *c, .d = *d};
  p.m = rows_of(*d);
  p.n = columns_of(*d);
  const bool is_a_plain = p.operation_a() == kNone;
  const bool is_b_plain = p.operation_b() == kNone;
  p.k = is_a_plain ? columns_of(*a) : rows_of(*a);
  require((is_a_plain ? rows_of(*a) : columns_of(*a)) == p.m &&
              (is_b_plain ? rows_of(*b) : columns_of(*b)) == p.k &&
              (is_b_plain ? columns_of(*b) : rows_of(*b)) == p.n && rows_of(*c) == p.m &&
              columns_of(*c) == p.n,
          "the sizes of the matrices do not fit each other");
  p.count = d->batch_count;
  require(a->batch_count == p.count && b->batch_count == p.count && c->batch_count == p.count,
          "the numbers of matrices differ");
  const auto types =
      types_of(how->compute, how->scale, static_cast<int>(a->type), static_cast<int>(b->type),
               static_cast<int>(c->type), static_cast<int>(d->type));
  if (!types) refuse("this combination of types is not supported");
  p.inner = types->inner;
  p.finish = types->finish;
  p.scale = types->scale;
  require_epilogue(p);
  return p;
}

}  // namespace pycuda::cublaslt
