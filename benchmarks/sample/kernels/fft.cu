// SPDX-License-Identifier: MIT
// HeCBench, fft: inverse transforms of 512 complex numbers each, 64 threads with eight numbers, through shared memory
/*
transforms: 2048 | 7
launch: transforms x 64
once: it works in place and divides by 512
work: float[transforms * 1024] = uniform(-1, 1) -> 1e-5
transforms: int
*/
__device__ float2 add(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ float2 less(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ float2 times(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ float2 times_i(float2 a) { return make_float2(-a.y, a.x); }
__device__ void four(float2& a, float2& b, float2& c, float2& d) {
  float2 even = add(a, c), odd = less(a, c), other = add(b, d), turned = times_i(less(b, d));
  a = add(even, other);
  b = less(even, other);
  c = add(odd, turned);
  d = less(odd, turned);
}
// The results are in bit-reversed order.
__device__ void eight(float2* v) {
  const float root = 0.70710678f;
  for (int i = 0; i < 4; ++i) {
    float2 sum = add(v[i], v[i + 4]), difference = less(v[i], v[i + 4]);
    v[i] = sum;
    v[i + 4] = difference;
  }
  v[5] = times(v[5], make_float2(root, root));
  v[6] = times_i(v[6]);
  v[7] = times(v[7], make_float2(-root, root));
  four(v[0], v[1], v[2], v[3]);
  four(v[4], v[5], v[6], v[7]);
}
__device__ void twiddle(float2* v, const int* reversed, int place, float count) {
  for (int j = 1; j < 8; ++j) {
    float angle = 6.2831853f * reversed[j] / count * place;
    v[j] = times(v[j], make_float2(cosf(angle), sinf(angle)));
  }
}
__global__ void inverse_512(float2* work, int transforms) {
  __shared__ float shared[8 * 8 * 9];
  const int reversed[] = {0, 4, 2, 6, 1, 5, 3, 7};
  int thread = threadIdx.x, high = thread / 8, low = thread % 8;
  float2* own = work + blockIdx.x * 512 + thread;
  float2 v[8];
  for (int i = 0; i < 8; ++i) v[i] = own[64 * i];
  eight(v);
  twiddle(v, reversed, thread, 512);
  for (int i = 0; i < 8; ++i) shared[high * 8 + low + i * 66] = v[reversed[i]].x;
  __syncthreads();
  for (int i = 0; i < 8; ++i) v[i].x = shared[low * 66 + high + i * 8];
  __syncthreads();
  for (int i = 0; i < 8; ++i) shared[high * 8 + low + i * 66] = v[reversed[i]].y;
  __syncthreads();
  for (int i = 0; i < 8; ++i) v[i].y = shared[low * 66 + high + i * 8];
  __syncthreads();
  eight(v);
  twiddle(v, reversed, high, 64);
  for (int i = 0; i < 8; ++i) shared[high * 8 + low + i * 72] = v[reversed[i]].x;
  __syncthreads();
  for (int i = 0; i < 8; ++i) v[i].x = shared[high * 72 + low + i * 8];
  __syncthreads();
  for (int i = 0; i < 8; ++i) shared[high * 8 + low + i * 72] = v[reversed[i]].y;
  __syncthreads();
  for (int i = 0; i < 8; ++i) v[i].y = shared[high * 72 + low + i * 8];
  eight(v);
  for (int i = 0; i < 8; ++i) own[64 * i] = make_float2(v[reversed[i]].x / 512, v[reversed[i]].y / 512);
}
//---- C++
inline void eight(float* re, float* im) {
  const float root = 0.70710678f;
  float x[8], y[8];
  for (int i = 0; i < 4; ++i) {
    x[i] = re[i] + re[i + 4];
    y[i] = im[i] + im[i + 4];
    x[i + 4] = re[i] - re[i + 4];
    y[i + 4] = im[i] - im[i + 4];
  }
  float turned = root * (x[5] - y[5]);
  y[5] = root * (x[5] + y[5]);
  x[5] = turned;
  turned = -y[6];
  y[6] = x[6];
  x[6] = turned;
  turned = -root * (x[7] + y[7]);
  y[7] = root * (x[7] - y[7]);
  x[7] = turned;
  const int places[2][4] = {{0, 4, 2, 6}, {1, 5, 3, 7}};
  for (int i = 0; i < 2; ++i) {
    const float *a = x + 4 * i, *b = y + 4 * i;
    float even_re = a[0] + a[2], even_im = b[0] + b[2], odd_re = a[0] - a[2], odd_im = b[0] - b[2];
    float sum_re = a[1] + a[3], sum_im = b[1] + b[3], turned_re = b[3] - b[1], turned_im = a[1] - a[3];
    re[places[i][0]] = even_re + sum_re;
    im[places[i][0]] = even_im + sum_im;
    re[places[i][1]] = even_re - sum_re;
    im[places[i][1]] = even_im - sum_im;
    re[places[i][2]] = odd_re + turned_re;
    im[places[i][2]] = odd_im + turned_im;
    re[places[i][3]] = odd_re - turned_re;
    im[places[i][3]] = odd_im - turned_im;
  }
}
inline void pass(const float* from_re, const float* from_im, float* to_re, float* to_im, int count, int stride,
                 const float* cosines, const float* sines) {
  for (int p = 0; p < count; ++p) {
    for (int q = 0; q < stride; ++q) {
      float re[8], im[8];
      for (int k = 0; k < 8; ++k) {
        re[k] = from_re[q + stride * (p + count * k)];
        im[k] = from_im[q + stride * (p + count * k)];
      }
      eight(re, im);
      for (int k = 0; k < 8; ++k) {
        float c = cosines[p * k * stride], s = sines[p * k * stride];
        to_re[q + stride * (8 * p + k)] = re[k] * c - im[k] * s;
        to_im[q + stride * (8 * p + k)] = re[k] * s + im[k] * c;
      }
    }
  }
}
void reference(float* work, int transforms) {
  float cosines[512], sines[512];
  for (int i = 0; i < 512; ++i) {
    cosines[i] = (float)std::cos(i * 6.283185307179586 / 512);
    sines[i] = (float)std::sin(i * 6.283185307179586 / 512);
  }
#pragma omp parallel for
  for (int transform = 0; transform < transforms; ++transform) {
    float* own = work + (size_t)transform * 1024;
    float re[512], im[512], other_re[512], other_im[512];
    for (int i = 0; i < 512; ++i) {
      re[i] = own[2 * i] / 512;
      im[i] = own[2 * i + 1] / 512;
    }
    pass(re, im, other_re, other_im, 64, 1, cosines, sines);
    pass(other_re, other_im, re, im, 8, 8, cosines, sines);
    pass(re, im, other_re, other_im, 1, 64, cosines, sines);
    for (int i = 0; i < 512; ++i) {
      own[2 * i] = other_re[i];
      own[2 * i + 1] = other_im[i];
    }
  }
}
