// SPDX-License-Identifier: MIT
// Triangular systems: cusparseSpSV.
#include <memory>
#include <utility>
#include <vector>

#include "cusparse/computed_in.h"
#include "cusparse/descriptors.h"

namespace pycuda::cusparse {

/// What an analysis leaves for the solutions; nothing is needed here.
struct SolvePlan {
  bool is_analysed = false;
};

namespace {

using Plans = hostwork::Registry<SolvePlan>;

template <class T>
void solve(const SparseMatrix& a, Operation operation, T alpha, const DenseVector& x,
           const DenseVector& y) {
  const bool is_transposed = operation != kNone;
  std::vector<std::vector<std::pair<Int, T>>> lines(static_cast<std::size_t>(a.rows));
  std::vector<T> diagonal(static_cast<std::size_t>(a.rows), a.diagonal == kUnit ? T{1} : T{});
  for_entries(a, [&](Int row, Int column, Int place) {
    T value = load<T>(a.values, a.type, place);
    if (operation == kConjugated) value = conjugate(value);
    if (row == column) {
      if (a.diagonal != kUnit) diagonal[static_cast<std::size_t>(row)] = value;
    } else if ((row > column) == (a.fill == kLower)) {  // the other triangle does not count
      if (is_transposed) std::swap(row, column);
      lines[static_cast<std::size_t>(row)].emplace_back(column, value);
    }
  });
  const bool is_forward = (a.fill == kLower) != is_transposed;
  for (Int step = 0; step < a.rows; ++step) {
    const Int row = is_forward ? step : a.rows - 1 - step;
    T sum = alpha * load<T>(x.values, x.type, row);
    for (const auto& [column, value] : lines[static_cast<std::size_t>(row)])
      sum -= value * load<T>(y.values, y.type, column);
    store<T>(y.values, y.type, row, sum / diagonal[static_cast<std::size_t>(row)]);
  }
}

void require_system(const SparseMatrix& a, Operation operation, const DenseVector& x,
                    const DenseVector& y, DataType compute, const SolvePlan* plan) {
  require(is_operation(operation), "the operation is not one");
  require(a.rows == a.columns && x.size == a.rows && y.size == a.rows,
          "the sizes do not fit each other");
  if (compute == kInt32)
    throw Refusal{Outcome::NotSupported, "this combination of types is not supported"};
  require_types(compute, {a.type, x.type}, y.type);
  required(plan);
}

}  // namespace

extern "C" {

Status cusparseSpSV_createDescr(SolvePlan** made) {
  return guarded("cusparseSpSV_createDescr", [&] {
    require(made != nullptr, "the result's pointer is null");
    *made = Plans::instance().insert(std::make_unique<SolvePlan>());
  });
}
Status cusparseSpSV_destroyDescr(const SolvePlan* plan) {
  return guarded("cusparseSpSV_destroyDescr", [&] {
    require(plan == nullptr || Plans::instance().erase(plan), "the descriptor is not one");
  });
}

Status cusparseSpSV_bufferSize(Handle* handle, Operation operation, const void*,
                               const SparseMatrix* a, const DenseVector* x, const DenseVector* y,
                               DataType compute, int, const SolvePlan* plan, std::size_t* bytes) {
  return with_handle(handle, "cusparseSpSV_bufferSize", [&] {
    require_system(required(a), operation, required(x), required(y), compute, plan);
    require(bytes != nullptr, "the result's pointer is null");
    *bytes = 8;
  });
}
Status cusparseSpSV_analysis(Handle* handle, Operation operation, const void*,
                             const SparseMatrix* a, const DenseVector* x, const DenseVector* y,
                             DataType compute, int, SolvePlan* plan, void*) {
  return with_handle(handle, "cusparseSpSV_analysis", [&] {
    require_system(required(a), operation, required(x), required(y), compute, plan);
    plan->is_analysed = true;
  });
}
Status cusparseSpSV_solve(Handle* handle, Operation operation, const void* alpha,
                          const SparseMatrix* a, const DenseVector* x, const DenseVector* y,
                          DataType compute, int, const SolvePlan* plan) {
  return with_handle(handle, "cusparseSpSV_solve", [&] {
    require_system(required(a), operation, required(x), required(y), compute, plan);
    require(plan->is_analysed, "the system has not been analysed");
    require_places(required(a));
    require_places(required(x), "the right side");
    require_places(required(y), "the result");
    with_type(compute, [&]<class T>(T) {
      enqueue(*handle, [a = *a, operation, alpha = Scalar(*handle, alpha, compute), x = *x,
                        y = *y] { solve<T>(a, operation, alpha.get<T>(), x, y); });
    });
  });
}

}  // extern "C"

}  // namespace pycuda::cusparse
