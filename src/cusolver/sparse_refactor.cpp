// SPDX-License-Identifier: MIT
// cuSolverRf: systems of matrices with the same places of entries, one or a batch of them.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "cusolver/refactor.h"
#include "cusolver/sparse_handle.h"

namespace pycuda::cusolver {
namespace {

/// L's diagonal is one: its entries are there, or not. U's cannot be.
enum UnitDiagonal { kStoredInL = 0, kAssumedInL = 2 };

struct RefactorHandle : hostblas::StreamHandle {
  int fast_resets = 0, format = 0, diagonal = kStoredInL, factorization = 0, solution = 1;
  double zero = 0, boost = 0;
  /// One for each matrix of the batch, which work under way keeps.
  std::vector<std::shared_ptr<Refactoring>> batch;
  std::shared_ptr<std::vector<int>> zero_pivots;
};
using RefactorHandles = hostwork::Registry<RefactorHandle>;

template <class Body>
Status with_refactor(const RefactorHandle* handle, const char* function, Body&& body) noexcept {
  return status_of(outcome_of(function, [&] {
    if (!RefactorHandles::instance().contains(handle)) throw Refusal{Outcome::NotInitialized, ""};
    require_no_failure(*handle);
    body();
  }));
}

Places places(Where where, int n, int entries, const int* offsets, const int* indices) {
  require(n >= 0 && entries >= 0, "a size is negative");
  require_place(where, offsets, Int{n} + 1, "the offsets");
  require_place(where, indices, entries, "the indices");
  return {n, n, entries, 0, offsets, indices};
}

void require_batch(const RefactorHandle& handle, int n, std::size_t count) {
  require(!handle.batch.empty() && handle.batch.size() == count && handle.batch[0]->size() == n,
          "the handle has not been set up for these matrices");
}
void require_set_up(const RefactorHandle& handle) {
  require(!handle.batch.empty(), "the handle has not been set up");
}

/// The status of the factorisation: it is waited for.
Status refactor(RefactorHandle* handle, const char* function) {
  bool has_zero = false;
  const Status status = with_refactor(handle, function, [&] {
    require_set_up(*handle);
    handle->zero_pivots = std::make_shared<std::vector<int>>(handle->batch.size(), -1);
    enqueue(*handle, [batch = handle->batch, zero = handle->zero, boost = handle->boost,
                      pivots = handle->zero_pivots] {
      for (std::size_t i = 0; i < batch.size(); ++i) (*pivots)[i] = batch[i]->factor(zero, boost);
    });
    wait(*handle);
    has_zero = handle->boost == 0 &&
               std::ranges::any_of(*handle->zero_pivots, [](int pivot) { return pivot >= 0; });
  });
  return status == kSuccess && has_zero ? kZeroPivot : status;
}

/// L with the diagonal that is not kept.
Csr<double> with_ones(const Csr<double>& lower) {
  std::vector<Line<double>> columns = columns_of(lower);
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].emplace_back(static_cast<int>(i), 1);
  return csr_of(transposed(columns));
}

/// Memory that the program frees.
template <class T>
void give_copy(const std::vector<T>& values, T** made) {
  require(made != nullptr, "the result's pointer is null");
  *made = static_cast<T*>(std::malloc(std::max<std::size_t>(1, values.size() * sizeof(T))));
  if (*made == nullptr) throw std::bad_alloc();
  std::ranges::copy(values, *made);
}
void give_factor(const Csr<double>& factor, int* entries, int** offsets, int** indices,
                 double** values) {
  give(entries, static_cast<int>(factor.indices.size()));
  give_copy(factor.offsets, offsets);
  give_copy(factor.indices, indices);
  give_copy(factor.values, values);
}

}  // namespace

extern "C" {

Status cusolverRfCreate(RefactorHandle** handle) {
  return status_of(outcome_of("cusolverRfCreate", [&] {
    require(handle != nullptr, "the handle's pointer is null");
    *handle = nullptr;
    auto made = std::make_unique<RefactorHandle>();
    if (hostwork::driver() != nullptr) made->context = hostwork::context_of_thread();
    if (made->context == nullptr) throw Refusal{Outcome::NotInitialized, ""};
    *handle = RefactorHandles::instance().insert(std::move(made));
  }));
}
Status cusolverRfDestroy(RefactorHandle* handle) {
  return with_refactor(handle, "cusolverRfDestroy", [&] {
    hostwork::driver()->synchronize(handle->stream);
    RefactorHandles::instance().erase(handle);
  });
}

Status cusolverRfSetMatrixFormat(RefactorHandle* handle, int format, int diagonal) {
  return with_refactor(handle, "cusolverRfSetMatrixFormat", [&] {
    require(format >= 0 && format <= 1 && diagonal >= 0 && diagonal <= 3, "the format is not one");
    if (format != 0 || diagonal % 2 != 0)
      throw Refusal{Outcome::NotSupported, "matrices in columns, and U with ones on its diagonal"};
    handle->diagonal = diagonal;
  });
}
Status cusolverRfGetMatrixFormat(RefactorHandle* handle, int* format, int* diagonal) {
  return with_refactor(handle, "cusolverRfGetMatrixFormat", [&] {
    give(format, handle->format);
    give(diagonal, handle->diagonal);
  });
}
Status cusolverRfSetNumericProperties(RefactorHandle* handle, double zero, double boost) {
  return with_refactor(handle, "cusolverRfSetNumericProperties", [&] {
    handle->zero = zero;
    handle->boost = boost;
  });
}
Status cusolverRfGetNumericProperties(RefactorHandle* handle, double* zero, double* boost) {
  return with_refactor(handle, "cusolverRfGetNumericProperties", [&] {
    give(zero, handle->zero);
    give(boost, handle->boost);
  });
}
Status cusolverRfGetNumericBoostReport(RefactorHandle* handle, int* was_used) {
  return with_refactor(handle, "cusolverRfGetNumericBoostReport", [&] {
    const auto& pivots = handle->zero_pivots;
    give(was_used, pivots != nullptr && handle->boost != 0 &&
                           std::ranges::any_of(*pivots, [](int pivot) { return pivot >= 0; })
                       ? 1
                       : 0);
  });
}
// There is one algorithm.
Status cusolverRfSetAlgs(RefactorHandle* handle, int factorization, int solution) {
  return with_refactor(handle, "cusolverRfSetAlgs", [&] {
    require(factorization >= 0 && factorization <= 2 && solution >= 1 && solution <= 3,
            "an algorithm is not one");
    handle->factorization = factorization;
    handle->solution = solution;
  });
}
Status cusolverRfGetAlgs(RefactorHandle* handle, int* factorization, int* solution) {
  return with_refactor(handle, "cusolverRfGetAlgs", [&] {
    give(factorization, handle->factorization);
    give(solution, handle->solution);
  });
}
Status cusolverRfSetResetValuesFastMode(RefactorHandle* handle, int mode) {
  return with_refactor(handle, "cusolverRfSetResetValuesFastMode", [&] {
    require(mode == 0 || mode == 1, "the mode is not one");
    handle->fast_resets = mode;
  });
}
Status cusolverRfGetResetValuesFastMode(RefactorHandle* handle, int* mode) {
  return with_refactor(handle, "cusolverRfGetResetValuesFastMode",
                       [&] { give(mode, handle->fast_resets); });
}

Status cusolverRfBatchSetupHost(int count, int n, int entries, const int* offsets,
                                const int* indices, const double* const* values, int lower_entries,
                                const int* lower_offsets, const int* lower_indices, const double*,
                                int upper_entries, const int* upper_offsets,
                                const int* upper_indices, const double*, const int* p, const int* q,
                                RefactorHandle* handle) {
  return with_refactor(handle, "cusolverRfBatchSetupHost", [&] {
    require(count > 0 && values != nullptr, "there are no matrices");
    handle->batch.clear();
    for (int i = 0; i < count; ++i) {
      require_place(Where::Host, values[i], entries, "the values");
      handle->batch.push_back(std::make_shared<Refactoring>(
          places(Where::Host, n, entries, offsets, indices), values[i],
          places(Where::Host, n, lower_entries, lower_offsets, lower_indices),
          places(Where::Host, n, upper_entries, upper_offsets, upper_indices), permutation(p, n),
          permutation(q, n)));
    }
  });
}
Status cusolverRfSetupHost(int n, int entries, const int* offsets, const int* indices,
                           const double* values, int lower_entries, const int* lower_offsets,
                           const int* lower_indices, const double* lower_values, int upper_entries,
                           const int* upper_offsets, const int* upper_indices,
                           const double* upper_values, const int* p, const int* q,
                           RefactorHandle* handle) {
  return cusolverRfBatchSetupHost(1, n, entries, offsets, indices, &values, lower_entries,
                                  lower_offsets, lower_indices, lower_values, upper_entries,
                                  upper_offsets, upper_indices, upper_values, p, q, handle);
}
/// The device's memory is the host's, once the work before is done.
Status cusolverRfSetupDevice(int n, int entries, const int* offsets, const int* indices,
                             const double* values, int lower_entries, const int* lower_offsets,
                             const int* lower_indices, const double* lower_values,
                             int upper_entries, const int* upper_offsets, const int* upper_indices,
                             const double* upper_values, const int* p, const int* q,
                             RefactorHandle* handle) {
  const Status status = with_refactor(handle, "cusolverRfSetupDevice", [&] {
    places(Where::Device, n, entries, offsets, indices);
    places(Where::Device, n, lower_entries, lower_offsets, lower_indices);
    places(Where::Device, n, upper_entries, upper_offsets, upper_indices);
    require_place(Where::Device, values, entries, "the values");
    require_place(Where::Device, p, n, "an order");
    require_place(Where::Device, q, n, "an order");
    wait(*handle);
  });
  if (status != kSuccess) return status;
  return cusolverRfSetupHost(n, entries, offsets, indices, values, lower_entries, lower_offsets,
                             lower_indices, lower_values, upper_entries, upper_offsets,
                             upper_indices, upper_values, p, q, handle);
}

Status cusolverRfAnalyze(RefactorHandle* handle) {
  return with_refactor(handle, "cusolverRfAnalyze", [&] { require_set_up(*handle); });
}
Status cusolverRfBatchAnalyze(RefactorHandle* handle) {
  return with_refactor(handle, "cusolverRfBatchAnalyze", [&] { require_set_up(*handle); });
}

Status cusolverRfBatchResetValues(int count, int n, int entries, const int* offsets,
                                  const int* indices, const double* const* values, const int* p,
                                  const int* q, RefactorHandle* handle) {
  return with_refactor(handle, "cusolverRfBatchResetValues", [&] {
    require_batch(*handle, n, static_cast<std::size_t>(std::max(count, 0)));
    require_place(Where::Device, values, count, "the list of values");
    require_place(Where::Device, p, n, "an order");
    require_place(Where::Device, q, n, "an order");
    wait(*handle);  // for the list of pointers
    const Places a = places(Where::Device, n, entries, offsets, indices);
    for (int i = 0; i < count; ++i) {
      require_place(Where::Device, values[i], entries, "the values");
      enqueue(*handle,
              [a, numbers = values[i], one = handle->batch[at(i)]] { one->reset(a, numbers); });
    }
  });
}
Status cusolverRfResetValues(int n, int entries, const int* offsets, const int* indices,
                             const double* values, const int* p, const int* q,
                             RefactorHandle* handle) {
  return with_refactor(handle, "cusolverRfResetValues", [&] {
    require_batch(*handle, n, 1);
    require_place(Where::Device, p, n, "an order");
    require_place(Where::Device, q, n, "an order");
    require_place(Where::Device, values, entries, "the values");
    enqueue(*handle, [a = places(Where::Device, n, entries, offsets, indices), values,
                      one = handle->batch[0]] { one->reset(a, values); });
  });
}

Status cusolverRfRefactor(RefactorHandle* handle) { return refactor(handle, "cusolverRfRefactor"); }
Status cusolverRfBatchRefactor(RefactorHandle* handle) {
  return refactor(handle, "cusolverRfBatchRefactor");
}
Status cusolverRfBatchZeroPivot(RefactorHandle* handle, int* positions) {
  return with_refactor(handle, "cusolverRfBatchZeroPivot", [&] {
    require(handle->zero_pivots != nullptr, "there are no factors");
    require(positions != nullptr, "the result's pointer is null");
    std::ranges::copy(*handle->zero_pivots, positions);
  });
}

Status cusolverRfSolve(RefactorHandle* handle, const int* p, const int* q, int columns, double*,
                       int, double* x, int leading) {
  return with_refactor(handle, "cusolverRfSolve", [&] {
    require_set_up(*handle);
    const int n = handle->batch[0]->size();
    require(columns >= 0, "a size is negative");
    require_place(Where::Device, p, n, "an order");
    require_place(Where::Device, q, n, "an order");
    require_matrix(x, n, columns, leading, "x");
    enqueue(*handle, [=, one = handle->batch[0]] {
      for (int column = 0; column < columns; ++column) one->solve(x + Int{column} * leading);
    });
  });
}
Status cusolverRfBatchSolve(RefactorHandle* handle, const int* p, const int* q, int columns,
                            double*, int, double* const* x, int leading) {
  return with_refactor(handle, "cusolverRfBatchSolve", [&] {
    require_set_up(*handle);
    const int n = handle->batch[0]->size();
    require(columns >= 0, "a size is negative");
    require_place(Where::Device, p, n, "an order");
    require_place(Where::Device, q, n, "an order");
    require_place(Where::Device, x, static_cast<Int>(handle->batch.size()), "the list of x");
    wait(*handle);  // for the list of pointers
    for (std::size_t i = 0; i < handle->batch.size(); ++i) {
      require_matrix(x[i], n, columns, leading, "x");
      enqueue(*handle, [=, place = x[i], one = handle->batch[i]] {
        for (int column = 0; column < columns; ++column) one->solve(place + Int{column} * leading);
      });
    }
  });
}

Status cusolverRfExtractSplitFactorsHost(RefactorHandle* handle, int* lower_entries,
                                         int** lower_offsets, int** lower_indices,
                                         double** lower_values, int* upper_entries,
                                         int** upper_offsets, int** upper_indices,
                                         double** upper_values) {
  return with_refactor(handle, "cusolverRfExtractSplitFactorsHost", [&] {
    require_batch(*handle, handle->batch.empty() ? 0 : handle->batch[0]->size(), 1);
    wait(*handle);
    Csr<double> lower = handle->batch[0]->lower();
    if (handle->diagonal == kStoredInL) lower = with_ones(lower);
    give_factor(lower, lower_entries, lower_offsets, lower_indices, lower_values);
    give_factor(handle->batch[0]->upper(), upper_entries, upper_offsets, upper_indices,
                upper_values);
  });
}

}  // extern "C"

}  // namespace pycuda::cusolver
