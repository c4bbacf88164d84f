// SPDX-License-Identifier: MIT
#include "cusolver/refactor.h"

#include <cmath>
#include <utility>

namespace pycuda::cusolver {

Refactoring::Refactoring(const Places& a, const double* values, const Places& lower,
                         const Places& upper, std::vector<int> p, std::vector<int> q)
    : p_(std::move(p)), q_(std::move(q)) {
  Graph rows(at(size()));
  for (const Places* const factor : {&lower, &upper}) {
    const Ordered places = ordered(*factor, identity(size()), identity(size()));
    for (int row = 0; row < size(); ++row)
      rows[at(row)].insert(rows[at(row)].end(), places.indices.begin() + places.from(row),
                           places.indices.begin() + places.to(row));
  }
  for (int row = 0; row < size(); ++row) rows[at(row)].push_back(row);
  tidy(rows);
  factors_.rows = factors_.columns = size();
  factors_.offsets.push_back(0);
  for (int row = 0; row < size(); ++row) {
    for (const int column : rows[at(row)]) {
      if (column == row) diagonal_.push_back(static_cast<int>(factors_.indices.size()));
      factors_.indices.push_back(column);
    }
    factors_.offsets.push_back(static_cast<int>(factors_.indices.size()));
  }
  factors_.values.resize(factors_.indices.size());
  reset(a, values);
}

int Refactoring::factor(double zero, double boost) {
  int first = -1;
  std::vector<double> work(at(size()));
  std::vector<int> mark(at(size()), -1);
  for (int row = 0; row < size(); ++row) {
    const int from = factors_.from(row), to = factors_.to(row);
    for (int i = from; i < to; ++i) mark[at(factors_.indices[at(i)])] = row;
    for (int i = matrix_.from(row); i < matrix_.to(row); ++i) {
      const int column = matrix_.indices[at(i)];
      if (mark[at(column)] != row)
        throw hostblas::Refusal{hostblas::Outcome::ExecutionFailed,
                                "the matrix has an entry where its factors have none"};
      work[at(column)] = matrix_.values[at(i)];
    }
    for (int i = from; i < diagonal_[at(row)]; ++i) {
      const int k = factors_.indices[at(i)];
      const double value = work[at(k)] / factors_.values[at(diagonal_[at(k)])];
      work[at(k)] = value;
      for (int j = diagonal_[at(k)] + 1; j < factors_.to(k); ++j)
        work[at(factors_.indices[at(j)])] -= value * factors_.values[at(j)];
    }
    double& pivot = work[at(row)];
    if (std::abs(pivot) < zero || pivot == 0) {
      if (first < 0) first = row;
      pivot = boost;
    }
    for (int i = from; i < to; ++i)
      factors_.values[at(i)] = std::exchange(work[at(factors_.indices[at(i)])], 0);
  }
  return first;
}

void Refactoring::solve(double* x) const {
  std::vector<double> y;
  y.reserve(p_.size());
  for (const int row : p_) y.push_back(x[row]);
  for (int row = 0; row < size(); ++row) {
    for (int i = factors_.from(row); i < diagonal_[at(row)]; ++i)
      y[at(row)] -= factors_.values[at(i)] * y[at(factors_.indices[at(i)])];
  }
  for (int row = size(); row-- > 0;) {
    const int diagonal = diagonal_[at(row)];
    for (int i = diagonal + 1; i < factors_.to(row); ++i)
      y[at(row)] -= factors_.values[at(i)] * y[at(factors_.indices[at(i)])];
    y[at(row)] /= factors_.values[at(diagonal)];
  }
  for (std::size_t i = 0; i < q_.size(); ++i) x[q_[i]] = y[i];
}

Csr<double> Refactoring::part(bool is_lower) const {
  std::vector<Line<double>> lines(at(size()));
  for (int row = 0; row < size(); ++row) {
    const int diagonal = diagonal_[at(row)];
    const int from = is_lower ? factors_.from(row) : diagonal;
    const int to = is_lower ? diagonal : factors_.to(row);
    for (int i = from; i < to; ++i)
      lines[at(row)].emplace_back(factors_.indices[at(i)], factors_.values[at(i)]);
  }
  return csr_of(lines);
}

}  // namespace pycuda::cusolver
