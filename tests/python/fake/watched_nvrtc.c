// SPDX-License-Identifier: MIT
// Linked with an NVRTC: prints the options of each compilation, which that NVRTC then does.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int nvrtcCompileProgram(void *program, int count, const char *const *options) {
  int (*compile)(void *, int, const char *const *);
  *(void **)&compile = dlsym(RTLD_NEXT, "nvrtcCompileProgram");
  for (int i = 0; i < count; ++i) fprintf(stderr, "option %s\n", options[i]);
  return compile(program, count, options);
}
