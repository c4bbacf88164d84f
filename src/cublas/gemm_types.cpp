// SPDX-License-Identifier: MIT
// Products of matrices of any of the types: cublasGemmEx and its like. The matrices are converted
// to the type that is computed in, which the host's BLAS has.
#include <algorithm>
#include <optional>
#include <vector>

#include "cublas/handle.h"
#include "hostblas/elements.h"
#include "hostblas/product_kinds.h"

namespace pycuda::cublas {
namespace {

/// One product; `count` of them at distances of `stride` elements, or by arrays of pointers.
struct Product {
  Operation op_a = kNone, op_b = kNone;
  Int m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldc = 0;
  DataType type_a = kFloat, type_b = kFloat, type_c = kFloat;
};

template <class T>
std::vector<T> converted(const void* place, DataType type, Int rows, Int columns, Int leading) {
  std::vector<T> result(static_cast<std::size_t>(rows * columns));
  for (Int column = 0; column < columns; ++column) {
    for (Int row = 0; row < rows; ++row)
      result[static_cast<std::size_t>(row + column * rows)] =
          load<T>(place, type, row + column * leading);
  }
  return result;
}

template <class T>
void multiply(const Function& gemm, const Product& p, T alpha, const void* a, const void* b, T beta,
              void* c) {
  const Int rows_a = p.op_a == kNone ? p.m : p.k;
  const Int rows_b = p.op_b == kNone ? p.k : p.n;
  const std::vector<T> left = converted<T>(a, p.type_a, rows_a, p.m + p.k - rows_a, p.lda);
  const std::vector<T> right = converted<T>(b, p.type_b, rows_b, p.k + p.n - rows_b, p.ldb);
  // c is not read when it is not kept: it may hold anything.
  std::vector<T> sum = beta == T{} ? std::vector<T>(static_cast<std::size_t>(p.m * p.n))
                                   : converted<T>(c, p.type_c, p.m, p.n, p.ldc);
  gemm.call(kColumnMajor, cblas_of(p.op_a), cblas_of(p.op_b), p.m, p.n, p.k, scalar_argument(alpha),
            left.data(), std::max<Int>(1, rows_a), right.data(), std::max<Int>(1, rows_b),
            scalar_argument(beta), sum.data(), p.m);
  for (Int column = 0; column < p.n; ++column) {
    for (Int row = 0; row < p.m; ++row)
      store<T>(c, p.type_c, row + column * p.ldc,
               sum[static_cast<std::size_t>(row + column * p.m)]);
  }
}

/// A scalar whose type is known only now.
template <class T>
class TypedScalar {
 public:
  TypedScalar(const Handle& handle, const void* address, DataType type) : type_(type) {
    require(address != nullptr, "a scalar's pointer is null");
    if (handle.pointers == kDevicePointers) {
      require_memory(address, bytes_of(type), "a scalar");
      device_ = address;
    } else {
      value_ = load<T>(address, type, 0);
    }
  }
  T get() const { return device_ != nullptr ? load<T>(device_, type_, 0) : value_; }

 private:
  DataType type_;
  const void* device_ = nullptr;
  T value_{};
};

/// Where the matrices of one product of several lie.
struct Places {
  const void *a, *b;
  void* c;
};

/// What a call says of its products' places: `at(i)` when the stream has come so far.
struct Strided {
  const std::byte *a, *b;
  std::byte* c;
  long long stride_a, stride_b, stride_c;  ///< in bytes
  Places at(Int i) const { return {a + i * stride_a, b + i * stride_b, c + i * stride_c}; }
};
struct Listed {
  const void *const *a, *const *b;
  void* const* c;
  Places at(Int i) const { return {a[i], b[i], c[i]}; }
};

template <class T, class Where>
void run(Handle& handle, const Product& p, const Kind& kind, const void* alpha, const void* beta,
         const Where& where, Int count) {
  const TypedScalar<T> factor(handle, alpha, kind.scale);
  const TypedScalar<T> kept(handle, beta, kind.scale);
  enqueue(handle, [=, f = blas<T>("gemm")] {
    for (Int i = 0; i < count; ++i) {
      const Places places = where.at(i);
      multiply<T>(f, p, factor.get(), places.a, places.b, kept.get(), places.c);
    }
  });
}

std::uint64_t bytes_of_operand(Operation operation, Int rows, Int columns, Int leading,
                               DataType type) {
  return bytes_of(type) * (operation == kNone ? matrix_extent(rows, columns, leading)
                                              : matrix_extent(columns, rows, leading));
}

/// Checks the places of one product's matrices.
void require_places(const Product& p, const Places& places) {
  require_memory(places.a, bytes_of_operand(p.op_a, p.m, p.k, p.lda, p.type_a), "a");
  require_memory(places.b, bytes_of_operand(p.op_b, p.k, p.n, p.ldb, p.type_b), "b");
  require_memory(places.c, bytes_of_operand(kNone, p.m, p.n, p.ldc, p.type_c), "c");
}

Kind require_product(const Product& p, int compute, Int count) {
  require(is_operation(p.op_a) && is_operation(p.op_b), "an operation is not one");
  require(p.m >= 0 && p.n >= 0 && p.k >= 0 && count >= 0, "a size is negative");
  require(p.lda >= std::max<Int>(1, p.op_a == kNone ? p.m : p.k) &&
              p.ldb >= std::max<Int>(1, p.op_b == kNone ? p.k : p.n) &&
              p.ldc >= std::max<Int>(1, p.m),
          "a leading dimension is smaller than the rows");
  require_fitting({p.m, p.n, p.k});
  const std::optional<Kind> kind = kind_of(p.type_a, p.type_b, p.type_c, compute);
  if (!kind)
    throw Refusal{Outcome::NotSupported,
                  "this combination of types and compute type is not supported"};
  return *kind;
}

template <class Where>
void choose(Handle& handle, const Product& p, const Kind& kind, const void* alpha, const void* beta,
            const Where& where, Int count) {
  switch (kind.inner) {
    case Inner::Float:
      return run<float>(handle, p, kind, alpha, beta, where, count);
    case Inner::Double:
    case Inner::Integer:  // exact in a double up to 2^53
      return run<double>(handle, p, kind, alpha, beta, where, count);
    case Inner::SingleComplex:
      return run<ComplexFloat>(handle, p, kind, alpha, beta, where, count);
    case Inner::DoubleComplex:
      return run<ComplexDouble>(handle, p, kind, alpha, beta, where, count);
  }
}

void multiply_strided(Handle& handle, const Product& p, int compute, const void* alpha,
                      const void* a, long long stride_a, const void* b, long long stride_b,
                      const void* beta, void* c, long long stride_c, Int count) {
  const Kind kind = require_product(p, compute, count);
  if (p.m == 0 || p.n == 0 || count == 0) return;
  const auto in_bytes = [](long long stride, DataType type) {
    return stride * static_cast<long long>(bytes_of(type));
  };
  const Strided where{static_cast<const std::byte*>(a), static_cast<const std::byte*>(b),
                      static_cast<std::byte*>(c),       in_bytes(stride_a, p.type_a),
                      in_bytes(stride_b, p.type_b),     in_bytes(stride_c, p.type_c)};
  require_places(p, where.at(0));
  require_places(p, where.at(count - 1));
  choose(handle, p, kind, alpha, beta, where, count);
}

void multiply_listed(Handle& handle, const Product& p, int compute, const void* alpha,
                     const void* const* a, const void* const* b, const void* beta, void* const* c,
                     Int count) {
  const Kind kind = require_product(p, compute, count);
  if (p.m == 0 || p.n == 0 || count == 0) return;
  const std::uint64_t bytes = static_cast<std::uint64_t>(count) * sizeof(void*);
  require_memory(static_cast<const void*>(a), bytes, "a");
  require_memory(static_cast<const void*>(b), bytes, "b");
  require_memory(static_cast<const void*>(c), bytes, "c");
  const Listed where{a, b, c};
  if (!is_capturing(handle)) {
    wait(handle);  // whoever writes the pointers has done so
    for (Int i = 0; i < count; ++i) require_places(p, where.at(i));
  }
  choose(handle, p, kind, alpha, beta, where, count);
}

}  // namespace

#define CUBLAS_GEMM_EX(I, width)                                                                   \
  extern "C" Status cublasGemmEx##width(                                                           \
      Handle* handle, Operation op_a, Operation op_b, I m, I n, I k, const void* alpha,            \
      const void* a, DataType type_a, I lda, const void* b, DataType type_b, I ldb,                \
      const void* beta, void* c, DataType type_c, I ldc, int compute, int) {                       \
    return with_handle(handle, "cublasGemmEx", [&] {                                               \
      multiply_strided(*handle, {op_a, op_b, m, n, k, lda, ldb, ldc, type_a, type_b, type_c},      \
                       compute, alpha, a, 0, b, 0, beta, c, 0, 1);                                 \
    });                                                                                            \
  }                                                                                                \
  extern "C" Status cublasGemmStridedBatchedEx##width(                                             \
      Handle* handle, Operation op_a, Operation op_b, I m, I n, I k, const void* alpha,            \
      const void* a, DataType type_a, I lda, long long stride_a, const void* b, DataType type_b,   \
      I ldb, long long stride_b, const void* beta, void* c, DataType type_c, I ldc,                \
      long long stride_c, I count, int compute, int) {                                             \
    return with_handle(handle, "cublasGemmStridedBatchedEx", [&] {                                 \
      multiply_strided(*handle, {op_a, op_b, m, n, k, lda, ldb, ldc, type_a, type_b, type_c},      \
                       compute, alpha, a, stride_a, b, stride_b, beta, c, stride_c, count);        \
    });                                                                                            \
  }                                                                                                \
  extern "C" Status cublasGemmBatchedEx##width(                                                    \
      Handle* handle, Operation op_a, Operation op_b, I m, I n, I k, const void* alpha,            \
      const void* const* a, DataType type_a, I lda, const void* const* b, DataType type_b, I ldb,  \
      const void* beta, void* const* c, DataType type_c, I ldc, I count, int compute, int) {       \
    return with_handle(handle, "cublasGemmBatchedEx", [&] {                                        \
      multiply_listed(*handle, {op_a, op_b, m, n, k, lda, ldb, ldc, type_a, type_b, type_c},       \
                      compute, alpha, a, b, beta, c, count);                                       \
    });                                                                                            \
  }                                                                                                \
  extern "C" Status cublasSgemmEx##width(Handle* handle, Operation op_a, Operation op_b, I m, I n, \
                                         I k, const float* alpha, const void* a, DataType type_a,  \
                                         I lda, const void* b, DataType type_b, I ldb,             \
                                         const float* beta, void* c, DataType type_c, I ldc) {     \
    return with_handle(handle, "cublasSgemmEx", [&] {                                              \
      multiply_strided(*handle, {op_a, op_b, m, n, k, lda, ldb, ldc, type_a, type_b, type_c},      \
                       kCompute32, alpha, a, 0, b, 0, beta, c, 0, 1);                              \
    });                                                                                            \
  }                                                                                                \
  extern "C" Status cublasHgemm##width(Handle* handle, Operation op_a, Operation op_b, I m, I n,   \
                                       I k, const void* alpha, const void* a, I lda,               \
                                       const void* b, I ldb, const void* beta, void* c, I ldc) {   \
    return with_handle(handle, "cublasHgemm", [&] {                                                \
      multiply_strided(*handle, {op_a, op_b, m, n, k, lda, ldb, ldc, kHalf, kHalf, kHalf},         \
                       kCompute16, alpha, a, 0, b, 0, beta, c, 0, 1);                              \
    });                                                                                            \
  }                                                                                                \
  extern "C" Status cublasHgemmStridedBatched##width(                                              \
      Handle* handle, Operation op_a, Operation op_b, I m, I n, I k, const void* alpha,            \
      const void* a, I lda, long long stride_a, const void* b, I ldb, long long stride_b,          \
      const void* beta, void* c, I ldc, long long stride_c, I count) {                             \
    return with_handle(handle, "cublasHgemmStridedBatched", [&] {                                  \
      multiply_strided(*handle, {op_a, op_b, m, n, k, lda, ldb, ldc, kHalf, kHalf, kHalf},         \
                       kCompute16, alpha, a, stride_a, b, stride_b, beta, c, stride_c, count);     \
    });                                                                                            \
  }                                                                                                \
  extern "C" Status cublasHgemmBatched##width(Handle* handle, Operation op_a, Operation op_b, I m, \
                                              I n, I k, const void* alpha, const void* const* a,   \
                                              I lda, const void* const* b, I ldb,                  \
                                              const void* beta, void* const* c, I ldc, I count) {  \
    return with_handle(handle, "cublasHgemmBatched", [&] {                                         \
      multiply_listed(*handle, {op_a, op_b, m, n, k, lda, ldb, ldc, kHalf, kHalf, kHalf},          \
                      kCompute16, alpha, a, b, beta, c, count);                                    \
    });                                                                                            \
  }
CUBLAS_GEMM_EX(int, )
CUBLAS_GEMM_EX(std::int64_t, _64)

}  // namespace pycuda::cublas
