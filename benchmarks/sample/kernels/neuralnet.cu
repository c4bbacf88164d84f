// SPDX-License-Identifier: MIT
// SHOC, neuralnet: errors of a layer by the weights and errors of the next, a neuron a thread, summed in global memory
/*
neurons: 1024 | 130
next: 1000 | 17
launch: 1 x neurons
errors: float[neurons + next] = uniform(-1, 1) -> 1e-5
at: int = 0
next: int
next_at: int = neurons
weights: float[next * neurons + 64] = uniform(-1, 1)
weights_at: int = 64
neurons: int
*/
__global__ void back(float* errors, int at, int next, int next_at, float* weights, int weights_at, int neurons) {
  errors[at + threadIdx.x] = 0.0;
  for (int j = 0; j < next; ++j)
    errors[at + threadIdx.x] += errors[next_at + j] * weights[weights_at + j * blockDim.x + threadIdx.x];
}
//---- C++
void reference(float* errors, int at, int next, int next_at, const float* weights, int weights_at, int neurons) {
  constexpr int width = 128;
#pragma omp parallel for
  for (int start = 0; start < neurons; start += width) {
    int count = std::min(width, neurons - start);
    float sums[width] = {};
    for (int j = 0; j < next; ++j)
      for (int i = 0; i < count; ++i) sums[i] += errors[next_at + j] * weights[weights_at + j * neurons + start + i];
    std::copy_n(sums, count, errors + at + start);
  }
}
