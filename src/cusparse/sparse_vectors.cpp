// SPDX-License-Identifier: MIT
// Sparse vectors, and what is done with one and a dense vector.
#include "cusparse/computed_in.h"
#include "cusparse/descriptors.h"

namespace pycuda::cusparse {

void require_places(const SparseVector& x) {
  const auto entries = static_cast<std::uint64_t>(x.entries);
  require_memory(x.indices, entries * bytes_of_index(x.index_type), "the vector's indices");
  require_memory(x.values, entries * bytes_of(x.type), "the vector's values");
}

namespace {

/// visit(place in x, place in y); an index outside of the vector ends the work with a failure.
template <class Visit>
void for_entries(const SparseVector& x, const Visit& visit) {
  for (Int i = 0; i < x.entries; ++i) {
    const Int place = index_at(x.indices, x.index_type, i) - x.base;
    if (place < 0 || place >= x.size)
      throw Refusal{Outcome::ExecutionFailed, "an index lies outside of the vector"};
    visit(i, place);
  }
}

/// Small floats are computed in float.
DataType computed_in(DataType type) {
  switch (type) {
    case kHalf:
    case kBfloat16:
      return kFloat;
    case kFloat:
    case kDouble:
    case kComplexFloat:
    case kComplexDouble:
      return type;
    default:
      throw Refusal{Outcome::NotSupported, "the type of the values"};
  }
}

void require_pair(const SparseVector& x, const DenseVector& y) {
  require(x.size == y.size, "the sizes do not fit each other");
  if (x.type != y.type) throw Refusal{Outcome::NotSupported, "both vectors have one type"};
  require_places(x);
  require_places(y, "the dense vector");
}

/// Calls run<T>(x, y) in the stream.
template <class Run>
void in_stream(const Handle& handle, const SparseVector* x, const DenseVector* y, const Run& run) {
  require_pair(required(x), required(y));
  with_type(computed_in(x->type), [&]<class T>(T) {
    enqueue(handle, [x = *x, y = *y, run] { run.template operator()<T>(x, y); });
  });
}

}  // namespace

extern "C" {

Status cusparseCreateSpVec(SparseVector** made, std::int64_t size, std::int64_t entries,
                           void* indices, void* values, IndexType index_type, int base,
                           DataType type) {
  return guarded("cusparseCreateSpVec", [&] {
    require(size >= 0 && entries >= 0 && entries <= size, "a size is not valid");
    require(base == 0 || base == 1, "the base of the indices is not one");
    if ((index_type != kIndex32 && index_type != kIndex64) || bytes_of(type) == 0)
      throw Refusal{Outcome::NotSupported, "the type of the indices or values"};
    make_descriptor(made, SparseVector{size, entries, indices, values, index_type, base, type});
  });
}
Status cusparseCreateConstSpVec(SparseVector** made, std::int64_t size, std::int64_t entries,
                                const void* indices, const void* values, IndexType index_type,
                                int base, DataType type) {
  return cusparseCreateSpVec(made, size, entries, const_cast<void*>(indices),
                             const_cast<void*>(values), index_type, base, type);
}
Status cusparseDestroySpVec(const SparseVector* x) {
  return destroy_descriptor("cusparseDestroySpVec", x);
}
Status cusparseSpVecGet(const SparseVector* x, std::int64_t* size, std::int64_t* entries,
                        void** indices, void** values, IndexType* index_type, int* base,
                        DataType* type) {
  return guarded("cusparseSpVecGet", [&] {
    const SparseVector& one = required(x);
    give(size, one.size);
    give(entries, one.entries);
    give(indices, one.indices);
    give(values, one.values);
    give(index_type, one.index_type);
    give(base, one.base);
    give(type, one.type);
  });
}
Status cusparseConstSpVecGet(const SparseVector* x, std::int64_t* size, std::int64_t* entries,
                             void** indices, void** values, IndexType* index_type, int* base,
                             DataType* type) {
  return cusparseSpVecGet(x, size, entries, indices, values, index_type, base, type);
}
Status cusparseSpVecGetIndexBase(const SparseVector* x, int* base) {
  return guarded("cusparseSpVecGetIndexBase", [&] { give(base, required(x).base); });
}
Status cusparseSpVecGetValues(const SparseVector* x, void** values) {
  return guarded("cusparseSpVecGetValues", [&] { give(values, required(x).values); });
}
Status cusparseConstSpVecGetValues(const SparseVector* x, void** values) {
  return cusparseSpVecGetValues(x, values);
}
Status cusparseSpVecSetValues(SparseVector* x, void* values) {
  return guarded("cusparseSpVecSetValues", [&] { required(x).values = values; });
}

Status cusparseAxpby(Handle* handle, const void* alpha, const SparseVector* x, const void* beta,
                     const DenseVector* y) {
  return with_handle(handle, "cusparseAxpby", [&] {
    const DataType compute = computed_in(required(x).type);
    in_stream(
        *handle, x, y,
        [alpha = Scalar(*handle, alpha, compute), beta = Scalar(*handle, beta, compute)]<class T>(
            const SparseVector& sparse, const DenseVector& dense) {
          const T factor = beta.get<T>();
          for (Int i = 0; i < dense.size; ++i) {
            // y is not read when it is not kept: it may hold anything.
            const T kept = factor == T{} ? T{} : factor * load<T>(dense.values, dense.type, i);
            store<T>(dense.values, dense.type, i, kept);
          }
          for_entries(sparse, [&](Int from, Int to) {
            const T value = load<T>(dense.values, dense.type, to);
            store<T>(dense.values, dense.type, to,
                     alpha.get<T>() * load<T>(sparse.values, sparse.type, from) + value);
          });
        });
  });
}
Status cusparseGather(Handle* handle, const DenseVector* y, const SparseVector* x) {
  return with_handle(handle, "cusparseGather", [&] {
    in_stream(*handle, x, y, []<class T>(const SparseVector& sparse, const DenseVector& dense) {
      for_entries(sparse, [&](Int to, Int from) {
        store<T>(sparse.values, sparse.type, to, load<T>(dense.values, dense.type, from));
      });
    });
  });
}
Status cusparseScatter(Handle* handle, const SparseVector* x, const DenseVector* y) {
  return with_handle(handle, "cusparseScatter", [&] {
    in_stream(*handle, x, y, []<class T>(const SparseVector& sparse, const DenseVector& dense) {
      for_entries(sparse, [&](Int from, Int to) {
        store<T>(dense.values, dense.type, to, load<T>(sparse.values, sparse.type, from));
      });
    });
  });
}
Status cusparseRot(Handle* handle, const void* cosine, const void* sine, const SparseVector* x,
                   const DenseVector* y) {
  return with_handle(handle, "cusparseRot", [&] {
    const DataType compute = computed_in(required(x).type);
    in_stream(*handle, x, y,
              [c = Scalar(*handle, cosine, compute), s = Scalar(*handle, sine, compute)]<class T>(
                  const SparseVector& sparse, const DenseVector& dense) {
                for_entries(sparse, [&](Int i, Int j) {
                  const T one = load<T>(sparse.values, sparse.type, i);
                  const T other = load<T>(dense.values, dense.type, j);
                  store<T>(sparse.values, sparse.type, i, c.get<T>() * one + s.get<T>() * other);
                  store<T>(dense.values, dense.type, j, c.get<T>() * other - s.get<T>() * one);
                });
              });
  });
}

Status cusparseSpVV_bufferSize(Handle* handle, Operation operation, const SparseVector* x,
                               const DenseVector* y, const void*, DataType compute,
                               std::size_t* bytes) {
  return with_handle(handle, "cusparseSpVV_bufferSize", [&] {
    require(is_operation(operation), "the operation is not one");
    require(required(x).size == required(y).size, "the sizes do not fit each other");
    require_types(compute, {x->type, y->type}, compute);
    give_size(bytes);
  });
}
Status cusparseSpVV(Handle* handle, Operation operation, const SparseVector* x,
                    const DenseVector* y, void* result, DataType compute, void*) {
  return with_handle(handle, "cusparseSpVV", [&] {
    require(is_operation(operation) && result != nullptr, "an argument is not valid");
    require_pair(required(x), required(y));
    require_types(compute, {x->type, y->type}, compute);
    if (handle->has_device_scalars) {
      require_memory(result, bytes_of(compute), "the result");
    } else if (is_capturing(*handle)) {
      throw Refusal{Outcome::NotSupported, "a captured stream cannot give its result to the host"};
    }
    with_type(compute, [&]<class T>(T) {
      enqueue(*handle, [x = *x, y = *y, operation, result, compute] {
        T sum{};
        for_entries(x, [&](Int i, Int j) {
          T value = load<T>(x.values, x.type, i);
          if (operation == kConjugated) value = conjugate(value);
          sum += value * load<T>(y.values, y.type, j);
        });
        store<T>(result, compute, 0, sum);
      });
    });
    if (!handle->has_device_scalars) wait(*handle);
  });
}

}  // extern "C"

}  // namespace pycuda::cusparse
