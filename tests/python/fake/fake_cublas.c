/* SPDX-License-Identifier: MIT */
/* A cuBLAS with one function, which multiplies matrices in the host's memory: for the CPU driver. */
#include <stddef.h>

static int handle;
int fake_products = 0;

int cublasCreate_v2(void** made) {
  *made = &handle;
  return 0;
}

#define PRODUCT(name, type)                                                                       \
  int name(void* given, int a_operation, int b_operation, int m, int n, int k, const type* alpha, \
           const type* a, int lda, long long a_step, const type* b, int ldb, long long b_step,    \
           const type* beta, type* c, int ldc, long long c_step, int count) {                     \
    if (given != &handle || a_operation != 0 || b_operation != 0 || *alpha != 1 || *beta != 0) {  \
      return 7;                                                                                   \
    }                                                                                             \
    ++fake_products;                                                                              \
    for (int z = 0; z < count; ++z) {                                                             \
      for (int j = 0; j < n; ++j) {                                                               \
        for (int i = 0; i < m; ++i) {                                                             \
          type sum = 0;                                                                           \
          for (int l = 0; l < k; ++l) {                                                           \
            sum += a[z * a_step + i + (ptrdiff_t)l * lda] * b[z * b_step + l + (ptrdiff_t)j * ldb]; \
          }                                                                                       \
          c[z * c_step + i + (ptrdiff_t)j * ldc] = sum;                                           \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
    return 0;                                                                                     \
  }

PRODUCT(cublasSgemmStridedBatched, float)
PRODUCT(cublasDgemmStridedBatched, double)
PRODUCT(cublasCgemmStridedBatched, float _Complex)
PRODUCT(cublasZgemmStridedBatched, double _Complex)
