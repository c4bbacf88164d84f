// SPDX-License-Identifier: MIT
// HeCBench, flip: reverses dimensions of a tensor whose shape is data
/*
a: 96 | 7
b: 160 | 9
c: 128 | 11
launch: ceil(a * b * c, 256) x 256
input: float[a * b * c] = uniform(-1, 1)
output: float[a * b * c] -> 0
n: long = a * b * c
flipped: long[2] = [0, 2]
flips: long = 2
strides: long[3] = [b * c, c, 1]
shape: long[3] = [a, b, c]
dimensions: long = 3
*/
__global__ void flip(const float* input, float* output, long n, const long* flipped, long flips, const long* strides,
                     const long* shape, long dimensions) {
  long index = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= n) return;
  long rest = index, from = 0;
  for (long d = 0; d < dimensions; ++d) {
    long place = rest / strides[d];
    rest -= place * strides[d];
    for (long f = 0; f < flips; ++f)
      if (flipped[f] == d) place = shape[d] - 1 - place;
    from += place * strides[d];
  }
  output[index] = input[from];
}
//---- C++
void reference(const float* input, float* output, long n, const long* flipped, long flips, const long* strides,
               const long* shape, long dimensions) {
#pragma omp parallel for
  for (long index = 0; index < n; ++index) {
    long rest = index, from = 0;
    for (long d = 0; d < dimensions; ++d) {
      long place = rest / strides[d];
      rest -= place * strides[d];
      for (long f = 0; f < flips; ++f)
        if (flipped[f] == d) place = shape[d] - 1 - place;
      from += place * strides[d];
    }
    output[index] = input[from];
  }
}
