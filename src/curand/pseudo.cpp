// SPDX-License-Identifier: MIT
// The order of numbers: threads take turns, and a turn that an array cuts short goes on in the
// next.
#include <algorithm>
#include <vector>

#include "curand/engines.h"
#include "curand/source.h"

namespace pycuda::curand {
namespace {

template <class Engine>
class Turns : public Source {
 public:
  Turns(std::uint64_t seed, std::uint64_t offset, bool is_legacy)
      : engine_(seed, offset, is_legacy), thread_(engine_.first_thread()) {
    // An offset within a turn.
    std::vector<std::uint32_t> skipped(offset % Engine::kGroup);
    if (!skipped.empty()) words(skipped.data(), skipped.size());
  }
  void words(std::uint32_t* out, std::size_t n) override {
    fill<Engine::kGroup>(out, n, kWords, [&](auto* to) { engine_.words(thread_, to); });
  }
  void words(std::uint64_t*, std::size_t) override {}  // refused before
  void uniforms(float* out, std::size_t n) override { fill_uniforms(out, n, kUniforms); }
  void uniforms(double* out, std::size_t n) override { fill_uniforms(out, n, kUniforms + 1); }
  void normals(float* out, std::size_t n) override { fill_normals(out, n, kNormals); }
  void normals(double* out, std::size_t n) override { fill_normals(out, n, kNormals + 1); }

 private:
  enum { kNone, kWords, kUniforms, kNormals = 4 };

  template <class T>
  void fill_uniforms(T* out, std::size_t n, int kind) {
    fill<Engine::kGroup>(out, n, kind, [&](T* to) { engine_.uniforms(thread_, to); });
  }
  template <class T>
  void fill_normals(T* out, std::size_t n, int kind) {
    constexpr std::size_t group = Engine::kPairsOfNormals ? 2 : Engine::kGroup;
    fill<group>(out, n, kind, [&](T* to) { engine_.normals(thread_, to); });
  }

  template <std::size_t Group, class T, class Make>
  void fill(T* out, std::size_t n, int kind, const Make& make) {
    while (n != 0) {
      if (kind_ != kind || used_ == Group) {
        make(room<T>());
        thread_ = (thread_ + 1) % engine_.threads();
        kind_ = kind;
        used_ = 0;
      }
      const std::size_t count = std::min(n, Group - used_);
      out = std::copy_n(room<T>() + used_, count, out);
      used_ += count;
      n -= count;
    }
  }
  template <class T>
  T* room() {
    static_assert(sizeof(T) <= sizeof(double));
    return reinterpret_cast<T*>(room_);
  }

  Engine engine_;
  std::size_t thread_;
  int kind_ = kNone;      ///< of the turn that has begun
  std::size_t used_ = 0;  ///< numbers of it
  alignas(double) std::byte room_[4 * sizeof(double)] = {};
};

}  // namespace

std::unique_ptr<Source> pseudo_source(Kind kind, std::uint64_t seed, std::uint64_t offset,
                                      bool is_legacy) {
  switch (kind) {
    case kMrg32k3a:
      return std::make_unique<Turns<Mrg>>(seed, offset, is_legacy);
    case kPhilox:
      return std::make_unique<Turns<Philox>>(seed, offset, is_legacy);
    case kMtgp32:
      return mtgp32_source(seed);
    case kMt19937:
      return std::make_unique<Turns<Mt19937>>(seed, offset, is_legacy);
    default:
      return std::make_unique<Turns<Xorwow>>(seed, offset, is_legacy);
  }
}

}  // namespace pycuda::curand
