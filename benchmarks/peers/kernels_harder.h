// SPDX-License-Identifier: MIT
// Kernels of the classes that programs are made of, so that none is slow unnoticed. After dialect.h.
KERNEL stencil(GLOBAL const float* in, GLOBAL float* out, int n) {
  INDEX x = ID(0), y = ID(1);
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  INDEX i = y * n + x;
  out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}

KERNEL transpose(GLOBAL const float* in, GLOBAL float* out, int n) {
  SHARED float tile[16][17];
  INDEX tx = TID(0), ty = TID(1);
  tile[ty][tx] = in[(BLOCK(1) * 16 + ty) * n + BLOCK(0) * 16 + tx];
  BARRIER();
  out[(BLOCK(0) * 16 + ty) * n + BLOCK(1) * 16 + tx] = tile[tx][ty];
}

#ifdef __CUDACC_RTC__
KERNEL scan(const int* in, int* out) {
  __shared__ int sums[8];
  int t = threadIdx.x, i = blockIdx.x * 256 + t, v = in[i];
  for (int k = 1; k < 32; k <<= 1) {
    int left = __shfl_up_sync(~0u, v, k);
    if (t % 32 >= k) v += left;
  }
  if (t % 32 == 31) sums[t / 32] = v;
  __syncthreads();
  for (int w = 0; w < t / 32; ++w) v += sums[w];
  out[i] = v;
}
#endif

KERNEL sparse(GLOBAL const int* starts, GLOBAL const int* columns, GLOBAL const float* values, GLOBAL const float* x,
              GLOBAL float* y, int rows) {
  INDEX i = ID(0);
  if (i >= rows) return;
  float sum = 0;
  for (int k = starts[i]; k < starts[i + 1]; ++k) sum += values[k] * x[columns[k]];
  y[i] = sum;
}

// A thread for each place of the first three queens; the rest with a stack of its own.
KERNEL queens(GLOBAL int* out, int n) {
  int start = ID(0), all = (1 << n) - 1, columns = 0, left = 0, right = 0, count = 0;
  if (start >= n * n * n) return;
  for (int row = 0; row < 3; ++row) {
    int queen = 1 << (start % n);
    start /= n;
    if (queen & (columns | left | right)) {
      out[ID(0)] = 0;
      return;
    }
    columns |= queen;
    left = (left | queen) << 1;
    right = (right | queen) >> 1;
  }
  int open[16], lefts[16], rights[16], taken[16], depth = 0;
  open[0] = all & ~(columns | left | right);
  lefts[0] = left;
  rights[0] = right;
  taken[0] = columns;
  while (depth >= 0) {
    if (open[depth] == 0) {
      --depth;
      continue;
    }
    int queen = open[depth] & -open[depth];
    open[depth] ^= queen;
    int next = taken[depth] | queen;
    if (next == all) {
      ++count;
      continue;
    }
    lefts[depth + 1] = (lefts[depth] | queen) << 1;
    rights[depth + 1] = (rights[depth] | queen) >> 1;
    taken[depth + 1] = next;
    open[depth + 1] = all & ~(next | lefts[depth + 1] | rights[depth + 1]);
    ++depth;
  }
  out[ID(0)] = count;
}

// Keys into a table of open addresses; the same keys again leave it as it is.
KERNEL hash_insert(GLOBAL const int* keys, GLOBAL int* table, int n, int slots) {
  INDEX i = ID(0);
  if (i >= n) return;
  int key = keys[i];
  uint at = ((uint)key * 2654435761u) & (slots - 1);
  for (;;) {
    int old = SWAP_GLOBAL(&table[at], 0, key);
    if (old == 0 || old == key) return;
    at = (at + 1) & (slots - 1);
  }
}

// 256 complex numbers a block, a butterfly for every second thread.
KERNEL fft(GLOBAL const float* in, GLOBAL float* out, GLOBAL const float* roots) {
  SHARED float re[256], im[256];
  INDEX t = TID(0), base = BLOCK(0) * 512;
  uint r = t, place = 0;
  for (int bit = 0; bit < 8; ++bit) {
    place = place << 1 | (r & 1);
    r >>= 1;
  }
  re[place] = in[base + 2 * t];
  im[place] = in[base + 2 * t + 1];
  BARRIER();
  for (int span = 1; span < 256; span <<= 1) {
    if (t < 128) {
      int j = t & (span - 1), a = ((t - j) << 1) + j, b = a + span, w = j * (128 / span);
      float wr = roots[2 * w], wi = roots[2 * w + 1];
      float xr = re[b] * wr - im[b] * wi, xi = re[b] * wi + im[b] * wr;
      re[b] = re[a] - xr;
      im[b] = im[a] - xi;
      re[a] += xr;
      im[a] += xi;
    }
    BARRIER();
  }
  out[base + 2 * t] = re[t];
  out[base + 2 * t + 1] = im[t];
}

KERNEL string_search(GLOBAL const byte* text, GLOBAL const byte* word, GLOBAL byte* found, int n, int length) {
  INDEX i = ID(0);
  if (i > n - length) return;
  int k = 0;
  while (k < length && text[i + k] == word[k]) ++k;
  found[i] = k == length;
}

DEVICE float distance_to_scene(float x, float y, float z) {
  float sphere = SQRTF(x * x + y * y + (z - 3) * (z - 3)) - 1;
  float other = SQRTF((x - 0.7f) * (x - 0.7f) + (y - 0.4f) * (y - 0.4f) + (z - 2.4f) * (z - 2.4f)) - 0.5f;
  float floor = y + 1;
  return sphere < other ? (sphere < floor ? sphere : floor) : (other < floor ? other : floor);
}

KERNEL ray_march(GLOBAL float* out, int n) {
  INDEX px = ID(0), py = ID(1);
  if (px >= n || py >= n) return;
  float x = 2.f * px / n - 1, y = 1 - 2.f * py / n, scale = 1 / SQRTF(x * x + y * y + 1), far = 0;
  x *= scale;
  y *= scale;
  for (int step = 0; step < 96; ++step) {
    float d = distance_to_scene(far * x, far * y, far * scale);
    if (d < 1e-3f || far > 30) break;
    far += d;
  }
  out[py * n + px] = far;
}

KERNEL gray(GLOBAL const byte* rgb, GLOBAL byte* out, int n) {
  INDEX i = ID(0);
  if (i >= n) return;
  out[i] = (rgb[3 * i] * 77 + rgb[3 * i + 1] * 150 + rgb[3 * i + 2] * 29) >> 8;
}

KERNEL blur_bytes(GLOBAL const byte* in, GLOBAL byte* out, int n) {
  INDEX x = ID(0), y = ID(1);
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  int sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) sum += in[(y + dy) * n + x + dx];
  out[y * n + x] = sum / 9;
}

KERNEL doubles(GLOBAL const double* x, GLOBAL double* y, int n) {
  INDEX i = ID(0);
  if (i < n) y[i] = EXP(-x[i] * x[i]) * COS(3 * x[i]);
}

KERNEL julia(GLOBAL double* out, int n) {
  INDEX px = ID(0), py = ID(1);
  if (px >= n || py >= n) return;
  double re = 3.0 * px / n - 1.5, im = 3.0 * py / n - 1.5;
  for (int i = 0; i < 20; ++i) {
    double next = re * re - im * im - 0.4;
    im = 2 * re * im + 0.6;
    re = next;
    if (re * re + im * im > 100) break;
  }
  out[py * n + px] = re * re + im * im;
}

// Points in a quarter of a circle, with cuRAND's XORWOW generator written out.
KERNEL monte_carlo(GLOBAL int* out, int draws) {
  INDEX i = ID(0);
  uint s0 = 123456789u ^ (uint)i * 747796405u, s1 = 362436069u, s2 = 521288629u, s3 = 88675123u, s4 = 5783321u + (uint)i,
       d = 6615241u;
  int inside = 0;
  for (int k = 0; k < draws; ++k) {
    float xy[2];
    for (int j = 0; j < 2; ++j) {
      uint t = s0 ^ (s0 >> 2);
      s0 = s1;
      s1 = s2;
      s2 = s3;
      s3 = s4;
      s4 = (s4 ^ (s4 << 4)) ^ (t ^ (t << 1));
      d += 362437u;
      xy[j] = (s4 + d) * 2.3283064e-10f;
    }
    inside += xy[0] * xy[0] + xy[1] * xy[1] < 1.f;
  }
  out[i] = inside;
}
