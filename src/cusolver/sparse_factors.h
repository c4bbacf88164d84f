// SPDX-License-Identifier: MIT
// Factors of sparse matrices: L L^H, L U with row exchanges, Q R. Of each there are `factor`, the
// first pivot that is as good as zero, and `solve`.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "cusolver/csr.h"
#include "hostblas/types.h"

namespace pycuda::cusolver {

using hostblas::conjugate;
using hostblas::Real;

/// The first number whose absolute value is not above `tolerance`, or -1.
template <class T>
int first_zero(const std::vector<T>& pivots, Real<T> tolerance) {
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    if (!(std::abs(pivots[i]) > tolerance)) return static_cast<int>(i);
  }
  return -1;
}

/// L of A = L L^H, of which the lower triangle is read.
template <class T>
class SparseCholesky {
 public:
  void factor(const Csr<T>& a) {
    const int n = a.rows;
    columns_.assign(at(n), {});
    pivots_.assign(at(n), 0);
    std::vector<int> parent(at(n), -1), mark(at(n), -1), reached;
    std::vector<T> row(at(n));
    for (int k = 0; k < n; ++k) {
      // The entries of row k of L are those that the elimination tree leads to from A's.
      reached.clear();
      mark[at(k)] = k;
      Real<T> square = 0;
      for (int i = a.from(k); i < a.to(k) && a.indices[at(i)] <= k; ++i) {
        int j = a.indices[at(i)];
        if (j == k) {
          square = std::real(a.values[at(i)]);
          break;
        }
        row[at(j)] = a.values[at(i)];
        for (; mark[at(j)] != k; j = parent[at(j)]) {
          mark[at(j)] = k;
          reached.push_back(j);
          if (parent[at(j)] < 0) parent[at(j)] = k;
        }
      }
      std::ranges::sort(reached);
      for (const int j : reached) {
        const T value = row[at(j)] / pivots_[at(j)];
        row[at(j)] = T{};
        for (const auto& [below, other] : columns_[at(j)])
          row[at(below)] -= value * conjugate(other);
        square -= std::norm(value);
        columns_[at(j)].emplace_back(k, value);
      }
      if (!(square > 0)) return;  // the pivots from here on are zero
      pivots_[at(k)] = std::sqrt(square);
    }
  }

  int zero_pivot(Real<T> tolerance) const { return first_zero(pivots_, tolerance); }
  const std::vector<Real<T>>& diagonal() const { return pivots_; }

  void solve(std::vector<T>& x) const {
    for (std::size_t j = 0; j < pivots_.size(); ++j) {
      x[j] /= pivots_[j];
      for (const auto& [row, value] : columns_[j]) x[at(row)] -= value * x[j];
    }
    for (std::size_t j = pivots_.size(); j-- > 0;) {
      for (const auto& [row, value] : columns_[j]) x[j] -= conjugate(value) * x[at(row)];
      x[j] /= pivots_[j];
    }
  }

 private:
  std::vector<Line<T>> columns_;  ///< below the diagonal
  std::vector<Real<T>> pivots_;
};

/// A with its rows in the order `rows()` is L U; L has ones on its diagonal, which are not kept.
template <class T>
class SparseLu {
 public:
  /// The entry on A's diagonal is the pivot unless it is smaller than `threshold` times the
  /// largest.
  void factor(const Csr<T>& a, double threshold) {
    const int n = a.rows;
    const std::vector<Line<T>> columns = columns_of(a);
    lower_.assign(at(n), {});
    upper_.assign(at(n), {});
    pivots_.assign(at(n), T{});
    rows_.assign(at(n), -1);
    std::vector<int> step_of(at(n), -1), mark(at(n), -1), open;
    std::vector<T> x(at(n));
    std::priority_queue<int, std::vector<int>, std::greater<>> steps;
    int next_free = 0;
    for (int j = 0; j < n; ++j) {
      open.clear();
      const auto meet = [&](int row) {
        if (mark[at(row)] == j) return;
        mark[at(row)] = j;
        if (step_of[at(row)] >= 0) {
          steps.push(step_of[at(row)]);
        } else {
          open.push_back(row);
        }
      };
      for (const auto& [row, value] : columns[at(j)]) {
        x[at(row)] = value;
        meet(row);
      }
      while (!steps.empty()) {
        const int k = steps.top();
        steps.pop();
        const T value = std::exchange(x[at(rows_[at(k)])], T{});
        upper_[at(j)].emplace_back(k, value);
        for (const auto& [row, factor] : lower_[at(k)]) {
          meet(row);
          x[at(row)] -= factor * value;
        }
      }
      int pivot = -1;
      for (const int row : open) {
        if (pivot < 0 || std::abs(x[at(row)]) > std::abs(x[at(pivot)])) pivot = row;
      }
      if (pivot >= 0 && mark[at(j)] == j && step_of[at(j)] < 0 &&
          std::abs(x[at(j)]) >= static_cast<Real<T>>(threshold) * std::abs(x[at(pivot)]))
        pivot = j;
      if (pivot < 0) {  // an empty column: any row will do
        while (step_of[at(next_free)] >= 0) ++next_free;
        pivot = next_free;
      }
      step_of[at(pivot)] = j;
      rows_[at(j)] = pivot;
      pivots_[at(j)] = std::exchange(x[at(pivot)], T{});
      for (const int row : open) {
        if (row == pivot) continue;
        // Zeros stay: with other values of the same pattern they may be none.
        const T value = std::exchange(x[at(row)], T{});
        lower_[at(j)].emplace_back(row, value == T{} ? value : value / pivots_[at(j)]);
      }
    }
    for (auto& column : lower_) {
      for (auto& [row, value] : column) row = step_of[at(row)];
    }
  }

  int zero_pivot(Real<T> tolerance) const { return first_zero(pivots_, tolerance); }
  const std::vector<int>& rows() const { return rows_; }

  void solve(std::vector<T>& x) const {
    std::vector<T> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[at(rows_[i])];
    for (std::size_t j = 0; j < y.size(); ++j) {
      for (const auto& [row, value] : lower_[j]) y[at(row)] -= value * y[j];
    }
    for (std::size_t j = y.size(); j-- > 0;) {
      y[j] /= pivots_[j];
      for (const auto& [row, value] : upper_[j]) y[at(row)] -= value * y[j];
    }
    x = std::move(y);
  }

  /// The factors in rows.
  Csr<T> lower() const { return csr_of(transposed(lower_)); }
  Csr<T> upper() const {
    std::vector<Line<T>> whole = upper_;
    for (std::size_t j = 0; j < whole.size(); ++j)
      whole[j].emplace_back(static_cast<int>(j), pivots_[j]);
    return csr_of(transposed(whole));
  }

 private:
  std::vector<Line<T>> lower_, upper_;  ///< columns without the diagonal, rows by their steps
  std::vector<T> pivots_;
  std::vector<int> rows_;
};

/// Q R of a matrix with at least as many rows as columns, by rotations of one row after the other
/// into R. Solutions are those of least squares.
template <class T>
class SparseQr {
 public:
  /// Of A - mu I.
  void factor(const Csr<T>& a, T mu = {}) {
    lines_.assign(at(a.columns), {});
    rotations_.assign(at(a.rows), {});
    targets_.assign(at(a.rows), -1);
    Line<T> row, turned, kept;
    for (int i = 0; i < a.rows; ++i) {
      row.clear();
      for (int place = a.from(i); place < a.to(i); ++place)
        row.emplace_back(a.indices[at(place)], a.values[at(place)]);
      if (mu != T{} && i < a.columns) shift(row, i, mu);
      while (!row.empty()) {
        const int j = row.front().first;
        Line<T>& line = lines_[at(j)];
        if (row.front().second == T{}) {
          row.erase(row.begin());
        } else if (line.empty()) {
          line = row;
          targets_[at(i)] = j;
          break;
        } else {
          const Rotation rotation = rotation_of(j, line.front().second, row.front().second);
          rotate(rotation, line, row, kept, turned);
          line.swap(kept);
          row.swap(turned);
          rotations_[at(i)].push_back(rotation);
        }
      }
    }
  }

  int zero_pivot(Real<T> tolerance) const {
    std::vector<T> pivots;
    pivots.reserve(lines_.size());
    for (const auto& line : lines_) pivots.push_back(line.empty() ? T{} : line.front().second);
    return first_zero(pivots, tolerance);
  }

  /// As many numbers as the matrix has rows; the solution has as many as it has columns.
  void solve(std::vector<T>& x) const {
    std::vector<T> y(lines_.size());
    for (std::size_t i = 0; i < rotations_.size(); ++i) {
      T rest = x[i];
      for (const Rotation& rotation : rotations_[i]) {
        T& other = y[at(rotation.line)];
        const T turned = rotation.c * other + rotation.s * rest;
        rest = rotation.keeps * rest - rotation.leaves * other;
        other = turned;
      }
      if (targets_[i] >= 0) y[at(targets_[i])] = rest;
    }
    for (std::size_t j = y.size(); j-- > 0;) {
      const Line<T>& line = lines_[j];
      for (std::size_t k = 1; k < line.size(); ++k) y[j] -= line[k].second * y[at(line[k].first)];
      y[j] /= line.empty() ? T{} : line.front().second;
    }
    x = std::move(y);
  }

 private:
  /// line' = c line + s row, row' = keeps row - leaves line
  struct Rotation {
    int line;
    T c, s, keeps, leaves;
  };

  static Rotation rotation_of(int line, T first, T second) {
    const Real<T> length = std::hypot(std::abs(first), std::abs(second));
    return {line, conjugate(first) / length, conjugate(second) / length, first / length,
            second / length};
  }

  static void shift(Line<T>& row, int column, T mu) {
    auto place = row.begin();
    while (place != row.end() && place->first < column) ++place;
    if (place == row.end() || place->first != column) place = row.emplace(place, column, T{});
    place->second -= mu;
  }

  /// The entry of `row` in the line's column becomes zero and is skipped.
  static void rotate(const Rotation& r, const Line<T>& line, const Line<T>& row, Line<T>& kept,
                     Line<T>& turned) {
    kept.clear();
    turned.clear();
    std::size_t i = 0, k = 0;
    while (i < line.size() || k < row.size()) {
      const int none = std::numeric_limits<int>::max();
      const int of_line = i < line.size() ? line[i].first : none;
      const int of_row = k < row.size() ? row[k].first : none;
      const int column = std::min(of_line, of_row);
      const T upper = of_line == column ? line[i++].second : T{};
      const T lower = of_row == column ? row[k++].second : T{};
      kept.emplace_back(column, r.c * upper + r.s * lower);
      if (column != r.line) turned.emplace_back(column, r.keeps * lower - r.leaves * upper);
    }
  }

  std::vector<Line<T>> lines_;                    ///< R in rows, the diagonal first
  std::vector<std::vector<Rotation>> rotations_;  ///< of each of A's rows
  std::vector<int> targets_;                      ///< the row of R that a row of A became, or -1
};

}  // namespace pycuda::cusolver
