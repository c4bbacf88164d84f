// SPDX-License-Identifier: MIT
// Packs the Python arguments of a kernel call by the kernel's own parameter list.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <string>
#include <vector>

#include "cuda/kernel.h"

namespace pycuda::bindings {

/// Arguments that need more than being written: those of the classes In, Out, InOut and their like.
using HandlerList = std::vector<nanobind::object>;

/// The largest parameter buffer that any device takes.
inline constexpr std::size_t most_parameter_bytes = 32764;

/// A buffer on the stack for most kernels, on the heap for the few with large structs.
class ParameterBuffer {
 public:
  explicit ParameterBuffer(std::size_t bytes)
      : large_(bytes > sizeof small_ ? bytes : 0), data_(large_.empty() ? small_ : large_.data()) {}
  std::byte* data() { return data_; }

 private:
  alignas(16) std::byte small_[1024];
  std::vector<std::byte> large_;
  std::byte* data_;
};

/// Checks the number of arguments against a known parameter list. Raises TypeError, with `advice`
/// at the end.
void check_argument_count(const cuda::Kernel& kernel, std::size_t given, const char* advice = "");

/// Writes argument number `index` into `buffer` at the place that the kernel has for it. `stream`
/// is where the kernel will run: work of other streams on the argument is waited for. Raises
/// TypeError or OverflowError with the kernel, the argument and the expected size in the text.
void write_argument(const cuda::Kernel& kernel, std::size_t index, PyObject* argument,
                    CUstream stream, std::byte* buffer, HandlerList& handlers);

/// For kernels with an unknown parameter list: writes the argument at the next place after `used`
/// bytes that its type is aligned to, and returns the bytes used then.
std::size_t append_argument(const cuda::Kernel& kernel, std::size_t index, PyObject* argument,
                            CUstream stream, std::byte* buffer, std::size_t used,
                            HandlerList& handlers);

/// Writes all arguments, by the kernel's parameter list where it is known, and returns the bytes
/// used. `buffer` holds the parameter list, or `most_parameter_bytes` where it is unknown.
std::size_t write_arguments(const cuda::Kernel& kernel, PyObject* const* arguments,
                            std::size_t count, CUstream stream, std::byte* buffer,
                            HandlerList& handlers);

/// Raises TypeError when there are handlers: `where` copies nothing.
void refuse_handlers(const HandlerList& handlers, const char* where);

/// The class whose instances are argument handlers (pycuda.driver.ArgumentHandler tells it when
/// imported).
void set_handler_class(nanobind::handle type);

/// "3 parameters of 8, 8 and 4 bytes"
std::string describe_parameters(const cuda::KernelLayout& layout);

}  // namespace pycuda::bindings
