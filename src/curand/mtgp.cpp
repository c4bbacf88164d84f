// SPDX-License-Identifier: MIT
// MTGP32: 200 Mersenne twisters whose parameters only NVIDIA's library has. Its generator on the
// host makes the numbers.
#include "curand/generator.h"
#include "curand/nvidia_library.h"

namespace pycuda::curand {
namespace {

class Mtgp32 : public Source {
 public:
  explicit Mtgp32(std::uint64_t seed) {
    require(nvidia_library() != nullptr, kInitializationFailed, "NVIDIA's libcurand is missing");
    call<void**, int>("curandCreateGeneratorHost", &theirs_, kMtgp32);
    try {
      call("curandSetPseudoRandomGeneratorSeed", theirs_, static_cast<unsigned long long>(seed));
    } catch (...) {
      close();
      throw;
    }
  }
  ~Mtgp32() override { close(); }
  void words(std::uint32_t* out, std::size_t n) override {
    call("curandGenerate", theirs_, out, n);
  }
  void words(std::uint64_t*, std::size_t) override {}  // refused before
  void uniforms(float* out, std::size_t n) override {
    call("curandGenerateUniform", theirs_, out, n);
  }
  void uniforms(double* out, std::size_t n) override {
    call("curandGenerateUniformDouble", theirs_, out, n);
  }
  void normals(float* out, std::size_t n) override {
    call("curandGenerateNormal", theirs_, out, n, 0.0F, 1.0F);
  }
  void normals(double* out, std::size_t n) override {
    call("curandGenerateNormalDouble", theirs_, out, n, 0.0, 1.0);
  }

 private:
  template <class... Arguments>
  static void call(const char* name, Arguments... arguments) {
    auto* const function = nvidia_library()->function<int(Arguments...)>(name);
    require(function != nullptr, kInitializationFailed, name);
    const int status = function(arguments...);
    require(status == kSuccess, static_cast<Status>(status), name);
  }
  void close() noexcept {
    auto* const destroy = nvidia_library()->function<int(void*)>("curandDestroyGenerator");
    if (destroy != nullptr) static_cast<void>(destroy(theirs_));
  }

  void* theirs_ = nullptr;
};

}  // namespace

std::unique_ptr<Source> mtgp32_source(std::uint64_t seed) { return std::make_unique<Mtgp32>(seed); }

}  // namespace pycuda::curand
