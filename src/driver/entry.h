// SPDX-License-Identifier: MIT
// One typed slot of the driver table.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "driver/error.h"
#include "driver/known_enumeration.h"

namespace pycuda::driver {

/// What all slots have in common, so that loops can fill them.
class Slot {
 public:
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  /// What a program writes: "cuMemAlloc".
  const char* name() const;
  /// The error to throw for a status that was no answer.
  [[gnu::cold]] DriverError error(CUresult code) const;
  [[gnu::cold]] DriverError error(CUresult code, const std::string& extra) const;

 protected:
  using AnyFunction = void (*)();
  friend struct DriverTable;
  Slot() = default;
  ~Slot() = default;

  /// `given`: arguments of the call, which the text is about where they may be the reason.
  [[noreturn, gnu::cold]] void throw_error(CUresult code, std::span<const GivenMember> given) const;

  mutable AnyFunction function_;  // atomic: see Entry::exchange()
  const DriverTable* driver_;
};

template <class Signature>
class Entry;

/// A driver function that may be missing: then it answers CUDA_ERROR_NOT_SUPPORTED. Never null.
template <class... Args>
class Entry<CUresult(Args...)> : public Slot {
 public:
  using Function = CUresult(CUDAAPI*)(Args...);

  /// Throws DriverError for every status but CUDA_SUCCESS.
  void operator()(Args... args) const {
    const CUresult code = function()(args...);
    if (code != CUDA_SUCCESS) [[unlikely]] {
      if constexpr ((std::is_enum_v<Args> || ...)) {
        throw_naming_members(code, args...);
      } else {
        throw_error(code, {});
      }
    }
  }

  /// The call's status: one indirect call. For those to whom more than CUDA_SUCCESS is an answer.
  [[nodiscard]] CUresult status(Args... args) const { return function()(args...); }

  /// Whether the library has the function.
  bool available() const { return function() != &missing; }
  Function function() const {
    return reinterpret_cast<Function>(__atomic_load_n(&function_, __ATOMIC_RELAXED));
  }
  /// Puts a function in the place of the present one, which it returns, while other threads call
  /// it: for a profiler. Calls under way end where they began.
  Function exchange(Function other) const {
    const auto any = reinterpret_cast<AnyFunction>(other);
    return reinterpret_cast<Function>(__atomic_exchange_n(&function_, any, __ATOMIC_ACQ_REL));
  }

  /// Fills the slot; null empties it.
  void bind(Function bound) {
    function_ = reinterpret_cast<AnyFunction>(bound != nullptr ? bound : &missing);
  }
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
      bind(static_cast<Function>([](Args... args) -> CUresult { return (*kept)(args...); }));
    }
  }

 private:
  friend struct DriverTable;
  Entry() = default;

  static CUresult CUDAAPI missing(Args...) { return CUDA_ERROR_NOT_SUPPORTED; }

  [[noreturn, gnu::cold, gnu::noinline]] void throw_naming_members(CUresult code,
                                                                   Args... args) const {
    const GivenMember given[] = {given_member(args)...};
    throw_error(code, given);
  }
};

}  // namespace pycuda::driver
