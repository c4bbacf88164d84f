// SPDX-License-Identifier: MIT
// L U of matrices with the same places of entries, in an order of rows and columns that is known:
// no pivots are sought.
#pragma once

#include <vector>

#include "cusolver/csr.h"

namespace pycuda::cusolver {

class Refactoring {
 public:
  /// A(p, q) has factors with entries at the places of `lower` and `upper` and on the diagonal.
  Refactoring(const Places& a, const double* values, const Places& lower, const Places& upper,
              std::vector<int> p, std::vector<int> q);

  int size() const { return static_cast<int>(p_.size()); }
  const std::vector<int>& rows() const { return p_; }
  const std::vector<int>& columns() const { return q_; }

  void reset(const Places& a, const double* values) {
    matrix_ = with_values(ordered(a, p_, q_), values);
  }

  /// The first row whose pivot was below `zero`, and is now `boost`; or -1.
  int factor(double zero, double boost);

  /// A x = b, in place.
  void solve(double* x) const;

  /// The factors; L without its diagonal.
  Csr<double> lower() const { return part(true); }
  Csr<double> upper() const { return part(false); }

 private:
  Csr<double> part(bool is_lower) const;

  std::vector<int> p_, q_;
  Csr<double> matrix_;   ///< A(p, q)
  Csr<double> factors_;  ///< both, row by row
  std::vector<int> diagonal_;
};

}  // namespace pycuda::cusolver
