// SPDX-License-Identifier: MIT
// Plays NVRTC: it opens its builtins by name, as NVRTC does, and compiles everything to whose they are.
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

int nvrtcVersion(int* major, int* minor) {
  *major = 99;
  *minor = 1;
  return 0;
}
int nvrtcGetPTXSize(void* program, size_t* bytes) {
  (void)program;
  *bytes = sizeof "toolkit";
  return 0;
}
int nvrtcGetPTX(void* program, char* text) {
  (void)program;
  void* builtins = dlopen("libnvrtc-builtins.so.99.1", RTLD_LAZY);
  const int own = builtins != NULL && dlsym(builtins, "the_wheels_own") != NULL;
  strcpy(text, own ? "wheel" : "toolkit");
  return 0;
}
const char* nvrtcGetErrorString(int status) { return status == 0 ? "success" : "failure"; }
int nvrtcCreateProgram(void) { return 0; }
int nvrtcDestroyProgram(void) { return 0; }
int nvrtcCompileProgram(void) { return 0; }
int nvrtcGetProgramLogSize(void) { return 1; }
int nvrtcGetProgramLog(void) { return 1; }
int nvrtcGetCUBINSize(void) { return 1; }
int nvrtcGetCUBIN(void) { return 1; }
int nvrtcGetNumSupportedArchs(void) { return 1; }
int nvrtcGetSupportedArchs(void) { return 1; }
