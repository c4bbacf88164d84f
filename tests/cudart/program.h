// SPDX-License-Identifier: MIT
// A program as nvcc makes it, without nvcc: kernels in PTX, registered as nvcc's host code does.
#pragma once

#include <cuda_runtime_api.h>

#include <tuple>

#ifdef PROGRAM_OF_CUDA_12
// What the headers of CUDA 12 have under other names, or with other parameters.
extern "C" cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* dependencies,
                                           const cudaGraphEdgeData* edges, size_t count,
                                           cudaGraphNodeParams* params);
extern "C" cudaError_t cudaGetDeviceProperties_v2(void* properties, int device);
#define cudaGraphAddNode cudaGraphAddNode_v2
#endif

namespace program {

#ifdef PROGRAM_OF_CUDA_12
constexpr int runtime_version = 12090;
#else
constexpr int runtime_version = 13000;
#endif

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

/// The build names the CPU driver's devices in the tests' environment.
bool on_cpu_driver();

/// Whether a test that needs `count` devices can run. The CPU driver has as many as the build asks
/// it for.
bool has_devices(int count);

/// Whether a process can go on after a kernel's fault. NVIDIA's driver ends CUDA for the whole
/// process.
bool outlives_faults();

/// What nvcc's host code does before a managed variable is used.
void initialise_managed();

}  // namespace program
