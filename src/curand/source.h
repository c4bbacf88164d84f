// SPDX-License-Identifier: MIT
// A generator's state: what its calls take their numbers from, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "curand/statuses.h"

namespace pycuda::curand {

/// Fills arrays. Calls of one source must not run at the same time.
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;
  virtual void words(std::uint32_t* out, std::size_t n) = 0;
  virtual void words(std::uint64_t* out, std::size_t n) = 0;
  virtual void uniforms(float* out, std::size_t n) = 0;
  virtual void uniforms(double* out, std::size_t n) = 0;
  virtual void normals(float* out, std::size_t n) = 0;
  virtual void normals(double* out, std::size_t n) = 0;
};

std::unique_ptr<Source> pseudo_source(Kind kind, std::uint64_t seed, std::uint64_t offset,
                                      bool is_legacy);
/// Needs NVIDIA's library: throws a Refusal without it.
std::unique_ptr<Source> mtgp32_source(std::uint64_t seed);
std::unique_ptr<Source> quasi_source(Kind kind, unsigned dimensions, std::uint64_t offset);

inline bool is_quasi(Kind kind) { return kind >= kSobol32; }
inline bool is_wide(Kind kind) { return kind == kSobol64 || kind == kScrambledSobol64; }

}  // namespace pycuda::curand
