// SPDX-License-Identifier: MIT
// Products whose result is sparse: cusparseSDDMM and cusparseSpGEMM.
#include <map>
#include <vector>

#include "cusparse/computed_in.h"
#include "cusparse/descriptors.h"

namespace pycuda::cusparse {

/// What the computation of a product leaves for its copy into the result.
struct ProductPlan {
  std::vector<Int> offsets, columns;
  std::vector<std::byte> values;
  Int products = 0;
};

namespace {

struct Sampled {
  DenseMatrix a, b;
  SparseMatrix c;
  Operation operation_a, operation_b;
  Scalar alpha, beta;
};

template <class T>
void multiply_sampled(const Sampled& p, Int batch) {
  const SparseMatrix c = in_batch(p.c, batch);
  const Int inner = p.operation_a == kNone ? p.a.columns : p.a.rows;
  const Int start_a = p.a.batch_count == 1 ? 0 : batch * p.a.batch_stride;
  const Int start_b = p.b.batch_count == 1 ? 0 : batch * p.b.batch_stride;
  const T alpha = p.alpha.get<T>();
  const T beta = p.beta.get<T>();
  for_entries(c, [&](Int row, Int column, Int place) {
    T sum{};
    for (Int k = 0; k < inner; ++k) {
      const Int left = p.operation_a == kNone ? p.a.index(row, k) : p.a.index(k, row);
      const Int right = p.operation_b == kNone ? p.b.index(k, column) : p.b.index(column, k);
      T one = load<T>(p.a.values, p.a.type, start_a + left);
      T other = load<T>(p.b.values, p.b.type, start_b + right);
      if (p.operation_a == kConjugated) one = conjugate(one);
      if (p.operation_b == kConjugated) other = conjugate(other);
      sum += one * other;
    }
    sum *= alpha;
    if (beta != T{}) sum += beta * load<T>(c.values, c.type, place);
    store<T>(c.values, c.type, place, sum);
  });
}

void require_sampled(const Sampled& p, DataType compute) {
  require(is_operation(p.operation_a) && is_operation(p.operation_b), "an operation is not one");
  const bool is_plain_a = p.operation_a == kNone;
  const bool is_plain_b = p.operation_b == kNone;
  require((is_plain_a ? p.a.rows : p.a.columns) == p.c.rows &&
              (is_plain_b ? p.b.columns : p.b.rows) == p.c.columns &&
              (is_plain_a ? p.a.columns : p.a.rows) == (is_plain_b ? p.b.rows : p.b.columns),
          "the sizes do not fit each other");
  for (const int count : {p.a.batch_count, p.b.batch_count})
    require(count == 1 || count == p.c.batch_count, "the numbers of matrices differ");
  if (p.c.format == kCoo || compute == kInt32)
    throw Refusal{Outcome::NotSupported, "the format of the result or the type"};
  require_types(compute, {p.a.type, p.b.type}, p.c.type);
}

struct SparseProduct {
  SparseMatrix a, b;
  Scalar alpha, beta;
};

SparseProduct sparse_product(const Handle& handle, Operation operation_a, Operation operation_b,
                             const void* alpha, const SparseMatrix* a, const SparseMatrix* b,
                             const void* beta, const SparseMatrix* c, DataType compute,
                             const ProductPlan* plan) {
  required(plan);
  const SparseProduct p{required(a), required(b), Scalar(handle, alpha, compute),
                        Scalar(handle, beta, compute)};
  require(is_operation(operation_a) && is_operation(operation_b), "an operation is not one");
  require(a->columns == b->rows && required(c).rows == a->rows && c->columns == b->columns,
          "the sizes do not fit each other");
  if (operation_a != kNone || operation_b != kNone || compute == kInt32)
    throw Refusal{Outcome::NotSupported, "transposed matrices, or the type"};
  for (const SparseMatrix* one : {a, b, c}) {
    if (one->format != kCsr || one->batch_count != 1)
      throw Refusal{Outcome::NotSupported, "other formats than CSR, or batches"};
  }
  require_types(compute, {a->type, b->type}, c->type);
  return p;
}

template <class T>
void multiply_sparse(const SparseProduct& p, DataType type, ProductPlan& plan) {
  std::vector<std::vector<std::pair<Int, T>>> lines(static_cast<std::size_t>(p.b.rows));
  for_entries(p.b, [&](Int row, Int column, Int place) {
    lines[static_cast<std::size_t>(row)].emplace_back(column, load<T>(p.b.values, p.b.type, place));
  });
  std::vector<std::map<Int, T>> result(static_cast<std::size_t>(p.a.rows));
  plan = ProductPlan{};
  for_entries(p.a, [&](Int row, Int column, Int place) {
    const T value = load<T>(p.a.values, p.a.type, place);
    for (const auto& [other, right] : lines[static_cast<std::size_t>(column)]) {
      result[static_cast<std::size_t>(row)][other] += value * right;
      ++plan.products;
    }
  });
  const T alpha = p.alpha.get<T>();
  plan.offsets.push_back(0);
  for (const auto& line : result) {
    for (const auto& [column, value] : line) {
      plan.columns.push_back(column);
      plan.values.resize(plan.columns.size() * bytes_of(type));
      store<T>(plan.values.data(), type, static_cast<Int>(plan.columns.size()) - 1, alpha * value);
    }
    plan.offsets.push_back(static_cast<Int>(plan.columns.size()));
  }
}

/// Only the entries of the product are there: the result's own would be others.
void require_nothing_kept(const SparseProduct& p, DataType compute) {
  with_type(compute, [&]<class T>(T) {
    if (p.beta.get<T>() != T{}) throw Refusal{Outcome::NotSupported, "beta is not 0"};
  });
}

}  // namespace

extern "C" {

#define CUSPARSE_SDDMM(name, last, ...)                                                            \
  Status name(Handle* handle, Operation operation_a, Operation operation_b, const void* alpha,     \
              const DenseMatrix* a, const DenseMatrix* b, const void* beta, const SparseMatrix* c, \
              DataType compute, int, last) {                                                       \
    return with_handle(handle, #name, [&] {                                                        \
      const Sampled p{required(a),                                                                 \
                      required(b),                                                                 \
                      required(c),                                                                 \
                      operation_a,                                                                 \
                      operation_b,                                                                 \
                      Scalar(*handle, alpha, compute),                                             \
                      Scalar(*handle, beta, compute)};                                             \
      require_sampled(p, compute);                                                                 \
      __VA_ARGS__;                                                                                 \
    });                                                                                            \
  }
CUSPARSE_SDDMM(cusparseSDDMM_bufferSize, std::size_t* bytes, give_size(bytes))
CUSPARSE_SDDMM(cusparseSDDMM_preprocess, void*, (void)p)
CUSPARSE_SDDMM(cusparseSDDMM, void*, require_places(p.a, "the left side");
               require_places(p.b, "the right side"); require_places(p.c);
               with_type(compute, [&]<class T>(T) {
                 enqueue(*handle, [p] {
                   for (Int i = 0; i < p.c.batch_count; ++i) multiply_sampled<T>(p, i);
                 });
               }))

Status cusparseSpGEMM_createDescr(ProductPlan** made) {
  return guarded("cusparseSpGEMM_createDescr", [&] { make_descriptor(made, ProductPlan{}); });
}
Status cusparseSpGEMM_destroyDescr(const ProductPlan* plan) {
  return destroy_descriptor("cusparseSpGEMM_destroyDescr", plan);
}
Status cusparseSpGEMM_workEstimation(Handle* handle, Operation operation_a, Operation operation_b,
                                     const void* alpha, const SparseMatrix* a,
                                     const SparseMatrix* b, const void* beta, SparseMatrix* c,
                                     DataType compute, int, ProductPlan* plan, std::size_t* bytes,
                                     void*) {
  return with_handle(handle, "cusparseSpGEMM_workEstimation", [&] {
    sparse_product(*handle, operation_a, operation_b, alpha, a, b, beta, c, compute, plan);
    give_size(bytes);
  });
}
/// The result's number of entries is known when the call with a buffer returns.
Status cusparseSpGEMM_compute(Handle* handle, Operation operation_a, Operation operation_b,
                              const void* alpha, const SparseMatrix* a, const SparseMatrix* b,
                              const void* beta, SparseMatrix* c, DataType compute, int,
                              ProductPlan* plan, std::size_t* bytes, void* buffer) {
  return with_handle(handle, "cusparseSpGEMM_compute", [&] {
    const SparseProduct p =
        sparse_product(*handle, operation_a, operation_b, alpha, a, b, beta, c, compute, plan);
    if (buffer == nullptr) return give_size(bytes);
    require_places(p.a);
    require_places(p.b);
    if (is_capturing(*handle))
      throw Refusal{Outcome::NotSupported, "a captured stream cannot give its result to the host"};
    if (!handle->has_device_scalars) require_nothing_kept(p, compute);
    with_type(compute, [&]<class T>(T) {
      enqueue(*handle, [p, c, plan, compute] {
        require_nothing_kept(p, compute);
        multiply_sparse<T>(p, c->type, *plan);
      });
    });
    wait(*handle);
    c->entries = static_cast<Int>(plan->columns.size());
  });
}
Status cusparseSpGEMM_copy(Handle* handle, Operation operation_a, Operation operation_b,
                           const void* alpha, const SparseMatrix* a, const SparseMatrix* b,
                           const void* beta, SparseMatrix* c, DataType compute, int,
                           ProductPlan* plan) {
  return with_handle(handle, "cusparseSpGEMM_copy", [&] {
    sparse_product(*handle, operation_a, operation_b, alpha, a, b, beta, c, compute, plan);
    require(plan->offsets.size() == static_cast<std::size_t>(c->rows) + 1 &&
                plan->columns.size() == static_cast<std::size_t>(c->entries),
            "the product has not been computed");
    require_places(*c);
    enqueue(*handle, [c = *c, plan = *plan] {
      for (Int i = 0; i <= c.rows; ++i)
        set_index(c.first, c.first_type, i, plan.offsets[static_cast<std::size_t>(i)] + c.base);
      for (Int i = 0; i < c.entries; ++i)
        set_index(c.second, c.second_type, i, plan.columns[static_cast<std::size_t>(i)] + c.base);
      std::ranges::copy(plan.values, static_cast<std::byte*>(c.values));
    });
  });
}
Status cusparseSpGEMM_getNumProducts(const ProductPlan* plan, std::int64_t* count) {
  return guarded("cusparseSpGEMM_getNumProducts", [&] { give(count, required(plan).products); });
}

}  // extern "C"

}  // namespace pycuda::cusparse
