// SPDX-License-Identifier: MIT
// Rodinia, pathfinder: cheapest ways through 20 rows of a grid, in shared memory with a border that each row makes wider
/*
columns: 400_000 | 1001
steps: 20 | 9
launch: ceil(columns, 256 - 2 * steps) x 256
steps: int
walls: int[columns * (steps + 1)] = integers(0, 10)
before: int[columns] = integers(0, 10)
after: int[columns] -> 0
columns: int
start: int = 1
border: int = steps
*/
__global__ void advance(int steps, const int* walls, const int* before, int* after, int columns, int start,
                        int border) {
  __shared__ int previous[256];
  __shared__ int next[256];
  int x = threadIdx.x;
  int first = (256 - 2 * steps) * blockIdx.x - border, last = first + 255, column = first + x;
  int least = first < 0 ? -first : 0, most = last > columns - 1 ? 255 - (last - columns + 1) : 255;
  int west = x - 1 < least ? least : x - 1, east = x + 1 > most ? most : x + 1;
  bool valid = x >= least && x <= most, computed;
  if (column >= 0 && column <= columns - 1) previous[x] = before[column];
  __syncthreads();
  for (int i = 0; i < steps; ++i) {
    computed = false;
    if (x >= i + 1 && x <= 254 - i && valid) {
      computed = true;
      int shortest = min(min(previous[west], previous[x]), previous[east]);
      next[x] = shortest + walls[columns * (start + i) + column];
    }
    __syncthreads();
    if (i == steps - 1) break;
    if (computed) previous[x] = next[x];
    __syncthreads();
  }
  if (computed) after[column] = next[x];
}
//---- C++
void reference(int steps, const int* walls, const int* before, int* after, int columns, int start, int border) {
  // Tiles with a border too: each fits the first cache.
  constexpr int width = 2048;
#pragma omp parallel for
  for (int first = 0; first < columns; first += width) {
    int low = std::max(0, first - steps), high = std::min(columns, first + width + steps);
    std::vector<int> previous(before + low, before + high), next(previous.size());
    for (int i = 0; i < steps; ++i) {
      const int* row = walls + (long)columns * (start + i) + low;
      int count = high - low;
      next[0] = std::min(previous[0], previous[1]) + row[0];
      for (int x = 1; x < count - 1; ++x)
        next[x] = std::min(std::min(previous[x - 1], previous[x]), previous[x + 1]) + row[x];
      next[count - 1] = std::min(previous[count - 2], previous[count - 1]) + row[count - 1];
      std::swap(previous, next);
    }
    std::copy_n(previous.begin() + (first - low), std::min(width, columns - first), after + first);
  }
}
