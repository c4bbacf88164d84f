// SPDX-License-Identifier: MIT
// HeCBench, sa: merges two lists of sorted suffixes, each of whose places a binary search in the other list finds
/*
n: 299_999 | 1000
n0: (n + 2) // 3 | (n + 2) // 3
n2: n // 3 | n // 3
launch: ceil(2 * n0 + n2, 256) x 256
text: int[n + 3] = np.where(np.arange(n + 3) < n, integers(1, 4), 0)
firsts: int[n0] = 3 * np.argsort(suffix_keys(text)[0:n:3])
others: int[n0 + n2] = np.argsort(np.append(suffix_keys(text)[1 : 3 * n0 : 3], suffix_keys(text)[2 : 3 * n2 : 3]))
ranks: int[n0 + n2 + 3] = np.append(np.argsort(others) + 1, [0, 0, 0])
suffixes: int[n] -> 0
n0: int
n02: int = n0 + n2
n: int
*/
__device__ bool not_after(int a1, int a2, int b1, int b2) { return a1 < b1 || (a1 == b1 && a2 <= b2); }
__device__ bool not_after(int a1, int a2, int a3, int b1, int b2, int b3) {
  return a1 < b1 || (a1 == b1 && not_after(a2, a3, b2, b3));
}
__device__ int rank_of(const int* ranks, int place, int n0) { return ranks[place / 3 + (place % 3 - 1) * n0]; }
__global__ void merge_suffixes(const int* __restrict__ text, const int* __restrict__ firsts,
                               const int* __restrict__ others, const int* __restrict__ ranks,
                               int* __restrict__ suffixes, int n0, int n02, int n) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  // One of the others is no suffix for some lengths.
  int extra = n != n0 + n02;
  if (index >= n0 + n02 || (extra && index == n0)) return;
  int low = 0, high = index < n0 ? n02 : n0, i;
  if (index < n0) {
    i = firsts[index];
    while (low < high) {
      int middle = (low + high) / 2, j = others[middle];
      bool before;
      if (j < n0) {
        j = 3 * j + 1;
        before = not_after(text[j], rank_of(ranks, j + 1, n0), text[i], ranks[i / 3]);
      } else {
        j = 3 * (j - n0) + 2;
        before = not_after(text[j], text[j + 1], rank_of(ranks, j + 2, n0), text[i], text[i + 1], ranks[i / 3 + n0]);
      }
      if (before) low = middle + 1;
      else high = middle;
    }
    suffixes[index + low - extra] = i;
    return;
  }
  i = others[index - n0];
  if (i < n0) {
    i = 3 * i + 1;
    while (low < high) {
      int middle = (low + high) / 2, j = firsts[middle];
      if (not_after(text[j], ranks[j / 3], text[i], rank_of(ranks, i + 1, n0))) low = middle + 1;
      else high = middle;
    }
  } else {
    i = 3 * (i - n0) + 2;
    while (low < high) {
      int middle = (low + high) / 2, j = firsts[middle];
      if (not_after(text[j], text[j + 1], ranks[j / 3 + n0], text[i], text[i + 1], rank_of(ranks, i + 2, n0)))
        low = middle + 1;
      else high = middle;
    }
  }
  suffixes[index - n0 + low - extra] = i;
}
//---- C++
struct Lists {
  const int *text, *firsts, *others, *ranks;
  int n0;
  int rank(int place) const { return ranks[place / 3 + (place % 3 - 1) * n0]; }
  int place(int other) const { return other < n0 ? 3 * other + 1 : 3 * (other - n0) + 2; }
  bool first_is_before(int i, int other) const {
    int j = place(other);
    if (text[i] != text[j]) return text[i] < text[j];
    if (other < n0) return ranks[i / 3] < rank(j + 1);
    if (text[i + 1] != text[j + 1]) return text[i + 1] < text[j + 1];
    return ranks[i / 3 + n0] < rank(j + 2);
  }
};
void reference(const int* text, const int* firsts, const int* others, const int* ranks, int* suffixes, int n0, int n02,
               int n) {
  Lists lists{text, firsts, others, ranks, n0};
  constexpr int piece = 4096;
  int extra = n % 3 == 1;
#pragma omp parallel for
  for (int start = extra; start < n02; start += piece) {
    int stop = std::min(start + piece, n02);
    // The firsts that come between the last of the piece before and the last of this one.
    auto before = [&](int other) {
      return int(std::partition_point(firsts, firsts + n0, [&](int i) { return lists.first_is_before(i, other); }) -
                 firsts);
    };
    int first = start == extra ? 0 : before(others[start - 1]);
    int last = stop == n02 ? n0 : before(others[stop - 1]);
    int* out = suffixes + first + start - extra;
    for (int other = start; other < stop || first < last;) {
      if (other == stop || (first < last && lists.first_is_before(firsts[first], others[other])))
        *out++ = firsts[first++];
      else
        *out++ = lists.place(others[other++]);
    }
  }
}
