// SPDX-License-Identifier: MIT
// Plays NVRTC: it opens its builtins by name, as NVRTC does, and compiles everything to whose they
// are. Its functions have the types by which they are called (rtc/nvrtc.h): sanitizers compare.
#include <dlfcn.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <string>

namespace pycuda::rtc {
struct NvrtcProgram;
}
using pycuda::rtc::NvrtcProgram;

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = 99;
  *minor = 1;
  return 0;
}
int nvrtcGetPTXSize(NvrtcProgram*, std::size_t* bytes) {
  *bytes = sizeof "toolkit";
  return 0;
}
int nvrtcGetPTX(NvrtcProgram*, char* text) {
  void* const builtins = dlopen("libnvrtc-builtins.so.99.1", RTLD_LAZY);
  const bool own = builtins != nullptr && dlsym(builtins, "the_wheels_own") != nullptr;
  std::strcpy(text, own ? "wheel" : "toolkit");
  return 0;
}
const char* nvrtcGetErrorString(int status) { return status == 0 ? "success" : "failure"; }
int nvrtcCreateProgram(NvrtcProgram**, const char*, const char*, int, const char* const*,
                       const char* const*) {
  return 0;
}
int nvrtcDestroyProgram(NvrtcProgram**) { return 0; }
int nvrtcCompileProgram(NvrtcProgram*, int, const char* const*) { return 0; }
int nvrtcGetProgramLogSize(NvrtcProgram*, std::size_t*) { return 1; }
int nvrtcGetProgramLog(NvrtcProgram*, char*) { return 1; }
int nvrtcGetCUBINSize(NvrtcProgram*, std::size_t*) { return 1; }
int nvrtcGetCUBIN(NvrtcProgram*, char*) { return 1; }
int nvrtcInstallBundledHeaders(const char* folder, unsigned, const char** error) {
  std::ofstream header(std::string(folder) + "/cuda_fp16.h");
  header << "// of NVRTC\n";
  header.close();
  *error = "a full disk";
  return header ? 0 : 1;
}
int nvrtcGetNumSupportedArchs(int*) { return 1; }
int nvrtcGetSupportedArchs(int*) { return 1; }

}  // extern "C"
