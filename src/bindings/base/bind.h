// SPDX-License-Identifier: MIT
// One bind function for each family of pycuda._driver; module.cpp calls them all.
#pragma once

#include <nanobind/nanobind.h>

namespace pycuda::bindings {

void bind_enums(nanobind::module_& m);
/// Functions of the driver by name, for Python modules of the package.
void bind_driver_call(nanobind::module_& m);
void bind_device(nanobind::module_& m);
void bind_context(nanobind::module_& m);
void bind_stream(nanobind::module_& m);
/// After contexts and streams.
void bind_green_context(nanobind::module_& m);
/// Graph and GraphNode, what captures streams, conditional nodes, and GraphExec.
void bind_graph(nanobind::module_& m);
void bind_capture(nanobind::module_& m);
void bind_conditional(nanobind::module_& m);
void bind_graph_exec(nanobind::module_& m);
/// What Python modules add to graphs needs it.
void bind_graph_parts(nanobind::module_& m);
/// Their memory operations, and those of streams.
void bind_stream_memory(nanobind::module_& m);
void bind_device_memory(nanobind::module_& m);
void bind_host_memory(nanobind::module_& m);
void bind_copies(nanobind::module_& m);
/// Array and its descriptors, before the copies that take them.
void bind_cuda_array(nanobind::module_& m);
void bind_structured_copies(nanobind::module_& m);
void bind_memset(nanobind::module_& m);
void bind_memory_pools(nanobind::module_& m);
void bind_stream_ordered_memory(nanobind::module_& m);
/// Before the modules, which give references.
void bind_texture(nanobind::module_& m);
void bind_module(nanobind::module_& m);
void bind_function(nanobind::module_& m);
void bind_ipc(nanobind::module_& m);
void bind_virtual_memory(nanobind::module_& m);
void bind_memory_batches(nanobind::module_& m);
void bind_external_memory(nanobind::module_& m);
/// OpenGL's buffers and images, after the streams and arrays.
void bind_graphics(nanobind::module_& m);
void bind_tensor_map(nanobind::module_& m);
void bind_driver_log(nanobind::module_& m);
void bind_profile(nanobind::module_& m);
void bind_profiler(nanobind::module_& m);
void bind_checks(nanobind::module_& m);
void bind_value_format(nanobind::module_& m);
/// The class _ArrayBase and the submodule _array.
void bind_array(nanobind::module_& m);
/// Into the submodule _array.
void bind_dlpack(nanobind::module_& arrays);
void bind_fusion(nanobind::module_& arrays);
/// The submodule _rtc.
void bind_rtc(nanobind::module_& m);

}  // namespace pycuda::bindings
