// SPDX-License-Identifier: MIT
// HeCBench, lif: a time step of leaky integrate-and-fire neurons
/*
neurons: 1000 | 30
items: 2000 | 41
launch: ceil(items * neurons, 256) x 256
count: ulong = items * neurons
neurons: int
dt: float = 0.001
encoded: float[items] = uniform(-1, 1)
voltages: float[items * neurons] = uniform(0, 1) -> 1e-5, 0.001
waits: float[items * neurons] = uniform(0, 0.005) -> 1e-5, 0.001
membrane: float = 0.02
refractory: float = 0.002
bias: float[neurons] = uniform(0, 5)
gain: float[neurons] = uniform(0, 20)
spikes: float[items * neurons] -> 1e-5, 0.001
*/
__global__ void lif(size_t count, int neurons, float dt, const float* __restrict__ encoded,
                    float* __restrict__ voltages, float* __restrict__ waits, float membrane, float refractory,
                    const float* __restrict__ bias, const float* __restrict__ gain, float* __restrict__ spikes) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int neuron = i % neurons, item = i / neurons;
  float voltage = voltages[i], wait = waits[i], current = bias[neuron] + gain[neuron] * encoded[item];
  float change = -expm1f(-dt / membrane) * (current - voltage), spike = 0;
  voltage = fmaxf(voltage + change, 0.0f);
  wait -= dt;
  voltage *= fmaxf(fminf(1.0f - wait / dt, 1.0f), 0.0f);
  if (voltage > 1.0f) {
    spike = 1.0f / dt;
    wait = refractory + dt * (1.0f - (voltage - 1.0f) / change);
    voltage = 0;
  }
  waits[i] = wait;
  voltages[i] = voltage;
  spikes[i] = spike;
}
//---- C++
void reference(unsigned long count, int neurons, float dt, const float* encoded, float* voltages, float* waits,
               float membrane, float refractory, const float* bias, const float* gain, float* spikes) {
  const float leak = -std::expm1(-dt / membrane);
#pragma omp parallel for
  for (long item = 0; item < (long)(count / neurons); ++item) {
    float *voltage = voltages + item * neurons, *wait = waits + item * neurons, *spike = spikes + item * neurons;
    const float input = encoded[item];
#pragma omp simd
    for (int i = 0; i < neurons; ++i) {
      float change = leak * (bias[i] + gain[i] * input - voltage[i]);
      float raised = std::max(voltage[i] + change, 0.0f), rest = wait[i] - dt;
      raised *= std::max(std::min(1.0f - rest / dt, 1.0f), 0.0f);
      bool fires = raised > 1.0f;
      spike[i] = fires ? 1.0f / dt : 0.0f;
      wait[i] = fires ? refractory + dt * (1.0f - (raised - 1.0f) / change) : rest;
      voltage[i] = fires ? 0.0f : raised;
    }
  }
}
