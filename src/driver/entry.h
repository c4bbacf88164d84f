// SPDX-License-Identifier: MIT
// One typed slot of the driver table.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "driver/error.h"
#include "driver/known_enumeration.h"

namespace pycuda::driver {

template <class Signature>
class Entry;

/// A driver function that may be missing: then it answers CUDA_ERROR_NOT_SUPPORTED. Never null.
template <class... Args>
class Entry<CUresult(Args...)> {
 public:
  using Function = CUresult(CUDAAPI*)(Args...);

  /// Throws DriverError for every status but CUDA_SUCCESS.
  void operator()(Args... args) const {
    const CUresult code = function()(args...);
    if (code != CUDA_SUCCESS) [[unlikely]] {
      if constexpr ((std::is_enum_v<Args> || ...))
        throw error(code, unknown_members(code, args...));
      throw_driver_error(*driver_, name_, code);
    }
  }

  /// The call's status: one indirect call. For those to whom more than CUDA_SUCCESS is an answer.
  [[nodiscard]] CUresult status(Args... args) const { return function()(args...); }

  /// The error to throw for a status that was no answer after all.
  DriverError error(CUresult code, const std::string& extra = {}) const {
    return DriverError(*driver_, name_, code, extra);
  }

  /// What a program writes: "cuMemAlloc".
  const char* name() const { return name_; }
  /// Whether the library has the function.
  bool available() const { return function() != &missing; }
  Function function() const { return __atomic_load_n(&function_, __ATOMIC_RELAXED); }
  /// Puts a function in the place of the present one, which it returns, while other threads call
  /// it: for a profiler. Calls under way end where they began.
  Function exchange(Function other) const {
    return __atomic_exchange_n(&function_, other, __ATOMIC_ACQ_REL);
  }

  /// Fills the slot; null empties it.
  void bind(Function bound) { function_ = bound ? bound : &missing; }
  /// Fills the slot with anything callable, which is kept until the same lambda expression is bound
  /// again, by whomever.
  template <class Callable>
    requires std::is_invocable_r_v<CUresult, Callable&, Args...>
  void bind(Callable callable) {
    if constexpr (std::is_convertible_v<Callable, Function>) {
      bind(static_cast<Function>(callable));
    } else {
      static std::optional<Callable> kept;
      kept.emplace(std::move(callable));
      function_ = [](Args... args) -> CUresult { return (*kept)(args...); };
    }
  }

 private:
  friend struct DriverTable;
  Entry(const DriverTable& driver, const char* name) : name_(name), driver_(&driver) {}

  static CUresult CUDAAPI missing(Args...) { return CUDA_ERROR_NOT_SUPPORTED; }

  template <class Arg>
  static std::string unknown_member_of(CUresult code, Arg arg) {
    if constexpr (std::is_enum_v<Arg>) {
      return unknown_member(known_enumeration<Arg>, static_cast<long>(arg), code);
    } else {
      return {};
    }
  }
  /// What there is to say about numbers among the arguments that no member of an enumeration has.
  [[gnu::cold]] static std::string unknown_members(CUresult code, Args... args) {
    std::string all;
    for (const std::string& text : {unknown_member_of(code, args)...})
      all += (all.empty() || text.empty() ? "" : "; ") + text;
    return all;
  }

  mutable Function function_ = &missing;  // atomic: see exchange()
  const char* name_;
  const DriverTable* driver_;
};

}  // namespace pycuda::driver
