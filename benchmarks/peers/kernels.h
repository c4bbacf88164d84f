// SPDX-License-Identifier: MIT
// The kernels that have goals. Text for CUDA and OpenCL alike, after dialect.h.
#define MATMUL(NAME, TILE)                                                                        \
  KERNEL NAME(GLOBAL const double* a, GLOBAL const double* b, GLOBAL double* c, int n) {          \
    SHARED double s[TILE][TILE], t[TILE][TILE];                                                   \
    INDEX x = TID(0), y = TID(1), row = BLOCK(1) * TILE + y, column = BLOCK(0) * TILE + x;        \
    double sum = 0;                                                                               \
    for (INDEX k = 0; k < n; k += TILE) {                                                         \
      s[y][x] = a[row * n + k + x];                                                               \
      t[y][x] = b[(k + y) * n + column];                                                          \
      BARRIER();                                                                                  \
      for (INDEX j = 0; j < TILE; ++j) sum += s[y][j] * t[j][x];                                  \
      BARRIER();                                                                                  \
    }                                                                                             \
    c[row * n + column] = sum;                                                                    \
  }
MATMUL(matmul16, 16)
MATMUL(matmul32, 32)

KERNEL mandelbrot(GLOBAL int* out, int n, int limit) {
  INDEX x = ID(0), y = ID(1);
  if (x >= n || y >= n) return;
  float cr = -2.f + 3.f * x / n, ci = -1.5f + 3.f * y / n, a = 0, b = 0;
  int i = 0;
  while (i < limit && a * a + b * b < 4.f) {
    float next = a * a - b * b + cr;
    b = 2 * a * b + ci;
    a = next;
    ++i;
  }
  out[y * n + x] = i;
}

KERNEL nbody(GLOBAL const float* px, GLOBAL const float* py, GLOBAL const float* pz, GLOBAL float* out, int n) {
  SHARED float sx[256], sy[256], sz[256];
  INDEX t = TID(0), i = ID(0);
  float x = px[i], y = py[i], z = pz[i], f = 0;
  for (INDEX start = 0; start < n; start += 256) {
    sx[t] = px[start + t];
    sy[t] = py[start + t];
    sz[t] = pz[start + t];
    BARRIER();
    for (INDEX j = 0; j < 256; ++j) {
      float dx = sx[j] - x, dy = sy[j] - y, dz = sz[j] - z;
      float inverse = 1.f / SQRTF(dx * dx + dy * dy + dz * dz + 1e-3f);
      f += dx * inverse * inverse * inverse;
    }
    BARRIER();
  }
  out[i] = f;
}

DEVICE float normal(float x) { return 0.5f * ERFCF(-x * 0.70710678f); }

KERNEL black_scholes_erfc(GLOBAL const float* s, GLOBAL const float* k, GLOBAL const float* t, GLOBAL float* call,
                          GLOBAL float* put, int n) {
  INDEX i = ID(0);
  if (i >= n) return;
  float root = SQRTF(t[i]), d1 = (LOGF(s[i] / k[i]) + (0.02f + 0.045f) * t[i]) / (0.3f * root);
  float d2 = d1 - 0.3f * root, e = k[i] * EXPF(-0.02f * t[i]);
  call[i] = s[i] * normal(d1) - e * normal(d2);
  put[i] = e * normal(-d2) - s[i] * normal(-d1);
}

// With the polynomial of Abramowitz and Stegun, as CUDA's sample has it.
DEVICE float polynomial_normal(float d) {
  float k = 1.f / (1.f + 0.2316419f * FABSF(d));
  float c = 0.39894228f * EXPF(-0.5f * d * d) *
            (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.f - c : c;
}

KERNEL black_scholes(GLOBAL const float* s, GLOBAL const float* k, GLOBAL const float* t, GLOBAL float* call,
                     GLOBAL float* put, int n) {
  INDEX i = ID(0);
  if (i >= n) return;
  float root = SQRTF(t[i]), d1 = (LOGF(s[i] / k[i]) + (0.02f + 0.045f) * t[i]) / (0.3f * root);
  float d2 = d1 - 0.3f * root, n1 = polynomial_normal(d1), n2 = polynomial_normal(d2);
  float e = k[i] * EXPF(-0.02f * t[i]);
  call[i] = s[i] * n1 - e * n2;
  put[i] = e * (1.f - n2) - s[i] * (1.f - n1);
}

KERNEL pi_map(GLOBAL float* out, int n) {
  INDEX i = ID(0);
  if (i >= n) return;
  float x = ((float)i + 0.5f) / n;
  out[i] = 4.f / (1.f + x * x);
}

KERNEL saxpy(float a, GLOBAL const float* x, GLOBAL float* y, int n) {
  INDEX i = ID(0);
  if (i < n) y[i] = a * x[i] + y[i];
}

KERNEL saxpy_stride(float a, GLOBAL const float* x, GLOBAL float* y, int n) {
  for (INDEX i = ID(0); i < n; i += ALL_THREADS(0)) y[i] = a * x[i] + y[i];
}

KERNEL reduce(GLOBAL const float* x, GLOBAL float* out, int n) {
  SHARED float s[256];
  INDEX t = TID(0), i = ID(0);
  s[t] = i < n ? x[i] : 0;
  BARRIER();
  for (INDEX k = 128; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    BARRIER();
  }
  if (t == 0) out[BLOCK(0)] = s[0];
}

KERNEL histogram(GLOBAL const byte* data, GLOBAL int* out, int n) {
  SHARED int bins[256];
  INDEX t = TID(0);
  bins[t] = 0;
  BARRIER();
  for (INDEX i = ID(0); i < n; i += ALL_THREADS(0)) ADD_SHARED(&bins[data[i]], 1);
  BARRIER();
  ADD_GLOBAL(&out[t], bins[t]);
}

KERNEL barriers(GLOBAL int* out, int n) {
  SHARED int s[256];
  INDEX t = TID(0);
  s[t] = 0;
  for (int i = 0; i < n; ++i) {
    s[t] += i;
    BARRIER();
  }
  out[t] = s[t];
}

#ifdef __CUDACC_RTC__
// OpenCL 1.2 has no shuffles.
KERNEL shuffle_reduce(const float* x, float* out, int n) {
  __shared__ float s[8];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  float v = i < n ? x[i] : 0;
  for (int k = 16; k > 0; k >>= 1) v += __shfl_down_sync(~0u, v, k);
  if (t % 32 == 0) s[t / 32] = v;
  __syncthreads();
  if (t < 32) {
    v = t < 8 ? s[t] : 0;
    for (int k = 4; k > 0; k >>= 1) v += __shfl_down_sync(~0u, v, k);
    if (t == 0) out[blockIdx.x] = v;
  }
}
#endif
