// SPDX-License-Identifier: MIT
// Handles, their settings, and the objects with parameters.
#include <memory>

#include "cusolver/jacobi.h"
#include "cusolver/typed_matrices.h"

namespace pycuda::cusolver {
namespace {

Status create(Handle** handle) {
  if (handle == nullptr) return kInvalidValue;
  *handle = nullptr;
  if (hostwork::driver() == nullptr || !has_lapack()) return kNotInitialized;
  auto made = std::make_unique<Handle>();
  made->context = hostwork::context_of_thread();
  if (made->context == nullptr) return kNotInitialized;
  *handle = Handles::instance().insert(std::move(made));
  return kSuccess;
}

template <class T>
void give(T* destination, T value) {
  require(destination != nullptr, "the result's pointer is null");
  *destination = value;
}

/// Functions of objects that belong to no handle.
template <class Body>
Status without_handle(const char* function, Body&& body) noexcept {
  return status_of(outcome_of(function, body));
}

template <class T>
Status create_object(const char* function, T** object) {
  return without_handle(function, [&] {
    require(object != nullptr, "the object's pointer is null");
    *object = hostwork::Registry<T>::instance().insert(std::make_unique<T>());
  });
}
template <class T>
Status destroy_object(const char* function, T* object) {
  return without_handle(function, [&] {
    require(hostwork::Registry<T>::instance().erase(object), "the object does not exist");
  });
}

}  // namespace

extern "C" {

Status cusolverDnCreate(Handle** handle) {
  Status status = kInternalError;
  const Status failure = without_handle("cusolverDnCreate", [&] { status = create(handle); });
  return failure != kSuccess ? failure : status;
}

Status cusolverDnDestroy(Handle* handle) {
  return with_handle(handle, "cusolverDnDestroy", [&] {
    if (!is_capturing(*handle)) hostwork::driver()->synchronize(handle->stream);
    Handles::instance().erase(handle);
  });
}

Status cusolverDnSetStream(Handle* handle, CUstream stream) {
  return with_handle(handle, "cusolverDnSetStream", [&] { handle->stream = stream; });
}
Status cusolverDnGetStream(Handle* handle, CUstream* stream) {
  return with_handle(handle, "cusolverDnGetStream", [&] { give(stream, handle->stream); });
}

// Results are the same for equal arguments in either mode, and do not depend on the other.
Status cusolverDnSetDeterministicMode(Handle* handle, int mode) {
  return with_handle(handle, "cusolverDnSetDeterministicMode", [&] {
    require(mode == 1 || mode == 2, "the mode is not one");
    handle->deterministic = mode;
  });
}
Status cusolverDnGetDeterministicMode(Handle* handle, int* mode) {
  return with_handle(handle, "cusolverDnGetDeterministicMode",
                     [&] { give(mode, handle->deterministic); });
}
Status cusolverDnSetMathMode(Handle* handle, int mode) {
  return with_handle(handle, "cusolverDnSetMathMode", [&] {
    require(mode == 1 || mode == 2, "the mode is not one");
    handle->math = mode;
  });
}
Status cusolverDnGetMathMode(Handle* handle, int* mode) {
  return with_handle(handle, "cusolverDnGetMathMode", [&] { give(mode, handle->math); });
}

Status cusolverDnCreateParams(Parameters** parameters) {
  return create_object("cusolverDnCreateParams", parameters);
}
Status cusolverDnDestroyParams(Parameters* parameters) {
  return destroy_object("cusolverDnDestroyParams", parameters);
}
Status cusolverDnSetAdvOptions(Parameters* parameters, int function, int algorithm) {
  return without_handle("cusolverDnSetAdvOptions", [&] {
    require(AllParameters::instance().contains(parameters), "the parameters do not exist");
    require(function >= 0 && function <= 2 && algorithm >= 0 && algorithm <= 2,
            "the function or the algorithm is not one");
  });
}

}  // extern "C"

#define CUSOLVER_JACOBI(Name, name, Object)                                                   \
  extern "C" Status cusolverDnCreate##Name##Info(Object** info) {                             \
    return create_object("cusolverDnCreate" #Name "Info", info);                              \
  }                                                                                           \
  extern "C" Status cusolverDnDestroy##Name##Info(Object* info) {                             \
    return destroy_object("cusolverDnDestroy" #Name "Info", info);                            \
  }                                                                                           \
  extern "C" Status cusolverDnX##name##SetTolerance(Object* info, double) {                   \
    return without_handle("cusolverDnX" #name "SetTolerance", [&] { require_object(info); }); \
  }                                                                                           \
  extern "C" Status cusolverDnX##name##SetMaxSweeps(Object* info, int sweeps) {               \
    return without_handle("cusolverDnX" #name "SetMaxSweeps", [&] {                           \
      require_object(info);                                                                   \
      require(sweeps >= 0, "the number of sweeps is negative");                               \
    });                                                                                       \
  }                                                                                           \
  extern "C" Status cusolverDnX##name##SetSortEig(Object* info, int sort) {                   \
    return without_handle("cusolverDnX" #name "SetSortEig", [&] {                             \
      require_object(info);                                                                   \
      require(sort == 0 || sort == 1, "sort is not 0 or 1");                                  \
    });                                                                                       \
  }                                                                                           \
  extern "C" Status cusolverDnX##name##GetResidual(Handle* handle, Object* info,              \
                                                   double* residual) {                        \
    return with_handle(handle, "cusolverDnX" #name "GetResidual", [&] {                       \
      require_object(info);                                                                   \
      require(residual != nullptr, "the result's pointer is null");                           \
      *residual = finished(*handle, *info).residual;                                          \
    });                                                                                       \
  }                                                                                           \
  extern "C" Status cusolverDnX##name##GetSweeps(Handle* handle, Object* info, int* sweeps) { \
    return with_handle(handle, "cusolverDnX" #name "GetSweeps", [&] {                         \
      require_object(info);                                                                   \
      require(sweeps != nullptr, "the result's pointer is null");                             \
      *sweeps = finished(*handle, *info).sweeps;                                              \
    });                                                                                       \
  }
CUSOLVER_JACOBI(Syevj, syevj, EigenInfo)
CUSOLVER_JACOBI(Gesvdj, gesvdj, SingularInfo)

}  // namespace pycuda::cusolver
