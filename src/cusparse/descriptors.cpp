// SPDX-License-Identifier: MIT
// Making, changing and reading the descriptors.
#include "cusparse/descriptors.h"

namespace pycuda::cusparse {
namespace {

void require_type(DataType type) {
  if (bytes_of(type) == 0) throw Refusal{Outcome::NotSupported, "the type of the values"};
}

void make_sparse(SparseMatrix** made, const SparseMatrix& a) {
  require(a.rows >= 0 && a.columns >= 0 && a.entries >= 0, "a size is negative");
  require(a.base == 0 || a.base == 1, "the base of the indices is not one");
  for (const IndexType type : {a.first_type, a.second_type}) {
    if (type != kIndex32 && type != kIndex64)
      throw Refusal{Outcome::NotSupported, "the type of the indices"};
  }
  require_type(a.type);
  make_descriptor(made, a);
}

SparseMatrix& of_format(const SparseMatrix* descriptor, Format format) {
  SparseMatrix& a = required(descriptor);
  require(a.format == format, "the matrix has another format");
  return a;
}

}  // namespace

void require_places(const SparseMatrix& a) {
  const Int others = a.batch_count - 1;
  const auto entries = static_cast<std::uint64_t>(a.entries + others * a.values_stride);
  const auto offsets = static_cast<std::uint64_t>(a.first_size() + others * a.offsets_stride);
  require_memory(a.first, offsets * bytes_of_index(a.first_type), "offsets or indices");
  require_memory(a.second, entries * bytes_of_index(a.second_type), "indices");
  require_memory(a.values, entries * bytes_of(a.type), "the matrix's values");
}
void require_places(const DenseVector& x, const char* what) {
  require_memory(x.values, static_cast<std::uint64_t>(x.size) * bytes_of(x.type), what);
}
void require_places(const DenseMatrix& b, const char* what) {
  if (b.rows == 0 || b.columns == 0) return;
  const Int last = b.index(b.rows - 1, b.columns - 1) + (b.batch_count - 1) * b.batch_stride;
  require_memory(b.values, static_cast<std::uint64_t>(last + 1) * bytes_of(b.type), what);
}

extern "C" {

Status cusparseCreateDnVec(DenseVector** made, std::int64_t size, void* values, DataType type) {
  return guarded("cusparseCreateDnVec", [&] {
    require(size >= 0, "the size is negative");
    require_type(type);
    make_descriptor(made, DenseVector{size, values, type});
  });
}
Status cusparseCreateConstDnVec(DenseVector** made, std::int64_t size, const void* values,
                                DataType type) {
  return cusparseCreateDnVec(made, size, const_cast<void*>(values), type);
}
Status cusparseDestroyDnVec(const DenseVector* x) {
  return destroy_descriptor("cusparseDestroyDnVec", x);
}
Status cusparseDnVecGet(const DenseVector* x, std::int64_t* size, void** values, DataType* type) {
  return guarded("cusparseDnVecGet", [&] {
    const DenseVector& one = required(x);
    give(size, one.size);
    give(values, one.values);
    give(type, one.type);
  });
}
Status cusparseDnVecGetValues(const DenseVector* x, void** values) {
  return cusparseDnVecGet(x, nullptr, values, nullptr);
}
Status cusparseDnVecSetValues(DenseVector* x, void* values) {
  return guarded("cusparseDnVecSetValues", [&] { required(x).values = values; });
}

Status cusparseCreateDnMat(DenseMatrix** made, std::int64_t rows, std::int64_t columns,
                           std::int64_t leading, void* values, DataType type, Order order) {
  return guarded("cusparseCreateDnMat", [&] {
    require(rows >= 0 && columns >= 0, "a size is negative");
    require(order == kColumns || order == kRows, "the order is not one");
    require(leading >= (order == kColumns ? rows : columns), "the leading dimension is too small");
    require_type(type);
    make_descriptor(made, DenseMatrix{rows, columns, leading, values, type, order});
  });
}
Status cusparseCreateConstDnMat(DenseMatrix** made, std::int64_t rows, std::int64_t columns,
                                std::int64_t leading, const void* values, DataType type,
                                Order order) {
  return cusparseCreateDnMat(made, rows, columns, leading, const_cast<void*>(values), type, order);
}
Status cusparseDestroyDnMat(const DenseMatrix* b) {
  return destroy_descriptor("cusparseDestroyDnMat", b);
}
Status cusparseDnMatGet(const DenseMatrix* b, std::int64_t* rows, std::int64_t* columns,
                        std::int64_t* leading, void** values, DataType* type, Order* order) {
  return guarded("cusparseDnMatGet", [&] {
    const DenseMatrix& one = required(b);
    give(rows, one.rows);
    give(columns, one.columns);
    give(leading, one.leading);
    give(values, one.values);
    give(type, one.type);
    give(order, one.order);
  });
}
Status cusparseDnMatGetValues(const DenseMatrix* b, void** values) {
  return cusparseDnMatGet(b, nullptr, nullptr, nullptr, values, nullptr, nullptr);
}
Status cusparseDnMatSetValues(DenseMatrix* b, void* values) {
  return guarded("cusparseDnMatSetValues", [&] { required(b).values = values; });
}
Status cusparseDnMatSetStridedBatch(DenseMatrix* b, int count, std::int64_t stride) {
  return guarded("cusparseDnMatSetStridedBatch", [&] {
    require(count >= 1 && stride >= 0, "the number or the distance of the matrices is not valid");
    required(b).batch_count = count;
    required(b).batch_stride = stride;
  });
}
Status cusparseDnMatGetStridedBatch(const DenseMatrix* b, int* count, std::int64_t* stride) {
  return guarded("cusparseDnMatGetStridedBatch", [&] {
    give(count, required(b).batch_count);
    give(stride, required(b).batch_stride);
  });
}

Status cusparseCreateCoo(SparseMatrix** made, std::int64_t rows, std::int64_t columns,
                         std::int64_t entries, void* row_indices, void* column_indices,
                         void* values, IndexType indices, int base, DataType type) {
  return guarded("cusparseCreateCoo", [&] {
    make_sparse(made, {kCoo, rows, columns, entries, row_indices, column_indices, values, indices,
                       indices, base, type});
  });
}
Status cusparseCooGet(const SparseMatrix* a, std::int64_t* rows, std::int64_t* columns,
                      std::int64_t* entries, void** row_indices, void** column_indices,
                      void** values, IndexType* indices, int* base, DataType* type) {
  return guarded("cusparseCooGet", [&] {
    const SparseMatrix& one = of_format(a, kCoo);
    give(rows, one.rows);
    give(columns, one.columns);
    give(entries, one.entries);
    give(row_indices, one.first);
    give(column_indices, one.second);
    give(values, one.values);
    give(indices, one.first_type);
    give(base, one.base);
    give(type, one.type);
  });
}
Status cusparseCooSetPointers(SparseMatrix* a, void* row_indices, void* column_indices,
                              void* values) {
  return guarded("cusparseCooSetPointers", [&] {
    SparseMatrix& one = of_format(a, kCoo);
    one.first = row_indices;
    one.second = column_indices;
    one.values = values;
  });
}

#define CUSPARSE_COMPRESSED(Name, format)                                                          \
  Status cusparseCreate##Name(SparseMatrix** made, std::int64_t rows, std::int64_t columns,        \
                              std::int64_t entries, void* offsets, void* indices, void* values,    \
                              IndexType offsets_type, IndexType indices_type, int base,            \
                              DataType type) {                                                     \
    return guarded("cusparseCreate" #Name, [&] {                                                   \
      make_sparse(made, {format, rows, columns, entries, offsets, indices, values, offsets_type,   \
                         indices_type, base, type});                                               \
    });                                                                                            \
  }                                                                                                \
  Status cusparseCreateConst##Name(SparseMatrix** made, std::int64_t rows, std::int64_t columns,   \
                                   std::int64_t entries, const void* offsets, const void* indices, \
                                   const void* values, IndexType offsets_type,                     \
                                   IndexType indices_type, int base, DataType type) {              \
    return cusparseCreate##Name(made, rows, columns, entries, const_cast<void*>(offsets),          \
                                const_cast<void*>(indices), const_cast<void*>(values),             \
                                offsets_type, indices_type, base, type);                           \
  }                                                                                                \
  Status cusparse##Name##Get(const SparseMatrix* a, std::int64_t* rows, std::int64_t* columns,     \
                             std::int64_t* entries, void** offsets, void** indices, void** values, \
                             IndexType* offsets_type, IndexType* indices_type, int* base,          \
                             DataType* type) {                                                     \
    return guarded("cusparse" #Name "Get", [&] {                                                   \
      const SparseMatrix& one = of_format(a, format);                                              \
      give(rows, one.rows);                                                                        \
      give(columns, one.columns);                                                                  \
      give(entries, one.entries);                                                                  \
      give(offsets, one.first);                                                                    \
      give(indices, one.second);                                                                   \
      give(values, one.values);                                                                    \
      give(offsets_type, one.first_type);                                                          \
      give(indices_type, one.second_type);                                                         \
      give(base, one.base);                                                                        \
      give(type, one.type);                                                                        \
    });                                                                                            \
  }                                                                                                \
  Status cusparse##Name##SetPointers(SparseMatrix* a, void* offsets, void* indices,                \
                                     void* values) {                                               \
    return guarded("cusparse" #Name "SetPointers", [&] {                                           \
      SparseMatrix& one = of_format(a, format);                                                    \
      one.first = offsets;                                                                         \
      one.second = indices;                                                                        \
      one.values = values;                                                                         \
    });                                                                                            \
  }
CUSPARSE_COMPRESSED(Csr, kCsr)
CUSPARSE_COMPRESSED(Csc, kCsc)

Status cusparseDestroySpMat(const SparseMatrix* a) {
  return destroy_descriptor("cusparseDestroySpMat", a);
}
Status cusparseSpMatGetSize(const SparseMatrix* a, std::int64_t* rows, std::int64_t* columns,
                            std::int64_t* entries) {
  return guarded("cusparseSpMatGetSize", [&] {
    give(rows, required(a).rows);
    give(columns, required(a).columns);
    give(entries, required(a).entries);
  });
}
Status cusparseSpMatGetFormat(const SparseMatrix* a, Format* format) {
  return guarded("cusparseSpMatGetFormat", [&] { give(format, required(a).format); });
}
Status cusparseSpMatGetIndexBase(const SparseMatrix* a, int* base) {
  return guarded("cusparseSpMatGetIndexBase", [&] { give(base, required(a).base); });
}
Status cusparseSpMatGetValues(const SparseMatrix* a, void** values) {
  return guarded("cusparseSpMatGetValues", [&] { give(values, required(a).values); });
}
Status cusparseSpMatSetValues(SparseMatrix* a, void* values) {
  return guarded("cusparseSpMatSetValues", [&] { required(a).values = values; });
}

Status cusparseCsrSetStridedBatch(SparseMatrix* a, int count, std::int64_t offsets_stride,
                                  std::int64_t values_stride) {
  return guarded("cusparseCsrSetStridedBatch", [&] {
    SparseMatrix& one = of_format(a, kCsr);
    require(count >= 1 && offsets_stride >= 0 && values_stride >= 0,
            "the number or the distance of the matrices is not valid");
    one.batch_count = count;
    one.offsets_stride = offsets_stride;
    one.values_stride = values_stride;
  });
}
Status cusparseCooSetStridedBatch(SparseMatrix* a, int count, std::int64_t stride) {
  return guarded("cusparseCooSetStridedBatch", [&] {
    SparseMatrix& one = of_format(a, kCoo);
    require(count >= 1 && stride >= 0, "the number or the distance of the matrices is not valid");
    one.batch_count = count;
    one.offsets_stride = one.values_stride = stride;
  });
}
Status cusparseSpMatGetStridedBatch(const SparseMatrix* a, int* count) {
  return guarded("cusparseSpMatGetStridedBatch", [&] { give(count, required(a).batch_count); });
}

Status cusparseSpMatSetAttribute(SparseMatrix* a, int attribute, const void* value,
                                 std::size_t bytes) {
  return guarded("cusparseSpMatSetAttribute", [&] {
    SparseMatrix& one = required(a);
    require(value != nullptr && bytes == sizeof(int), "the value has another size");
    const int number = *static_cast<const int*>(value);
    require((attribute == 0 || attribute == 1) && (number == 0 || number == 1),
            "the attribute or its value is not one");
    if (attribute == 0) {
      one.fill = static_cast<Fill>(number);
    } else {
      one.diagonal = static_cast<Diagonal>(number);
    }
  });
}
Status cusparseSpMatGetAttribute(const SparseMatrix* a, int attribute, void* value,
                                 std::size_t bytes) {
  return guarded("cusparseSpMatGetAttribute", [&] {
    const SparseMatrix& one = required(a);
    require(value != nullptr && bytes == sizeof(int) && (attribute == 0 || attribute == 1),
            "the attribute is not one");
    *static_cast<int*>(value) = attribute == 0 ? int{one.fill} : int{one.diagonal};
  });
}

}  // extern "C"

}  // namespace pycuda::cusparse
