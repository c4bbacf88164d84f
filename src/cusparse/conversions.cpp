// SPDX-License-Identifier: MIT
// Between sparse and dense matrices.
#include "cusparse/computed_in.h"
#include "cusparse/descriptors.h"

namespace pycuda::cusparse {
namespace {

void require_same(const SparseMatrix& a, const DenseMatrix& b) {
  require(a.rows == b.rows && a.columns == b.columns, "the sizes do not fit each other");
  if (a.type != b.type || b.batch_count != 1 || a.batch_count != 1)
    throw Refusal{Outcome::NotSupported, "both matrices have one type and no others beside them"};
}

/// Elements as bits, whatever the type.
void copy_element(const void* from, Int source, void* to, Int target, DataType type) {
  const std::size_t bytes = bytes_of(type);
  std::copy_n(static_cast<const std::byte*>(from) + static_cast<std::size_t>(source) * bytes, bytes,
              static_cast<std::byte*>(to) + static_cast<std::size_t>(target) * bytes);
}

void make_dense(const SparseMatrix& a, const DenseMatrix& b) {
  const std::byte zero[16] = {};
  for (Int row = 0; row < b.rows; ++row) {
    for (Int column = 0; column < b.columns; ++column)
      copy_element(zero, 0, b.values, b.index(row, column), b.type);
  }
  for_entries(a, [&](Int row, Int column, Int place) {
    copy_element(a.values, place, b.values, b.index(row, column), b.type);
  });
}

/// visit(line, other index, place in b) of what is not 0, in the order of the sparse format.
template <class Visit>
void for_nonzeros(const SparseMatrix& a, const DenseMatrix& b, const Visit& visit) {
  const bool by_columns = a.format == kCsc;
  const Int others = by_columns ? a.rows : a.columns;
  for (Int line = 0; line < a.lines(); ++line) {
    for (Int other = 0; other < others; ++other) {
      const Int place = by_columns ? b.index(other, line) : b.index(line, other);
      if (load<ComplexDouble>(b.values, b.type, place) != ComplexDouble{})
        visit(line, other, place);
    }
  }
}

Int count(const SparseMatrix& a, const DenseMatrix& b) {
  Int entries = 0;
  Int line = 0;
  const auto end_lines = [&](Int until) {
    for (; line < until; ++line) set_index(a.first, a.first_type, line + 1, entries + a.base);
  };
  if (a.format != kCoo) set_index(a.first, a.first_type, 0, a.base);
  for_nonzeros(a, b, [&](Int of, Int, Int) {
    if (a.format != kCoo) end_lines(of);
    ++entries;
  });
  if (a.format != kCoo) end_lines(a.lines());
  return entries;
}

void make_sparse(const SparseMatrix& a, const DenseMatrix& b) {
  Int entry = 0;
  for_nonzeros(a, b, [&](Int line, Int other, Int place) {
    if (entry == a.entries)
      throw Refusal{Outcome::ExecutionFailed, "the matrix has got more entries since its analysis"};
    if (a.format == kCoo) set_index(a.first, a.first_type, entry, line + a.base);
    set_index(a.second, a.second_type, entry, other + a.base);
    copy_element(b.values, place, a.values, entry, a.type);
    ++entry;
  });
}

}  // namespace

extern "C" {

Status cusparseSparseToDense_bufferSize(Handle* handle, const SparseMatrix* a, const DenseMatrix* b,
                                        int, std::size_t* bytes) {
  return with_handle(handle, "cusparseSparseToDense_bufferSize", [&] {
    require_same(required(a), required(b));
    give_size(bytes);
  });
}
Status cusparseSparseToDense(Handle* handle, const SparseMatrix* a, const DenseMatrix* b, int,
                             void*) {
  return with_handle(handle, "cusparseSparseToDense", [&] {
    require_same(required(a), required(b));
    require_places(*a);
    require_places(*b, "the dense matrix");
    enqueue(*handle, [a = *a, b = *b] { make_dense(a, b); });
  });
}

Status cusparseDenseToSparse_bufferSize(Handle* handle, const DenseMatrix* b, const SparseMatrix* a,
                                        int, std::size_t* bytes) {
  return with_handle(handle, "cusparseDenseToSparse_bufferSize", [&] {
    require_same(required(a), required(b));
    give_size(bytes);
  });
}
/// The descriptor's number of entries is known when the call returns.
Status cusparseDenseToSparse_analysis(Handle* handle, const DenseMatrix* b, SparseMatrix* a, int,
                                      void*) {
  return with_handle(handle, "cusparseDenseToSparse_analysis", [&] {
    require_same(required(a), required(b));
    require_places(*b, "the dense matrix");
    if (a->format != kCoo)
      require_memory(a->first,
                     static_cast<std::uint64_t>(a->first_size()) * bytes_of_index(a->first_type),
                     "the offsets");
    if (is_capturing(*handle))
      throw Refusal{Outcome::NotSupported, "a captured stream cannot give its result to the host"};
    enqueue(*handle, [a, b = *b] { a->entries = count(*a, b); });
    wait(*handle);
  });
}
Status cusparseDenseToSparse_convert(Handle* handle, const DenseMatrix* b, SparseMatrix* a, int,
                                     void*) {
  return with_handle(handle, "cusparseDenseToSparse_convert", [&] {
    require_same(required(a), required(b));
    require_places(*b, "the dense matrix");
    require_places(*a);
    enqueue(*handle, [a = *a, b = *b] { make_sparse(a, b); });
  });
}

}  // extern "C"

}  // namespace pycuda::cusparse
