// SPDX-License-Identifier: MIT
// The algorithms of kernels_varied.h as one writes them in C++ for a few threads.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "native.h"

namespace programs {
using native::share;
using byte = unsigned char;

void align(const int* scores, int* out, int penalty, int tables) {
  share(tables, [=](long first, long last) {
    for (long table = first; table < last; ++table) {
      int best[17][17];
      for (int i = 0; i < 17; ++i) best[0][i] = best[i][0] = -i * penalty;
      for (int y = 0; y < 16; ++y)
        for (int x = 0; x < 16; ++x) {
          const int step = std::max(best[y][x + 1], best[y + 1][x]) - penalty;
          best[y + 1][x + 1] = std::max(best[y][x] + scores[table * 256 + y * 16 + x], step);
          out[table * 256 + y * 16 + x] = best[y + 1][x + 1];
        }
    }
  });
}

void search_step(const int* starts, const int* edges, const int* levels, int* next, int n,
                 int level) {
  share(n, [=](long first, long last) {
    for (long i = first; i < last; ++i) {
      if (levels[i] != level) continue;
      for (int e = starts[i]; e < starts[i + 1]; ++e)
        if (levels[edges[e]] < 0) __atomic_store_n(&next[edges[e]], level + 1, __ATOMIC_RELAXED);
    }
  });
}

void cosines(const float* in, float* out, const float* table, int n) {
  share(n / 8, [=](long first, long last) {
    for (long tile = first * (n / 8); tile < last * (n / 8); ++tile) {
      const long at = tile / (n / 8) * 8 * n + tile % (n / 8) * 8;
      float b[8][8];
      for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 8; ++x) {
          float sum = 0;
          for (int k = 0; k < 8; ++k) sum += table[x * 8 + k] * in[at + y * n + k];
          b[y][x] = sum;
        }
      for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 8; ++x) {
          float sum = 0;
          for (int k = 0; k < 8; ++k) sum += table[y * 8 + k] * b[k][x];
          out[at + y * n + x] = sum;
        }
    }
  });
}

void life(const byte* in, byte* out, int n) {
  share(n, [=](long first, long last) {
    for (long y = first; y < last; ++y) {
      const byte *up = in + (y == 0 ? n - 1 : y - 1) * n, *here = in + y * n,
                 *down = in + (y == n - 1 ? 0 : y + 1) * n;
      const auto cell = [=](int left, int x, int right) {
        const int count = up[left] + up[x] + up[right] + here[left] + here[right] + down[left] +
                          down[x] + down[right];
        out[y * n + x] = count == 3 || (count == 2 && here[x]);
      };
      cell(n - 1, 0, 1);
      for (int x = 1; x < n - 1; ++x) cell(x - 1, x, x + 1);
      cell(n - 2, n - 1, 0);
    }
  });
}

void rotations(std::uint32_t* out, int rounds, int threads) {
  share(threads, [=](long first, long last) {
    for (long i = first; i < last; ++i) {
      std::uint32_t a = static_cast<std::uint32_t>(i), b = 0x9e3779b9u, c = 0x85ebca6bu,
                    d = 0xc2b2ae35u;
      for (int round = 0; round < rounds; ++round) {
        a += b;
        d = std::rotl(d ^ a, 16);
        c += d;
        b = std::rotl(b ^ c, 12);
        a += b;
        d = std::rotl(d ^ a, 8);
        c += d;
        b = std::rotl(b ^ c, 7);
      }
      out[i] = a ^ b ^ c ^ d;
    }
  });
}

void hue(const float* in, float* out, int n) {
  share(n, [=](long first, long last) {
    for (long i = first; i < last; ++i) {
      const float r = in[3 * i], g = in[3 * i + 1], b = in[3 * i + 2];
      const float most = std::max(r, std::max(g, b)), range = most - std::min(r, std::min(g, b));
      float h = 0, s = 0;
      if (range > 0) {
        s = range / most;
        h = most == r ? (g - b) / range : most == g ? (b - r) / range + 2 : (r - g) / range + 4;
        if (h < 0) h += 6;
      }
      out[3 * i] = h * 60;
      out[3 * i + 1] = s;
      out[3 * i + 2] = most;
    }
  });
}

void softmax(const float* in, float* out, int n, int rows) {
  share(rows, [=](long first, long last) {
    for (long row = first; row < last; ++row) {
      const float* x = in + row * n;
      float most = -1e30f, sum = 0;
      for (int i = 0; i < n; ++i) most = std::max(most, x[i]);
      for (int i = 0; i < n; ++i) sum += out[row * n + i] = std::exp(x[i] - most);
      for (int i = 0; i < n; ++i) out[row * n + i] /= sum;
    }
  });
}

void rows_product(const float* matrix, const float* vector, float* out, int n) {
  share(n, [=](long first, long last) {
    for (long i = first; i < last; ++i) {
      float sum = 0;
      for (long k = 0; k < n; ++k) sum += matrix[i * n + k] * vector[k];
      out[i] = sum;
    }
  });
}

void neighbours(const float* places, const int* lists, float* forces, int n) {
  share(n, [=](long first, long last) {
    for (long i = first; i < last; ++i) {
      float fx = 0, fy = 0, fz = 0;
      for (long k = 0; k < 64; ++k) {
        const long j = lists[k * n + i];
        const float dx = places[3 * i] - places[3 * j], dy = places[3 * i + 1] - places[3 * j + 1],
                    dz = places[3 * i + 2] - places[3 * j + 2],
                    squared = dx * dx + dy * dy + dz * dz;
        if (squared >= 0.25f) continue;
        const float r = 1 / (squared + 0.01f), r6 = r * r * r, force = r6 * (r6 - 0.5f) * r;
        fx += force * dx;
        fy += force * dy;
        fz += force * dz;
      }
      forces[3 * i] = fx;
      forces[3 * i + 1] = fy;
      forces[3 * i + 2] = fz;
    }
  });
}

void binary_search(const int* sorted, const int* wanted, int* out, int n, int count) {
  share(count, [=](long first, long last) {
    for (long i = first; i < last; ++i)
      out[i] = static_cast<int>(std::lower_bound(sorted, sorted + n, wanted[i]) - sorted);
  });
}

void lu(const float* in, float* out, int matrices) {
  share(matrices, [=](long first, long last) {
    for (long matrix = first; matrix < last; ++matrix) {
      float s[32][32];
      std::copy_n(in + matrix * 1024, 1024, &s[0][0]);
      for (int k = 0; k < 31; ++k)
        for (int r = k + 1; r < 32; ++r) {
          const float factor = s[r][k] /= s[k][k];
          for (int c = k + 1; c < 32; ++c) s[r][c] -= factor * s[k][c];
        }
      std::copy_n(&s[0][0], 1024, out + matrix * 1024);
    }
  });
}

void checksums(const byte* in, const std::uint32_t* table, std::uint32_t* out, int length,
               int texts) {
  share(texts, [=](long first, long last) {
    for (long i = first; i < last; ++i) {
      std::uint32_t sum = ~0u;
      for (int k = 0; k < length; ++k) sum = table[(sum ^ in[i * length + k]) & 255] ^ (sum >> 8);
      out[i] = ~sum;
    }
  });
}

void merge_path(const int* a, const int* b, int* out, int n) {
  // Each worker's part begins where a share of the merged numbers ends.
  share(2L * n, [=](long first, long last) {
    long low = std::max(0L, first - n), high = std::min<long>(first, n);
    while (low < high) {
      const long middle = (low + high) / 2;
      if (a[middle] <= b[first - 1 - middle])
        low = middle + 1;
      else
        high = middle;
    }
    for (long x = low, y = first - low, at = first; at < last; ++at)
      out[at] = y >= n || (x < n && a[x] <= b[y]) ? a[x++] : b[y++];
  });
}

void ellpack(const float* values, const int* columns, const float* x, float* y, int n) {
  share(n, [=](long first, long last) {
    for (long i = first; i < last; ++i) {
      float sum = 0;
      for (long k = 0; k < 16; ++k) sum += values[k * n + i] * x[columns[k * n + i]];
      y[i] = sum;
    }
  });
}

void powers(const float* a, const float* b, float* out, int n) {
  share(n, [=](long first, long last) {
    for (long i = first; i < last; ++i) out[i] = std::pow(a[i], b[i]);
  });
}

void logarithms(const double* in, double* out, int n) {
  share(n, [=](long first, long last) {
    for (long i = first; i < last; ++i) out[i] = std::log(in[i]);
  });
}

}  // namespace programs

EXPORT(align)
EXPORT(search_step)
EXPORT(cosines)
EXPORT(life)
EXPORT(rotations)
EXPORT(hue)
EXPORT(softmax)
EXPORT(rows_product)
EXPORT(neighbours)
EXPORT(binary_search)
EXPORT(lu)
EXPORT(checksums)
EXPORT(merge_path)
EXPORT(ellpack)
EXPORT(powers)
EXPORT(logarithms)
