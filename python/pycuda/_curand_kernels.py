# SPDX-License-Identifier: MIT
"""The kernels' source: one state a thread, drawn from with cuRAND's device functions."""

SOURCE = """
#include <curand_kernel.h>

typedef {state_type} state_type;
extern "C" __device__ unsigned char pycuda_state[sizeof(state_type)] = {{}};

#define GENERATE(NAME, TYPE, PARAMETERS, VALUE)                                              \\
  extern "C" __global__ void NAME(state_type *states, TYPE *out, long long n PARAMETERS) {{  \\
    const unsigned own = blockIdx.x * blockDim.x + threadIdx.x;                              \\
    const long long delta = (long long)gridDim.x * blockDim.x;                               \\
    state_type state = states[own];                                                          \\
    for (long long i = own; i < n; i += delta) out[i] = (TYPE)(VALUE);                       \\
    states[own] = state;                                                                     \\
  }}
#define NONE
#define MEAN_AND_STDDEV(TYPE) , TYPE mean, TYPE stddev
#define LAMBDA , double lambda
{generators}

#define SKIP(NAME, TYPE, SKIPPER)                                                                \\
  extern "C" __global__ void NAME(state_type *states, unsigned n, TYPE count) {{                 \\
    const unsigned own = blockIdx.x * blockDim.x + threadIdx.x;                                  \\
    if (own < n) SKIPPER(count, &states[own]);                                                   \\
  }}                                                                                             \\
  extern "C" __global__ void NAME##_array(state_type *states, unsigned n, const TYPE *counts,    \\
                                          unsigned period) {{                                    \\
    const unsigned own = blockIdx.x * blockDim.x + threadIdx.x;                                  \\
    if (own < n) SKIPPER(counts[own % period], &states[own]);                                    \\
  }}
{skips}
{prepare}
"""

PREPARE_PSEUDO = """
extern "C" __global__ void prepare(state_type *states, unsigned n, const int *seeds,
                                   unsigned long long offset) {
  const unsigned own = blockIdx.x * blockDim.x + threadIdx.x;
  if (own < n) curand_init((unsigned long long)(unsigned)seeds[own], own, offset, &states[own]);
}
"""

PREPARE_SOBOL = """
extern "C" __global__ void prepare(state_type *states, unsigned n, {integer} *vectors, {integer} offset) {{
  const unsigned own = blockIdx.x * blockDim.x + threadIdx.x;
  if (own < n) curand_init(vectors + own * {bits}, offset, &states[own]);
}}
"""

PREPARE_SCRAMBLED_SOBOL = """
extern "C" __global__ void prepare(state_type *states, unsigned n, {integer} *vectors,
                                   {integer} *scramble, {integer} offset) {{
  const unsigned own = blockIdx.x * blockDim.x + threadIdx.x;
  if (own < n) curand_init(vectors + own * {bits}, scramble[own], offset, &states[own]);
}}
"""
