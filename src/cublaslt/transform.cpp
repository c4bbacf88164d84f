// SPDX-License-Identifier: MIT
// cublasLtMatrixTransform: C = alpha op(A) + beta op(B), between types and orders.
#include <vector>

#include "cublaslt/layouts.h"
#include "cublaslt/scalars.h"

namespace pycuda::cublaslt {
namespace {

struct Transform {
  TransformDescriptor how;
  MatrixLayout a, b, c;
  Factor alpha, beta;
  Batch from_a, from_b, to;
  bool has_b;
};

template <class T>
T element(const MatrixLayout& layout, const void* place, int operation, Int row, Int column) {
  const Int index =
      operation == kNone ? index_of(layout, row, column) : index_of(layout, column, row);
  const T value = load<T>(place, type_of(layout), index);
  return operation == kConjugated ? conjugate(value) : value;
}

template <class T>
void transform(const Transform& t, Int index) {
  const Int rows = rows_of(t.c);
  const Int columns = columns_of(t.c);
  const T alpha = t.alpha.get<T>(index, 0);
  const T beta = t.beta.get<T>(index, 0);
  std::vector<T> result;  // C may be A or B in another order
  result.reserve(static_cast<std::size_t>(rows * columns));
  for (Int column = 0; column < columns; ++column) {
    for (Int row = 0; row < rows; ++row) {
      T sum = alpha * element<T>(t.a, t.from_a.at(index), t.how.operation_a, row, column);
      if (t.has_b && beta != T{})
        sum += beta * element<T>(t.b, t.from_b.at(index), t.how.operation_b, row, column);
      result.push_back(sum);
    }
  }
  for (Int column = 0; column < columns; ++column) {
    for (Int row = 0; row < rows; ++row)
      store<T>(t.to.writable_at(index), type_of(t.c), index_of(t.c, row, column),
               result[static_cast<std::size_t>(row + column * rows)]);
  }
}

template <class T>
void run(const StreamHandle& handle, const Transform& t) {
  enqueue(handle, [t] {
    for (Int i = 0; i < t.c.batch_count; ++i) transform<T>(t, i);
  });
}

void require_operand(const MatrixLayout& from, int operation, const MatrixLayout& to) {
  const bool is_plain = operation == kNone;
  require(is_operation(static_cast<Operation>(operation)), "an operation is not one");
  require((is_plain ? rows_of(from) : columns_of(from)) == rows_of(to) &&
              (is_plain ? columns_of(from) : rows_of(from)) == columns_of(to),
          "the sizes of the matrices do not fit each other");
  require(from.batch_count == to.batch_count, "the numbers of matrices differ");
}

/// Real types are scaled in float, double or 32-bit integers, complex ones in their own.
void require_types(int scale, std::initializer_list<const MatrixLayout*> layouts) {
  const bool is_known = scale == kFloat || scale == kDouble || scale == kInt32 || scale == kHalf ||
                        scale == kComplexFloat || scale == kComplexDouble;
  const bool is_complex = scale == kComplexFloat || scale == kComplexDouble;
  const bool fits = std::ranges::all_of(layouts, [&](const MatrixLayout* layout) {
    const DataType type = type_of(*layout);
    return is_complex ? static_cast<int>(type) == scale
                      : type != kComplexFloat && type != kComplexDouble;
  });
  if (!is_known || !fits)
    throw Refusal{Outcome::NotSupported, "this combination of types is not supported"};
}

}  // namespace

extern "C" Status cublasLtMatrixTransform(Handle* handle, const TransformDescriptor* how,
                                          const void* alpha, const void* a,
                                          const MatrixLayout* layout_a, const void* beta,
                                          const void* b, const MatrixLayout* layout_b, void* c,
                                          const MatrixLayout* layout_c, CUstream stream) {
  return guarded("cublasLtMatrixTransform", [&] {
    const StreamHandle in = in_stream(handle, stream);
    require(is_one(how), "the descriptor of the transform is not one");
    require(how->pointer_mode == kHostScalars || how->pointer_mode == kDeviceScalars,
            "the pointer mode is not one of a transform");
    require_layout(layout_a, "a");
    require_layout(layout_c, "c");
    require_operand(*layout_a, how->operation_a, *layout_c);
    const bool has_b = layout_b != nullptr && b != nullptr;
    require_types(how->scale, {layout_a, layout_c});
    if (has_b) {
      require_layout(layout_b, "b");
      require_operand(*layout_b, how->operation_b, *layout_c);
      require_types(how->scale, {layout_b});
    }
    const auto scale = static_cast<DataType>(how->scale);
    const auto factor = [&](const void* address) {
      return how->pointer_mode == kHostScalars ? Factor::of_host(address, scale)
                                               : Factor::of_device(address, scale, 1, 0, 1);
    };
    const MatrixLayout& second = has_b ? *layout_b : *layout_c;
    const Transform t{*how,
                      *layout_a,
                      second,
                      *layout_c,
                      factor(alpha),
                      has_b || beta != nullptr ? factor(beta) : Factor::zero(),
                      Batch(*layout_a, a),
                      Batch(second, b),
                      Batch(*layout_c, c),
                      has_b};
    require_matrices(in, t.a, a, "a");
    if (has_b && !t.beta.is_zero()) require_matrices(in, t.b, b, "b");
    require_matrices(in, t.c, c, "c");
    if (scale == kComplexFloat) return run<ComplexFloat>(in, t);
    if (scale == kComplexDouble) return run<ComplexDouble>(in, t);
    return run<double>(in, t);  // exact for all the others
  });
}

}  // namespace pycuda::cublaslt
