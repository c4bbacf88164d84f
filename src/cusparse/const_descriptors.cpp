// SPDX-License-Identifier: MIT
// The names of functions for descriptors of constants. The descriptors are the same.
#include "cusparse/descriptors.h"

namespace pycuda::cusparse {

extern "C" {

#define CUSPARSE_CONST_GET(name, ...) \
  Status cusparse##name(__VA_ARGS__); \
  Status cusparseConst##name(__VA_ARGS__)

CUSPARSE_CONST_GET(DnVecGet, const DenseVector* x, std::int64_t* size, void** values,
                   DataType* type) {
  return cusparseDnVecGet(x, size, values, type);
}
CUSPARSE_CONST_GET(DnVecGetValues, const DenseVector* x, void** values) {
  return cusparseDnVecGetValues(x, values);
}
CUSPARSE_CONST_GET(DnMatGet, const DenseMatrix* b, std::int64_t* rows, std::int64_t* columns,
                   std::int64_t* leading, void** values, DataType* type, Order* order) {
  return cusparseDnMatGet(b, rows, columns, leading, values, type, order);
}
CUSPARSE_CONST_GET(DnMatGetValues, const DenseMatrix* b, void** values) {
  return cusparseDnMatGetValues(b, values);
}
CUSPARSE_CONST_GET(SpMatGetValues, const SparseMatrix* a, void** values) {
  return cusparseSpMatGetValues(a, values);
}
CUSPARSE_CONST_GET(CsrGet, const SparseMatrix* a, std::int64_t* rows, std::int64_t* columns,
                   std::int64_t* entries, void** offsets, void** indices, void** values,
                   IndexType* offsets_type, IndexType* indices_type, int* base, DataType* type) {
  return cusparseCsrGet(a, rows, columns, entries, offsets, indices, values, offsets_type,
                        indices_type, base, type);
}
CUSPARSE_CONST_GET(CscGet, const SparseMatrix* a, std::int64_t* rows, std::int64_t* columns,
                   std::int64_t* entries, void** offsets, void** indices, void** values,
                   IndexType* offsets_type, IndexType* indices_type, int* base, DataType* type) {
  return cusparseCscGet(a, rows, columns, entries, offsets, indices, values, offsets_type,
                        indices_type, base, type);
}
CUSPARSE_CONST_GET(CooGet, const SparseMatrix* a, std::int64_t* rows, std::int64_t* columns,
                   std::int64_t* entries, void** row_indices, void** column_indices, void** values,
                   IndexType* indices, int* base, DataType* type) {
  return cusparseCooGet(a, rows, columns, entries, row_indices, column_indices, values, indices,
                        base, type);
}

Status cusparseCreateCoo(SparseMatrix**, std::int64_t, std::int64_t, std::int64_t, void*, void*,
                         void*, IndexType, int, DataType);
Status cusparseCreateConstCoo(SparseMatrix** made, std::int64_t rows, std::int64_t columns,
                              std::int64_t entries, const void* row_indices,
                              const void* column_indices, const void* values, IndexType indices,
                              int base, DataType type) {
  return cusparseCreateCoo(made, rows, columns, entries, const_cast<void*>(row_indices),
                           const_cast<void*>(column_indices), const_cast<void*>(values), indices,
                           base, type);
}

}  // extern "C"

}  // namespace pycuda::cusparse
