// SPDX-License-Identifier: MIT
// CUDA's device run-time library as compiled kernels call it. The executor defines these functions;
// they are part of runtime_symbols(). Structures come part by part. All but the first two and the
// texts give a cudaError_t, which is also the calling thread's last error if it is none of success.
#pragma once

#include <cstdint>

#include "cpu/kernel_abi/frames.h"

extern "C" {
/// Where the parameters of a launch go; 0 when there can be no such launch.
std::uint64_t pycuda_cpu_device_parameter_buffer(pycuda::cpu::ThreadFrame* thread,
                                                 std::uint64_t alignment, std::uint64_t bytes);
std::uint64_t pycuda_cpu_device_parameter_buffer_of(pycuda::cpu::ThreadFrame* thread,
                                                    std::uint64_t kernel, std::uint32_t grid_x,
                                                    std::uint32_t grid_y, std::uint32_t grid_z,
                                                    std::uint32_t block_x, std::uint32_t block_y,
                                                    std::uint32_t block_z,
                                                    std::uint32_t shared_bytes);
std::int32_t pycuda_cpu_device_launch(pycuda::cpu::ThreadFrame* thread, std::uint64_t kernel,
                                      std::uint64_t parameters, std::uint32_t grid_x,
                                      std::uint32_t grid_y, std::uint32_t grid_z,
                                      std::uint32_t block_x, std::uint32_t block_y,
                                      std::uint32_t block_z, std::uint32_t shared_bytes,
                                      std::uint64_t stream);
/// Of the launch that the buffer was asked for.
std::int32_t pycuda_cpu_device_launch_prepared(pycuda::cpu::ThreadFrame* thread,
                                               std::uint64_t parameters, std::uint64_t stream);

/// In the place of a stream is how the graph is launched.
std::int32_t pycuda_cpu_device_graph_launch(pycuda::cpu::ThreadFrame* thread, std::uint64_t graph,
                                            std::uint64_t mode);
/// Changes of kernel nodes that are device-updatable: parameters, whether they run, their grid, and
/// an array of such changes.
std::int32_t pycuda_cpu_device_node_set_parameter(pycuda::cpu::ThreadFrame* thread,
                                                  std::uint64_t node, std::uint64_t offset,
                                                  std::uint64_t value, std::uint64_t bytes);
std::int32_t pycuda_cpu_device_node_set_enabled(pycuda::cpu::ThreadFrame* thread,
                                                std::uint64_t node, std::uint32_t enabled);
std::int32_t pycuda_cpu_device_node_set_grid(pycuda::cpu::ThreadFrame* thread, std::uint64_t node,
                                             std::uint32_t x, std::uint32_t y, std::uint32_t z);
std::int32_t pycuda_cpu_device_node_apply_updates(pycuda::cpu::ThreadFrame* thread,
                                                  std::uint64_t updates, std::uint64_t count);
/// %current_graph_exec.
std::uint64_t pycuda_cpu_device_current_graph(pycuda::cpu::ThreadFrame* thread);

std::int32_t pycuda_cpu_device_stream_create(pycuda::cpu::ThreadFrame* thread, std::uint64_t stream,
                                             std::uint32_t flags);
std::int32_t pycuda_cpu_device_stream_destroy(pycuda::cpu::ThreadFrame* thread,
                                              std::uint64_t stream);
std::int32_t pycuda_cpu_device_stream_wait_event(pycuda::cpu::ThreadFrame* thread,
                                                 std::uint64_t stream, std::uint64_t event,
                                                 std::uint32_t flags);
std::int32_t pycuda_cpu_device_event_create(pycuda::cpu::ThreadFrame* thread, std::uint64_t event,
                                            std::uint32_t flags);
std::int32_t pycuda_cpu_device_event_record(pycuda::cpu::ThreadFrame* thread, std::uint64_t event,
                                            std::uint64_t stream);
std::int32_t pycuda_cpu_device_event_record_with_flags(pycuda::cpu::ThreadFrame* thread,
                                                       std::uint64_t event, std::uint64_t stream,
                                                       std::uint32_t flags);
std::int32_t pycuda_cpu_device_event_destroy(pycuda::cpu::ThreadFrame* thread, std::uint64_t event);

std::int32_t pycuda_cpu_device_malloc(pycuda::cpu::ThreadFrame* thread, std::uint64_t memory,
                                      std::uint64_t bytes);
std::int32_t pycuda_cpu_device_free(pycuda::cpu::ThreadFrame* thread, std::uint64_t memory);
std::int32_t pycuda_cpu_device_memcpy(pycuda::cpu::ThreadFrame* thread, std::uint64_t to,
                                      std::uint64_t from, std::uint64_t bytes, std::uint32_t kind,
                                      std::uint64_t stream);
std::int32_t pycuda_cpu_device_memcpy_2d(pycuda::cpu::ThreadFrame* thread, std::uint64_t to,
                                         std::uint64_t to_pitch, std::uint64_t from,
                                         std::uint64_t from_pitch, std::uint64_t width,
                                         std::uint64_t height, std::uint32_t kind,
                                         std::uint64_t stream);
std::int32_t pycuda_cpu_device_memcpy_3d(pycuda::cpu::ThreadFrame* thread, std::uint64_t parameters,
                                         std::uint64_t stream);
std::int32_t pycuda_cpu_device_memset(pycuda::cpu::ThreadFrame* thread, std::uint64_t memory,
                                      std::uint32_t value, std::uint64_t bytes,
                                      std::uint64_t stream);
std::int32_t pycuda_cpu_device_memset_2d(pycuda::cpu::ThreadFrame* thread, std::uint64_t memory,
                                         std::uint64_t pitch, std::uint32_t value,
                                         std::uint64_t width, std::uint64_t height,
                                         std::uint64_t stream);
std::int32_t pycuda_cpu_device_memset_3d(pycuda::cpu::ThreadFrame* thread, std::uint64_t memory,
                                         std::uint64_t pitch, std::uint64_t row_bytes,
                                         std::uint64_t rows, std::uint32_t value,
                                         std::uint64_t width, std::uint64_t height,
                                         std::uint64_t depth, std::uint64_t stream);

std::int32_t pycuda_cpu_device_last_error(pycuda::cpu::ThreadFrame* thread);
std::int32_t pycuda_cpu_device_peek_at_last_error(pycuda::cpu::ThreadFrame* thread);
std::uint64_t pycuda_cpu_device_error_name(pycuda::cpu::ThreadFrame* thread, std::uint32_t error);
std::uint64_t pycuda_cpu_device_error_string(pycuda::cpu::ThreadFrame* thread, std::uint32_t error);

std::int32_t pycuda_cpu_device_device(pycuda::cpu::ThreadFrame* thread, std::uint64_t device);
std::int32_t pycuda_cpu_device_device_count(pycuda::cpu::ThreadFrame* thread, std::uint64_t count);
std::int32_t pycuda_cpu_device_attribute(pycuda::cpu::ThreadFrame* thread, std::uint64_t value,
                                         std::uint32_t attribute, std::uint32_t device);
std::int32_t pycuda_cpu_device_limit(pycuda::cpu::ThreadFrame* thread, std::uint64_t value,
                                     std::uint32_t limit);
std::int32_t pycuda_cpu_device_cache_config(pycuda::cpu::ThreadFrame* thread, std::uint64_t value);
std::int32_t pycuda_cpu_device_shared_config(pycuda::cpu::ThreadFrame* thread, std::uint64_t value);
std::int32_t pycuda_cpu_device_version(pycuda::cpu::ThreadFrame* thread, std::uint64_t value);
std::int32_t pycuda_cpu_device_function_attributes(pycuda::cpu::ThreadFrame* thread,
                                                   std::uint64_t attributes, std::uint64_t kernel);
std::int32_t pycuda_cpu_device_occupancy(pycuda::cpu::ThreadFrame* thread, std::uint64_t blocks,
                                         std::uint64_t kernel, std::uint32_t threads,
                                         std::uint64_t shared_bytes);
std::int32_t pycuda_cpu_device_occupancy_with_flags(pycuda::cpu::ThreadFrame* thread,
                                                    std::uint64_t blocks, std::uint64_t kernel,
                                                    std::uint32_t threads,
                                                    std::uint64_t shared_bytes,
                                                    std::uint32_t flags);
}
