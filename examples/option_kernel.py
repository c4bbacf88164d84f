# SPDX-License-Identifier: MIT
"""The European call option that gallery_options.py and dask_options.py price: kernel, figures and exact value."""

import math

PRICE, STRIKE, RATE, VOLATILITY, YEARS = 100.0, 105.0, 0.03, 0.25, 1.0
THREADS = 128

DRIFT = (RATE - VOLATILITY**2 / 2) * YEARS
DEVIATION = VOLATILITY * math.sqrt(YEARS)
DISCOUNT = math.exp(-RATE * YEARS)

SOURCE = """
// A counter-based generator: thread and step give the number, so that every device draws the same.
__device__ unsigned hash(unsigned x)
{
  x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
  return x;
}

// Each block writes the mean payoff of its threads' paths. `first_block` is how many blocks other launches have.
__global__ void price(float *means, unsigned first_block, int paths, float start, float strike, float drift,
                      float deviation)
{
  __shared__ float sums[128];
  const unsigned thread = threadIdx.x + (first_block + blockIdx.x) * blockDim.x;
  float sum = 0;
  for (int path = 0; path < paths; ++path) {
    const unsigned counter = 2 * (thread * paths + path);
    const float u = (hash(counter) + 0.5f) * 2.3283064e-10f, v = hash(counter + 1) * 2.3283064e-10f;
    const float normal = sqrtf(-2 * logf(fminf(u, 0.99999994f))) * cospif(2 * v);
    sum += fmaxf(start * expf(drift + deviation * normal) - strike, 0);
  }
  sums[threadIdx.x] = sum;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) means[blockIdx.x] = sums[0] / (paths * blockDim.x);
}
"""


def exact_value() -> float:
    """The option's price by the formula of Black and Scholes."""
    d1 = (math.log(PRICE / STRIKE) + (RATE + VOLATILITY**2 / 2) * YEARS) / DEVIATION
    below = [(1 + math.erf(d / math.sqrt(2))) / 2 for d in (d1, d1 - DEVIATION)]
    return PRICE * below[0] - STRIKE * DISCOUNT * below[1]
