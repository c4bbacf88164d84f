// SPDX-License-Identifier: MIT
// The driver of the run time, and which device's context a thread works in.
#pragma once

#include "cudart/runtime_types.h"
#include "driver/table.h"

namespace pycuda::cudart {

/// The process's driver after cuInit. cudaErrorInsufficientDriver if there is none, cuInit's error
/// if it failed.
cudaError_t initialised_driver(const driver::DriverTable** driver);

/// Makes the primary context of the thread's device current unless the program has made another
/// context current with the driver API.
cudaError_t bind_context(const driver::DriverTable& driver);

/// The device that this thread's calls go to: of the current context, else the one of
/// cudaSetDevice.
cudaError_t current_device(const driver::DriverTable& driver, int* device);

/// Whether the current context is one that the program made itself, with the driver API.
cudaError_t is_foreign_context(const driver::DriverTable& driver, bool* foreign);

/// The primary context of a device, kept alive until cudaDeviceReset.
cudaError_t primary_context(const driver::DriverTable& driver, int device, CUcontext* context);

/// An ordinal as a device, or cudaErrorInvalidDevice.
cudaError_t checked_device(const driver::DriverTable& driver, int ordinal);

}  // namespace pycuda::cudart
