// SPDX-License-Identifier: MIT
// The pseudo-random generators as cuRAND's library runs them: threads with a subsequence each,
// which take turns. Every turn gives a group of numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pycuda::curand {

/// XORWOW: 4096 subsequences, 2^67 numbers apart.
class Xorwow {
 public:
  static constexpr std::size_t kGroup = 1;
  static constexpr bool kPairsOfNormals = true;
  Xorwow(std::uint64_t seed, std::uint64_t offset, bool is_legacy);
  std::size_t threads() const { return states_.size(); }
  std::size_t first_thread() const { return first_; }
  std::uint32_t word(std::size_t thread);
  void words(std::size_t thread, std::uint32_t* out) { *out = word(thread); }
  void uniforms(std::size_t thread, float* out);
  void uniforms(std::size_t thread, double* out);
  void normals(std::size_t thread, float* out);
  void normals(std::size_t thread, double* out);

 private:
  struct State {
    std::uint32_t d;
    std::array<std::uint32_t, 5> v;
  };
  std::vector<State> states_;
  std::size_t first_ = 0;
};

/// MRG32k3a: 81920 subsequences, 4096 in the legacy order, 2^76 numbers apart.
class Mrg {
 public:
  static constexpr std::size_t kGroup = 1;
  static constexpr bool kPairsOfNormals = true;
  Mrg(std::uint64_t seed, std::uint64_t offset, bool is_legacy);
  std::size_t threads() const { return states_.size(); }
  std::size_t first_thread() const { return first_; }
  void words(std::size_t thread, std::uint32_t* out);
  void uniforms(std::size_t thread, float* out);
  void uniforms(std::size_t thread, double* out);
  void normals(std::size_t thread, float* out);
  void normals(std::size_t thread, double* out);

 private:
  struct State {
    std::array<std::uint32_t, 3> s1, s2;
  };
  double next(std::size_t thread);
  std::vector<State> states_;
  std::size_t first_ = 0;
};

/// Philox 4x32-10: 65536 subsequences, of which each turn takes four numbers.
class Philox {
 public:
  static constexpr std::size_t kGroup = 4;
  static constexpr bool kPairsOfNormals = false;
  Philox(std::uint64_t seed, std::uint64_t offset, bool is_legacy);
  std::size_t threads() const { return counters_.size(); }
  std::size_t first_thread() const { return first_; }
  void words(std::size_t thread, std::uint32_t* out);
  void uniforms(std::size_t thread, float* out);
  void uniforms(std::size_t thread, double* out);
  void normals(std::size_t thread, float* out);
  void normals(std::size_t thread, double* out);

 private:
  std::uint64_t seed_;
  std::vector<std::uint64_t> counters_;
  std::size_t first_ = 0;
};

/// MT19937, as one sequence.
class Mt19937 {
 public:
  static constexpr std::size_t kGroup = 1;
  static constexpr bool kPairsOfNormals = true;
  Mt19937(std::uint64_t seed, std::uint64_t offset, bool is_legacy);
  std::size_t threads() const { return 1; }
  std::size_t first_thread() const { return 0; }
  void words(std::size_t thread, std::uint32_t* out);
  void uniforms(std::size_t thread, float* out);
  void uniforms(std::size_t thread, double* out);
  void normals(std::size_t thread, float* out);
  void normals(std::size_t thread, double* out);

 private:
  std::uint32_t word();
  std::array<std::uint32_t, 624> state_;
  std::size_t next_ = 624;
};

}  // namespace pycuda::curand
