// SPDX-License-Identifier: MIT
// HeCBench, gru: the forward step of cells of a gated recurrent unit
/*
batch: 256 | 5
hidden: 1024 | 70
launch: ceil(batch * hidden, 256) x 256
input: float[3 * batch * hidden] = uniform(-2, 2)
state: float[3 * batch * hidden] = uniform(-2, 2)
bias: float[6 * hidden] = uniform(-1, 1)
old: float[batch * hidden] = uniform(-1, 1)
next: float[batch * hidden] -> 1e-5
storage: float[5 * batch * hidden] -> 1e-5
hidden: int
n: int = batch * hidden
*/
__device__ float sigmoid(float x) { return 1 / (1 + expf(-x)); }
__global__ void cell_forward(const float* input, const float* state, const float* bias, const float* old, float* next,
                             float* storage, int hidden, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int column = i % hidden, at = i / hidden * 3 * hidden + column;
  const float *b = bias + column, *c = bias + 3 * hidden + column;
  float reset = sigmoid(input[at] + state[at] + b[0] + c[0]);
  float update = sigmoid(input[at + hidden] + state[at + hidden] + b[hidden] + c[hidden]);
  float carried = state[at + 2 * hidden] + c[2 * hidden];
  float candidate = tanhf(input[at + 2 * hidden] + b[2 * hidden] + reset * carried);
  next[i] = candidate + update * (old[i] - candidate);
  float* kept = storage + i / hidden * 5 * hidden + column;
  kept[0] = reset;
  kept[hidden] = update;
  kept[2 * hidden] = candidate;
  kept[3 * hidden] = old[i];
  kept[4 * hidden] = carried;
}
//---- C++
inline float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }
void reference(const float* input, const float* state, const float* bias, const float* old, float* next, float* storage,
               int hidden, int n) {
#pragma omp parallel for
  for (int row = 0; row < n / hidden; ++row) {
    const float *in = input + 3 * row * hidden, *held = state + 3 * row * hidden, *c = bias + 3 * hidden;
    float* kept = storage + 5 * row * hidden;
    for (int i = 0; i < hidden; ++i) {
      float reset = sigmoid(in[i] + held[i] + bias[i] + c[i]);
      float update = sigmoid(in[i + hidden] + held[i + hidden] + bias[i + hidden] + c[i + hidden]);
      float carried = held[i + 2 * hidden] + c[i + 2 * hidden];
      float candidate = std::tanh(in[i + 2 * hidden] + bias[i + 2 * hidden] + reset * carried);
      float before = old[row * hidden + i];
      next[row * hidden + i] = candidate + update * (before - candidate);
      kept[i] = reset;
      kept[i + hidden] = update;
      kept[i + 2 * hidden] = candidate;
      kept[i + 3 * hidden] = before;
      kept[i + 4 * hidden] = carried;
    }
  }
}
