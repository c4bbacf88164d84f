// SPDX-License-Identifier: MIT
// Arrays of numbers.
#include <cmath>
#include <utility>

#include "curand/conversions.h"
#include "curand/generator.h"
#include "curand/poisson.h"
#include "hostwork/stream_work.h"

namespace pycuda::curand {
namespace {

/// Runs `fill(source)` in the order of the generator's stream, or at once for memory of the host.
template <class T, class Fill>
Status run(Generator& generator, T* out, std::size_t n, Fill fill) {
  if (n == 0) return kSuccess;
  require(out != nullptr, kOutOfRange, "there is no memory");
  require(!is_quasi(generator.kind) || n % generator.dimensions == 0, kLengthNotMultiple,
          "the number is no multiple of the dimensions");
  auto work = [state = generator.state, fill = std::move(fill)] {
    const std::lock_guard lock(state->mutex);
    if (state->source == nullptr) state->source = state->make();
    fill(*state->source);
  };
  if (generator.is_host) {
    work();
    return kSuccess;
  }
  require(hostwork::is_device_memory(out, n * sizeof(T)), kLaunchFailure,
          "the numbers' place does not lie in the device's memory");
  const bool is_taken = hostwork::enqueue(generator.stream, generator.failed, std::move(work));
  return is_taken ? kSuccess : kLaunchFailure;
}

/// Pairs of normal numbers are made at once.
void require_pairs(const Generator& generator, std::size_t n) {
  const bool has_pairs = !is_quasi(generator.kind) && generator.kind != kPhilox;
  require(!has_pairs || n % 2 == 0, kLengthNotMultiple, "the number is odd");
}

template <class T>
Status give_uniforms(Generator& generator, T* out, std::size_t n) {
  return run(generator, out, n, [out, n](Source& source) { source.uniforms(out, n); });
}

template <class T>
Status give_normals(Generator& generator, T* out, std::size_t n, T mean, T deviation, bool is_log) {
  require_pairs(generator, n);
  return run(generator, out, n, [=](Source& source) {
    source.normals(out, n);
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = mean + deviation * out[i];
      if (is_log) out[i] = std::exp(out[i]);
    }
  });
}

Status give_poisson(Generator& generator, std::uint32_t* out, std::size_t n, double mean) {
  require(mean > 0 && mean <= kLargestMean, kOutOfRange, "the mean is not in (0, 400000]");
  const bool is_wide_kind = is_wide(generator.kind);
  return run(generator, out, n, [=](Source& source) {
    const Poisson distribution(mean);
    if (is_wide_kind) {
      std::vector<double> uniforms(n);
      source.uniforms(uniforms.data(), n);
      for (std::size_t i = 0; i < n; ++i) out[i] = distribution.at(uniforms[i]);
      return;
    }
    source.words(out, n);
    for (std::size_t i = 0; i < n; ++i) out[i] = distribution.at((out[i] + 0.5) * kInverse32Double);
  });
}

}  // namespace

extern "C" {

Status curandGenerate(Generator* generator, std::uint32_t* out, std::size_t n) {
  return with_generator("curandGenerate", generator, [&] {
    require(!is_wide(generator->kind), kTypeError, "this generator gives numbers of 64 bits");
    return run(*generator, out, n, [=](Source& source) { source.words(out, n); });
  });
}
Status curandGenerateLongLong(Generator* generator, std::uint64_t* out, std::size_t n) {
  return with_generator("curandGenerateLongLong", generator, [&] {
    require(is_wide(generator->kind), kTypeError, "this generator gives numbers of 32 bits");
    return run(*generator, out, n, [=](Source& source) { source.words(out, n); });
  });
}
Status curandGenerateUniform(Generator* generator, float* out, std::size_t n) {
  return with_generator("curandGenerateUniform", generator,
                        [&] { return give_uniforms(*generator, out, n); });
}
Status curandGenerateUniformDouble(Generator* generator, double* out, std::size_t n) {
  return with_generator("curandGenerateUniformDouble", generator,
                        [&] { return give_uniforms(*generator, out, n); });
}
Status curandGenerateNormal(Generator* generator, float* out, std::size_t n, float mean,
                            float deviation) {
  return with_generator("curandGenerateNormal", generator,
                        [&] { return give_normals(*generator, out, n, mean, deviation, false); });
}
Status curandGenerateNormalDouble(Generator* generator, double* out, std::size_t n, double mean,
                                  double deviation) {
  return with_generator("curandGenerateNormalDouble", generator,
                        [&] { return give_normals(*generator, out, n, mean, deviation, false); });
}
Status curandGenerateLogNormal(Generator* generator, float* out, std::size_t n, float mean,
                               float deviation) {
  return with_generator("curandGenerateLogNormal", generator,
                        [&] { return give_normals(*generator, out, n, mean, deviation, true); });
}
Status curandGenerateLogNormalDouble(Generator* generator, double* out, std::size_t n, double mean,
                                     double deviation) {
  return with_generator("curandGenerateLogNormalDouble", generator,
                        [&] { return give_normals(*generator, out, n, mean, deviation, true); });
}
Status curandGeneratePoisson(Generator* generator, std::uint32_t* out, std::size_t n, double mean) {
  return with_generator("curandGeneratePoisson", generator,
                        [&] { return give_poisson(*generator, out, n, mean); });
}
Status curandGeneratePoissonMethod(Generator* generator, std::uint32_t* out, std::size_t n,
                                   double mean, int) {
  return curandGeneratePoisson(generator, out, n, mean);
}

}  // extern "C"

}  // namespace pycuda::curand
