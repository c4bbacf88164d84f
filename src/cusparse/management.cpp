// SPDX-License-Identifier: MIT
// Handles and their settings, names of statuses, descriptors of the older interface.
#include <memory>

#include "cusparse/handle.h"

namespace pycuda::cusparse {

Status status_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Success:
      return kSuccess;
    case Outcome::NotInitialized:
      return kNotInitialized;
    case Outcome::AllocFailed:
      return kAllocFailed;
    case Outcome::InvalidValue:
      return kInvalidValue;
    case Outcome::ExecutionFailed:
      return kExecutionFailed;
    case Outcome::NotSupported:
      return kNotSupported;
    default:
      return kInternalError;
  }
}

extern "C" {

Status cusparseCreate(Handle** handle) {
  return guarded("cusparseCreate", [&] {
    require(handle != nullptr, "the result's pointer is null");
    if (hostwork::driver() == nullptr) throw Refusal{Outcome::NotInitialized, ""};
    auto made = std::make_unique<Handle>();
    made->context = hostwork::context_of_thread();
    if (made->context == nullptr) throw Refusal{Outcome::NotInitialized, "there is no context"};
    *handle = Handles::instance().insert(std::move(made));
  });
}
Status cusparseDestroy(Handle* handle) {
  return with_handle(handle, "cusparseDestroy", [&] {
    if (!is_capturing(*handle)) hostwork::driver()->synchronize(handle->stream);
    Handles::instance().erase(handle);
  });
}
Status cusparseSetStream(Handle* handle, CUstream stream) {
  return with_handle(handle, "cusparseSetStream", [&] { handle->stream = stream; });
}
Status cusparseGetStream(Handle* handle, CUstream* stream) {
  return with_handle(handle, "cusparseGetStream", [&] { give(stream, handle->stream); });
}
Status cusparseSetPointerMode(Handle* handle, int mode) {
  return with_handle(handle, "cusparseSetPointerMode", [&] {
    require(mode == 0 || mode == 1, "the pointer mode is not one");
    handle->has_device_scalars = mode == 1;
  });
}
Status cusparseGetPointerMode(Handle* handle, int* mode) {
  return with_handle(handle, "cusparseGetPointerMode",
                     [&] { give(mode, handle->has_device_scalars ? 1 : 0); });
}

const char* cusparseGetErrorName(int status) {
  switch (status) {
    case kSuccess:
      return "CUSPARSE_STATUS_SUCCESS";
    case kNotInitialized:
      return "CUSPARSE_STATUS_NOT_INITIALIZED";
    case kAllocFailed:
      return "CUSPARSE_STATUS_ALLOC_FAILED";
    case kInvalidValue:
      return "CUSPARSE_STATUS_INVALID_VALUE";
    case kExecutionFailed:
      return "CUSPARSE_STATUS_EXECUTION_FAILED";
    case kInternalError:
      return "CUSPARSE_STATUS_INTERNAL_ERROR";
    case kZeroPivot:
      return "CUSPARSE_STATUS_ZERO_PIVOT";
    case kNotSupported:
      return "CUSPARSE_STATUS_NOT_SUPPORTED";
    default:
      return "unrecognized error code";
  }
}
const char* cusparseGetErrorString(int status) { return cusparseGetErrorName(status); }

Status cusparseCreateMatDescr(OldDescriptor** made) {
  return guarded("cusparseCreateMatDescr", [&] {
    require(made != nullptr, "the result's pointer is null");
    *made = hostwork::Registry<OldDescriptor>::instance().insert(std::make_unique<OldDescriptor>());
  });
}
Status cusparseDestroyMatDescr(OldDescriptor* one) {
  return guarded("cusparseDestroyMatDescr", [&] {
    require(one == nullptr || hostwork::Registry<OldDescriptor>::instance().erase(one),
            "the descriptor is not one");
  });
}
#define CUSPARSE_PROPERTY(Name, member, most)                               \
  Status cusparseSetMat##Name(OldDescriptor* one, int value) {              \
    return guarded("cusparseSetMat" #Name, [&] {                            \
      require(value >= 0 && value <= (most), "the property is not valid");  \
      required(one).member = value;                                         \
    });                                                                     \
  }                                                                         \
  int cusparseGetMat##Name(const OldDescriptor* one) {                      \
    int value = 0;                                                          \
    guarded("cusparseGetMat" #Name, [&] { value = required(one).member; }); \
    return value;                                                           \
  }
CUSPARSE_PROPERTY(Type, type, 3)
CUSPARSE_PROPERTY(FillMode, fill, 1)
CUSPARSE_PROPERTY(DiagType, diagonal, 1)
CUSPARSE_PROPERTY(IndexBase, base, 1)

}  // extern "C"

}  // namespace pycuda::cusparse
