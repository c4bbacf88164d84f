// SPDX-License-Identifier: MIT
// Incomplete factors without fill-in: csrilu02 (LU) and csric02 (Cholesky).
#include <cmath>
#include <vector>

#include "cusparse/descriptors.h"

namespace pycuda::cusparse {

/// What an analysis and a factorisation leave: the first row without a pivot, or -1.
template <int kKind>
struct Factors {
  bool is_analysed = false;
  std::shared_ptr<std::atomic<int>> zero_pivot = std::make_shared<std::atomic<int>>(-1);
  bool has_boost = false;
  double tolerance = 0, boost_real = 0, boost_imaginary = 0;
};
using LuInfo = Factors<0>;
using CholeskyInfo = Factors<1>;

namespace {

template <class T>
struct Csr {
  int rows, entries, base;
  T* values;
  const int *offsets, *columns;

  int from(int row) const { return offsets[row] - base; }
  int to(int row) const { return offsets[row + 1] - base; }
  /// The place of an entry of this row, or -1.
  int find(int row, int column) const {
    for (int i = from(row); i < to(row); ++i) {
      if (columns[i] - base == column) return i;
    }
    return -1;
  }
  /// Refuses indices outside of the matrix, when the stream has come so far.
  void check() const {
    for (int row = 0; row < rows; ++row) {
      if (from(row) < 0 || to(row) > entries)
        throw Refusal{Outcome::ExecutionFailed, "an offset lies outside of the matrix"};
      for (int i = from(row); i < to(row); ++i) {
        if (columns[i] < base || columns[i] - base >= rows)
          throw Refusal{Outcome::ExecutionFailed, "an index lies outside of the matrix"};
      }
    }
  }
};

template <class T>
Csr<T> matrix_of(int rows, int entries, const OldDescriptor* descriptor, const T* values,
                 const int* offsets, const int* columns) {
  require(rows >= 0 && entries >= 0, "a size is negative");
  const OldDescriptor& properties = required(descriptor);
  require_memory(offsets, (static_cast<std::uint64_t>(rows) + 1) * sizeof(int), "the offsets");
  require_memory(columns, static_cast<std::uint64_t>(entries) * sizeof(int), "the indices");
  require_memory(values, static_cast<std::uint64_t>(entries) * sizeof(T), "the values");
  return {rows, entries, properties.base, const_cast<T*>(values), offsets, columns};
}

void note(std::atomic<int>& first, int row) {
  if (int none = -1; first.load() < 0) first.compare_exchange_strong(none, row);
}

/// A row without an entry on the diagonal has no pivot.
template <class T>
void find_missing(const Csr<T>& a, std::atomic<int>& zero_pivot) {
  a.check();
  for (int row = 0; row < a.rows; ++row) {
    if (a.find(row, row) < 0) return note(zero_pivot, row + a.base);
  }
}

/// `position[column]` is the place of an entry of the present row, or -1.
template <class T>
void factor(const Csr<T>& a, const LuInfo& info) {
  a.check();
  std::vector<int> position(static_cast<std::size_t>(a.rows), -1);
  const auto place_of = [&](int column) -> int& {
    return position[static_cast<std::size_t>(column)];
  };
  for (int row = 0; row < a.rows; ++row) {
    for (int i = a.from(row); i < a.to(row); ++i) place_of(a.columns[i] - a.base) = i;
    for (int i = a.from(row); i < a.to(row); ++i) {  // sorted by columns
      const int k = a.columns[i] - a.base;
      if (k >= row) break;
      const int pivot = a.find(k, k);
      if (pivot < 0) continue;
      a.values[i] /= a.values[pivot];
      for (int j = a.from(k); j < a.to(k); ++j) {
        const int column = a.columns[j] - a.base;
        if (column > k && place_of(column) >= 0)
          a.values[place_of(column)] -= a.values[i] * a.values[j];
      }
    }
    if (const int own = place_of(row); own >= 0) {
      if (info.has_boost && std::abs(a.values[own]) <= static_cast<Real<T>>(info.tolerance)) {
        if constexpr (is_complex<T>) {
          a.values[own] =
              T(static_cast<Real<T>>(info.boost_real), static_cast<Real<T>>(info.boost_imaginary));
        } else {
          a.values[own] = static_cast<T>(info.boost_real);
        }
      }
      if (a.values[own] == T{}) note(*info.zero_pivot, row + a.base);
    }
    for (int i = a.from(row); i < a.to(row); ++i) place_of(a.columns[i] - a.base) = -1;
  }
}

/// L of A = L L^H, over the lower triangle; the upper one is not read.
template <class T>
void factor(const Csr<T>& a, const CholeskyInfo& info) {
  a.check();
  for (int row = 0; row < a.rows; ++row) {
    for (int i = a.from(row); i < a.to(row); ++i) {
      const int column = a.columns[i] - a.base;
      if (column > row) break;
      T sum = a.values[i];
      for (int j = a.from(row); j < i; ++j) {
        const int other = a.find(column, a.columns[j] - a.base);
        if (other >= 0 && a.columns[j] - a.base < column)
          sum -= a.values[j] * conjugate(a.values[other]);
      }
      if (column < row) {
        const int pivot = a.find(column, column);
        a.values[i] = pivot < 0 ? sum : sum / a.values[pivot];
      } else {
        const Real<T> square = std::real(sum);
        if (!(square > 0)) note(*info.zero_pivot, row + a.base);
        a.values[i] = T(std::sqrt(square));
      }
    }
  }
}

template <int kKind>
Status give_zero_pivot(Handle* handle, const char* function, const Factors<kKind>* info,
                       int* position) {
  int first = -1;
  const Status status = with_handle(handle, function, [&] {
    required(info);
    require(position != nullptr, "the result's pointer is null");
    wait(*handle);
    first = info->zero_pivot->load();
    if (handle->has_device_scalars) require_memory(position, sizeof(int), "the position");
    *position = first;
  });
  return status == kSuccess && first >= 0 ? kZeroPivot : status;
}

}  // namespace

extern "C" {

#define CUSPARSE_INFO(Name, T)                                                          \
  Status cusparseCreate##Name##Info(T** made) {                                         \
    return guarded("cusparseCreate" #Name "Info", [&] { make_descriptor(made, T{}); }); \
  }                                                                                     \
  Status cusparseDestroy##Name##Info(const T* info) {                                   \
    return destroy_descriptor("cusparseDestroy" #Name "Info", info);                    \
  }
CUSPARSE_INFO(Csrilu02, LuInfo)
CUSPARSE_INFO(Csric02, CholeskyInfo)

Status cusparseXcsrilu02_zeroPivot(Handle* handle, const LuInfo* info, int* position) {
  return give_zero_pivot(handle, "cusparseXcsrilu02_zeroPivot", info, position);
}
Status cusparseXcsric02_zeroPivot(Handle* handle, const CholeskyInfo* info, int* position) {
  return give_zero_pivot(handle, "cusparseXcsric02_zeroPivot", info, position);
}

#define CUSPARSE_SIZE(name, Info, T, Size)                                                       \
  Status name(Handle* handle, int rows, int entries, const OldDescriptor* descriptor, T* values, \
              const int* offsets, const int* columns, const Info* info, Size* bytes) {           \
    return with_handle(handle, #name, [&] {                                                      \
      required(info);                                                                            \
      matrix_of(rows, entries, descriptor, values, offsets, columns);                            \
      give_size(bytes);                                                                          \
    });                                                                                          \
  }
#define CUSPARSE_FACTORS(name, Info, T)                                                            \
  CUSPARSE_SIZE(name##_bufferSize, Info, T, int)                                                   \
  CUSPARSE_SIZE(name##_bufferSizeExt, Info, T, std::size_t)                                        \
  Status name##_analysis(Handle* handle, int rows, int entries, const OldDescriptor* descriptor,   \
                         const T* values, const int* offsets, const int* columns, Info* info, int, \
                         void*) {                                                                  \
    return with_handle(handle, #name "_analysis", [&] {                                            \
      required(info).is_analysed = true;                                                           \
      info->zero_pivot = std::make_shared<std::atomic<int>>(-1);                                   \
      enqueue(*handle, [a = matrix_of(rows, entries, descriptor, values, offsets, columns),        \
                        first = info->zero_pivot] { find_missing(a, *first); });                   \
    });                                                                                            \
  }                                                                                                \
  Status name(Handle* handle, int rows, int entries, const OldDescriptor* descriptor, T* values,   \
              const int* offsets, const int* columns, Info* info, int, void*) {                    \
    return with_handle(handle, #name, [&] {                                                        \
      require(required(info).is_analysed, "the matrix has not been analysed");                     \
      enqueue(*handle, [a = matrix_of(rows, entries, descriptor, values, offsets, columns),        \
                        info = *info] { factor(a, info); });                                       \
    });                                                                                            \
  }
#define CUSPARSE_BOTH_FACTORS(letter, T, type)                                              \
  CUSPARSE_FACTORS(cusparse##letter##csrilu02, LuInfo, T)                                   \
  CUSPARSE_FACTORS(cusparse##letter##csric02, CholeskyInfo, T)                              \
  Status cusparse##letter##csrilu02_numericBoost(Handle* handle, LuInfo* info, int enable,  \
                                                 const double* tolerance, const T* value) { \
    return with_handle(handle, "cusparse" #letter "csrilu02_numericBoost", [&] {            \
      required(info).has_boost = enable != 0;                                               \
      if (enable == 0) return;                                                              \
      info->tolerance = Scalar(*handle, tolerance, kDouble).get<double>();                  \
      const auto boost = Scalar(*handle, value, type).get<ComplexDouble>();                 \
      info->boost_real = boost.real();                                                      \
      info->boost_imaginary = boost.imag();                                                 \
    });                                                                                     \
  }
CUSPARSE_BOTH_FACTORS(S, float, kFloat)
CUSPARSE_BOTH_FACTORS(D, double, kDouble)
CUSPARSE_BOTH_FACTORS(C, ComplexFloat, kComplexFloat)
CUSPARSE_BOTH_FACTORS(Z, ComplexDouble, kComplexDouble)

}  // extern "C"

}  // namespace pycuda::cusparse
