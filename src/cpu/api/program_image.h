// SPDX-License-Identifier: MIT
// From the image that a program hands over (PTX, a fat binary, linked code) to a compiled Program.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "cpu/api/cuda_abi.h"
#include "cpu/api/jit_options.h"
#include "cpu/jit/program.h"

namespace pycuda::cpu::api {

/// The text of a whole file.
CUresult read_image_file(const char* path, std::string* content);

/// Whether kernels of modules are compiled when they are first asked for, and not with their module
/// (CUDA_MODULE_LOADING, read once).
bool loads_lazily();

/// Compiles an image of at most `available_bytes` (SIZE_MAX: the image says itself where it ends).
/// Diagnostics go to the options' logs.
CUresult compile_image(const void* image, std::size_t available_bytes, JitOptions& options,
                       std::shared_ptr<const jit::Program>* program);

}  // namespace pycuda::cpu::api
