// SPDX-License-Identifier: MIT
// HeCBench, nqueen: counts solutions by backtracking, from a board with some queens for each thread
/*
size: 11 | 7
depth: 5 | 3
n: len(queens(size, depth)) | len(queens(size, depth))
launch: ceil(n, 128) x 128
size: int
n: uint
depth: int
boards: char[12 * n] = np.pad(queens(size, depth), ((0, 0), (0, 12 - depth)))
used: uint[n] = np.sum(1 << queens(size, depth).astype(np.int64), axis=1)
nodes: ulong[n] -> 0
solutions: ulong[n] -> 0
*/
__device__ bool legal(const char* board, int row) {
  bool safe = true;
  for (int i = 0; i < row; ++i)
    if (board[i] == board[row]) safe = false;
  int left = board[row], right = board[row];
  for (int i = row - 1; i >= 0; --i) {
    --left;
    ++right;
    if (board[i] == left || board[i] == right) safe = false;
  }
  return safe;
}
__global__ void queens(int size, unsigned n, int start, const signed char* __restrict__ boards,
                       const unsigned* __restrict__ used, unsigned long long* __restrict__ nodes,
                       unsigned long long* __restrict__ solutions) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= n) return;
  char board[20];
  for (int i = 0; i < size; ++i) board[i] = -1;
  for (int i = 0; i < start; ++i) board[i] = boards[12 * thread + i];
  unsigned columns = used[thread];
  unsigned long long found = 0, visited = 0;
  int row = start;
  do {
    ++board[row];
    if (board[row] == size) {
      board[row] = -1;
    } else if (!(columns & 1u << board[row]) && legal(board, row)) {
      ++visited;
      columns |= 1u << board[row];
      if (++row < size) continue;
      ++found;
    } else {
      continue;
    }
    --row;
    columns &= ~(1u << board[row]);
  } while (row >= start);
  solutions[thread] = found;
  nodes[thread] = visited;
}
//---- C++
inline bool legal(const signed char* board, int row) {
  for (int i = 0; i < row; ++i) {
    int away = board[i] - board[row];
    if (away == 0 || away == row - i || away == i - row) return false;
  }
  return true;
}
void reference(int size, unsigned n, int start, const char* boards, const unsigned* used, unsigned long* nodes,
               unsigned long* solutions) {
#pragma omp parallel for schedule(dynamic, 16)
  for (unsigned root = 0; root < n; ++root) {
    signed char board[20];
    std::copy_n(boards + 12 * root, start, board);
    unsigned columns = used[root];
    unsigned long found = 0, visited = 0;
    int row = start;
    board[row] = -1;
    while (row >= start) {
      if (++board[row] == size) {
        if (--row >= start) columns &= ~(1u << board[row]);
      } else if (!(columns >> board[row] & 1) && legal(board, row)) {
        ++visited;
        if (row + 1 == size) {
          ++found;
        } else {
          columns |= 1u << board[row];
          board[++row] = -1;
        }
      }
    }
    solutions[root] = found;
    nodes[root] = visited;
  }
}
