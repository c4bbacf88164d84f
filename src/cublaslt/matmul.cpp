// SPDX-License-Identifier: MIT
// cublasLtMatmul.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "cublaslt/algorithm.h"
#include "cublaslt/epilogue.h"
#include "cublaslt/product.h"
#include "cublaslt/scalars.h"

namespace pycuda::cublaslt {
namespace {

template <class T>
constexpr DataType type_of_elements() {
  if constexpr (std::is_same_v<T, float>) return kFloat;
  if constexpr (std::is_same_v<T, double>) return kDouble;
  if constexpr (std::is_same_v<T, ComplexFloat>) return kComplexFloat;
  return kComplexDouble;
}

/// op(A) or op(B) as BLAS takes it: where it lies, or a copy in BLAS's type and order.
template <class T>
struct Operand {
  Operand(const MatrixLayout& layout, const void* place, Operation how, Int rows, Int columns) {
    const bool is_usable = layout.order == kColumns ||
                           (layout.order == kRows && (how != kConjugated || !is_complex<T>));
    if (type_of(layout) == type_of_elements<T>() && is_usable) {
      data = static_cast<const T*>(place);
      leading = std::max<Int>(1, layout.leading);
      operation = layout.order == kColumns ? how : how == kNone ? kTransposed : kNone;
      return;
    }
    own.resize(static_cast<std::size_t>(rows * columns));
    for (Int column = 0; column < columns; ++column) {
      for (Int row = 0; row < rows; ++row)
        own[static_cast<std::size_t>(row + column * rows)] =
            element(layout, place, how, row, column);
    }
    data = own.data();
    leading = std::max<Int>(1, rows);
  }

  static T element(const MatrixLayout& layout, const void* place, Operation how, Int row,
                   Int column) {
    const Int index = how == kNone ? index_of(layout, row, column) : index_of(layout, column, row);
    const T value = load<T>(place, type_of(layout), index);
    return how == kConjugated ? conjugate(value) : value;
  }

  std::vector<T> own;
  const T* data = nullptr;
  Operation operation = kNone;
  Int leading = 1;
};

struct Call {
  Product p;
  Factor alpha, beta;
  Batch a, b, c, d;
};

/// alpha sum + beta c. Integers wrap, as in hardware.
template <class S, class T>
S combined(S alpha, T sum, S beta, S old) {
  if constexpr (std::is_same_v<S, Int>) {
    const auto wrapping = [](Int value) { return static_cast<std::uint32_t>(value); };
    return static_cast<std::int32_t>(wrapping(alpha) * wrapping(wrapped(sum)) +
                                     wrapping(beta) * wrapping(old));
  } else {
    return alpha * static_cast<S>(sum) + beta * old;
  }
}

/// T is what BLAS multiplies in, S what is scaled in.
template <class T, class S>
void multiply(const Function& gemm, const Call& call, Int index) {
  const Product& p = call.p;
  const void* const a = call.a.at(index);
  const void* const b = call.b.at(index);
  std::vector<T> sums(static_cast<std::size_t>(p.m * p.n));
  {
    const Operand<T> left(p.a, a, p.operation_a(), p.m, p.k);
    const Operand<T> right(p.b, b, p.operation_b(), p.k, p.n);
    gemm.call(kColumnMajor, cblas_of(left.operation), cblas_of(right.operation), p.m, p.n, p.k,
              scalar_argument(T{1}), left.data, left.leading, right.data, right.leading,
              scalar_argument(T{}), sums.data(), p.m);
  }
  const auto for_all = [&](const auto& finish) {
    const void* const c = call.c.at(index);
    void* const d = call.d.writable_at(index);
    for (Int column = 0; column < p.n; ++column) {
      for (Int row = 0; row < p.m; ++row) {
        const S alpha = call.alpha.get<S>(index, row);
        const S beta = call.beta.get<S>(index, row);
        // c is not read when it is not kept: it may hold anything.
        const S old = beta == S{} ? S{} : load<S>(c, type_of(p.c), index_of(p.c, row, column));
        const S sum =
            combined(alpha, sums[static_cast<std::size_t>(row + column * p.m)], beta, old);
        store<S>(d, type_of(p.d), index_of(p.d, row, column), finish(row, column, sum));
      }
    }
  };
  if constexpr (std::is_floating_point_v<S>) {
    if (p.how.epilogue != kNoEpilogue) {
      Finisher<S> finisher(p, index);
      // Before D is written, which may be A or B.
      if (p.has(kBiasGradientOfA))
        finisher.store_sums(p.m, [&](Int row, Int inner) {
          return static_cast<S>(Operand<T>::element(p.a, a, p.operation_a(), row, inner));
        });
      if (p.has(kBiasGradientOfB))
        finisher.store_sums(p.n, [&](Int column, Int inner) {
          return static_cast<S>(Operand<T>::element(p.b, b, p.operation_b(), inner, column));
        });
      for_all([&](Int row, Int column, S x) { return finisher(row, column, x); });
      finisher.store_gradient();
      return;
    }
  }
  for_all([](Int, Int, S x) { return x; });
}

template <class T, class S = T>
void run(const StreamHandle& handle, const Call& call) {
  enqueue(handle, [call, gemm = blas<T>("gemm")] {
    for (Int i = 0; i < call.p.count; ++i) multiply<T, S>(gemm, call, i);
  });
}

void choose(const StreamHandle& handle, const Call& call) {
  switch (call.p.inner) {
    case Inner::Float:
      return run<float>(handle, call);
    case Inner::Double:
      return run<double>(handle, call);
    case Inner::SingleComplex:
      return run<ComplexFloat>(handle, call);
    case Inner::DoubleComplex:
      return run<ComplexDouble>(handle, call);
    case Inner::Integer:  // exact in a double up to 2^53
      if (call.p.finish == Finish::Integer) return run<double, Int>(handle, call);
      return run<double, float>(handle, call);
  }
}

Factor alpha_of(const Product& p, const void* address) {
  if (p.how.pointer_mode == kHostScalars) return Factor::of_host(address, p.scale);
  if (p.how.pointer_mode == kDeviceScalars)
    return Factor::of_device(address, p.scale, 1, 0, p.count);
  return Factor::of_device(address, p.scale, p.m, p.how.alpha_stride, p.count);
}

Factor beta_of(const Product& p, const void* address) {
  switch (p.how.pointer_mode) {
    case kDeviceScalars:
      return Factor::of_device(address, p.scale, 1, 0, p.count);
    case kDeviceVectors:
      return Factor::of_device(address, p.scale, p.m, 0, p.count);
    case kDeviceVectorAndZero:
      return Factor::zero();
    default:
      return Factor::of_host(address, p.scale);
  }
}

void require_vectors(const Product& p) {
  const auto extent = [&](Int one, Int stride) {
    return static_cast<std::uint64_t>(one + stride * (p.count - 1));
  };
  if (p.has(kBias) || p.writes_bias()) {
    require(p.how.bias != nullptr, "the bias is null");
    require_memory(p.how.bias, extent(p.bias_length(), p.how.bias_stride) * bytes_of(p.bias),
                   "the bias");
  }
  if (p.has(kAuxiliary)) {
    require(p.how.auxiliary != nullptr, "the auxiliary matrix is null");
    const std::uint64_t elements = extent(
        static_cast<Int>(matrix_extent(p.m, p.n, p.how.auxiliary_leading)), p.how.auxiliary_stride);
    const bool is_bits = p.has(kRelu) || p.has(kReluGradient);
    require_memory(p.how.auxiliary, is_bits ? (elements + 7) / 8 : elements * bytes_of(p.auxiliary),
                   "the auxiliary matrix");
  }
}

}  // namespace

extern "C" Status cublasLtMatmul(Handle* handle, const MatmulDescriptor* how, const void* alpha,
                                 const void* a, const MatrixLayout* layout_a, const void* b,
                                 const MatrixLayout* layout_b, const void* beta, const void* c,
                                 const MatrixLayout* layout_c, void* d,
                                 const MatrixLayout* layout_d, const Algorithm* algorithm,
                                 void* workspace, std::size_t bytes, CUstream stream) {
  return guarded("cublasLtMatmul", [&] {
    const StreamHandle in = in_stream(handle, stream);
    const Product p = product_of(how, layout_a, layout_b, layout_c, layout_d);
    require(algorithm == nullptr || is_usable(*algorithm), "the algorithm is not one");
    require_memory(workspace, workspace != nullptr ? bytes : 0, "the workspace");
    const Call call{p,
                    alpha_of(p, alpha),
                    beta_of(p, beta),
                    Batch(p.a, a),
                    Batch(p.b, b),
                    Batch(p.c, c),
                    Batch(p.d, d)};
    if (p.m == 0 || p.n == 0) return;
    require_matrices(in, p.a, a, "a");
    require_matrices(in, p.b, b, "b");
    if (!call.beta.is_zero()) require_matrices(in, p.c, c, "c");
    require_matrices(in, p.d, d, "d");
    require_vectors(p);
    hostblas::require_fitting(blas_is_wide(), {p.a.leading, p.b.leading});
    choose(in, call);
  });
}

}  // namespace pycuda::cublaslt
