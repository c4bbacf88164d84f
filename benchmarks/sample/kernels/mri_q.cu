// SPDX-License-Identifier: MIT
// HeCBench, mriQ: adds 1024 samples of a frequency space to each voxel, sines and cosines
/*
voxels: 4096 | 512
samples: 1024 | 77
launch: voxels // 256 x 256
samples: int
first: int = 0
sample: float[4 * samples] = uniform(-3, 3)
x: float[voxels] = uniform(-0.5, 0.5)
y: float[voxels] = uniform(-0.5, 0.5)
z: float[voxels] = uniform(-0.5, 0.5)
real: float[voxels] -> 1e-4
imaginary: float[voxels] -> 1e-4
voxels: int
*/
__global__ void compute_q(int samples, int first, const float4* __restrict__ sample, const float* __restrict__ x,
                          const float* __restrict__ y, const float* __restrict__ z, float* __restrict__ real,
                          float* __restrict__ imaginary, int voxels) {
  const float turn = 6.28318530718f;
  int voxel = blockIdx.x * 256 + threadIdx.x, k = 0;
  float own_x = x[voxel], own_y = y[voxel], own_z = z[voxel], re = real[voxel], im = imaginary[voxel];
  if (samples % 2) {
    float angle = turn * (sample[0].x * own_x + sample[0].y * own_y + sample[0].z * own_z);
    re += sample[0].w * cosf(angle);
    im += sample[0].w * sinf(angle);
    ++k;
    ++first;
  }
  for (; k < 1024 && first < samples; k += 2, first += 2) {
    float angle = turn * (sample[k].x * own_x + sample[k].y * own_y + sample[k].z * own_z);
    re += sample[k].w * cosf(angle);
    im += sample[k].w * sinf(angle);
    angle = turn * (sample[k + 1].x * own_x + sample[k + 1].y * own_y + sample[k + 1].z * own_z);
    re += sample[k + 1].w * cosf(angle);
    im += sample[k + 1].w * sinf(angle);
  }
  real[voxel] = re;
  imaginary[voxel] = im;
}
//---- C++
void reference(int samples, int first, const float* sample, const float* x, const float* y, const float* z, float* real,
               float* imaginary, int voxels) {
  const float turn = 6.28318530718f;
  const int count = std::min(1024, samples - first);
#pragma omp parallel for
  for (int voxel = 0; voxel < voxels; ++voxel) {
    float re = real[voxel], im = imaginary[voxel];
    for (int k = 0; k < count; ++k) {
      const float* s = sample + 4 * k;
      float angle = turn * (s[0] * x[voxel] + s[1] * y[voxel] + s[2] * z[voxel]);
      re += s[3] * std::cos(angle);
      im += s[3] * std::sin(angle);
    }
    real[voxel] = re;
    imaginary[voxel] = im;
  }
}
