// SPDX-License-Identifier: MIT
// Heuristics, and what can be asked and configured of the algorithm.
#include <cstddef>
#include <cstring>
#include <vector>

#include "cublaslt/algorithm.h"
#include "cublaslt/attributes.h"
#include "cublaslt/product.h"

namespace pycuda::cublaslt {
namespace {

/// cublasLtMatmulHeuristicResult_t.
struct Found {
  std::uint64_t algorithm[8];
  std::size_t workspace_bytes;
  Status state;
  float waves;
  int reserved[4];
};

Found found() {
  Found result{};
  const Algorithm only;
  std::memcpy(result.algorithm, &only, sizeof only);
  result.state = cublas::kSuccess;
  result.waves = 1;
  return result;
}

constexpr Attribute kConfiguration[] = {
    CUBLASLT_ATTRIBUTE(0, Algorithm, id),      CUBLASLT_ATTRIBUTE(1, Algorithm, tile),
    CUBLASLT_ATTRIBUTE(2, Algorithm, split),   CUBLASLT_ATTRIBUTE(3, Algorithm, reduction),
    CUBLASLT_ATTRIBUTE(4, Algorithm, swizzle), CUBLASLT_ATTRIBUTE(5, Algorithm, option),
    CUBLASLT_ATTRIBUTE(6, Algorithm, stages),  CUBLASLT_ATTRIBUTE(7, Algorithm, inner_shape),
    CUBLASLT_ATTRIBUTE(8, Algorithm, cluster),
};

/// What the algorithm can do, as one value of each attribute's type.
struct Capability {
  int number;
  std::size_t bytes;
  std::uint64_t value;
};
constexpr Capability kCapabilities[] = {
    {0, 4, 0},                                           // no sums in parts
    {1, 4, 0},                                           // so no reduction schemes
    {2, 4, 0},                                           // no other order of blocks
    {3, 4, 1},                                           // strided batches
    {4, 4, 1},                                           // D need not be C
    {5, 4, 0},                                           // no halves of results
    {6, 4, 0},                                           // tiles: undefined alone
    {7, 4, 0},                                           // no options
    {10, 4, 1},                                          // other orders than columns and rows
    {11, 4, 0x1f},                                       // all pointer modes
    {12, 4, 0x3ff},                                      // all epilogues
    {13, 4, 0},                                          // stages: undefined alone
    {14, 4, 0},                                          // no negative distances
    {15, 8, 0},                                          // implementations: none of the GPU's
    {16, 4, 1},                                          // any alignment
    {17, 4, 1},     {18, 4, 1}, {19, 4, 1}, {21, 4, 1},  // arrays of pointers
    {22, 4, 0},                                          // no emulation
};

}  // namespace

extern "C" {

Status cublasLtMatmulAlgoGetHeuristic(Handle* handle, const MatmulDescriptor* how,
                                      const MatrixLayout* a, const MatrixLayout* b,
                                      const MatrixLayout* c, const MatrixLayout* d,
                                      const Preference* preference, int wanted, Found* results,
                                      int* count) {
  if (count != nullptr) *count = 0;
  return guarded("cublasLtMatmulAlgoGetHeuristic", [&] {
    require_handle(handle);
    require(wanted > 0 && results != nullptr && count != nullptr,
            "there is no room for an algorithm");
    require(is_one(preference), "the preference is not one");
    product_of(how, a, b, c, d);
    results[0] = found();
    *count = 1;
  });
}

Status cublasLtMatmulAlgoGetIds(Handle* handle, int compute, int scale, int a, int b, int c, int d,
                                int wanted, int* numbers, int* count) {
  return guarded("cublasLtMatmulAlgoGetIds", [&] {
    require_handle(handle);
    require(wanted > 0 && numbers != nullptr && count != nullptr, "there is no room for a number");
    *count = 0;
    if (!is_supported(compute, scale, a, b, c, d))
      throw Refusal{Outcome::NotSupported, "this combination of types is not supported"};
    numbers[(*count)++] = kOnlyAlgorithm;
  });
}

Status cublasLtMatmulAlgoInit(Handle* handle, int compute, int scale, int a, int b, int c, int d,
                              int number, Algorithm* made) {
  return guarded("cublasLtMatmulAlgoInit", [&] {
    require_handle(handle);
    require(made != nullptr && number == kOnlyAlgorithm, "there is no such algorithm");
    if (!is_supported(compute, scale, a, b, c, d))
      throw Refusal{Outcome::NotSupported, "this combination of types is not supported"};
    *made = Algorithm{};
  });
}

Status cublasLtMatmulAlgoCheck(Handle* handle, const MatmulDescriptor* how, const MatrixLayout* a,
                               const MatrixLayout* b, const MatrixLayout* c, const MatrixLayout* d,
                               const Algorithm* algorithm, Found* result) {
  return guarded("cublasLtMatmulAlgoCheck", [&] {
    require_handle(handle);
    require(algorithm != nullptr && is_usable(*algorithm) && result != nullptr,
            "the algorithm is not one");
    product_of(how, a, b, c, d);
    // The algorithm in the result stays as it is: it may be the one that is checked.
    const Found all = found();
    result->workspace_bytes = all.workspace_bytes;
    result->state = all.state;
    result->waves = all.waves;
  });
}

Status cublasLtMatmulAlgoCapGetAttribute(const Algorithm* algorithm, int number, void* value,
                                         std::size_t bytes, std::size_t* written) {
  if (!is_one(algorithm)) return cublas::kInvalidValue;
  for (const Capability& one : kCapabilities) {
    if (one.number != number) continue;
    if (bytes == 0 ? written == nullptr : value == nullptr || bytes < one.bytes)
      return cublas::kInvalidValue;
    if (bytes != 0) std::memcpy(value, &one.value, one.bytes);
    if (written != nullptr) *written = one.bytes;
    return cublas::kSuccess;
  }
  return cublas::kInvalidValue;
}

Status cublasLtMatmulAlgoConfigSetAttribute(Algorithm* algorithm, int number, const void* value,
                                            std::size_t bytes) {
  if (number == 0) return cublas::kInvalidValue;  // it can only be read
  return set_attribute(algorithm, kConfiguration, number, value, bytes);
}
Status cublasLtMatmulAlgoConfigGetAttribute(const Algorithm* algorithm, int number, void* value,
                                            std::size_t bytes, std::size_t* written) {
  return get_attribute(algorithm, kConfiguration, number, value, bytes, written);
}

}  // extern "C"

}  // namespace pycuda::cublaslt
