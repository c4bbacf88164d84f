// SPDX-License-Identifier: MIT
// HeCBench, metropolis: random spins by a permuted congruential generator, four for each state
/*
n: 4_194_304 | 4012
launch: ceil(n // 4, 256) x 256
spins: int[n] -> 0
n: int
states: ulong[n // 4] = bits() -> 0
increments: ulong[n // 4] = bits() | np.uint64(1)
*/
__device__ unsigned next(unsigned long long* state, unsigned long long* increment) {
  unsigned long long old = *state;
  *state = old * 6364136223846793005ULL + *increment;
  unsigned shifted = (unsigned)((old >> 18 ^ old) >> 27), turn = (unsigned)(old >> 59);
  return shifted >> turn | shifted << (-turn & 31);
}
__device__ float next_share(unsigned long long* state, unsigned long long* increment) {
  return next(state, increment) * 2.3283064e-10f;
}
__global__ void random_spins(int* spins, int n, unsigned long long* states, unsigned long long* increments) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= n / 4) return;
  unsigned long long state = states[x], increment = increments[x];
  float v = (int)(next_share(&state, &increment) + 0.5f);
  spins[x] = 1 - 2 * v;
  v = (int)(next_share(&state, &increment) + 0.5f);
  spins[x + n / 4] = 1 - 2 * v;
  v = (int)(next_share(&state, &increment) + 0.5f);
  spins[x + n / 2] = 1 - 2 * v;
  v = (int)(next_share(&state, &increment) + 0.5f);
  spins[x + 3 * n / 4] = 1 - 2 * v;
  states[x] = state;
  increments[x] = increment;
}
//---- C++
inline unsigned next(unsigned long& state, unsigned long increment) {
  unsigned long old = state;
  state = old * 6364136223846793005UL + increment;
  unsigned shifted = (unsigned)((old >> 18 ^ old) >> 27), turn = (unsigned)(old >> 59);
  return shifted >> turn | shifted << (-turn & 31);
}
void reference(int* spins, int n, unsigned long* states, unsigned long* increments) {
  const int quarter = n / 4;
#pragma omp parallel for
  for (int x = 0; x < quarter; ++x) {
    unsigned long state = states[x], increment = increments[x];
    for (int part = 0; part < 4; ++part) {
      int v = (int)((float)next(state, increment) * 2.3283064e-10f + 0.5f);
      spins[x + part * quarter] = 1 - 2 * v;
    }
    states[x] = state;
  }
}
