// SPDX-License-Identifier: MIT
// Descriptors of vectors and matrices.
#pragma once

#include <memory>
#include <utility>

#include "cusparse/handle.h"

namespace pycuda::cusparse {

enum Format { kCsr = 1, kCsc = 2, kCoo = 3 };
enum IndexType { kIndex32 = 2, kIndex64 = 3 };
enum Order { kColumns = 1, kRows = 2 };

struct DenseVector {
  Int size = 0;
  void* values = nullptr;
  DataType type = kFloat;
};

struct DenseMatrix {
  Int rows = 0, columns = 0, leading = 0;
  void* values = nullptr;
  DataType type = kFloat;
  Order order = kColumns;
  int batch_count = 1;
  Int batch_stride = 0;

  Int index(Int row, Int column) const {
    return order == kColumns ? row + column * leading : row * leading + column;
  }
};

/// As a matrix with one column.
inline DenseMatrix as_column(const DenseVector& x) { return {x.size, 1, x.size, x.values, x.type}; }

/// Values and their indices in a vector that is 0 elsewhere.
struct SparseVector {
  Int size = 0, entries = 0;
  void *indices = nullptr, *values = nullptr;
  IndexType index_type = kIndex32;
  int base = 0;
  DataType type = kFloat;
};

/// CSR and CSC: offsets and the indices of the other direction. COO: two lists of indices.
struct SparseMatrix {
  Format format = kCsr;
  Int rows = 0, columns = 0, entries = 0;
  void *first = nullptr, *second = nullptr, *values = nullptr;
  IndexType first_type = kIndex32, second_type = kIndex32;
  int base = 0;
  DataType type = kFloat;
  Fill fill = kLower;
  Diagonal diagonal = kNonUnit;
  int batch_count = 1;
  Int offsets_stride = 0, values_stride = 0;

  Int lines() const { return format == kCsc ? columns : rows; }
  Int first_size() const { return format == kCoo ? entries : lines() + 1; }
};

inline std::uint64_t bytes_of_index(IndexType type) { return type == kIndex64 ? 8 : 4; }

inline Int index_at(const void* place, IndexType type, Int i) {
  return type == kIndex64 ? static_cast<const std::int64_t*>(place)[i]
                          : static_cast<const std::int32_t*>(place)[i];
}
inline void set_index(void* place, IndexType type, Int i, Int value) {
  if (type == kIndex64) {
    static_cast<std::int64_t*>(place)[i] = value;
  } else {
    static_cast<std::int32_t*>(place)[i] = static_cast<std::int32_t>(value);
  }
}

/// One of the matrices of a batch, as a matrix of its own.
inline SparseMatrix in_batch(SparseMatrix a, Int i) {
  const auto moved = [&](void* place, Int stride, std::uint64_t bytes) -> void* {
    if (place == nullptr) return nullptr;
    return static_cast<std::byte*>(place) + i * stride * static_cast<Int>(bytes);
  };
  a.first = moved(a.first, a.offsets_stride, bytes_of_index(a.first_type));
  a.second = moved(a.second, a.values_stride, bytes_of_index(a.second_type));
  a.values = moved(a.values, a.values_stride, bytes_of(a.type));
  return a;
}

/// visit(row, column, place of the value), when the stream has come so far. Indices outside of the
/// matrix end the work with a failure.
template <class Visit>
void for_entries(const SparseMatrix& a, const Visit& visit) {
  const auto checked = [&](Int row, Int column, Int place) {
    if (row < 0 || row >= a.rows || column < 0 || column >= a.columns)
      throw Refusal{Outcome::ExecutionFailed, "an index lies outside of the matrix"};
    visit(row, column, place);
  };
  if (a.format == kCoo) {
    for (Int i = 0; i < a.entries; ++i)
      checked(index_at(a.first, a.first_type, i) - a.base,
              index_at(a.second, a.second_type, i) - a.base, i);
    return;
  }
  for (Int line = 0; line < a.lines(); ++line) {
    const Int from = index_at(a.first, a.first_type, line) - a.base;
    const Int to = index_at(a.first, a.first_type, line + 1) - a.base;
    if (from < 0 || to > a.entries)
      throw Refusal{Outcome::ExecutionFailed, "an offset lies outside of the matrix"};
    for (Int i = from; i < to; ++i) {
      const Int other = index_at(a.second, a.second_type, i) - a.base;
      if (a.format == kCsr) {
        checked(line, other, i);
      } else {
        checked(other, line, i);
      }
    }
  }
}

/// A new descriptor, and the end of one.
template <class T>
void make_descriptor(T** made, T value) {
  require(made != nullptr, "the result's pointer is null");
  *made = hostwork::Registry<T>::instance().insert(std::make_unique<T>(std::move(value)));
}
template <class T>
Status destroy_descriptor(const char* function, const T* descriptor) {
  return guarded(function, [&] {
    require(descriptor == nullptr || hostwork::Registry<T>::instance().erase(descriptor),
            "the descriptor is not one");
  });
}

/// The size of a buffer: no function needs one, but programs allocate it.
template <class Size>
void give_size(Size* bytes) {
  require(bytes != nullptr, "the result's pointer is null");
  *bytes = 8;
}

/// Refuses memory that is not the device's.
void require_places(const SparseMatrix& a);
void require_places(const SparseVector& x);
void require_places(const DenseVector& x, const char* what);
void require_places(const DenseMatrix& b, const char* what);

}  // namespace pycuda::cusparse
