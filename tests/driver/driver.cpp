// SPDX-License-Identifier: MIT
// Opening the library under test, and what tests share.
#include "driver/driver.h"

#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace driver_test {
namespace {

std::string& path() {
  static std::string text = [] {
    const char* given = std::getenv("PYCUDA_TEST_DRIVER");
    return std::string(given != nullptr ? given : "libcuda.so.1");
  }();
  return text;
}

void* library() {
  static void* handle = [] {
    void* opened = dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) throw std::runtime_error(dlerror());
    return opened;
  }();
  return handle;
}

void require(CUresult status, const char* what) {
  if (status != CUDA_SUCCESS)
    throw std::runtime_error(std::string(what) + " gave " + std::to_string(status));
}

}  // namespace

const std::string& library_path() { return path(); }
void set_library_path(std::string text) { path() = std::move(text); }

bool has_symbol(const char* name) { return dlsym(library(), name) != nullptr; }

void* symbol(const char* name) {
  void* found = dlsym(library(), name);
  if (found == nullptr) throw std::runtime_error(std::string("no symbol ") + name);
  return found;
}

bool is_cpu_driver() { return has_symbol("cuCpuGetLastFault"); }

void initialise() {
  static const CUresult status = CU(cuInit)(0);
  require(status, "cuInit");
}

const std::string& device_runtime() {
  static const std::string content = [] {
    const char* file = std::getenv("PYCUDA_TEST_CUDADEVRT");
    if (file == nullptr) return std::string(is_cpu_driver() ? "!<arch>\n" : "");
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw std::runtime_error(std::string("PYCUDA_TEST_CUDADEVRT: no file ") + file);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  }();
  return content;
}

CUmodule load_with_device_runtime(std::string ptx) {
  CUlinkState state = nullptr;
  require(CU(cuLinkCreate_v2)(0, nullptr, nullptr, &state), "cuLinkCreate");
  std::string library = device_runtime();
  require(CU(cuLinkAddData_v2)(state, CU_JIT_INPUT_PTX, ptx.data(), ptx.size(), "test.ptx", 0,
                               nullptr, nullptr),
          "cuLinkAddData of the PTX");
  require(CU(cuLinkAddData_v2)(state, CU_JIT_INPUT_LIBRARY, library.data(), library.size(),
                               "libcudadevrt.a", 0, nullptr, nullptr),
          "cuLinkAddData of the library");
  void* image = nullptr;
  std::size_t bytes = 0;
  require(CU(cuLinkComplete)(state, &image, &bytes), "cuLinkComplete");
  CUmodule module = nullptr;
  require(CU(cuModuleLoadData)(&module, image), "cuModuleLoadData");
  require(CU(cuLinkDestroy)(state), "cuLinkDestroy");
  return module;
}

CurrentContext::CurrentContext(unsigned flags) {
  initialise();
  require(CU(cuCtxCreate_v2)(&handle_, flags, 0), "cuCtxCreate");
}

CurrentContext::~CurrentContext() { CU(cuCtxDestroy_v2)(handle_); }

LoadedModule::LoadedModule(const char* ptx) {
  require(CU(cuModuleLoadData)(&handle_, ptx), "cuModuleLoadData");
}

LoadedModule::~LoadedModule() { CU(cuModuleUnload)(handle_); }

CUfunction LoadedModule::function(const char* name) const {
  CUfunction found = nullptr;
  require(CU(cuModuleGetFunction)(&found, handle_, name), name);
  return found;
}

DeviceBlock::DeviceBlock(std::size_t bytes) {
  require(CU(cuMemAlloc_v2)(&address_, bytes), "cuMemAlloc");
}

DeviceBlock::~DeviceBlock() { CU(cuMemFree_v2)(address_); }

std::string run_scenario(const std::string& name) {
  std::array<char, 4096> self{};
  FILE* link = std::fopen("/proc/self/cmdline", "r");
  const std::size_t length =
      link != nullptr ? std::fread(self.data(), 1, self.size() - 1, link) : 0;
  if (link != nullptr) std::fclose(link);
  if (length == 0) throw std::runtime_error("own name unknown");
  // Scenarios end without giving back what they hold; LeakSanitizer would count it.
  const std::string command = "ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 '" +
                              std::string(self.data()) + "' --library '" + path() +
                              "' --scenario " + name + " 2>/dev/null";
  FILE* child = popen(command.c_str(), "r");
  if (child == nullptr) throw std::runtime_error("cannot start " + command);
  std::string output;
  std::array<char, 512> piece{};
  for (std::size_t got = 0; (got = std::fread(piece.data(), 1, piece.size(), child)) != 0;) {
    output.append(piece.data(), got);
  }
  const int status = pclose(child);
  if (status != 0) output += "exit status " + std::to_string(status) + "\n";
  return output;
}

}  // namespace driver_test
