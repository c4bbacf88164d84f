// SPDX-License-Identifier: MIT
// HeCBench, testSNAP: products of pairs of an atom's complex expansions, added to sums by atomic operations
/*
atoms: 64 | 19
highest: 8 | 3
width: 9 | 4
terms: 2386 | 64
launch: ceil(atoms, 16), ceil(terms, 16) x 16, 16
rows: int[9 * terms] = snap_terms(highest)
weights: double[terms] = uniform(-1, 1)
coefficients: double[width ** 5] = uniform(-1, 1)
coefficient_starts: int[width ** 3] = snap_blocks(highest)
starts: int[width] = np.append(0, np.cumsum((np.arange(highest) + 1) ** 2))
half_starts: int[width] = np.append(0, np.cumsum((np.arange(highest) // 2 + 1) * (np.arange(highest) + 1)))
expansions: double[2 * atoms * width ** 3] = uniform(-1, 1)
sums: double[2 * atoms * width ** 3] -> 1e-11
atoms: int
terms: int
width: int
*/
struct Complex {
  double re, im;
};
__global__ void add_products(const int* __restrict__ rows, const double* __restrict__ weights,
                             const double* __restrict__ coefficients, const int* __restrict__ coefficient_starts,
                             const int* __restrict__ starts, const int* __restrict__ half_starts,
                             const Complex* __restrict__ expansions, Complex* __restrict__ sums, const int atoms,
                             const int terms, const int width) {
  int atom = blockIdx.x * blockDim.x + threadIdx.x, term = blockIdx.y * blockDim.y + threadIdx.y;
  if (term >= terms || atom >= atoms) return;
  const int j1 = rows[term], j2 = rows[term + terms], j = rows[term + 2 * terms];
  const int least_a = rows[term + 3 * terms], most_a = rows[term + 4 * terms], count_a = rows[term + 5 * terms];
  const int least_b = rows[term + 6 * terms], most_b = rows[term + 7 * terms], count_b = rows[term + 8 * terms];
  const double* block = coefficients + coefficient_starts[j1 + width * j2 + width * width * j];
  int row = (2 * (least_b + most_b) - j1 - j2 + j) / 2, column = (2 * (least_a + most_a) - j1 - j2 + j) / 2;
  int first = starts[j1] + (j1 + 1) * least_b, second = starts[j2] + (j2 + 1) * most_b;
  int at_b = least_b * (j2 + 1) + most_b;
  double re = 0.0, im = 0.0;
  for (int b = 0; b < count_b; ++b) {
    double part_re = 0.0, part_im = 0.0;
    int a1 = least_a, a2 = most_a, at_a = least_a * (j2 + 1) + most_a;
    for (int a = 0; a < count_a; ++a) {
      Complex u = expansions[atom + atoms * (first + a1)], v = expansions[atom + atoms * (second + a2)];
      part_re += block[at_a] * (u.re * v.re - u.im * v.im);
      part_im += block[at_a] * (u.re * v.im + u.im * v.re);
      ++a1;
      --a2;
      at_a += j2;
    }
    re += block[at_b] * part_re;
    im += block[at_b] * part_im;
    first += j1 + 1;
    second -= j2 + 1;
    at_b += j2;
  }
  Complex* sum = sums + atom + atoms * (half_starts[j] + (j + 1) * row + column);
  atomicAdd(&sum->re, weights[term] * re);
  atomicAdd(&sum->im, weights[term] * im);
}
//---- C++
struct Complex {
  double re, im;
};
void reference(const int* rows, const double* weights, const double* coefficients, const int* coefficient_starts,
               const int* starts, const int* half_starts, const double* expansion_values, double* sum_values, int atoms,
               int terms, int width) {
  const Complex* expansions = (const Complex*)expansion_values;
  Complex* sums = (Complex*)sum_values;
  // Each thread has its own atoms.
#pragma omp parallel
  {
    std::vector<Complex> part(atoms), all(atoms);
#pragma omp for
    for (int start = 0; start < atoms; start += 8) {
      int stop = std::min(start + 8, atoms);
      for (int term = 0; term < terms; ++term) {
        int j1 = rows[term], j2 = rows[term + terms], j = rows[term + 2 * terms];
        int least_a = rows[term + 3 * terms], most_a = rows[term + 4 * terms], count_a = rows[term + 5 * terms];
        int least_b = rows[term + 6 * terms], most_b = rows[term + 7 * terms], count_b = rows[term + 8 * terms];
        const double* block = coefficients + coefficient_starts[j1 + width * j2 + width * width * j];
        int row = (2 * (least_b + most_b) - j1 - j2 + j) / 2, column = (2 * (least_a + most_a) - j1 - j2 + j) / 2;
        for (int atom = start; atom < stop; ++atom) all[atom] = {};
        for (int b = 0; b < count_b; ++b) {
          int b1 = least_b + b, b2 = most_b - b;
          for (int atom = start; atom < stop; ++atom) part[atom] = {};
          for (int a = 0; a < count_a; ++a) {
            int a1 = least_a + a, a2 = most_a - a;
            const Complex* us = expansions + atoms * (starts[j1] + (j1 + 1) * b1 + a1);
            const Complex* vs = expansions + atoms * (starts[j2] + (j2 + 1) * b2 + a2);
            double factor = block[a1 * (j2 + 1) + a2];
            for (int atom = start; atom < stop; ++atom) {
              Complex u = us[atom], v = vs[atom];
              part[atom].re += factor * (u.re * v.re - u.im * v.im);
              part[atom].im += factor * (u.re * v.im + u.im * v.re);
            }
          }
          double factor = block[b1 * (j2 + 1) + b2];
          for (int atom = start; atom < stop; ++atom) {
            all[atom].re += factor * part[atom].re;
            all[atom].im += factor * part[atom].im;
          }
        }
        Complex* sum = sums + atoms * (half_starts[j] + (j + 1) * row + column);
        for (int atom = start; atom < stop; ++atom) {
          sum[atom].re += weights[term] * all[atom].re;
          sum[atom].im += weights[term] * all[atom].im;
        }
      }
    }
  }
}
