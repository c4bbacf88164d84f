// SPDX-License-Identifier: MIT
// cuFFT's functions: plans by their numbers.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include "cufft/plan.h"

namespace pycuda::cufft {
namespace {

/// The plans that exist. A plan is replaced, never changed: work in a stream keeps its own.
class Plans {
 public:
  int add() {
    const std::lock_guard lock(mutex_);
    plans_[++last_] = nullptr;
    return last_;
  }
  bool contains(int handle) const {
    const std::lock_guard lock(mutex_);
    return plans_.contains(handle);
  }
  /// Null: the handle is not one, or has no plan yet.
  std::shared_ptr<const Plan> find(int handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = plans_.find(handle);
    return found != plans_.end() ? found->second : nullptr;
  }
  bool set(int handle, std::shared_ptr<const Plan> plan) {
    const std::lock_guard lock(mutex_);
    const auto found = plans_.find(handle);
    if (found == plans_.end()) return false;
    found->second = std::move(plan);
    return true;
  }
  bool remove(int handle) {
    const std::lock_guard lock(mutex_);
    return plans_.erase(handle) != 0;
  }

 private:
  mutable std::mutex mutex_;
  std::map<int, std::shared_ptr<const Plan>> plans_;
  int last_ = 0;
};

Plans& plans() {
  static auto& all = *new Plans;
  return all;
}

/// The only exit: no exception leaves the library.
template <class Body>
Result guarded(Body&& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return kAllocFailed;
  } catch (...) {
    return kInternalError;
  }
}

/// The product of positive numbers, or 0 if it does not fit.
std::int64_t product_of(std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (factor <= 0 || product > std::numeric_limits<std::int64_t>::max() / 64 / factor) return 0;
    product *= factor;
  }
  return product;
}

template <class Size>
Layout layout_of(int rank, const Size* pitches, Size stride, Size distance) {
  Layout layout;
  for (int i = 0; i < rank; ++i)
    layout.pitches[static_cast<std::size_t>(3 - rank) + static_cast<std::size_t>(i)] = pitches[i];
  layout.stride = stride;
  layout.distance = distance;
  return layout;
}

template <class Size>
struct Layouts {
  const Size* in_pitches = nullptr;
  Size in_stride = 1, in_distance = 0;
  const Size* out_pitches = nullptr;
  Size out_stride = 1, out_distance = 0;
};

bool is_positive(const Layout& layout) {
  return layout.stride > 0 && layout.distance >= 0 &&
         product_of({layout.pitches[1], layout.pitches[2], layout.stride}) > 0;
}

template <class Size>
Result make(int handle, int rank, const Size* lengths, const Layouts<Size>& layouts, int type,
            Size batch, std::size_t* work_bytes) {
  if (!plans().contains(handle)) return kInvalidPlan;
  if (!is_type(type)) return kInvalidType;
  if (rank < 1 || rank > 3 || lengths == nullptr) return kInvalidValue;
  auto plan = std::make_shared<Plan>();
  plan->type = static_cast<Type>(type);
  plan->batch = batch;
  for (int i = 0; i < rank; ++i)
    plan->lengths[static_cast<std::size_t>(3 - rank) + static_cast<std::size_t>(i)] = lengths[i];
  if (product_of({plan->lengths[0], plan->lengths[1], plan->lengths[2], plan->batch}) == 0)
    return kInvalidSize;
  // As documented: without both arrays the rest of the layouts does not count.
  plan->is_basic = layouts.in_pitches == nullptr || layouts.out_pitches == nullptr;
  if (!plan->is_basic) {
    plan->in = layout_of(rank, layouts.in_pitches, layouts.in_stride, layouts.in_distance);
    plan->out = layout_of(rank, layouts.out_pitches, layouts.out_stride, layouts.out_distance);
    if (!is_positive(plan->in) || !is_positive(plan->out)) return kInvalidValue;
  }
  const auto earlier = plans().find(handle);
  if (earlier != nullptr) plan->stream = earlier->stream;
  prepare(*plan);
  if (work_bytes != nullptr) *work_bytes = 0;
  return plans().set(handle, std::move(plan)) ? kSuccess : kInvalidPlan;
}

/// A new handle with its plan; none if that cannot be made.
template <class Size>
Result make_new(int* handle, int rank, const Size* lengths, const Layouts<Size>& layouts, int type,
                Size batch) {
  if (handle == nullptr) return kInvalidValue;
  if (hostwork::driver() == nullptr || hostwork::context_of_thread() == nullptr)
    return kSetupFailed;
  const int made = plans().add();
  const Result result = make(made, rank, lengths, layouts, type, batch, nullptr);
  if (result == kSuccess) {
    *handle = made;
  } else {
    plans().remove(made);
  }
  return result;
}

Result run(int handle, std::initializer_list<Type> types, const void* in, void* out,
           int direction) {
  return guarded([&] {
    const auto plan = plans().find(handle);
    if (plan == nullptr) return kInvalidPlan;
    if (std::ranges::find(types, plan->type) == types.end()) return kInvalidType;
    return execute(plan, in, out, static_cast<Direction>(direction));
  });
}

Result give_no_bytes(std::size_t* bytes) {
  if (bytes == nullptr) return kInvalidValue;
  *bytes = 0;  // nothing of the device's
  return kSuccess;
}

/// The bytes of a plan that is asked about before it is made.
template <class Size>
Result give_size(int handle, int rank, const Size* lengths, int type, Size batch,
                 std::size_t* bytes) {
  return guarded([&] {
    if (!plans().contains(handle)) return kInvalidPlan;
    if (!is_type(type)) return kInvalidType;
    if (rank < 1 || rank > 3 || lengths == nullptr) return kInvalidValue;
    const auto is_wrong = [](Size length) { return length < 1; };
    if (batch < 1 || std::any_of(lengths, lengths + rank, is_wrong)) return kInvalidSize;
    return give_no_bytes(bytes);
  });
}

/// The type of a transform by the types of its values, as cufftXt.h has them; 0 if it is not
/// supported.
int type_between(int in, int out, int computed_in) {
  enum { kFloat = 0, kDouble = 1, kComplexFloat = 4, kComplexDouble = 5 };
  const auto is = [&](int one, int other, int complex) {
    return in == one && out == other && computed_in == complex;
  };
  if (is(kComplexFloat, kComplexFloat, kComplexFloat)) return kC2C;
  if (is(kFloat, kComplexFloat, kComplexFloat)) return kR2C;
  if (is(kComplexFloat, kFloat, kComplexFloat)) return kC2R;
  if (is(kComplexDouble, kComplexDouble, kComplexDouble)) return kZ2Z;
  if (is(kDouble, kComplexDouble, kComplexDouble)) return kD2Z;
  if (is(kComplexDouble, kDouble, kComplexDouble)) return kZ2D;
  return 0;
}

}  // namespace

extern "C" {

Result cufftCreate(int* handle) {
  return guarded([&] {
    if (handle == nullptr) return kInvalidValue;
    if (hostwork::driver() == nullptr || hostwork::context_of_thread() == nullptr)
      return kSetupFailed;
    *handle = plans().add();
    return kSuccess;
  });
}

Result cufftDestroy(int handle) {
  return guarded([&] { return plans().remove(handle) ? kSuccess : kInvalidPlan; });
}

Result cufftPlan1d(int* handle, int n, int type, int batch) {
  return guarded([&] { return make_new<int>(handle, 1, &n, {}, type, batch); });
}
Result cufftPlan2d(int* handle, int rows, int columns, int type) {
  const int n[] = {rows, columns};
  return guarded([&] { return make_new<int>(handle, 2, n, {}, type, 1); });
}
Result cufftPlan3d(int* handle, int planes, int rows, int columns, int type) {
  const int n[] = {planes, rows, columns};
  return guarded([&] { return make_new<int>(handle, 3, n, {}, type, 1); });
}
Result cufftPlanMany(int* handle, int rank, int* n, int* inembed, int istride, int idist,
                     int* onembed, int ostride, int odist, int type, int batch) {
  return guarded([&] {
    return make_new<int>(handle, rank, n, {inembed, istride, idist, onembed, ostride, odist}, type,
                         batch);
  });
}

Result cufftMakePlan1d(int handle, int n, int type, int batch, std::size_t* bytes) {
  return guarded([&] { return make<int>(handle, 1, &n, {}, type, batch, bytes); });
}
Result cufftMakePlan2d(int handle, int rows, int columns, int type, std::size_t* bytes) {
  const int n[] = {rows, columns};
  return guarded([&] { return make<int>(handle, 2, n, {}, type, 1, bytes); });
}
Result cufftMakePlan3d(int handle, int planes, int rows, int columns, int type,
                       std::size_t* bytes) {
  const int n[] = {planes, rows, columns};
  return guarded([&] { return make<int>(handle, 3, n, {}, type, 1, bytes); });
}
Result cufftMakePlanMany(int handle, int rank, int* n, int* inembed, int istride, int idist,
                         int* onembed, int ostride, int odist, int type, int batch,
                         std::size_t* bytes) {
  return guarded([&] {
    return make<int>(handle, rank, n, {inembed, istride, idist, onembed, ostride, odist}, type,
                     batch, bytes);
  });
}
Result cufftMakePlanMany64(int handle, int rank, long long* n, long long* inembed,
                           long long istride, long long idist, long long* onembed,
                           long long ostride, long long odist, int type, long long batch,
                           std::size_t* bytes) {
  return guarded([&] {
    return make<long long>(handle, rank, n, {inembed, istride, idist, onembed, ostride, odist},
                           type, batch, bytes);
  });
}

Result cufftSetStream(int handle, CUstream stream) {
  return guarded([&] {
    const auto plan = plans().find(handle);
    if (plan == nullptr) return kInvalidPlan;
    auto changed = std::make_shared<Plan>(*plan);
    changed->stream = stream;
    return plans().set(handle, std::move(changed)) ? kSuccess : kInvalidPlan;
  });
}

Result cufftExecC2C(int handle, void* in, void* out, int direction) {
  return run(handle, {kC2C}, in, out, direction);
}
Result cufftExecZ2Z(int handle, void* in, void* out, int direction) {
  return run(handle, {kZ2Z}, in, out, direction);
}
Result cufftExecR2C(int handle, void* in, void* out) {
  return run(handle, {kR2C}, in, out, kForward);
}
Result cufftExecD2Z(int handle, void* in, void* out) {
  return run(handle, {kD2Z}, in, out, kForward);
}
Result cufftExecC2R(int handle, void* in, void* out) {
  return run(handle, {kC2R}, in, out, kInverse);
}
Result cufftExecZ2D(int handle, void* in, void* out) {
  return run(handle, {kZ2D}, in, out, kInverse);
}

Result cufftXtMakePlanMany(int handle, int rank, long long* n, long long* inembed,
                           long long istride, long long idist, int in, long long* onembed,
                           long long ostride, long long odist, int out, long long batch,
                           std::size_t* bytes, int computed_in) {
  const int type = type_between(in, out, computed_in);
  if (type == 0) return kNotSupported;  // half precision
  return cufftMakePlanMany64(handle, rank, n, inembed, istride, idist, onembed, ostride, odist,
                             type, batch, bytes);
}
Result cufftXtGetSizeMany(int handle, int rank, long long* n, long long*, long long, long long,
                          int in, long long*, long long, long long, int out, long long batch,
                          std::size_t* bytes, int computed_in) {
  const int type = type_between(in, out, computed_in);
  return type == 0 ? kNotSupported : give_size(handle, rank, n, type, batch, bytes);
}
/// Any type of plan. The types of real transforms say the direction.
Result cufftXtExec(int handle, void* in, void* out, int direction) {
  return guarded([&] {
    const auto plan = plans().find(handle);
    if (plan == nullptr) return kInvalidPlan;
    const bool to_real = plan->type == kC2R || plan->type == kZ2D;
    const bool is_complex = plan->type == kC2C || plan->type == kZ2Z;
    return run(handle, {plan->type}, in, out,
               is_complex ? direction
               : to_real  ? kInverse
                          : kForward);
  });
}

// Plans use no memory of the device.
Result cufftGetSize(int handle, std::size_t* bytes) {
  return plans().contains(handle) ? give_no_bytes(bytes) : kInvalidPlan;
}
Result cufftEstimate1d(int, int, int, std::size_t* bytes) { return give_no_bytes(bytes); }
Result cufftEstimate2d(int, int, int, std::size_t* bytes) { return give_no_bytes(bytes); }
Result cufftEstimate3d(int, int, int, int, std::size_t* bytes) { return give_no_bytes(bytes); }
Result cufftEstimateMany(int, int*, int*, int, int, int*, int, int, int, int, std::size_t* bytes) {
  return give_no_bytes(bytes);
}
Result cufftGetSize1d(int handle, int n, int type, int batch, std::size_t* bytes) {
  return give_size(handle, 1, &n, type, batch, bytes);
}
Result cufftGetSize2d(int handle, int rows, int columns, int type, std::size_t* bytes) {
  const int n[] = {rows, columns};
  return give_size(handle, 2, n, type, 1, bytes);
}
Result cufftGetSize3d(int handle, int planes, int rows, int columns, int type, std::size_t* bytes) {
  const int n[] = {planes, rows, columns};
  return give_size(handle, 3, n, type, 1, bytes);
}
Result cufftGetSizeMany(int handle, int rank, int* n, int*, int, int, int*, int, int, int type,
                        int batch, std::size_t* bytes) {
  return give_size(handle, rank, n, type, batch, bytes);
}
Result cufftGetSizeMany64(int handle, int rank, long long* n, long long*, long long, long long,
                          long long*, long long, long long, int type, long long batch,
                          std::size_t* bytes) {
  return give_size(handle, rank, n, type, batch, bytes);
}
Result cufftSetWorkArea(int handle, void*) {
  return plans().contains(handle) ? kSuccess : kInvalidPlan;
}
Result cufftSetAutoAllocation(int handle, int) {
  return plans().contains(handle) ? kSuccess : kInvalidPlan;
}

}  // extern "C"

}  // namespace pycuda::cufft
