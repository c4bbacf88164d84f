// SPDX-License-Identifier: MIT
// HeCBench, bh: the bodies of an octree in order, where threads wait for their cells' parents
/*
levels: 6 | 3
bodies: 180_000 | 301
cells: (8**levels - 1) // 7 | (8**levels - 1) // 7
launch: 24 if cells > 999 else 2 x 256 if cells > 999 else 32
once: children move to the front of their cells, and no thread waits any more
children: int[8 * cells] = octree(bodies, levels) -> 0
counts: int[cells] = octree_counts(children, levels)
starts: int[cells] = np.where(arange(cells) == cells - 1, 0, -1) -> 0
sorted: int[bodies] -> 0
cells: int
bodies: int
*/
__global__ void sort_bodies(int* children, const int* counts, volatile int* starts, int* sorted, int cells,
                            int bodies) {
  int step = blockDim.x * gridDim.x;
  int cell = cells - step + blockIdx.x * blockDim.x + threadIdx.x;
  while (cell >= 0) {
    int start = starts[cell];
    if (start >= 0) {
      int* own = children + 8 * cell;
      int filled = 0;
      for (int i = 0; i < 8; ++i) {
        int child = own[i];
        if (child < 0) continue;
        if (i != filled) {
          own[i] = -1;
          own[filled] = child;
        }
        ++filled;
        if (child >= bodies) {
          starts[child - bodies] = start;
          start += counts[child - bodies];
        } else {
          sorted[start++] = child;
        }
      }
      cell -= step;
    }
    __syncthreads();
  }
}
//---- C++
void sort_cell(int* children, const int* counts, int* starts, int* sorted, int bodies, int cell, int start) {
  starts[cell] = start;
  int* own = children + 8 * cell;
  int* end = std::stable_partition(own, own + 8, [](int child) { return child >= 0; });
  for (int* child = own; child != end; ++child) {
    if (*child < bodies) {
      sorted[start++] = *child;
      continue;
    }
    int below = *child - bodies;
#pragma omp task if (counts[below] > 2000)
    sort_cell(children, counts, starts, sorted, bodies, below, start);
    start += counts[below];
  }
}
void reference(int* children, const int* counts, int* starts, int* sorted, int cells, int bodies) {
#pragma omp parallel
#pragma omp single
  sort_cell(children, counts, starts, sorted, bodies, cells - 1, 0);
}
