// SPDX-License-Identifier: MIT
// HeCBench, sph: accelerations of the particles of a fluid by pressure, viscosity and surface tension of all others
/*
n: 1024 | 130
launch: ceil(n, 256) x 256
fluid: double[14 * n] = uniform(0, 1).reshape(n, 14) * [200, 1000, *[1] * 9, 0, 0, 0] + [900, *[0] * 13] -> 1e-9
parameters: double[7] = np.append([1000 / n, (1 / n) ** (1 / 3), 0.02, 0.01, 60, 9.8], np.array([n]).view(np.float64))
*/
struct Particle {
  double density, pressure;
  double3 place, v, half_v, a;
};
struct Parameters {
  double mass, radius, alpha, tension, sound, g;
  long particles;
};
__device__ double distance(double3 p, double3 q) {
  return sqrt((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) + (p.z - q.z) * (p.z - q.z));
}
__device__ double spline(double3 p, double3 q, double h) {
  double u = distance(p, q) / h, scale = 1.0 / (3.14159265358979 * h * h * h);
  if (u >= 2.0) return 0.0;
  return scale * (u < 1.0 ? 1.0 - 1.5 * u * u + 0.75 * u * u * u : 0.25 * pow(2.0 - u, 3.0));
}
__device__ double spline_slope(double3 p, double3 q, double h) {
  double r = distance(p, q), u = r / h, scale = 1.0 / (3.14159265358979 * h * h * h);
  if (u >= 2.0) return 0.0;
  return scale * (u < 1.0 ? -1.0 / (h * h) * (3.0 - 2.25 * u) : -3.0 / (4.0 * h * r) * pow(2.0 - u, 2.0));
}
__device__ double3 acceleration(const Particle& p, const Particle& q, const Parameters* parameters) {
  double h = parameters->radius, mass = parameters->mass;
  double dx = p.place.x - q.place.x, dy = p.place.y - q.place.y, dz = p.place.z - q.place.z;
  double size = -(p.pressure / (p.density * p.density) + q.pressure / (q.density * q.density)) * mass *
                spline_slope(p.place, q.place, h);
  double3 a = make_double3(size * dx, size * dy, size * dz);
  double approach = (p.v.x - q.v.x) * dx + (p.v.y - q.v.y) * dy + (p.v.z - q.v.z) * dz;
  if (approach < 0.0) {
    double nu = 2.0 * parameters->alpha * h * parameters->sound / (p.density + q.density);
    double stress = nu * approach / (dx * dx + dy * dy + dz * dz + h / 10.0 * h * h);
    size = mass * stress * spline_slope(p.place, q.place, h);
    a.x += size * dx;
    a.y += size * dy;
    a.z += size * dz;
  }
  size = parameters->tension * spline(p.place, q.place, h);
  a.x += size * dx;
  a.y += size * dy;
  a.z += size * dz;
  return a;
}
__global__ void accelerate(Particle* __restrict__ fluid, const Parameters* __restrict__ parameters) {
  int n = parameters->particles, i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= n) return;
  double ax = 0.0, ay = 0.0, az = -parameters->g;
  for (int j = 0; j < n; ++j) {
    if (i == j) continue;
    double3 a = acceleration(fluid[i], fluid[j], parameters);
    ax += a.x;
    ay += a.y;
    az += a.z;
  }
  fluid[i].a.x = ax;
  fluid[i].a.y = ay;
  fluid[i].a.z = az;
}
//---- C++
struct Particle {
  double density, pressure, place[3], v[3], half_v[3], a[3];
};
void reference(double* values, const double* parameters) {
  Particle* fluid = (Particle*)values;
  const double mass = parameters[0], h = parameters[1], alpha = parameters[2], tension = parameters[3];
  const double sound = parameters[4], g = parameters[5];
  long n;
  std::memcpy(&n, parameters + 6, sizeof n);
  const double scale = 1.0 / (3.14159265358979 * h * h * h);
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    const Particle& p = fluid[i];
    double sums[3] = {0.0, 0.0, -g};
    for (long j = 0; j < n; ++j) {
      const Particle& q = fluid[j];
      double d[3], square = 0, approach = 0;
      for (int axis = 0; axis < 3; ++axis) {
        d[axis] = p.place[axis] - q.place[axis];
        square += d[axis] * d[axis];
        approach += (p.v[axis] - q.v[axis]) * d[axis];
      }
      double r = std::sqrt(square), u = r / h;
      if (i == j || u >= 2.0) continue;
      double far = 2.0 - u;
      double value = scale * (u < 1.0 ? 1.0 - 1.5 * u * u + 0.75 * u * u * u : 0.25 * far * far * far);
      double slope = scale * (u < 1.0 ? -1.0 / (h * h) * (3.0 - 2.25 * u) : -3.0 / (4.0 * h * r) * far * far);
      double size = -(p.pressure / (p.density * p.density) + q.pressure / (q.density * q.density)) * mass * slope;
      if (approach < 0.0) {
        double nu = 2.0 * alpha * h * sound / (p.density + q.density);
        size += mass * nu * approach / (square + h / 10.0 * h * h) * slope;
      }
      size += tension * value;
      for (int axis = 0; axis < 3; ++axis) sums[axis] += size * d[axis];
    }
    for (int axis = 0; axis < 3; ++axis) fluid[i].a[axis] = sums[axis];
  }
}
