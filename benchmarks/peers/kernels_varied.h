// SPDX-License-Identifier: MIT
// Classes of kernels that the other rows do not have: small blocks, borders that wrap, lists and
// tables, walks of a thread's own length, structures, integers. After dialect.h.

// Needleman-Wunsch: a block of 16 threads goes through a 16 x 16 table by diagonals.
KERNEL align(GLOBAL const int* scores, GLOBAL int* out, int penalty) {
  SHARED int best[17][17], score[16][16];
  INDEX t = TID(0), base = BLOCK(0) * 256;
  for (int y = 0; y < 16; ++y) score[y][t] = scores[base + y * 16 + t];
  if (t == 0) best[0][0] = 0;
  best[t + 1][0] = best[0][t + 1] = -((int)t + 1) * penalty;
  BARRIER();
  for (int diagonal = 0; diagonal < 31; ++diagonal) {
    int y = diagonal - (int)t;
    if (y >= 0 && y < 16) {
      int both = best[y][t] + score[y][t], down = best[y][t + 1] - penalty,
          across = best[y + 1][t] - penalty;
      int larger = both > down ? both : down;
      best[y + 1][t + 1] = larger > across ? larger : across;
    }
    BARRIER();
  }
  for (int y = 0; y < 16; ++y) out[base + y * 16 + t] = best[y + 1][t + 1];
}

// One step of a breadth-first search: threads of the front walk their lists.
KERNEL search_step(GLOBAL const int* starts, GLOBAL const int* edges, GLOBAL const int* levels,
                   GLOBAL int* next, int n, int level) {
  INDEX i = ID(0);
  if (i >= n || levels[i] != level) return;
  for (int e = starts[i]; e < starts[i + 1]; ++e) {
    int to = edges[e];
    if (levels[to] < 0) next[to] = level + 1;
  }
}

KERNEL cosines(GLOBAL const float* in, GLOBAL float* out, GLOBAL const float* table, int n) {
  SHARED float a[8][9], b[8][9];
  INDEX x = TID(0), y = TID(1), at = ID(1) * n + ID(0);
  a[y][x] = in[at];
  BARRIER();
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += table[x * 8 + k] * a[y][k];
  b[y][x] = sum;
  BARRIER();
  sum = 0;
  for (int k = 0; k < 8; ++k) sum += table[y * 8 + k] * b[k][x];
  out[at] = sum;
}

// Conway's game on a torus.
KERNEL life(GLOBAL const byte* in, GLOBAL byte* out, int n) {
  INDEX x = ID(0), y = ID(1);
  INDEX left = x == 0 ? n - 1 : x - 1, right = x == n - 1 ? 0 : x + 1;
  INDEX up = (y == 0 ? n - 1 : y - 1) * n, down = (y == n - 1 ? 0 : y + 1) * n, here = y * n;
  int count = in[up + left] + in[up + x] + in[up + right] + in[here + left] + in[here + right] +
              in[down + left] + in[down + x] + in[down + right];
  out[here + x] = count == 3 || (count == 2 && in[here + x]);
}

// ChaCha's quarter rounds.
KERNEL rotations(GLOBAL uint* out, int rounds) {
  uint a = ID(0), b = 0x9e3779b9u, c = 0x85ebca6bu, d = 0xc2b2ae35u;
  for (int i = 0; i < rounds; ++i) {
    a += b;
    d = ROTATE(d ^ a, 16);
    c += d;
    b = ROTATE(b ^ c, 12);
    a += b;
    d = ROTATE(d ^ a, 8);
    c += d;
    b = ROTATE(b ^ c, 7);
  }
  out[ID(0)] = a ^ b ^ c ^ d;
}

KERNEL hue(GLOBAL const float* in, GLOBAL float* out, int n) {
  INDEX i = ID(0);
  if (i >= n) return;
  float r = in[3 * i], g = in[3 * i + 1], b = in[3 * i + 2];
  float most = FMAXF(r, FMAXF(g, b)), range = most + FMAXF(-r, FMAXF(-g, -b)), h = 0, s = 0;
  if (range > 0) {
    s = range / most;
    if (most == r) {
      h = (g - b) / range;
      if (h < 0) h += 6;
    } else if (most == g) {
      h = (b - r) / range + 2;
    } else {
      h = (r - g) / range + 4;
    }
  }
  out[3 * i] = h * 60;
  out[3 * i + 1] = s;
  out[3 * i + 2] = most;
}

// A block for each row.
KERNEL softmax(GLOBAL const float* in, GLOBAL float* out, int n) {
  SHARED float s[256];
  INDEX t = TID(0), row = BLOCK(0) * n;
  float value = -1e30f;
  for (INDEX i = t; i < n; i += 256) value = FMAXF(value, in[row + i]);
  s[t] = value;
  BARRIER();
  for (int k = 128; k > 0; k >>= 1) {
    if (t < k) s[t] = FMAXF(s[t], s[t + k]);
    BARRIER();
  }
  float most = s[0];
  BARRIER();
  value = 0;
  for (INDEX i = t; i < n; i += 256) value += EXPF(in[row + i] - most);
  s[t] = value;
  BARRIER();
  for (int k = 128; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    BARRIER();
  }
  float scale = 1 / s[0];
  for (INDEX i = t; i < n; i += 256) out[row + i] = EXPF(in[row + i] - most) * scale;
}

// A thread for each row.
KERNEL rows_product(GLOBAL const float* matrix, GLOBAL const float* vector, GLOBAL float* out,
                    int n) {
  INDEX i = ID(0);
  if (i >= n) return;
  float sum = 0;
  for (INDEX k = 0; k < n; ++k) sum += matrix[i * n + k] * vector[k];
  out[i] = sum;
}

// Forces between neighbours of a list.
KERNEL neighbours(GLOBAL const float* places, GLOBAL const int* lists, GLOBAL float* forces,
                  int n) {
  INDEX i = ID(0);
  if (i >= n) return;
  float x = places[3 * i], y = places[3 * i + 1], z = places[3 * i + 2], fx = 0, fy = 0, fz = 0;
  for (int k = 0; k < 64; ++k) {
    int j = lists[k * n + i];
    float dx = x - places[3 * j], dy = y - places[3 * j + 1], dz = z - places[3 * j + 2];
    float squared = dx * dx + dy * dy + dz * dz;
    if (squared < 0.25f) {
      float r = 1 / (squared + 0.01f), r6 = r * r * r, force = r6 * (r6 - 0.5f) * r;
      fx += force * dx;
      fy += force * dy;
      fz += force * dz;
    }
  }
  forces[3 * i] = fx;
  forces[3 * i + 1] = fy;
  forces[3 * i + 2] = fz;
}

KERNEL binary_search(GLOBAL const int* sorted, GLOBAL const int* wanted, GLOBAL int* out, int n,
                     int count) {
  INDEX i = ID(0);
  if (i >= count) return;
  int key = wanted[i], low = 0, high = n;
  while (low < high) {
    int middle = (low + high) >> 1;
    if (sorted[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  out[i] = low;
}

// A block of 32 threads takes a 32 x 32 matrix apart, a row each.
KERNEL lu(GLOBAL const float* in, GLOBAL float* out) {
  SHARED float s[32][32];
  INDEX t = TID(0), base = BLOCK(0) * 1024;
  for (int r = 0; r < 32; ++r) s[r][t] = in[base + r * 32 + t];
  BARRIER();
  for (int k = 0; k < 31; ++k) {
    if (t > k) s[t][k] /= s[k][k];
    BARRIER();
    if (t > k)
      for (int c = k + 1; c < 32; ++c) s[t][c] -= s[t][k] * s[k][c];
    BARRIER();
  }
  for (int r = 0; r < 32; ++r) out[base + r * 32 + t] = s[r][t];
}

KERNEL checksums(GLOBAL const byte* in, GLOBAL const uint* table, GLOBAL uint* out, int length) {
  INDEX i = ID(0);
  uint sum = ~0u;
  for (int k = 0; k < length; ++k) sum = table[(sum ^ in[i * length + k]) & 255] ^ (sum >> 8);
  out[i] = ~sum;
}

// Each thread finds where its 16 of the merged numbers begin.
KERNEL merge_path(GLOBAL const int* a, GLOBAL const int* b, GLOBAL int* out, int n) {
  INDEX i = ID(0);
  int diagonal = i * 16, low = diagonal > n ? diagonal - n : 0, high = diagonal < n ? diagonal : n;
  while (low < high) {
    int middle = (low + high) >> 1;
    if (a[middle] <= b[diagonal - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  int x = low, y = diagonal - low;
  for (int k = 0; k < 16; ++k) {
    int from_a = y >= n || (x < n && a[x] <= b[y]);
    out[diagonal + k] = from_a ? a[x++] : b[y++];
  }
}

// Rows of equal length, columns of them side by side.
KERNEL ellpack(GLOBAL const float* values, GLOBAL const int* columns, GLOBAL const float* x,
               GLOBAL float* y, int n) {
  INDEX i = ID(0);
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += values[k * n + i] * x[columns[k * n + i]];
  y[i] = sum;
}

KERNEL powers(GLOBAL const float* a, GLOBAL const float* b, GLOBAL float* out, int n) {
  INDEX i = ID(0);
  if (i < n) out[i] = POWF(a[i], b[i]);
}

KERNEL logarithms(GLOBAL const double* in, GLOBAL double* out, int n) {
  INDEX i = ID(0);
  if (i < n) out[i] = LOG(in[i]);
}
