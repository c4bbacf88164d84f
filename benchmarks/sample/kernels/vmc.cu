// SPDX-License-Identifier: MIT
// HeCBench, vmc: random walks of two electrons of a helium atom, a walk a thread
/*
n: 16384 | 512
steps: 20 | 7
launch: n // 256 x 256
n: int
steps: int
x1: float[n] = uniform(-2, 2) -> 1e-5, 0.001
y1: float[n] = uniform(-2, 2) -> 1e-5, 0.001
z1: float[n] = uniform(-2, 2) -> 1e-5, 0.001
x2: float[n] = uniform(-2, 2) -> 1e-5, 0.001
y2: float[n] = uniform(-2, 2) -> 1e-5, 0.001
z2: float[n] = uniform(-2, 2) -> 1e-5, 0.001
waves: float[n] = uniform(0, 0.01) -> 1e-5, 0.001
sums: float[4 * n] -> 1e-5, 0.001
states: uint[n] = integers(0, 2**31) -> 0
*/
__device__ float random(unsigned* state) {
  const unsigned modulus = 2147483648u;
  *state = (26757677u * *state + 1u) % modulus;
  return (float)*state / (float)modulus;
}
__device__ __forceinline__ void distances(float x1, float y1, float z1, float x2, float y2, float z2, float& r1,
                                          float& r2, float& r12) {
  r1 = sqrtf(x1 * x1 + y1 * y1 + z1 * z1);
  r2 = sqrtf(x2 * x2 + y2 * y2 + z2 * z2);
  float x = x1 - x2, y = y1 - y2, z = z1 - z2;
  r12 = sqrtf(x * x + y * y + z * z);
}
__device__ __forceinline__ float wave(float x1, float y1, float z1, float x2, float y2, float z2) {
  float r1, r2, r12;
  distances(x1, y1, z1, x2, y2, z2, r1, r2, r12);
  return (1.0f + 0.5f * r12) * expf(-2.0f * (r1 + r2));
}
__global__ void walk(const int n, const int steps, float* __restrict__ px1, float* __restrict__ py1,
                     float* __restrict__ pz1, float* __restrict__ px2, float* __restrict__ py2,
                     float* __restrict__ pz2, float* __restrict__ waves, float* __restrict__ sums,
                     unsigned* __restrict__ states) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  float x1 = px1[i], y1 = py1[i], z1 = pz1[i], x2 = px2[i], y2 = py2[i], z2 = pz2[i], p = waves[i];
  for (int step = 0; step < steps; ++step) {
    float new_x1 = x1 + (random(states + i) - 0.5f) * 2.0f;
    float new_y1 = y1 + (random(states + i) - 0.5f) * 2.0f;
    float new_z1 = z1 + (random(states + i) - 0.5f) * 2.0f;
    float new_x2 = x2 + (random(states + i) - 0.5f) * 2.0f;
    float new_y2 = y2 + (random(states + i) - 0.5f) * 2.0f;
    float new_z2 = z2 + (random(states + i) - 0.5f) * 2.0f;
    float new_p = wave(new_x1, new_y1, new_z1, new_x2, new_y2, new_z2);
    if (new_p * new_p > p * p * random(states + i)) {
      sums[3 * n + i]++;
      p = new_p;
      x1 = new_x1;
      y1 = new_y1;
      z1 = new_z1;
      x2 = new_x2;
      y2 = new_y2;
      z2 = new_z2;
    }
    float r1, r2, r12;
    distances(x1, y1, z1, x2, y2, z2, r1, r2, r12);
    sums[i] += r1;
    sums[n + i] += r2;
    sums[2 * n + i] += r12;
  }
  px1[i] = x1;
  py1[i] = y1;
  pz1[i] = z1;
  px2[i] = x2;
  py2[i] = y2;
  pz2[i] = z2;
  waves[i] = p;
}
//---- C++
struct Walk {
  float x1, y1, z1, x2, y2, z2;
  float r1() const { return std::sqrt(x1 * x1 + y1 * y1 + z1 * z1); }
  float r2() const { return std::sqrt(x2 * x2 + y2 * y2 + z2 * z2); }
  float r12() const {
    return std::sqrt((x1 - x2) * (x1 - x2) + (y1 - y2) * (y1 - y2) + (z1 - z2) * (z1 - z2));
  }
  float wave() const { return (1.0f + 0.5f * r12()) * std::exp(-2.0f * (r1() + r2())); }
};
void reference(int n, int steps, float* x1, float* y1, float* z1, float* x2, float* y2, float* z2, float* waves,
               float* sums, unsigned* states) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    unsigned state = states[i];
    auto random = [&] {
      state = (26757677u * state + 1u) & 0x7fffffffu;
      return (float)state * (1.0f / 2147483648.0f);
    };
    Walk now{x1[i], y1[i], z1[i], x2[i], y2[i], z2[i]};
    float p = waves[i], sum1 = 0, sum2 = 0, sum12 = 0, taken = 0;
    for (int step = 0; step < steps; ++step) {
      Walk next = now;
      next.x1 += (random() - 0.5f) * 2.0f;
      next.y1 += (random() - 0.5f) * 2.0f;
      next.z1 += (random() - 0.5f) * 2.0f;
      next.x2 += (random() - 0.5f) * 2.0f;
      next.y2 += (random() - 0.5f) * 2.0f;
      next.z2 += (random() - 0.5f) * 2.0f;
      float next_p = next.wave();
      if (next_p * next_p > p * p * random()) {
        ++taken;
        p = next_p;
        now = next;
      }
      sum1 += now.r1();
      sum2 += now.r2();
      sum12 += now.r12();
    }
    x1[i] = now.x1;
    y1[i] = now.y1;
    z1[i] = now.z1;
    x2[i] = now.x2;
    y2[i] = now.y2;
    z2[i] = now.z2;
    waves[i] = p;
    sums[i] += sum1;
    sums[n + i] += sum2;
    sums[2 * n + i] += sum12;
    sums[3 * n + i] += taken;
    states[i] = state;
  }
}
