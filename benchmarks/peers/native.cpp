// SPDX-License-Identifier: MIT
// The algorithms of kernels.h as one writes them in C++ for a few threads.
#include "native.h"

#include <algorithm>
#include <cmath>

namespace programs {
using native::share;

void matmul(const double* a, const double* b, double* c, int n) {
  share(n, [=](long first, long last) {
    for (long i = first; i < last; ++i) {
      std::fill(c + i * n, c + (i + 1) * n, 0.0);
      for (long k = 0; k < n; ++k)
        for (long j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  });
}

void mandelbrot(int* out, int n, int limit) {
  // Rows by turns: the rows in the middle cost more.
  share(WORKERS, [=](long first, long last) {
    for (long worker = first; worker < last; ++worker)
      for (long y = worker; y < n; y += WORKERS)
        for (int x = 0; x < n; ++x) {
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
  });
}

void nbody(const float* px, const float* py, const float* pz, float* out, int n) {
  share(n, [=](long first, long last) {
    for (long i = first; i < last; ++i) {
      float f = 0;
      for (int j = 0; j < n; ++j) {
        float dx = px[j] - px[i], dy = py[j] - py[i], dz = pz[j] - pz[i];
        float inverse = 1.f / std::sqrt(dx * dx + dy * dy + dz * dz + 1e-3f);
        f += dx * inverse * inverse * inverse;
      }
      out[i] = f;
    }
  });
}

static float normal(float x) { return 0.5f * erfcf(-x * 0.70710678f); }

void black_scholes_erfc(const float* s, const float* k, const float* t, float* call, float* put, int n) {
  share(n, [=](long first, long last) {
    for (long i = first; i < last; ++i) {
      float root = std::sqrt(t[i]), d1 = (std::log(s[i] / k[i]) + (0.02f + 0.045f) * t[i]) / (0.3f * root);
      float d2 = d1 - 0.3f * root, e = k[i] * std::exp(-0.02f * t[i]);
      call[i] = s[i] * normal(d1) - e * normal(d2);
      put[i] = e * normal(-d2) - s[i] * normal(-d1);
    }
  });
}

static float polynomial_normal(float d) {
  float k = 1.f / (1.f + 0.2316419f * std::fabs(d));
  float c = 0.39894228f * std::exp(-0.5f * d * d) *
            (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.f - c : c;
}

void black_scholes(const float* s, const float* k, const float* t, float* call, float* put, int n) {
  share(n, [=](long first, long last) {
    for (long i = first; i < last; ++i) {
      float root = std::sqrt(t[i]), d1 = (std::log(s[i] / k[i]) + (0.02f + 0.045f) * t[i]) / (0.3f * root);
      float d2 = d1 - 0.3f * root, n1 = polynomial_normal(d1), n2 = polynomial_normal(d2);
      float e = k[i] * std::exp(-0.02f * t[i]);
      call[i] = s[i] * n1 - e * n2;
      put[i] = e * (1.f - n2) - s[i] * (1.f - n1);
    }
  });
}

void pi_map(float* out, int n) {
  share(n, [=](int first, int last) {
    for (int i = first; i < last; ++i) {
      float x = (static_cast<float>(i) + 0.5f) / n;
      out[i] = 4.f / (1.f + x * x);
    }
  });
}

void saxpy(float a, const float* x, float* y, int n) {
  const auto loop = [=](long first, long last) {
    for (long i = first; i < last; ++i) y[i] = a * x[i] + y[i];
  };
  // Waking a thread costs more than this loop.
  if (n <= 1 << 15) return loop(0, n);
  share(n, loop);
}

void reduce(const float* x, float* out, int n) {
  share(n / 256, [=](long first, long last) {
    for (long block = first; block < last; ++block) {
      float sum = 0;
      for (int i = 0; i < 256; ++i) sum += x[block * 256 + i];
      out[block] = sum;
    }
  });
}

void histogram(const unsigned char* data, int* out, int n) {
  share(n, [=](long first, long last) {
    int bins[256] = {};
    for (long i = first; i < last; ++i) ++bins[data[i]];
    for (int i = 0; i < 256; ++i) __atomic_fetch_add(&out[i], bins[i], __ATOMIC_RELAXED);
  });
}

}  // namespace programs

EXPORT(matmul)
EXPORT(mandelbrot)
EXPORT(nbody)
EXPORT(black_scholes)
EXPORT(black_scholes_erfc)
EXPORT(pi_map)
EXPORT(saxpy)
EXPORT(reduce)
EXPORT(histogram)
