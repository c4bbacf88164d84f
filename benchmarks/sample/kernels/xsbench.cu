// SPDX-License-Identifier: MIT
// HeCBench, xsbench: cross sections of random materials at random energies, from tables of their nuclides
/*
nuclides: 68 | 20
points: 1000 | 30
most: 34 | 34
lookups: 20_000 | 501
launch: ceil(lookups, 256) x 256
counts: int[12] = [34, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9]
shares: double[12 * most] = uniform(0, 1)
members: int[12 * most] = integers(0, nuclides)
grid: double[6 * nuclides * points] = np.append(np.sort(uniform(0, 1)[: nuclides * points].reshape(nuclides, -1)).reshape(-1, 1), uniform(0, 1)[nuclides * points :].reshape(-1, 5), 1)
largest: int[lookups] -> 0, 1e-4
energies: double[nuclides * points] = np.sort(grid[::6])
places: int[nuclides * points * nuclides] = np.clip(np.cumsum((np.argsort(grid[::6]) // points)[:, None] == np.arange(nuclides), 0) - 1, 0, None)
lookups: int
nuclides: long
points: long
kind: int = 0
bins: int = 100
most: int
*/
struct Point {
  double energy, sections[5];
};
enum { united, separate, hashed };
__device__ double random(unsigned long* seed) {
  *seed = (2806196910506780709ul * *seed + 1ul) % 9223372036854775808ul;
  return (double)*seed / 9223372036854775808.0;
}
__device__ unsigned long skipped(unsigned long seed, unsigned long n) {
  unsigned long a = 2806196910506780709ul, c = 1, factor = 1, sum = 0;
  for (; n > 0; n >>= 1) {
    if (n & 1) {
      factor *= a;
      sum = sum * a + c;
    }
    c *= a + 1;
    a *= a;
  }
  return (factor * seed + sum) % 9223372036854775808ul;
}
__device__ int random_material(unsigned long* seed) {
  double parts[12] = {0.140, 0.052, 0.275, 0.134, 0.154, 0.064, 0.066, 0.055, 0.008, 0.015, 0.025, 0.013};
  double roll = random(seed);
  for (int i = 0; i < 12; ++i) {
    double sum = 0;
    for (int j = i; j > 0; --j) sum += parts[j];
    if (roll < sum) return i;
  }
  return 0;
}
template <typename Energy> __device__ long search(long low, long high, double wanted, Energy energy) {
  while (high - low > 1) {
    long middle = low + (high - low) / 2;
    if (energy(middle) > wanted) high = middle;
    else low = middle;
  }
  return low;
}
__device__ void sections_of(double energy, int nuclide, long nuclides, long points, const int* places,
                            const Point* grid, long at, double* sections, int kind, int bins) {
  const Point* own = grid + nuclide * points;
  auto of_point = [&](long i) { return own[i].energy; };
  long low;
  if (kind == separate) {
    low = search(0, points - 1, energy, of_point);
  } else if (kind == united) {
    low = places[at * nuclides + nuclide];
  } else {
    int from = places[at * nuclides + nuclide];
    int to = at == bins - 1 ? points - 1 : places[(at + 1) * nuclides + nuclide] + 1;
    if (energy <= own[from].energy) low = 0;
    else if (energy >= own[to].energy) low = points - 1;
    else low = search(from, to, energy, of_point);
  }
  if (low == points - 1) --low;
  Point below = own[low], above = own[low + 1];
  double part = (above.energy - energy) / (above.energy - below.energy);
  for (int k = 0; k < 5; ++k) sections[k] = above.sections[k] - part * (above.sections[k] - below.sections[k]);
}
__global__ void look_up(const int* __restrict__ counts, const double* __restrict__ shares,
                        const int* __restrict__ members, const Point* __restrict__ grid, int* __restrict__ largest,
                        const double* __restrict__ energies, const int* __restrict__ places, const int lookups,
                        const long nuclides, const long points, const int kind, const int bins, const int most) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= lookups) return;
  unsigned long seed = skipped(1070, 2 * i);
  double energy = random(&seed), sums[5] = {};
  int material = random_material(&seed);
  long at = -1;
  if (kind == united) at = search(0, nuclides * points - 1, energy, [&](long i) { return energies[i]; });
  else if (kind == hashed) at = energy / (1.0 / bins);
  for (int j = 0; j < counts[material]; ++j) {
    double sections[5];
    sections_of(energy, members[material * most + j], nuclides, points, places, grid, at, sections, kind, bins);
    for (int k = 0; k < 5; ++k) sums[k] += sections[k] * shares[material * most + j];
  }
  double best = -1.0;
  int best_at = 0;
  for (int k = 0; k < 5; ++k) {
    if (sums[k] > best) {
      best = sums[k];
      best_at = k;
    }
  }
  largest[i] = best_at + 1;
}
//---- C++
struct Point {
  double energy, sections[5];
};
enum { united, separate, hashed };
inline double random(unsigned long& seed) {
  seed = (2806196910506780709ul * seed + 1ul) & 9223372036854775807ul;
  return (double)seed / 9223372036854775808.0;
}
inline unsigned long skipped(unsigned long seed, unsigned long n) {
  unsigned long a = 2806196910506780709ul, c = 1, factor = 1, sum = 0;
  for (; n > 0; n >>= 1) {
    if (n & 1) {
      factor *= a;
      sum = sum * a + c;
    }
    c *= a + 1;
    a *= a;
  }
  return (factor * seed + sum) & 9223372036854775807ul;
}
inline int random_material(unsigned long& seed) {
  static const double parts[12] = {0.140, 0.052, 0.275, 0.134, 0.154, 0.064, 0.066, 0.055, 0.008, 0.015, 0.025, 0.013};
  double roll = random(seed), sum = 0;
  for (int i = 1; i < 12; ++i) {
    sum += parts[i];
    if (roll < sum) return i;
  }
  return 0;
}
void reference(const int* counts, const double* shares, const int* members, const double* grid_values, int* largest,
               const double* energies, const int* places, int lookups, long nuclides, long points, int kind, int bins,
               int most) {
  const Point* grid = (const Point*)grid_values;
#pragma omp parallel for schedule(dynamic, 64)
  for (int i = 0; i < lookups; ++i) {
    unsigned long seed = skipped(1070, 2 * i);
    double energy = random(seed), sums[5] = {};
    int material = random_material(seed);
    long at = 0;
    if (kind == united) {
      const double* last = energies + nuclides * points - 1;
      at = std::max<long>(std::upper_bound(energies, last, energy) - energies - 1, 0);
    } else if (kind == hashed) {
      at = energy / (1.0 / bins);
    }
    for (int j = 0; j < counts[material]; ++j) {
      int nuclide = members[material * most + j];
      const Point* own = grid + nuclide * points;
      long low = 0, high = points - 1;
      if (kind == united) {
        low = places[at * nuclides + nuclide];
      } else {
        if (kind == hashed) {
          low = places[at * nuclides + nuclide];
          if (at < bins - 1) high = places[(at + 1) * nuclides + nuclide] + 1;
        }
        auto above = [](double wanted, const Point& point) { return wanted < point.energy; };
        low = std::max<long>(std::upper_bound(own + low, own + high, energy, above) - own - 1, 0);
      }
      low = std::min(low, points - 2);
      const Point &below = own[low], &above = own[low + 1];
      double part = (above.energy - energy) / (above.energy - below.energy), share = shares[material * most + j];
      for (int k = 0; k < 5; ++k)
        sums[k] += (above.sections[k] - part * (above.sections[k] - below.sections[k])) * share;
    }
    const double* best = std::max_element(sums, sums + 5);
    largest[i] = *best > -1.0 ? best - sums + 1 : 1;
  }
}
