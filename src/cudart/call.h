// SPDX-License-Identifier: MIT
// How every function of the run-time API reaches the driver: the driver is loaded, the device's
// context is made current, the arguments are converted, and the error is recorded.
#pragma once

#include <bit>
#include <type_traits>
#include <utility>

#include "cudart/calls_in_flight.h"
#include "cudart/current_device.h"
#include "cudart/last_error.h"
#include "cudart/runtime_types.h"
#include "driver/table.h"

namespace pycuda::cudart {

using driver::DriverTable;

template <class T>
concept Complete = requires { sizeof(T); };

/// A value of the run-time API as the driver API's type of the same representation: enumerators,
/// handles, device pointers and structs whose layouts agree.
template <class To, class From>
To as(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_pointer_v<To> && std::is_pointer_v<From>) {
    using A = std::remove_pointer_t<To>;
    using B = std::remove_pointer_t<From>;
    if constexpr (Complete<A> && Complete<B> && !std::is_void_v<A> && !std::is_void_v<B> &&
                  !std::is_function_v<A> && !std::is_function_v<B>) {
      // NOLINTNEXTLINE(bugprone-sizeof-expression): A and B may be pointers themselves
      static_assert(sizeof(A) == sizeof(B), "the two APIs lay this type out differently");
    }
    return reinterpret_cast<To>(reinterpret_cast<std::uintptr_t>(value));
  } else if constexpr (std::is_pointer_v<To> || std::is_pointer_v<From> || std::is_class_v<To> ||
                       std::is_union_v<To>) {
    return std::bit_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

/// Calls one driver function with converted arguments.
template <class... P, class... A>
CUresult call(const driver::Entry<CUresult(P...)>& entry, A... arguments) {
  static_assert(sizeof...(P) == sizeof...(A));
  return entry.status(as<P>(arguments)...);
}

inline cudaError_t to_runtime(CUresult code) { return static_cast<cudaError_t>(code); }
inline cudaError_t to_runtime(cudaError_t code) { return code; }

/// What `body(driver)` answers, a CUresult or a cudaError_t, once the driver is loaded and
/// initialised. Records and returns the error; `name` is the function's, for the log.
template <class Body>
cudaError_t with_driver(const char* name, Body&& body) noexcept {
  return guarded(name, [&]() -> cudaError_t {
    const CallInFlight call;
    const DriverTable* driver = nullptr;
    const cudaError_t status = initialised_driver(&driver);
    return status == cudaSuccess ? to_runtime(body(*driver)) : status;
  });
}

/// The same with a context of the thread's device current.
template <class Body>
cudaError_t with_context(const char* name, Body&& body) noexcept {
  return with_driver(name, [&](const DriverTable& driver) -> cudaError_t {
    const cudaError_t status = bind_context(driver);
    return status == cudaSuccess ? to_runtime(body(driver)) : status;
  });
}

template <class... P, class... A>
cudaError_t forward(const char* name, driver::Entry<CUresult(P...)> DriverTable::* entry,
                    A... arguments) noexcept {
  return with_context(name,
                      [&](const DriverTable& driver) { return call(driver.*entry, arguments...); });
}

/// `stream` of a program compiled with per-thread default streams.
inline cudaStream_t own_stream(cudaStream_t stream) {
  return stream == nullptr ? cudaStreamPerThread : stream;
}

}  // namespace pycuda::cudart

/// A function that is one of the driver's: CUDART_FORWARD(cudaStreamQuery, (cudaStream_t stream),
/// cuStreamQuery, stream).
#define CUDART_FORWARD(name, parameters, entry, ...)                            \
  CUDART_API name parameters {                                                  \
    return pycuda::cudart::forward(                                             \
        #name, &pycuda::driver::DriverTable::entry __VA_OPT__(, ) __VA_ARGS__); \
  }
