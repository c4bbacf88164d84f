// SPDX-License-Identifier: MIT
// HeCBench, lulesh: gathers the corners of hexahedra and derives their volumes by the corners' coordinates
/*
edge: 48 | 7
elements: edge**3 | edge**3
nodes: (edge + 1)**3 | (edge + 1)**3
plane: (edge + 1)**2 | (edge + 1)**2
launch: ceil(elements, 256) x 256
dvdx: double[8 * elements] -> 1e-12
dvdy: double[8 * elements] -> 1e-12
dvdz: double[8 * elements] -> 1e-12
xs: double[8 * elements] -> 0
ys: double[8 * elements] -> 0
zs: double[8 * elements] -> 0
volumes: double[elements] -> 1e-12
x: double[nodes] = arange(nodes) % (edge + 1) + uniform(-0.2, 0.2)
y: double[nodes] = arange(nodes) // (edge + 1) % (edge + 1) + uniform(-0.2, 0.2)
z: double[nodes] = arange(nodes) // plane + uniform(-0.2, 0.2)
corners: int[8 * elements] = (arange(elements) // edge**2 * plane + arange(elements) // edge % edge * (edge + 1) + arange(elements) % edge)[:, None] + np.array([0, 1, edge + 2, edge + 1, plane, plane + 1, plane + edge + 2, plane + edge + 1])
initial: double[elements] = uniform(0.9, 1.1)
relative: double[elements] = np.where(arange(elements) == elements // 3, -1, uniform(0.5, 1.5))
wrong: int[1] = -1 -> 0
elements: int
*/
__device__ double part(const double* a, const double* b, int n0, int n1, int n2, int n3, int n4, int n5) {
  return ((a[n1] + a[n2]) * (b[n0] + b[n1]) - (a[n0] + a[n1]) * (b[n1] + b[n2]) + (a[n0] + a[n4]) * (b[n3] + b[n4]) -
          (a[n3] + a[n4]) * (b[n0] + b[n4]) - (a[n2] + a[n5]) * (b[n3] + b[n5]) + (a[n3] + a[n5]) * (b[n2] + b[n5])) *
         (1.0 / 12.0);
}
__device__ void derivative(const double* a, const double* b, double* d) {
  d[0] = part(a, b, 1, 2, 3, 4, 5, 7);
  d[1] = part(a, b, 2, 3, 0, 5, 6, 4);
  d[2] = part(a, b, 3, 0, 1, 6, 7, 5);
  d[3] = part(a, b, 0, 1, 2, 7, 4, 6);
  d[4] = part(a, b, 7, 6, 5, 0, 3, 1);
  d[5] = part(a, b, 4, 7, 6, 1, 0, 2);
  d[6] = part(a, b, 5, 4, 7, 2, 1, 3);
  d[7] = part(a, b, 6, 5, 4, 3, 2, 0);
}
__global__ void hourglass_control(double* __restrict__ dvdx, double* __restrict__ dvdy, double* __restrict__ dvdz,
                                  double* __restrict__ xs, double* __restrict__ ys, double* __restrict__ zs,
                                  double* __restrict__ volumes, const double* __restrict__ x,
                                  const double* __restrict__ y, const double* __restrict__ z,
                                  const int* __restrict__ corners, const double* __restrict__ initial,
                                  const double* __restrict__ relative, int* __restrict__ wrong, int elements) {
  int element = blockIdx.x * blockDim.x + threadIdx.x;
  if (element >= elements) return;
  double own_x[8], own_y[8], own_z[8], dx[8], dy[8], dz[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    int node = corners[8 * element + i];
    own_x[i] = x[node];
    own_y[i] = y[node];
    own_z[i] = z[node];
  }
  derivative(own_y, own_z, dx);
  derivative(own_z, own_x, dy);
  derivative(own_x, own_y, dz);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    int to = 8 * element + i;
    dvdx[to] = dx[i];
    dvdy[to] = dy[i];
    dvdz[to] = dz[i];
    xs[to] = own_x[i];
    ys[to] = own_y[i];
    zs[to] = own_z[i];
  }
  volumes[element] = initial[element] * relative[element];
  if (relative[element] <= 0) wrong[0] = element;
}
//---- C++
inline double part(const double* a, const double* b, int n0, int n1, int n2, int n3, int n4, int n5) {
  return ((a[n1] + a[n2]) * (b[n0] + b[n1]) - (a[n0] + a[n1]) * (b[n1] + b[n2]) + (a[n0] + a[n4]) * (b[n3] + b[n4]) -
          (a[n3] + a[n4]) * (b[n0] + b[n4]) - (a[n2] + a[n5]) * (b[n3] + b[n5]) + (a[n3] + a[n5]) * (b[n2] + b[n5])) *
         (1.0 / 12.0);
}
inline void derivative(const double* a, const double* b, double* d) {
  d[0] = part(a, b, 1, 2, 3, 4, 5, 7);
  d[1] = part(a, b, 2, 3, 0, 5, 6, 4);
  d[2] = part(a, b, 3, 0, 1, 6, 7, 5);
  d[3] = part(a, b, 0, 1, 2, 7, 4, 6);
  d[4] = part(a, b, 7, 6, 5, 0, 3, 1);
  d[5] = part(a, b, 4, 7, 6, 1, 0, 2);
  d[6] = part(a, b, 5, 4, 7, 2, 1, 3);
  d[7] = part(a, b, 6, 5, 4, 3, 2, 0);
}
void reference(double* dvdx, double* dvdy, double* dvdz, double* xs, double* ys, double* zs, double* volumes,
               const double* x, const double* y, const double* z, const int* corners, const double* initial,
               const double* relative, int* wrong, int elements) {
#pragma omp parallel for
  for (int element = 0; element < elements; ++element) {
    double *own_x = xs + 8 * element, *own_y = ys + 8 * element, *own_z = zs + 8 * element;
    for (int i = 0; i < 8; ++i) {
      int node = corners[8 * element + i];
      own_x[i] = x[node];
      own_y[i] = y[node];
      own_z[i] = z[node];
    }
    derivative(own_y, own_z, dvdx + 8 * element);
    derivative(own_z, own_x, dvdy + 8 * element);
    derivative(own_x, own_y, dvdz + 8 * element);
    volumes[element] = initial[element] * relative[element];
    if (relative[element] <= 0) *wrong = element;
  }
}
