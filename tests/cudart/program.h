// SPDX-License-Identifier: MIT
// A program as nvcc makes it, without nvcc: kernels in PTX, registered as nvcc's host code does.
#pragma once

#include <cuda_runtime_api.h>

#include <tuple>

namespace program {

/// Adds `amount` to the `count` integers at `values`: (int* values, int amount, int count).
void add(int* values, int amount, int count);
/// Writes 1 to an address: (int* where).
void store(int* where);

/// The host side of `.const .align 4 .b8 factors[16]`, of `.global .u32 counter` and of the managed
/// `.global .u32 both`, to which `both` points.
extern char factors[16];
extern int counter;
extern int* both;

cudaError_t configured_launch(const void* kernel, dim3 grid, dim3 block, size_t shared,
                              cudaStream_t stream, void** arguments);

/// kernel<<<grid, block, shared, stream>>>(arguments...), as nvcc compiles it.
template <class... P, class... A>
cudaError_t launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, cudaStream_t stream,
                   A... arguments) {
  std::tuple<P...> typed(arguments...);
  void* pointers[sizeof...(P) + 1];
  std::apply(
      [&](auto&... each) {
        int i = 0;
        ((pointers[i++] = &each), ...);
      },
      typed);
  return configured_launch(reinterpret_cast<const void*>(kernel), grid, block, shared, stream,
                           pointers);
}

/// PTX with a kernel `triple`, for programs that load their code themselves.
extern const char* const library_text;

/// What nvcc's host code does before a managed variable is used.
void initialise_managed();

}  // namespace program
