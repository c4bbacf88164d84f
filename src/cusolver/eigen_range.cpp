// SPDX-License-Identifier: MIT
// Some eigenvalues of a symmetric matrix, or of a pair: syevdx, sygvdx.
#include "cusolver/eigenvalues.h"
#include "cusolver/typed_matrices.h"

namespace pycuda::cusolver {
namespace {

/// All, those in (low, high], or numbers `first` to `last` from 1 in ascending order.
struct Choice {
  Range range;
  double low, high;
  Int first, last;
};

void require_choice(const Choice& choice, Int n) {
  switch (choice.range) {
    case kAll:
      return;
    case kByIndex:
      return require(
          n == 0 || (choice.first >= 1 && choice.first <= choice.last && choice.last <= n),
          "the numbers of the eigenvalues are out of range");
    case kByValue:
      return require(choice.low < choice.high, "the range of the values is empty");
    default:
      require(false, "the range is not one");
  }
}

/// The numbers, from 0, of the first chosen value and of the one after the last.
template <class R>
std::pair<Int, Int> chosen(const Choice& choice, const R* w, Int n) {
  if (choice.range == kAll || n == 0) return {0, n};
  if (choice.range == kByIndex) return {choice.first - 1, choice.last};
  const auto after = [&](double limit) {
    return std::upper_bound(w, w + n, limit, [](double a, R b) { return a < double{b}; }) - w;
  };
  return {after(choice.low), after(choice.high)};
}

/// Runs `compute(w)`, which gives LAPACK's status and puts all values into w and vectors into a;
/// moves the chosen ones to the front. Their number is the host's.
template <class T, class N, class Compute>
void find_some(Handle& handle, bool vectors, const Choice& choice, Int n, T* a, Int lda, Real<T>* w,
               N* number, int* info, Compute compute) {
  require_eigen_memory(a, lda, w, n, info);
  require(number != nullptr, "the pointer of the number of values is null");
  if (choice.range == kByValue && is_capturing(handle))
    throw Refusal{Outcome::NotSupported, "a captured stream cannot give its result to the host"};
  const Int known = choice.range == kByIndex && n != 0 ? choice.last - choice.first + 1 : n;
  const auto found = std::make_shared<Int>(0);  // of a range of values
  enqueue(handle, [=] {
    std::vector<Real<T>> all = scratch<Real<T>>(n);
    const Int status = compute(all.data());
    set_info(info, status, n);
    if (status != 0) return;
    const auto [first, end] = chosen(choice, all.data(), n);
    *found = end - first;
    std::copy(all.data() + first, all.data() + end, w);
    for (Int column = first; vectors && first != 0 && column < end; ++column)
      std::copy_n(a + column * lda, n, a + (column - first) * lda);
  });
  if (choice.range == kByValue) wait(handle);
  *number = static_cast<N>(choice.range == kByValue ? *found : known);
}

template <class T>
void syevdx_size(Handle&, Mode mode, Range range, Fill fill, int n, int lda, Real<T> low,
                 Real<T> high, int first, int last, int* size) {
  require_eigenvalues(mode, fill, n, lda);
  require_choice({range, low, high, first, last}, n);
  give_size(size, workspace_elements(n));
}
template <class T, class N>
void find_of_one(Handle& handle, Mode mode, const Choice& choice, Fill fill, Int n, T* a, Int lda,
                 N* number, Real<T>* w, int* info) {
  find_some(handle, mode == kVectors, choice, n, a, lda, w, number, info,
            [=, problem = Eigenvalues<T>(mode, fill, n)](Real<T>* all) {
              return problem.compute(a, lda, all);
            });
}
template <class T>
void syevdx(Handle& handle, Mode mode, Range range, Fill fill, int n, T* a, int lda, Real<T> low,
            Real<T> high, int first, int last, int* number, Real<T>* w, T* work, int size,
            int* info) {
  const Choice choice{range, low, high, first, last};
  require_eigenvalues(mode, fill, n, lda);
  require_choice(choice, n);
  require_workspace(work, size, workspace_elements(n));
  find_of_one<T>(handle, mode, choice, fill, n, a, lda, number, w, info);
}

template <class T>
void sygvdx_size(Handle&, Problem problem, Mode mode, Range range, Fill fill, int n, int lda,
                 int ldb, Real<T> low, Real<T> high, int first, int last, int* size) {
  require_problem(problem);
  require_eigenvalues(mode, fill, n, lda);
  require_leading(ldb, n);
  require_choice({range, low, high, first, last}, n);
  give_size(size, workspace_elements(n));
}
template <class T>
void sygvdx(Handle& handle, Problem problem, Mode mode, Range range, Fill fill, int n, T* a,
            int lda, T* b, int ldb, Real<T> low, Real<T> high, int first, int last, int* number,
            Real<T>* w, T* work, int size, int* info) {
  const Choice choice{range, low, high, first, last};
  require_problem(problem);
  require_eigenvalues(mode, fill, n, lda);
  require_choice(choice, n);
  require_workspace(work, size, workspace_elements(n));
  require_matrix(b, n, n, ldb, "b");
  find_some(handle, mode == kVectors, choice, n, a, lda, w, number, info,
            [=, pair = Eigenvalues<T>(mode, fill, n)](Real<T>* all) {
              return pair.compute(problem, a, lda, b, ldb, all);
            });
}

/// The limits of a range of values, of the type of the values; other ranges do not read them.
Choice typed_choice(Range range, DataType type, const void* low, const void* high, Int first,
                    Int last) {
  Choice choice{range, 0, 0, first, last};
  if (range != kByValue) return choice;
  require(low != nullptr && high != nullptr, "a limit's pointer is null");
  if (real_of(type) == kFloat) {
    choice.low = *static_cast<const float*>(low);
    choice.high = *static_cast<const float*>(high);
  } else {
    choice.low = *static_cast<const double*>(low);
    choice.high = *static_cast<const double*>(high);
  }
  return choice;
}

}  // namespace

#define syevdx_size_PARAMETERS(T)                                                          \
  Mode mode, Range range, Fill fill, int n, const T *, int lda, Real<T> low, Real<T> high, \
      int first, int last, int *, const Real<T>*, int *size
#define syevdx_size_ARGUMENTS mode, range, fill, n, lda, low, high, first, last, size
CUSOLVER_EXPORT_REAL(syevdx_bufferSize, syevdx_size)
CUSOLVER_EXPORT_COMPLEX(heevdx_bufferSize, syevdx_size)
#define syevdx_PARAMETERS(T)                                                                     \
  Mode mode, Range range, Fill fill, int n, T *a, int lda, Real<T> low, Real<T> high, int first, \
      int last, int *number, Real<T>*w, T *work, int size, int *info
#define syevdx_ARGUMENTS \
  mode, range, fill, n, a, lda, low, high, first, last, number, w, work, size, info
CUSOLVER_EXPORT_REAL(syevdx, syevdx)
CUSOLVER_EXPORT_COMPLEX(heevdx, syevdx)
#define sygvdx_size_PARAMETERS(T)                                                           \
  Problem problem, Mode mode, Range range, Fill fill, int n, const T *, int lda, const T *, \
      int ldb, Real<T> low, Real<T> high, int first, int last, int *, const Real<T>*, int *size
#define sygvdx_size_ARGUMENTS problem, mode, range, fill, n, lda, ldb, low, high, first, last, size
CUSOLVER_EXPORT_REAL(sygvdx_bufferSize, sygvdx_size)
CUSOLVER_EXPORT_COMPLEX(hegvdx_bufferSize, sygvdx_size)
#define sygvdx_PARAMETERS(T)                                                                     \
  Problem problem, Mode mode, Range range, Fill fill, int n, T *a, int lda, T *b, int ldb,       \
      Real<T> low, Real<T> high, int first, int last, int *number, Real<T>*w, T *work, int size, \
      int *info
#define sygvdx_ARGUMENTS \
  problem, mode, range, fill, n, a, lda, b, ldb, low, high, first, last, number, w, work, size, info
CUSOLVER_EXPORT_REAL(sygvdx, sygvdx)
CUSOLVER_EXPORT_COMPLEX(hegvdx, sygvdx)

extern "C" {

Status cusolverDnXsyevdx_bufferSize(Handle* handle, const Parameters* parameters, Mode mode,
                                    Range range, Fill fill, Int n, DataType type, const void*,
                                    Int lda, const void* low, const void* high, Int first, Int last,
                                    Int*, DataType type_w, const void*, DataType computed,
                                    std::size_t* device, std::size_t* host) {
  return with_handle(handle, "cusolverDnXsyevdx_bufferSize", [&] {
    require_parameters(parameters);
    require_eigenvalues(mode, fill, n, lda);
    require_types(type, {computed});
    require_real_type(type, type_w);
    require_choice(typed_choice(range, type, low, high, first, last), n);
    give_sizes(device, host, type, n);
  });
}
Status cusolverDnXsyevdx(Handle* handle, const Parameters* parameters, Mode mode, Range range,
                         Fill fill, Int n, DataType type, void* a, Int lda, const void* low,
                         const void* high, Int first, Int last, Int* number, DataType type_w,
                         void* w, DataType computed, void* work, std::size_t bytes, void*,
                         std::size_t, int* info) {
  return with_handle(handle, "cusolverDnXsyevdx", [&] {
    require_parameters(parameters);
    require_eigenvalues(mode, fill, n, lda);
    require_types(type, {computed});
    require_real_type(type, type_w);
    const Choice choice = typed_choice(range, type, low, high, first, last);
    require_choice(choice, n);
    require_workspace_bytes(work, bytes, type, n);
    with_type(type, [&]<class T>(T) {
      find_of_one<T>(*handle, mode, choice, fill, n, static_cast<T*>(a), lda, number,
                     static_cast<Real<T>*>(w), info);
    });
  });
}

}  // extern "C"

}  // namespace pycuda::cusolver
