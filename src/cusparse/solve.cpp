// SPDX-License-Identifier: MIT
// Triangular systems: cusparseSpSV, cusparseSpSM.
#include <utility>
#include <vector>

#include "cusparse/computed_in.h"
#include "cusparse/descriptors.h"

namespace pycuda::cusparse {

/// What an analysis leaves for the solutions; nothing is needed here. A type each for vectors and
/// matrices, so that one is not taken for the other.
struct VectorPlan {
  bool is_analysed = false;
};
struct MatrixPlan {
  bool is_analysed = false;
};

namespace {

struct System {
  SparseMatrix a;
  DenseMatrix b, x;
  Operation operation_a, operation_b;
};

template <class T>
void solve(const System& s, T alpha) {
  const SparseMatrix& a = s.a;
  const bool is_transposed = s.operation_a != kNone;
  std::vector<std::vector<std::pair<Int, T>>> lines(static_cast<std::size_t>(a.rows));
  std::vector<T> diagonal(static_cast<std::size_t>(a.rows), a.diagonal == kUnit ? T{1} : T{});
  for_entries(a, [&](Int row, Int column, Int place) {
    T value = load<T>(a.values, a.type, place);
    if (s.operation_a == kConjugated) value = conjugate(value);
    if (row == column) {
      if (a.diagonal != kUnit) diagonal[static_cast<std::size_t>(row)] = value;
    } else if ((row > column) == (a.fill == kLower)) {  // the other triangle does not count
      if (is_transposed) std::swap(row, column);
      lines[static_cast<std::size_t>(row)].emplace_back(column, value);
    }
  });
  const bool is_forward = (a.fill == kLower) != is_transposed;
  for (Int j = 0; j < s.x.columns; ++j) {
    for (Int step = 0; step < a.rows; ++step) {
      const Int row = is_forward ? step : a.rows - 1 - step;
      const Int place = s.operation_b == kNone ? s.b.index(row, j) : s.b.index(j, row);
      T right = load<T>(s.b.values, s.b.type, place);
      if (s.operation_b == kConjugated) right = conjugate(right);
      T sum = alpha * right;
      for (const auto& [column, value] : lines[static_cast<std::size_t>(row)])
        sum -= value * load<T>(s.x.values, s.x.type, s.x.index(column, j));
      store<T>(s.x.values, s.x.type, s.x.index(row, j),
               sum / diagonal[static_cast<std::size_t>(row)]);
    }
  }
}

template <class Plan>
void require_system(const System& s, DataType compute, const Plan* plan) {
  require(is_operation(s.operation_a) && is_operation(s.operation_b), "an operation is not one");
  const bool is_plain = s.operation_b == kNone;
  require(s.a.rows == s.a.columns && s.x.rows == s.a.rows &&
              (is_plain ? s.b.rows : s.b.columns) == s.a.rows &&
              (is_plain ? s.b.columns : s.b.rows) == s.x.columns,
          "the sizes do not fit each other");
  if (compute == kInt32)
    throw Refusal{Outcome::NotSupported, "this combination of types is not supported"};
  if (s.a.batch_count != 1 || s.b.batch_count != 1 || s.x.batch_count != 1)
    throw Refusal{Outcome::NotSupported, "batches of systems"};
  require_types(compute, {s.a.type, s.b.type}, s.x.type);
  required(plan);
}

template <class Plan>
void run(const Handle& handle, const System& s, const void* alpha, DataType compute,
         const Plan* plan) {
  require_system(s, compute, plan);
  require(plan->is_analysed, "the system has not been analysed");
  require_places(s.a);
  require_places(s.b, "the right side");
  require_places(s.x, "the result");
  with_type(compute, [&]<class T>(T) {
    enqueue(handle, [s, alpha = Scalar(handle, alpha, compute)] { solve<T>(s, alpha.get<T>()); });
  });
}

System of_vectors(const SparseMatrix* a, Operation operation, const DenseVector* x,
                  const DenseVector* y) {
  return {required(a), as_column(required(x)), as_column(required(y)), operation, kNone};
}
System of_matrices(const SparseMatrix* a, Operation operation_a, Operation operation_b,
                   const DenseMatrix* b, const DenseMatrix* x) {
  return {required(a), required(b), required(x), operation_a, operation_b};
}

}  // namespace

extern "C" {

Status cusparseSpSV_createDescr(VectorPlan** made) {
  return guarded("cusparseSpSV_createDescr", [&] { make_descriptor(made, VectorPlan{}); });
}
Status cusparseSpSV_destroyDescr(const VectorPlan* plan) {
  return destroy_descriptor("cusparseSpSV_destroyDescr", plan);
}
Status cusparseSpSV_bufferSize(Handle* handle, Operation operation, const void*,
                               const SparseMatrix* a, const DenseVector* x, const DenseVector* y,
                               DataType compute, int, const VectorPlan* plan, std::size_t* bytes) {
  return with_handle(handle, "cusparseSpSV_bufferSize", [&] {
    require_system(of_vectors(a, operation, x, y), compute, plan);
    give_size(bytes);
  });
}
Status cusparseSpSV_analysis(Handle* handle, Operation operation, const void*,
                             const SparseMatrix* a, const DenseVector* x, const DenseVector* y,
                             DataType compute, int, VectorPlan* plan, void*) {
  return with_handle(handle, "cusparseSpSV_analysis", [&] {
    require_system(of_vectors(a, operation, x, y), compute, plan);
    plan->is_analysed = true;
  });
}
Status cusparseSpSV_solve(Handle* handle, Operation operation, const void* alpha,
                          const SparseMatrix* a, const DenseVector* x, const DenseVector* y,
                          DataType compute, int, const VectorPlan* plan) {
  return with_handle(handle, "cusparseSpSV_solve",
                     [&] { run(*handle, of_vectors(a, operation, x, y), alpha, compute, plan); });
}

Status cusparseSpSM_createDescr(MatrixPlan** made) {
  return guarded("cusparseSpSM_createDescr", [&] { make_descriptor(made, MatrixPlan{}); });
}
Status cusparseSpSM_destroyDescr(const MatrixPlan* plan) {
  return destroy_descriptor("cusparseSpSM_destroyDescr", plan);
}
Status cusparseSpSM_bufferSize(Handle* handle, Operation operation_a, Operation operation_b,
                               const void*, const SparseMatrix* a, const DenseMatrix* b,
                               const DenseMatrix* x, DataType compute, int, const MatrixPlan* plan,
                               std::size_t* bytes) {
  return with_handle(handle, "cusparseSpSM_bufferSize", [&] {
    require_system(of_matrices(a, operation_a, operation_b, b, x), compute, plan);
    give_size(bytes);
  });
}
Status cusparseSpSM_analysis(Handle* handle, Operation operation_a, Operation operation_b,
                             const void*, const SparseMatrix* a, const DenseMatrix* b,
                             const DenseMatrix* x, DataType compute, int, MatrixPlan* plan, void*) {
  return with_handle(handle, "cusparseSpSM_analysis", [&] {
    require_system(of_matrices(a, operation_a, operation_b, b, x), compute, plan);
    plan->is_analysed = true;
  });
}
Status cusparseSpSM_solve(Handle* handle, Operation operation_a, Operation operation_b,
                          const void* alpha, const SparseMatrix* a, const DenseMatrix* b,
                          const DenseMatrix* x, DataType compute, int, const MatrixPlan* plan) {
  return with_handle(handle, "cusparseSpSM_solve", [&] {
    run(*handle, of_matrices(a, operation_a, operation_b, b, x), alpha, compute, plan);
  });
}

}  // extern "C"

}  // namespace pycuda::cusparse
