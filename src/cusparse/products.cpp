// SPDX-License-Identifier: MIT
// Products of sparse matrices with dense vectors and matrices.
#include <vector>

#include "cusparse/computed_in.h"
#include "cusparse/descriptors.h"

namespace pycuda::cusparse {
namespace {

struct Product {
  SparseMatrix a;
  DenseMatrix b, c;
  Operation operation_a, operation_b;
  Scalar alpha, beta;
};

template <class T>
void multiply(const Product& p, Int batch) {
  const Int columns = p.c.columns;
  std::vector<T> sums(static_cast<std::size_t>(p.c.rows * columns));
  const Int start_b = p.b.batch_count == 1 ? 0 : batch * p.b.batch_stride;
  const Int start_c = batch * p.c.batch_stride;
  const SparseMatrix a = in_batch(p.a, p.a.batch_count == 1 ? 0 : batch);
  for_entries(a, [&](Int row, Int column, Int place) {
    T value = load<T>(a.values, a.type, place);
    if (p.operation_a == kConjugated) value = conjugate(value);
    if (p.operation_a != kNone) std::swap(row, column);
    for (Int j = 0; j < columns; ++j) {
      const Int index = p.operation_b == kNone ? p.b.index(column, j) : p.b.index(j, column);
      T other = load<T>(p.b.values, p.b.type, start_b + index);
      if (p.operation_b == kConjugated) other = conjugate(other);
      sums[static_cast<std::size_t>(row * columns + j)] += value * other;
    }
  });
  const T alpha = p.alpha.get<T>();
  const T beta = p.beta.get<T>();
  for (Int row = 0; row < p.c.rows; ++row) {
    for (Int j = 0; j < columns; ++j) {
      const Int index = start_c + p.c.index(row, j);
      T sum = alpha * sums[static_cast<std::size_t>(row * columns + j)];
      // c is not read when it is not kept: it may hold anything.
      if (beta != T{}) sum += beta * load<T>(p.c.values, p.c.type, index);
      store<T>(p.c.values, p.c.type, index, sum);
    }
  }
}

void require_product(const Product& p, DataType compute) {
  require(is_operation(p.operation_a) && is_operation(p.operation_b), "an operation is not one");
  const bool is_plain_a = p.operation_a == kNone;
  const bool is_plain_b = p.operation_b == kNone;
  const Int rows = is_plain_a ? p.a.rows : p.a.columns;
  const Int inner = is_plain_a ? p.a.columns : p.a.rows;
  require(rows == p.c.rows && inner == (is_plain_b ? p.b.rows : p.b.columns) &&
              p.c.columns == (is_plain_b ? p.b.columns : p.b.rows),
          "the sizes do not fit each other");
  const int count = p.c.batch_count;
  require(std::max(p.a.batch_count, p.b.batch_count) == count &&
              (p.a.batch_count == 1 || p.b.batch_count == 1 || p.a.batch_count == p.b.batch_count),
          "the numbers of matrices differ");
  require_types(compute, {p.a.type, p.b.type}, p.c.type);
}

void run(const Handle& handle, const Product& p, DataType compute) {
  require_product(p, compute);
  require_places(p.a);
  require_places(p.b, "the right side");
  require_places(p.c, "the result");
  with_type(compute, [&]<class T>(T) {
    enqueue(handle, [p] {
      for (Int i = 0; i < p.c.batch_count; ++i) multiply<T>(p, i);
    });
  });
}

Product of_vectors(const Handle& handle, Operation operation, const void* alpha,
                   const SparseMatrix* a, const DenseVector* x, const void* beta,
                   const DenseVector* y, DataType compute) {
  return {required(a), as_column(required(x)),         as_column(required(y)),       operation,
          kNone,       Scalar(handle, alpha, compute), Scalar(handle, beta, compute)};
}

}  // namespace

extern "C" {

Status cusparseSpMV_bufferSize(Handle* handle, Operation operation, const void* alpha,
                               const SparseMatrix* a, const DenseVector* x, const void* beta,
                               const DenseVector* y, DataType compute, int, std::size_t* bytes) {
  return with_handle(handle, "cusparseSpMV_bufferSize", [&] {
    require_product(of_vectors(*handle, operation, alpha, a, x, beta, y, compute), compute);
    give_size(bytes);
  });
}
Status cusparseSpMV_preprocess(Handle* handle, Operation operation, const void* alpha,
                               const SparseMatrix* a, const DenseVector* x, const void* beta,
                               const DenseVector* y, DataType compute, int, void*) {
  return with_handle(handle, "cusparseSpMV_preprocess", [&] {
    require_product(of_vectors(*handle, operation, alpha, a, x, beta, y, compute), compute);
  });
}
Status cusparseSpMV(Handle* handle, Operation operation, const void* alpha, const SparseMatrix* a,
                    const DenseVector* x, const void* beta, const DenseVector* y, DataType compute,
                    int, void*) {
  return with_handle(handle, "cusparseSpMV", [&] {
    run(*handle, of_vectors(*handle, operation, alpha, a, x, beta, y, compute), compute);
  });
}

#define CUSPARSE_SPMM(name, last, ...)                                                             \
  Status name(Handle* handle, Operation operation_a, Operation operation_b, const void* alpha,     \
              const SparseMatrix* a, const DenseMatrix* b, const void* beta, const DenseMatrix* c, \
              DataType compute, int, last) {                                                       \
    return with_handle(handle, #name, [&] {                                                        \
      const Product p{required(a),                                                                 \
                      required(b),                                                                 \
                      required(c),                                                                 \
                      operation_a,                                                                 \
                      operation_b,                                                                 \
                      Scalar(*handle, alpha, compute),                                             \
                      Scalar(*handle, beta, compute)};                                             \
      __VA_ARGS__;                                                                                 \
    });                                                                                            \
  }
CUSPARSE_SPMM(cusparseSpMM_bufferSize, std::size_t* bytes, require_product(p, compute);
              give_size(bytes))
CUSPARSE_SPMM(cusparseSpMM_preprocess, void*, require_product(p, compute))
CUSPARSE_SPMM(cusparseSpMM, void*, run(*handle, p, compute))

}  // extern "C"

}  // namespace pycuda::cusparse
