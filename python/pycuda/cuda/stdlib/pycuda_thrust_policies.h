// SPDX-License-Identifier: MIT
// thrust::seq and thrust::device, which Thrust's headers of algorithms bring along where they are made for CUDA.
#pragma once
#include <pycuda_thrust.h>

extern "C++" {
#include <thrust/execution_policy.h>
}
