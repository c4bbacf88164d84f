// SPDX-License-Identifier: MIT
// Making, changing and reading the descriptors.
#include "cublaslt/descriptors.h"

#include <new>

#include "cublaslt/attributes.h"

namespace pycuda::cublaslt {
namespace {

constexpr Attribute kLayout[] = {
    CUBLASLT_ATTRIBUTE(0, MatrixLayout, type),
    CUBLASLT_ATTRIBUTE(1, MatrixLayout, order),
    CUBLASLT_ATTRIBUTE(2, MatrixLayout, rows),
    CUBLASLT_ATTRIBUTE(3, MatrixLayout, columns),
    CUBLASLT_ATTRIBUTE(4, MatrixLayout, leading),
    CUBLASLT_ATTRIBUTE(5, MatrixLayout, batch_count),
    CUBLASLT_ATTRIBUTE(6, MatrixLayout, stride),
    CUBLASLT_ATTRIBUTE(7, MatrixLayout, plane_offset),
    CUBLASLT_ATTRIBUTE(8, MatrixLayout, batch_mode),
};

constexpr Attribute kMatmul[] = {
    CUBLASLT_ATTRIBUTE(0, MatmulDescriptor, compute),
    CUBLASLT_ATTRIBUTE(1, MatmulDescriptor, scale),
    CUBLASLT_ATTRIBUTE(2, MatmulDescriptor, pointer_mode),
    CUBLASLT_ATTRIBUTE(3, MatmulDescriptor, operation_a),
    CUBLASLT_ATTRIBUTE(4, MatmulDescriptor, operation_b),
    CUBLASLT_ATTRIBUTE(5, MatmulDescriptor, operation_c),
    CUBLASLT_ATTRIBUTE(6, MatmulDescriptor, fill),
    CUBLASLT_ATTRIBUTE(7, MatmulDescriptor, epilogue),
    CUBLASLT_ATTRIBUTE(8, MatmulDescriptor, bias),
    CUBLASLT_ATTRIBUTE(10, MatmulDescriptor, bias_stride),
    CUBLASLT_ATTRIBUTE(11, MatmulDescriptor, auxiliary),
    CUBLASLT_ATTRIBUTE(12, MatmulDescriptor, auxiliary_leading),
    CUBLASLT_ATTRIBUTE(13, MatmulDescriptor, auxiliary_stride),
    CUBLASLT_ATTRIBUTE(14, MatmulDescriptor, alpha_stride),
    CUBLASLT_ATTRIBUTE(15, MatmulDescriptor, multiprocessors),
    CUBLASLT_ATTRIBUTE(17, MatmulDescriptor, scale_a),
    CUBLASLT_ATTRIBUTE(18, MatmulDescriptor, scale_b),
    CUBLASLT_ATTRIBUTE(19, MatmulDescriptor, scale_c),
    CUBLASLT_ATTRIBUTE(20, MatmulDescriptor, scale_d),
    CUBLASLT_ATTRIBUTE(21, MatmulDescriptor, largest_d),
    CUBLASLT_ATTRIBUTE(22, MatmulDescriptor, auxiliary_type),
    CUBLASLT_ATTRIBUTE(23, MatmulDescriptor, scale_auxiliary),
    CUBLASLT_ATTRIBUTE(24, MatmulDescriptor, largest_auxiliary),
    CUBLASLT_ATTRIBUTE(25, MatmulDescriptor, fast_sums),
    CUBLASLT_ATTRIBUTE(26, MatmulDescriptor, bias_type),
    CUBLASLT_ATTRIBUTE(31, MatmulDescriptor, scale_modes[0]),
    CUBLASLT_ATTRIBUTE(32, MatmulDescriptor, scale_modes[1]),
    CUBLASLT_ATTRIBUTE(33, MatmulDescriptor, scale_modes[2]),
    CUBLASLT_ATTRIBUTE(34, MatmulDescriptor, scale_modes[3]),
    CUBLASLT_ATTRIBUTE(35, MatmulDescriptor, scale_modes[4]),
    CUBLASLT_ATTRIBUTE(36, MatmulDescriptor, scale_out),
    CUBLASLT_ATTRIBUTE(37, MatmulDescriptor, scale_modes[5]),
    CUBLASLT_ATTRIBUTE(38, MatmulDescriptor, emulation),
};

constexpr Attribute kTransform[] = {
    CUBLASLT_ATTRIBUTE(0, TransformDescriptor, scale),
    CUBLASLT_ATTRIBUTE(1, TransformDescriptor, pointer_mode),
    CUBLASLT_ATTRIBUTE(2, TransformDescriptor, operation_a),
    CUBLASLT_ATTRIBUTE(3, TransformDescriptor, operation_b),
};

constexpr Attribute kPreference[] = {
    CUBLASLT_ATTRIBUTE(0, Preference, search_mode),
    CUBLASLT_ATTRIBUTE(1, Preference, workspace_bytes),
    CUBLASLT_ATTRIBUTE(3, Preference, reductions),
    CUBLASLT_ATTRIBUTE(5, Preference, alignments[0]),
    CUBLASLT_ATTRIBUTE(6, Preference, alignments[1]),
    CUBLASLT_ATTRIBUTE(7, Preference, alignments[2]),
    CUBLASLT_ATTRIBUTE(8, Preference, alignments[3]),
    CUBLASLT_ATTRIBUTE(9, Preference, waves),
    CUBLASLT_ATTRIBUTE(12, Preference, implementations),
};

/// In a program's own memory.
template <class T>
Status place(T* memory, std::size_t bytes, const T& value) {
  if (memory == nullptr) return cublas::kInvalidValue;
  if (bytes < sizeof(T)) return cublas::kAllocFailed;
  new (memory) T(value);
  return cublas::kSuccess;
}

template <class T>
Status make(T** made, const T& value) {
  if (made == nullptr) return cublas::kInvalidValue;
  *made = new (std::nothrow) T(value);
  return *made != nullptr ? cublas::kSuccess : cublas::kAllocFailed;
}

template <class T>
Status destroy(T* descriptor) {
  if (!is_one(descriptor)) return cublas::kInvalidValue;
  descriptor->mark = 0;
  delete descriptor;
  return cublas::kSuccess;
}

MatrixLayout layout(int type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading) {
  MatrixLayout made;
  made.type = static_cast<std::uint32_t>(type);
  made.rows = rows;
  made.columns = columns;
  made.leading = leading;
  return made;
}

MatmulDescriptor matmul(int compute, int scale) {
  MatmulDescriptor made;
  made.compute = compute;
  made.scale = scale;
  return made;
}

TransformDescriptor transform(int scale) {
  TransformDescriptor made;
  made.scale = scale;
  return made;
}

}  // namespace

extern "C" {

Status cublasLtMatrixLayoutCreate(MatrixLayout** made, int type, std::uint64_t rows,
                                  std::uint64_t columns, std::int64_t leading) {
  return make(made, layout(type, rows, columns, leading));
}
Status cublasLtMatrixLayoutInit_internal(MatrixLayout* memory, std::size_t bytes, int type,
                                         std::uint64_t rows, std::uint64_t columns,
                                         std::int64_t leading) {
  return place(memory, bytes, layout(type, rows, columns, leading));
}
Status cublasLtMatmulDescCreate(MatmulDescriptor** made, int compute, int scale) {
  return make(made, matmul(compute, scale));
}
Status cublasLtMatmulDescInit_internal(MatmulDescriptor* memory, std::size_t bytes, int compute,
                                       int scale) {
  return place(memory, bytes, matmul(compute, scale));
}
Status cublasLtMatrixTransformDescCreate(TransformDescriptor** made, int scale) {
  return make(made, transform(scale));
}
Status cublasLtMatrixTransformDescInit_internal(TransformDescriptor* memory, std::size_t bytes,
                                                int scale) {
  return place(memory, bytes, transform(scale));
}
Status cublasLtMatmulPreferenceCreate(Preference** made) { return make(made, Preference{}); }
Status cublasLtMatmulPreferenceInit_internal(Preference* memory, std::size_t bytes) {
  return place(memory, bytes, Preference{});
}

#define CUBLASLT_DESCRIPTOR(name, T, attributes)                                    \
  Status cublasLt##name##Destroy(T* descriptor) { return destroy(descriptor); }     \
  Status cublasLt##name##SetAttribute(T* descriptor, int number, const void* value, \
                                      std::size_t bytes) {                          \
    return set_attribute(descriptor, attributes, number, value, bytes);             \
  }                                                                                 \
  Status cublasLt##name##GetAttribute(const T* descriptor, int number, void* value, \
                                      std::size_t bytes, std::size_t* written) {    \
    return get_attribute(descriptor, attributes, number, value, bytes, written);    \
  }
CUBLASLT_DESCRIPTOR(MatrixLayout, MatrixLayout, kLayout)
CUBLASLT_DESCRIPTOR(MatmulDesc, MatmulDescriptor, kMatmul)
CUBLASLT_DESCRIPTOR(MatrixTransformDesc, TransformDescriptor, kTransform)
CUBLASLT_DESCRIPTOR(MatmulPreference, Preference, kPreference)

}  // extern "C"

}  // namespace pycuda::cublaslt
