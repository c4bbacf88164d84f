// SPDX-License-Identifier: MIT
// The older interface's changes of order and format, with 32-bit indices.
#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

#include "cusparse/descriptors.h"

namespace pycuda::cusparse {
namespace {

void require_ints(const int* place, Int count, const char* what) {
  require_memory(place, static_cast<std::uint64_t>(count) * sizeof(int), what);
}

void require_sizes(int rows, int columns, int entries) {
  require(rows >= 0 && columns >= 0 && entries >= 0, "a size is negative");
}

/// Sorts entries [from, to) by first, then second index, and the permutation with them.
void sort_entries(int from, int to, const int* first, int* second, int* also, int* permutation) {
  std::vector<std::tuple<int, int, int, int>> entries;
  for (int i = from; i < to; ++i)
    entries.emplace_back(first == nullptr ? 0 : first[i], second[i], i,
                         permutation == nullptr ? 0 : permutation[i]);
  std::ranges::sort(entries);
  for (int i = from; i < to; ++i) {
    const auto& [one, other, old, place] = entries[static_cast<std::size_t>(i - from)];
    if (also != nullptr) also[i] = one;
    second[i] = other;
    if (permutation != nullptr) permutation[i] = place;
  }
}

/// Each line of a compressed matrix by its indices.
Status sort_lines(const char* function, Handle* handle, int lines, int others, int entries,
                  const OldDescriptor* descriptor, const int* offsets, int* indices,
                  int* permutation) {
  return with_handle(handle, function, [&] {
    require_sizes(lines, others, entries);
    const int base = required(descriptor).base;
    require_ints(offsets, Int{lines} + 1, "the offsets");
    require_ints(indices, entries, "the indices");
    if (permutation != nullptr) require_ints(permutation, entries, "the permutation");
    enqueue(*handle, [=] {
      for (int line = 0; line < lines; ++line) {
        const int from = offsets[line] - base;
        const int to = offsets[line + 1] - base;
        if (from < 0 || to > entries)
          throw Refusal{Outcome::ExecutionFailed, "an offset lies outside of the matrix"};
        sort_entries(from, to, nullptr, indices, nullptr, permutation);
      }
    });
  });
}

Status sort_pairs(const char* function, Handle* handle, int rows, int columns, int entries,
                  int* first, int* second, int* permutation) {
  return with_handle(handle, function, [&] {
    require_sizes(rows, columns, entries);
    require_ints(first, entries, "the indices");
    require_ints(second, entries, "the indices");
    if (permutation != nullptr) require_ints(permutation, entries, "the permutation");
    enqueue(*handle, [=] { sort_entries(0, entries, first, second, first, permutation); });
  });
}

Status buffer_size(const char* function, Handle* handle, int rows, int columns, int entries,
                   std::size_t* bytes) {
  return with_handle(handle, function, [&] {
    require_sizes(rows, columns, entries);
    give_size(bytes);
  });
}

/// Offsets of lines from the sorted indices of entries.
void compress(const int* indices, int entries, int lines, int* offsets, int base) {
  int entry = 0;
  for (int line = 0; line <= lines; ++line) {
    while (entry < entries && indices[entry] - base < line) ++entry;
    offsets[line] = entry + base;
  }
}

template <class T>
Status count_nonzeros(const char* function, Handle* handle, int direction, int rows, int columns,
                      const T* values, int leading, int* counts, int* total) {
  return with_handle(handle, function, [&] {
    require_sizes(rows, columns, 0);
    require(direction == 0 || direction == 1, "the direction is not one");
    require(total != nullptr, "the result's pointer is null");
    require_matrix(values, rows, columns, leading, "the matrix");
    const int lines = direction == 0 ? rows : columns;
    require_ints(counts, lines, "the numbers");
    if (handle->has_device_scalars) {
      require_ints(total, 1, "the total");
    } else if (is_capturing(*handle)) {
      throw Refusal{Outcome::NotSupported, "a captured stream cannot give its result to the host"};
    }
    enqueue(*handle, [=] {
      std::fill_n(counts, lines, 0);
      for (Int column = 0; column < columns; ++column) {
        for (Int row = 0; row < rows; ++row) {
          if (values[column * leading + row] != T{}) ++counts[direction == 0 ? row : column];
        }
      }
      *total = std::accumulate(counts, counts + lines, 0);
    });
    if (!handle->has_device_scalars) wait(*handle);
  });
}

}  // namespace

extern "C" {

Status cusparseCreateIdentityPermutation(Handle* handle, int count, int* permutation) {
  return with_handle(handle, "cusparseCreateIdentityPermutation", [&] {
    require(count >= 0, "the size is negative");
    require_ints(permutation, count, "the permutation");
    enqueue(*handle, [=] { std::iota(permutation, permutation + count, 0); });
  });
}

#define CUSPARSE_SORT_SIZE(name)                                                              \
  Status name##_bufferSizeExt(Handle* handle, int rows, int columns, int entries, const int*, \
                              const int*, std::size_t* bytes) {                               \
    return buffer_size(#name "_bufferSizeExt", handle, rows, columns, entries, bytes);        \
  }
CUSPARSE_SORT_SIZE(cusparseXcsrsort)
CUSPARSE_SORT_SIZE(cusparseXcscsort)
CUSPARSE_SORT_SIZE(cusparseXcoosort)

Status cusparseXcsrsort(Handle* handle, int rows, int columns, int entries,
                        const OldDescriptor* descriptor, const int* offsets, int* indices,
                        int* permutation, void*) {
  return sort_lines("cusparseXcsrsort", handle, rows, columns, entries, descriptor, offsets,
                    indices, permutation);
}
Status cusparseXcscsort(Handle* handle, int rows, int columns, int entries,
                        const OldDescriptor* descriptor, const int* offsets, int* indices,
                        int* permutation, void*) {
  return sort_lines("cusparseXcscsort", handle, columns, rows, entries, descriptor, offsets,
                    indices, permutation);
}
Status cusparseXcoosortByRow(Handle* handle, int rows, int columns, int entries, int* row_indices,
                             int* column_indices, int* permutation, void*) {
  return sort_pairs("cusparseXcoosortByRow", handle, rows, columns, entries, row_indices,
                    column_indices, permutation);
}
Status cusparseXcoosortByColumn(Handle* handle, int rows, int columns, int entries,
                                int* row_indices, int* column_indices, int* permutation, void*) {
  return sort_pairs("cusparseXcoosortByColumn", handle, rows, columns, entries, column_indices,
                    row_indices, permutation);
}

Status cusparseXcoo2csr(Handle* handle, const int* indices, int entries, int rows, int* offsets,
                        int base) {
  return with_handle(handle, "cusparseXcoo2csr", [&] {
    require_sizes(rows, 0, entries);
    require_ints(indices, entries, "the indices");
    require_ints(offsets, Int{rows} + 1, "the offsets");
    enqueue(*handle, [=] { compress(indices, entries, rows, offsets, base); });
  });
}
Status cusparseXcsr2coo(Handle* handle, const int* offsets, int entries, int rows, int* indices,
                        int base) {
  return with_handle(handle, "cusparseXcsr2coo", [&] {
    require_sizes(rows, 0, entries);
    require_ints(offsets, Int{rows} + 1, "the offsets");
    require_ints(indices, entries, "the indices");
    enqueue(*handle, [=] {
      for (int row = 0; row < rows; ++row) {
        for (int i = offsets[row] - base; i < offsets[row + 1] - base; ++i) {
          if (i < 0 || i >= entries)
            throw Refusal{Outcome::ExecutionFailed, "an offset lies outside of the matrix"};
          indices[i] = row + base;
        }
      }
    });
  });
}

Status cusparseCsr2cscEx2_bufferSize(Handle* handle, int rows, int columns, int entries,
                                     const void*, const int*, const int*, void*, int*, int*,
                                     DataType, int, int, int, std::size_t* bytes) {
  return buffer_size("cusparseCsr2cscEx2_bufferSize", handle, rows, columns, entries, bytes);
}
Status cusparseCsr2cscEx2(Handle* handle, int rows, int columns, int entries, const void* values,
                          const int* offsets, const int* indices, void* new_values,
                          int* new_offsets, int* new_indices, DataType type, int action, int base,
                          int, void*) {
  return with_handle(handle, "cusparseCsr2cscEx2", [&] {
    require_sizes(rows, columns, entries);
    require(base == 0 || base == 1, "the base of the indices is not one");
    const std::size_t bytes = action == 0 ? 0 : bytes_of(type);
    if (action != 0 && bytes == 0) throw Refusal{Outcome::NotSupported, "the type of the values"};
    require_ints(new_offsets, Int{columns} + 1, "the new offsets");
    require_ints(new_indices, entries, "the new indices");
    if (action != 0)
      require_memory(new_values, static_cast<std::uint64_t>(entries) * bytes, "the new values");
    SparseMatrix a{kCsr,
                   rows,
                   columns,
                   entries,
                   const_cast<int*>(offsets),
                   const_cast<int*>(indices),
                   const_cast<void*>(values)};
    a.base = base;
    require_ints(offsets, Int{rows} + 1, "the offsets");
    require_ints(indices, entries, "the indices");
    if (action != 0)
      require_memory(values, static_cast<std::uint64_t>(entries) * bytes, "the values");
    enqueue(*handle, [=] {
      std::vector<int> next(static_cast<std::size_t>(columns) + 1, 0);
      for_entries(a, [&](Int, Int column, Int) { ++next[static_cast<std::size_t>(column) + 1]; });
      std::partial_sum(next.begin(), next.end(), next.begin());
      std::ranges::transform(next, new_offsets, [&](int offset) { return offset + base; });
      for_entries(a, [&](Int row, Int column, Int place) {
        const int to = next[static_cast<std::size_t>(column)]++;
        new_indices[to] = static_cast<int>(row) + base;
        std::copy_n(static_cast<const std::byte*>(values) + static_cast<std::size_t>(place) * bytes,
                    bytes,
                    static_cast<std::byte*>(new_values) + static_cast<std::size_t>(to) * bytes);
      });
    });
  });
}

#define CUSPARSE_COUNT(letter, T)                                                               \
  Status cusparse##letter##nnz(Handle* handle, int direction, int rows, int columns,            \
                               const OldDescriptor*, const T* values, int leading, int* counts, \
                               int* total) {                                                    \
    return count_nonzeros("cusparse" #letter "nnz", handle, direction, rows, columns, values,   \
                          leading, counts, total);                                              \
  }
CUSPARSE_COUNT(S, float)
CUSPARSE_COUNT(D, double)
CUSPARSE_COUNT(C, ComplexFloat)
CUSPARSE_COUNT(Z, ComplexDouble)

}  // extern "C"

}  // namespace pycuda::cusparse
