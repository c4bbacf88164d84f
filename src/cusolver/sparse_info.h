// SPDX-License-Identifier: MIT
// What the steps of a sparse factorisation (analysis, factor, solution) hand to each other.
#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>
#include <variant>
#include <vector>

#include "cusolver/sparse_factors.h"
#include "cusolver/sparse_handle.h"

namespace pycuda::cusolver {

/// An info object of the program's; Factors is what it holds, of real or complex numbers.
template <template <class> class Factors>
struct SparseInfo {
  template <class T>
  using Held = std::shared_ptr<Factors<Wide<T>>>;

  int rows = -1, columns = -1;  ///< of the analysed matrix
  char letter = 0;              ///< of the numbers' type
  std::variant<Held<double>, Held<ComplexDouble>> factors;

  void require_analysed(int m, int n) const {
    require(rows == m && columns == n, "the matrix has not been analysed with these sizes");
  }
  /// Work that is under way keeps the factors that it has.
  template <class T>
  Held<T> renewed() {
    letter = hostblas::letter<T>();
    factors = std::make_shared<Factors<Wide<T>>>();
    return std::get<Held<T>>(factors);
  }
  template <class T>
  Held<T> held() const {
    require(letter == hostblas::letter<T>(), "there are no factors of this type");
    return std::get<Held<T>>(factors);
  }
};

template <class Info>
Info& required_info(Info* info) {
  require(hostwork::Registry<Info>::instance().contains(info), "the object does not exist");
  return *info;
}
template <class Info>
Status create_info(const char* function, Info** made) noexcept {
  return status_of(outcome_of(function, [&] {
    require(made != nullptr, "the object's pointer is null");
    *made = hostwork::Registry<Info>::instance().insert(std::make_unique<Info>());
  }));
}
template <class Info>
Status destroy_info(const char* function, const Info* info) noexcept {
  return status_of(outcome_of(function, [&] {
    require(hostwork::Registry<Info>::instance().erase(info), "the object does not exist");
  }));
}

/// No function needs a workspace, but programs allocate it.
inline void give_workspace(std::size_t* internal, std::size_t* workspace) {
  give(internal, sizeof(double));
  give(workspace, sizeof(double));
}

template <class T, class Info>
void give_zero_pivot(const SparseHandle& handle, Where where, Info* info, Real<T> tolerance,
                     int* position) {
  const auto factors = required_info(info).template held<T>();
  finish(handle, where);
  give(position, factors->zero_pivot(tolerance));
}

/// b has a number for each of the matrix's rows, x for each of its columns.
template <class T, class Info>
void solve(const SparseHandle& handle, Where where, int rows, int columns, const T* b, T* x,
           Info* info) {
  required_info(info).require_analysed(rows, columns);
  require_place(where, b, rows, "b");
  require_place(where, x, columns, "x");
  run(handle, where, [=, factors = info->template held<T>()] {
    std::vector<Wide<T>> numbers(b, b + rows);
    factors->solve(numbers);
    narrow(numbers, x);
  });
}

}  // namespace pycuda::cusolver

/// The functions of an info object that do not depend on a type.
#define CUSOLVER_INFO(Name, Info)                               \
  extern "C" Status cusolverSpCreate##Name(Info** made) {       \
    return create_info("cusolverSpCreate" #Name, made);         \
  }                                                             \
  extern "C" Status cusolverSpDestroy##Name(const Info* info) { \
    return destroy_info("cusolverSpDestroy" #Name, info);       \
  }
#define CUSOLVER_SPARSE_ALL(FUNCTION, suffix, where) \
  FUNCTION(S, suffix, where, float)                  \
  FUNCTION(D, suffix, where, double)                 \
  FUNCTION(C, suffix, where, ComplexFloat)           \
  FUNCTION(Z, suffix, where, ComplexDouble)
