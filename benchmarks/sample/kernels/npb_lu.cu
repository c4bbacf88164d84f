// SPDX-License-Identifier: MIT
// NPB, LU: fluxes and dissipation along rows of a flow of five variables, a row a block, in tiles in shared memory
/*
nx: 66 | 21
ny: 50 | 7
nz: 50 | 6
threads: 32 | 8
launch: nz - 2, ny - 2 x threads
shared: 8 * 14 * threads
forces: double[5 * nx * ny * nz] = uniform(-1, 1) -> 1e-11
flow: double[5 * nx * ny * nz] = uniform(1, 2)
nx: int
ny: int
nz: int
constants: double(9) = [1 / 3844, 1 / 124, 62, 0.75, 0.74, 0.73, 0.72, 0.71, 0.1875]
*/
struct Constants {
  double tx1, tx2, tx3, dx[5], dissipation;
};
#define AT(values, m, i, j, k) values[(m) + 5 * ((i) + nx * ((j) + ny * (k)))]
__global__ void row_forces(double* forces, const double* flow, const int nx, const int ny, const int nz,
                           const Constants constants) {
  extern __shared__ double shared[];
  const double c1 = 1.4, c2 = 0.4, c34 = 0.1, c5 = 1.4;
  const int threads = blockDim.x, t = threadIdx.x, k = blockIdx.x + 1, j = blockIdx.y + 1;
  double *flux = shared, *tile = flux + 5 * threads, *u = tile + 5 * threads;
  double *v = u + threads, *w = v + threads, *e = w + threads;
  double sums[5];
  for (int i = t; i < nx; i += threads - 2) {
    int count = min(nx - (i - t), threads);
    for (int m = t, part = 0; part < 5; ++part, m += count) tile[m] = AT(flow, m % 5, i - t + m / 5, j, k);
    __syncthreads();
    const double* own = tile + 5 * t;
    double velocity = own[1] / own[0];
    double q = 0.5 * (own[1] * own[1] + own[2] * own[2] + own[3] * own[3]) / own[0];
    flux[t] = own[1];
    flux[t + threads] = own[1] * velocity + c2 * (own[4] - q);
    flux[t + 2 * threads] = own[2] * velocity;
    flux[t + 3 * threads] = own[3] * velocity;
    flux[t + 4 * threads] = (c1 * own[4] - c2 * q) * velocity;
    __syncthreads();
    const bool inner = t >= 1 && t < threads - 1 && i < nx - 1;
    if (inner) {
      for (int m = 0; m < 5; ++m)
        sums[m] = AT(forces, m, i, j, k) -
                  constants.tx2 * (flux[t + 1 + m * threads] - flux[t - 1 + m * threads]);
    }
    double inverse = 1.0 / own[0];
    u[t] = inverse * own[1];
    v[t] = inverse * own[2];
    w[t] = inverse * own[3];
    e[t] = inverse * own[4];
    __syncthreads();
    if (t >= 1) {
      flux[t + threads] = 4.0 / 3.0 * constants.tx3 * (u[t] - u[t - 1]);
      flux[t + 2 * threads] = constants.tx3 * (v[t] - v[t - 1]);
      flux[t + 3 * threads] = constants.tx3 * (w[t] - w[t - 1]);
      flux[t + 4 * threads] = 0.5 * (1.0 - c1 * c5) * constants.tx3 *
                                  (u[t] * u[t] + v[t] * v[t] + w[t] * w[t] -
                                   (u[t - 1] * u[t - 1] + v[t - 1] * v[t - 1] + w[t - 1] * w[t - 1])) +
                              1.0 / 6.0 * constants.tx3 * (u[t] * u[t] - u[t - 1] * u[t - 1]) +
                              c1 * c5 * constants.tx3 * (e[t] - e[t - 1]);
    }
    __syncthreads();
    if (inner) {
      for (int m = 0; m < 5; ++m) {
        if (m > 0) sums[m] += constants.tx3 * c34 * (flux[t + 1 + m * threads] - flux[t + m * threads]);
        sums[m] += constants.dx[m] * constants.tx1 * (own[m - 5] - 2.0 * own[m] + own[m + 5]);
      }
      const double d = constants.dissipation;
      for (int m = 0; m < 5; ++m) {
        double* force = &AT(forces, m, i, j, k);
        if (i == 1) *force = sums[m] - d * (5.0 * own[m] - 4.0 * own[m + 5] + AT(flow, m, 3, j, k));
        if (i == 2)
          *force = sums[m] - d * (-4.0 * own[m - 5] + 6.0 * own[m] - 4.0 * own[m + 5] + AT(flow, m, 4, j, k));
        if (i >= 3 && i < nx - 3)
          *force = sums[m] - d * (AT(flow, m, i - 2, j, k) - 4.0 * own[m - 5] + 6.0 * own[m] - 4.0 * own[m + 5] +
                                  AT(flow, m, i + 2, j, k));
        if (i == nx - 3)
          *force = sums[m] - d * (AT(flow, m, nx - 5, j, k) - 4.0 * own[m - 5] + 6.0 * own[m] - 4.0 * own[m + 5]);
        if (i == nx - 2) *force = sums[m] - d * (AT(flow, m, nx - 4, j, k) - 4.0 * own[m - 5] + 5.0 * own[m]);
      }
    }
    __syncthreads();
  }
}
//---- C++
void reference(double* forces, const double* flow, int nx, int ny, int nz, const double* constants) {
  const double c1 = 1.4, c2 = 0.4, c34 = 0.1, c5 = 1.4, tx1 = constants[0], tx2 = constants[1], tx3 = constants[2];
  const double *dx = constants + 3, d = constants[8];
#pragma omp parallel for collapse(2)
  for (int k = 1; k < nz - 1; ++k) {
    for (int j = 1; j < ny - 1; ++j) {
      const long start = 5l * nx * (j + (long)ny * k);
      const double* row = flow + start;
      double* force = forces + start;
      std::vector<double> flux(5 * nx), speeds(4 * nx);
      for (int i = 0; i < nx; ++i) {
        const double* f = row + 5 * i;
        double inverse = 1.0 / f[0], velocity = f[1] * inverse, *out = flux.data() + 5 * i;
        double q = 0.5 * (f[1] * f[1] + f[2] * f[2] + f[3] * f[3]) * inverse;
        out[0] = f[1];
        out[1] = f[1] * velocity + c2 * (f[4] - q);
        out[2] = f[2] * velocity;
        out[3] = f[3] * velocity;
        out[4] = (c1 * f[4] - c2 * q) * velocity;
        for (int m = 0; m < 4; ++m) speeds[4 * i + m] = inverse * f[m + 1];
      }
      for (int i = 1; i < nx - 1; ++i)
        for (int m = 0; m < 5; ++m) force[5 * i + m] -= tx2 * (flux[5 * (i + 1) + m] - flux[5 * (i - 1) + m]);
      for (int i = 1; i < nx; ++i) {
        const double *now = speeds.data() + 4 * i, *last = now - 4;
        double *out = flux.data() + 5 * i, change = now[0] * now[0] - last[0] * last[0];
        double all = change + now[1] * now[1] + now[2] * now[2] - last[1] * last[1] - last[2] * last[2];
        out[1] = 4.0 / 3.0 * tx3 * (now[0] - last[0]);
        out[2] = tx3 * (now[1] - last[1]);
        out[3] = tx3 * (now[2] - last[2]);
        out[4] = 0.5 * (1.0 - c1 * c5) * tx3 * all + 1.0 / 6.0 * tx3 * change + c1 * c5 * tx3 * (now[3] - last[3]);
      }
      for (int i = 1; i < nx - 1; ++i) {
        const double* f = row + 5 * i;
        for (int m = 0; m < 5; ++m) {
          double sum = force[5 * i + m] + dx[m] * tx1 * (f[m - 5] - 2.0 * f[m] + f[m + 5]);
          if (m > 0) sum += tx3 * c34 * (flux[5 * (i + 1) + m] - flux[5 * i + m]);
          double centre = (i == 1 || i == nx - 2 ? 5.0 : 6.0) * f[m];
          if (i > 1) centre -= 4.0 * f[m - 5];
          if (i < nx - 2) centre -= 4.0 * f[m + 5];
          if (i > 2) centre += f[m - 10];
          if (i < nx - 3) centre += f[m + 10];
          force[5 * i + m] = sum - d * centre;
        }
      }
    }
  }
}
