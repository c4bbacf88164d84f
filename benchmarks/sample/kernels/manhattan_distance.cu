// SPDX-License-Identifier: MIT
// PyCUDA, manhattan_distance_for_2D_array: sums of three differences of integers and floats, in place, in blocks of 7 x 7
/*
width: 2100 | 35
height: 1400 | 21
launch: width // 7, height // 7 x 7, 7
once: values triple at each launch
values: int[width * height] = integers(-1000, 1000) -> 0
width: int
height: int
x: float = 2
y: float = 1
z: float = 1
*/
#include <math.h>
__global__ void differences(int* values, int width, int height, float x, float y, float z) {
  int column = blockDim.x * blockIdx.x + threadIdx.x, row = blockDim.y * blockIdx.y + threadIdx.y;
  int at = column + width * row;
  values[at] = (values[at] - x) + (values[at] - y) + (values[at] - z);
}
//---- C++
void reference(int* values, int width, int height, float x, float y, float z) {
#pragma omp parallel for
  for (int at = 0; at < width * height; ++at)
    values[at] = (values[at] - x) + (values[at] - y) + (values[at] - z);
}
