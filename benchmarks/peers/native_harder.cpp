// SPDX-License-Identifier: MIT
// The algorithms of kernels_harder.h as one writes them in C++ for a few threads.
#include "native.h"

#include <cmath>
#include <cstdint>

namespace programs {
using native::share;
using byte = unsigned char;

void stencil(const float* in, float* out, int n) {
  share(n - 2, [=](long first, long last) {
    for (long y = first + 1; y < last + 1; ++y)
      for (long x = 1; x < n - 1; ++x) {
        const long i = y * n + x;
        out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
      }
  });
}

void transpose(const float* in, float* out, int n) {
  share(n / 16, [=](long first, long last) {
    for (long by = first; by < last; ++by)
      for (long bx = 0; bx < n / 16; ++bx)
        for (long y = 0; y < 16; ++y)
          for (long x = 0; x < 16; ++x) out[(by * 16 + y) * n + bx * 16 + x] = in[(bx * 16 + x) * n + by * 16 + y];
  });
}

void scan(const int* in, int* out, int n) {
  share(n / 256, [=](long first, long last) {
    for (long block = first; block < last; ++block) {
      int sum = 0;
      for (long i = block * 256; i < (block + 1) * 256; ++i) out[i] = sum += in[i];
    }
  });
}

void sparse(const int* starts, const int* columns, const float* values, const float* x, float* y, int rows) {
  share(rows, [=](long first, long last) {
    for (long i = first; i < last; ++i) {
      float sum = 0;
      for (int k = starts[i]; k < starts[i + 1]; ++k) sum += values[k] * x[columns[k]];
      y[i] = sum;
    }
  });
}

static int place_queens(int all, int columns, int left, int right) {
  if (columns == all) return 1;
  int count = 0;
  for (int open = all & ~(columns | left | right); open != 0; open &= open - 1) {
    const int queen = open & -open;
    count += place_queens(all, columns | queen, (left | queen) << 1, (right | queen) >> 1);
  }
  return count;
}

void queens(int* out, int n) {
  share(n * n * n, [=](long first, long last) {
    for (long start = first; start < last; ++start) {
      int columns = 0, left = 0, right = 0, rest = static_cast<int>(start);
      bool fits = true;
      for (int row = 0; row < 3 && fits; ++row, rest /= n) {
        const int queen = 1 << rest % n;
        fits = (queen & (columns | left | right)) == 0;
        columns |= queen;
        left = (left | queen) << 1;
        right = (right | queen) >> 1;
      }
      out[start] = fits ? place_queens((1 << n) - 1, columns, left, right) : 0;
    }
  });
}

void hash_insert(const int* keys, int* table, int n, int slots) {
  share(n, [=](long first, long last) {
    for (long i = first; i < last; ++i) {
      std::uint32_t at = (static_cast<std::uint32_t>(keys[i]) * 2654435761u) & (slots - 1);
      for (;; at = (at + 1) & (slots - 1)) {
        int old = 0;
        if (__atomic_compare_exchange_n(&table[at], &old, keys[i], false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
            old == keys[i])
          break;
      }
    }
  });
}

void fft(const float* in, float* out, const float* roots, int batches) {
  share(batches, [=](long first, long last) {
    for (long batch = first; batch < last; ++batch) {
      float re[256], im[256];
      for (unsigned t = 0; t < 256; ++t) {
        unsigned place = 0;
        for (int bit = 0; bit < 8; ++bit) place |= (t >> bit & 1) << (7 - bit);
        re[place] = in[batch * 512 + 2 * t];
        im[place] = in[batch * 512 + 2 * t + 1];
      }
      for (int half = 1; half < 256; half <<= 1)
        for (int start = 0; start < 256; start += 2 * half)
          for (int j = 0; j < half; ++j) {
            const int a = start + j, b = a + half, w = j * (128 / half);
            const float xr = re[b] * roots[2 * w] - im[b] * roots[2 * w + 1];
            const float xi = re[b] * roots[2 * w + 1] + im[b] * roots[2 * w];
            re[b] = re[a] - xr;
            im[b] = im[a] - xi;
            re[a] += xr;
            im[a] += xi;
          }
      for (int t = 0; t < 256; ++t) {
        out[batch * 512 + 2 * t] = re[t];
        out[batch * 512 + 2 * t + 1] = im[t];
      }
    }
  });
}

void string_search(const byte* text, const byte* word, byte* found, int n, int length) {
  share(n - length + 1, [=](long first, long last) {
    for (long i = first; i < last; ++i) {
      int k = 0;
      while (k < length && text[i + k] == word[k]) ++k;
      found[i] = k == length;
    }
  });
}

static float distance_to_scene(float x, float y, float z) {
  float sphere = std::sqrt(x * x + y * y + (z - 3) * (z - 3)) - 1;
  float other = std::sqrt((x - 0.7f) * (x - 0.7f) + (y - 0.4f) * (y - 0.4f) + (z - 2.4f) * (z - 2.4f)) - 0.5f;
  float floor = y + 1;
  return sphere < other ? (sphere < floor ? sphere : floor) : (other < floor ? other : floor);
}

void ray_march(float* out, int n) {
  share(WORKERS, [=](long first, long last) {
    for (long worker = first; worker < last; ++worker)
      for (long py = worker; py < n; py += WORKERS)
        for (int px = 0; px < n; ++px) {
          float x = 2.f * px / n - 1, y = 1 - 2.f * py / n, scale = 1 / std::sqrt(x * x + y * y + 1), far = 0;
          x *= scale;
          y *= scale;
          for (int step = 0; step < 96; ++step) {
            float d = distance_to_scene(far * x, far * y, far * scale);
            if (d < 1e-3f || far > 30) break;
            far += d;
          }
          out[py * n + px] = far;
        }
  });
}

void gray(const byte* rgb, byte* out, int n) {
  share(n, [=](long first, long last) {
    for (long i = first; i < last; ++i)
      out[i] = static_cast<byte>((rgb[3 * i] * 77 + rgb[3 * i + 1] * 150 + rgb[3 * i + 2] * 29) >> 8);
  });
}

void blur_bytes(const byte* in, byte* out, int n) {
  share(n - 2, [=](long first, long last) {
    for (long y = first + 1; y < last + 1; ++y)
      for (long x = 1; x < n - 1; ++x) {
        int sum = 0;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx) sum += in[(y + dy) * n + x + dx];
        out[y * n + x] = static_cast<byte>(sum / 9);
      }
  });
}

void doubles(const double* x, double* y, int n) {
  share(n, [=](long first, long last) {
    for (long i = first; i < last; ++i) y[i] = std::exp(-x[i] * x[i]) * std::cos(3 * x[i]);
  });
}

void julia(double* out, int n) {
  share(WORKERS, [=](long first, long last) {
    for (long worker = first; worker < last; ++worker)
      for (long py = worker; py < n; py += WORKERS)
        for (int px = 0; px < n; ++px) {
          double re = 3.0 * px / n - 1.5, im = 3.0 * py / n - 1.5;
          for (int i = 0; i < 20; ++i) {
            double next = re * re - im * im - 0.4;
            im = 2 * re * im + 0.6;
            re = next;
            if (re * re + im * im > 100) break;
          }
          out[py * n + px] = re * re + im * im;
        }
  });
}

void monte_carlo(int* out, int draws, int threads) {
  share(threads, [=](long first, long last) {
    for (long i = first; i < last; ++i) {
      std::uint32_t s0 = 123456789u ^ static_cast<std::uint32_t>(i) * 747796405u, s1 = 362436069u, s2 = 521288629u,
                    s3 = 88675123u, s4 = 5783321u + static_cast<std::uint32_t>(i), d = 6615241u;
      int inside = 0;
      for (int k = 0; k < draws; ++k) {
        float xy[2];
        for (float& value : xy) {
          const std::uint32_t t = s0 ^ (s0 >> 2);
          s0 = s1;
          s1 = s2;
          s2 = s3;
          s3 = s4;
          s4 = (s4 ^ (s4 << 4)) ^ (t ^ (t << 1));
          d += 362437u;
          value = (s4 + d) * 2.3283064e-10f;
        }
        inside += xy[0] * xy[0] + xy[1] * xy[1] < 1.f;
      }
      out[i] = inside;
    }
  });
}

}  // namespace programs

EXPORT(stencil)
EXPORT(transpose)
EXPORT(scan)
EXPORT(sparse)
EXPORT(queens)
EXPORT(hash_insert)
EXPORT(fft)
EXPORT(string_search)
EXPORT(ray_march)
EXPORT(gray)
EXPORT(blur_bytes)
EXPORT(doubles)
EXPORT(julia)
EXPORT(monte_carlo)
