// SPDX-License-Identifier: MIT
// Channel descriptions of the run-time API and the driver's formats.
#pragma once

#include "cudart/call.h"

namespace pycuda::cudart {

/// The driver's format and number of channels; cudaErrorInvalidChannelDescriptor if there is none.
cudaError_t to_format(const cudaChannelFormatDesc& desc, CUarray_format* format,
                      unsigned* channels);
/// The other way; cudaErrorInvalidChannelDescriptor for formats without a description.
cudaError_t to_description(CUarray_format format, unsigned channels, cudaChannelFormatDesc* desc);
/// Bytes of a channel; 0 for formats that have no whole number of them.
unsigned channel_bytes(CUarray_format format);
/// Bytes of an array's element.
cudaError_t element_bytes(const DriverTable& driver, cudaArray_const_t array, size_t* bytes);

}  // namespace pycuda::cudart
