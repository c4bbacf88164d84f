// SPDX-License-Identifier: MIT
// Level 1 for vectors of any of the types: cublasDotEx and its like. Small floats are computed in
// float.
#include <cmath>

#include "cublas/handle.h"
#include "hostblas/elements.h"

namespace pycuda::cublas {
namespace {

struct Vector {
  const void* place;
  DataType type;
  Int step;

  Int index(Int n, Int i) const { return step < 0 ? (i + 1 - n) * step : i * step; }
};

bool is_small(DataType type) { return type == kHalf || type == kBfloat16; }

[[noreturn]] void refuse_types() {
  throw Refusal{Outcome::NotSupported, "this combination of types is not supported"};
}

/// Refuses what is not documented: small floats are computed in float, others in their own type.
void require_types(DataType type, DataType compute) {
  const bool is_known = type == kFloat || type == kDouble || type == kComplexFloat ||
                        type == kComplexDouble || is_small(type);
  if (!is_known || compute != (is_small(type) ? kFloat : type)) refuse_types();
}

template <class Run>
void with_type(DataType compute, const Run& run) {
  switch (compute) {
    case kFloat:
      return run(float{});
    case kDouble:
      return run(double{});
    case kComplexFloat:
      return run(ComplexFloat{});
    default:
      return run(ComplexDouble{});
  }
}

void require_vector(const Vector& x, Int n, const char* what) {
  require_memory(x.place, hostblas::vector_extent(n, x.step) * hostblas::bytes_of(x.type), what);
}

template <class T>
T element(const Vector& x, Int n, Int i) {
  return hostblas::load<T>(x.place, x.type, x.index(n, i));
}

/// Runs work that gives one number of a type that only the program knows.
template <class T, class Work>
void give(const Handle& handle, void* result, DataType type, Work work) {
  require(result != nullptr, "the result's pointer is null");
  const bool is_host = handle.pointers != kDevicePointers;
  if (!is_host) require_memory(result, hostblas::bytes_of(type), "the result");
  if (is_host && is_capturing(handle))
    throw Refusal{Outcome::NotSupported, "a captured stream cannot give its result to the host"};
  enqueue(handle, [=] { hostblas::store<T>(result, type, 0, work()); });
  if (is_host) wait(handle);
}

/// Calls `run` with a value of the type as it is stored.
template <class Run>
void with_stored(DataType type, const Run& run) {
  switch (type) {
    case kHalf:
      return run(hostblas::Half{});
    case kBfloat16:
      return run(hostblas::Bfloat16{});
    default:
      return with_type(type, run);
  }
}

/// Sums in double: those of long vectors would stop growing in float, where a GPU adds partial sums
/// of its threads.
template <class E>
auto widened(E value) {
  if constexpr (hostblas::is_complex<E>) {
    return ComplexDouble(value.real(), value.imag());
  } else if constexpr (std::is_floating_point_v<E>) {
    return static_cast<double>(value);
  } else {
    return static_cast<double>(hostblas::to_float(value));
  }
}

void dot(const Handle& handle, Int n, const Vector& x, const Vector& y, void* result,
         DataType result_type, DataType compute, bool conjugated) {
  if (x.type != y.type || result_type != x.type) refuse_types();
  require_types(x.type, compute);
  require_vector(x, n, "x");
  require_vector(y, n, "y");
  with_type(compute, [&]<class T>(T) {
    give<T>(handle, result, result_type, [=] {
      T result_value{};
      with_stored(x.type, [&]<class E>(E) {
        const auto* xs = static_cast<const E*>(x.place);
        const auto* ys = static_cast<const E*>(y.place);
        decltype(widened(E{})) sum{};
        for (Int i = 0; i < n; ++i) {
          const auto value = widened(xs[x.index(n, i)]);
          sum += (conjugated ? hostblas::conjugate(value) : value) * widened(ys[y.index(n, i)]);
        }
        if constexpr (hostblas::is_complex<T> == hostblas::is_complex<E>)
          result_value = static_cast<T>(sum);
      });
      return result_value;
    });
  });
}

void norm(const Handle& handle, Int n, const Vector& x, void* result, DataType result_type,
          DataType compute) {
  const DataType real = x.type == kComplexFloat    ? kFloat
                        : x.type == kComplexDouble ? kDouble
                                                   : x.type;
  if (result_type != real || compute != (is_small(real) ? kFloat : real)) refuse_types();
  require_types(x.type, is_small(x.type) ? kFloat : x.type);
  if (n > 0 && x.step > 0) require_vector(x, n, "x");
  with_type(is_small(x.type) ? kFloat : x.type, [&]<class T>(T) {
    give<hostblas::Real<T>>(handle, result, result_type, [=] {
      double scale = 0;  // squares of the largest and smallest numbers do not fit
      double sum = 1;
      for (Int i = 0; x.step > 0 && i < n; ++i) {
        const T value = element<T>(x, n, i);
        for (const double part :
             {static_cast<double>(std::real(value)), static_cast<double>(std::imag(value))}) {
          const double size = std::abs(part);
          if (size == 0) continue;
          if (size > scale) {
            sum = 1 + sum * (scale / size) * (scale / size);
            scale = size;
          } else {
            sum += (size / scale) * (size / scale);
          }
        }
      }
      return static_cast<hostblas::Real<T>>(scale * std::sqrt(sum));
    });
  });
}

/// A scalar of a type that only the program knows.
class AnyScalar {
 public:
  AnyScalar(const Handle& handle, const void* address, DataType type) : type_(type) {
    require(address != nullptr, "a scalar's pointer is null");
    if (handle.pointers == kDevicePointers) {
      require_memory(address, hostblas::bytes_of(type), "a scalar");
      device_ = address;
    } else {
      std::copy_n(static_cast<const std::byte*>(address), hostblas::bytes_of(type), value_);
    }
  }
  template <class T>
  T get() const {
    return hostblas::load<T>(device_ != nullptr ? device_ : value_, type_, 0);
  }

 private:
  DataType type_;
  const void* device_ = nullptr;
  alignas(16) std::byte value_[16] = {};
};

void axpy(const Handle& handle, Int n, const void* alpha, DataType alpha_type, const Vector& x,
          const Vector& y, DataType compute) {
  if (x.type != y.type || (alpha_type != compute && alpha_type != x.type)) refuse_types();
  require_types(x.type, compute);
  require_vector(x, n, "x");
  require_vector(y, n, "y");
  with_type(compute, [&]<class T>(T) {
    enqueue(handle, [=, factor = AnyScalar(handle, alpha, alpha_type)] {
      const T value = factor.template get<T>();
      for (Int i = 0; i < n; ++i)
        hostblas::store<T>(const_cast<void*>(y.place), y.type, y.index(n, i),
                           value * element<T>(x, n, i) + element<T>(y, n, i));
    });
  });
}

void scale(const Handle& handle, Int n, const void* alpha, DataType alpha_type, const Vector& x,
           DataType compute) {
  if (alpha_type != compute && alpha_type != x.type) refuse_types();
  require_types(x.type, compute);
  if (n <= 0 || x.step <= 0) return;
  require_vector(x, n, "x");
  with_type(compute, [&]<class T>(T) {
    enqueue(handle, [=, factor = AnyScalar(handle, alpha, alpha_type)] {
      const T value = factor.template get<T>();
      for (Int i = 0; i < n; ++i)
        hostblas::store<T>(const_cast<void*>(x.place), x.type, x.index(n, i),
                           value * element<T>(x, n, i));
    });
  });
}

}  // namespace

#define CUBLAS_DOT_EX(I, name, conjugated)                                                    \
  extern "C" Status name(Handle* handle, I n, const void* x, DataType type_x, I step_x,       \
                         const void* y, DataType type_y, I step_y, void* result,              \
                         DataType result_type, DataType compute) {                            \
    return with_handle(handle, #name, [&] {                                                   \
      dot(*handle, n, {x, type_x, step_x}, {y, type_y, step_y}, result, result_type, compute, \
          conjugated);                                                                        \
    });                                                                                       \
  }
#define CUBLAS_LEVEL1_EX(I, width)                                                                 \
  CUBLAS_DOT_EX(I, cublasDotEx##width, false)                                                      \
  CUBLAS_DOT_EX(I, cublasDotcEx##width, true)                                                      \
  extern "C" Status cublasNrm2Ex##width(Handle* handle, I n, const void* x, DataType type_x,       \
                                        I step_x, void* result, DataType result_type,              \
                                        DataType compute) {                                        \
    return with_handle(handle, "cublasNrm2Ex" #width, [&] {                                        \
      norm(*handle, n, {x, type_x, step_x}, result, result_type, compute);                         \
    });                                                                                            \
  }                                                                                                \
  extern "C" Status cublasAxpyEx##width(                                                           \
      Handle* handle, I n, const void* alpha, DataType alpha_type, const void* x, DataType type_x, \
      I step_x, void* y, DataType type_y, I step_y, DataType compute) {                            \
    return with_handle(handle, "cublasAxpyEx" #width, [&] {                                        \
      axpy(*handle, n, alpha, alpha_type, {x, type_x, step_x}, {y, type_y, step_y}, compute);      \
    });                                                                                            \
  }                                                                                                \
  extern "C" Status cublasScalEx##width(Handle* handle, I n, const void* alpha,                    \
                                        DataType alpha_type, void* x, DataType type_x, I step_x,   \
                                        DataType compute) {                                        \
    return with_handle(handle, "cublasScalEx" #width, [&] {                                        \
      scale(*handle, n, alpha, alpha_type, {x, type_x, step_x}, compute);                          \
    });                                                                                            \
  }
CUBLAS_LEVEL1_EX(int, )
CUBLAS_LEVEL1_EX(std::int64_t, _64)

}  // namespace pycuda::cublas
