/* SPDX-License-Identifier: MIT
 * What bench_driver.py runs: the fixed costs of a CUDA driver, through its C interface alone.
 *
 *   driver_costs LIBRARY launches | compile | parse KIND FILE | first
 */
#define __CUDA_API_VERSION_INTERNAL /* the functions by the names that they are exported under */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void* library;

static void* need(const char* name) {
  void* found = dlsym(library, name);
  if (found == NULL) {
    fprintf(stderr, "%s has no %s\n", "the library", name);
    exit(1);
  }
  return found;
}

#define CALL(name, ...) check(#name, ((__typeof__(&name))need(#name))(__VA_ARGS__))

static void check(const char* what, CUresult status) {
  if (status == CUDA_SUCCESS) return;
  fprintf(stderr, "%s gave %d\n", what, (int)status);
  exit(1);
}

static double read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double now(void) { return read_clock(CLOCK_MONOTONIC); }

/* The time that this process had on processors: on a busy machine the better witness. */
static double used(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

static int ascending(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

/* The least and the median time, and the median of processor time where there is one (else 0). */
static void print_times(const char* what, double* times, double* processor, int count, double unit) {
  qsort(times, (size_t)count, sizeof *times, ascending);
  if (processor != NULL) qsort(processor, (size_t)count, sizeof *processor, ascending);
  printf("%s %g %g %g\n", what, times[0] / unit, times[count / 2] / unit,
         processor != NULL ? processor[count / 2] / unit : 0);
}

/* `nothing` is as small as a kernel can be; `loops` runs on a worker, since how long is not known beforehand. */
static const char* const launches_ptx =
    ".version 7.0\n.target sm_52\n.address_size 64\n"
    ".visible .entry nothing() { ret; }\n"
    ".visible .entry loops(.param .u32 n) {\n"
    "  .reg .u32 %r<2>; .reg .pred %p;\n"
    "  ld.param.u32 %r0, [n]; mov.u32 %r1, 0;\n"
    "again: add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, %r0; @%p bra again;\n"
    "  ret;\n}\n";

static const char* const saxpy_ptx =
    ".version 8.0\n.target sm_80\n.address_size 64\n// %d\n"
    ".visible .entry saxpy(.param .u64 y, .param .u64 x, .param .f32 a, .param .u32 n) {\n"
    "  .reg .pred %%p<2>; .reg .f32 %%f<5>; .reg .b32 %%r<6>; .reg .b64 %%rd<8>;\n"
    "  ld.param.u64 %%rd1, [y]; ld.param.u64 %%rd2, [x]; ld.param.f32 %%f1, [a]; ld.param.u32 %%r2, [n];\n"
    "  mov.u32 %%r3, %%ctaid.x; mov.u32 %%r4, %%ntid.x; mov.u32 %%r5, %%tid.x;\n"
    "  mad.lo.s32 %%r1, %%r3, %%r4, %%r5; setp.ge.s32 %%p1, %%r1, %%r2; @%%p1 bra done;\n"
    "  cvta.to.global.u64 %%rd3, %%rd1; cvta.to.global.u64 %%rd4, %%rd2; mul.wide.s32 %%rd5, %%r1, 4;\n"
    "  add.s64 %%rd6, %%rd4, %%rd5; add.s64 %%rd7, %%rd3, %%rd5;\n"
    "  ld.global.f32 %%f2, [%%rd6]; ld.global.f32 %%f3, [%%rd7]; fma.rn.f32 %%f4, %%f1, %%f2, %%f3;\n"
    "  st.global.f32 [%%rd7], %%f4;\ndone: ret;\n}\n";

static CUfunction function_of(CUmodule module, const char* name) {
  CUfunction function = NULL;
  CALL(cuModuleGetFunction, &function, module, name);
  return function;
}

static void time_launches(void) {
  enum { rounds = 101, batch = 5000, singles = 2001 };
  static double times[singles];
  CUmodule module = NULL;
  CALL(cuModuleLoadData, &module, launches_ptx);
  const CUfunction nothing = function_of(module, "nothing");
  const CUfunction loops = function_of(module, "loops");
  const __typeof__(&cuLaunchKernel) launch = (__typeof__(&cuLaunchKernel))need("cuLaunchKernel");
  const __typeof__(&cuStreamQuery) query = (__typeof__(&cuStreamQuery))need("cuStreamQuery");
  CUstream stream = NULL;
  CALL(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  for (int round = 0; round < rounds; ++round) {
    const double start = now();
    for (int i = 0; i < batch; ++i) launch(nothing, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL);
    times[round] = (now() - start) / batch;
    CALL(cuStreamSynchronize, stream);
  }
  print_times("empty_launch_ns", times, NULL, rounds, 1e-9);
  unsigned n = 1;
  void* arguments[1] = {&n};
  for (int i = 0; i < singles; ++i) {
    const double start = now();
    launch(loops, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL);
    while (query(stream) == CUDA_ERROR_NOT_READY) {
    }
    times[i] = now() - start;
  }
  print_times("hand_over_us", times, NULL, singles, 1e-6);
}

static void time_compiling(void) {
  enum { rounds = 41 };
  double times[rounds], processor[rounds];
  char text[2048];
  for (int i = -1; i < rounds; ++i) { /* the first one also pays for the first use of the compiler */
    CUmodule module = NULL;
    snprintf(text, sizeof text, saxpy_ptx, i);
    const double start = now(), used_before = used();
    CALL(cuModuleLoadData, &module, text);
    if (i >= 0) {
      times[i] = now() - start;
      processor[i] = used() - used_before;
    }
    CALL(cuModuleUnload, module);
  }
  print_times("compile_saxpy_ms", times, processor, rounds, 1e-3);
}

/* A module as text: loading it (`data`: nothing but parsing and an empty kernel to compile), or linking it alone
 * (`code`: parsing and printing). */
static void time_parsing(const char* kind, const char* path) {
  enum { rounds = 21 };
  double times[rounds], processor[rounds];
  FILE* file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) exit(1);
  const size_t bytes = (size_t)ftell(file);
  char* text = calloc(bytes + 64, 1);
  rewind(file);
  if (text == NULL || fread(text, 1, bytes, file) != bytes) exit(1);
  fclose(file);
  for (int i = -1; i < rounds; ++i) {
    const int length = snprintf(text + bytes, 64, "// %d\n", i);
    CUmodule module = NULL;
    CUlinkState link = NULL;
    void* image = NULL;
    size_t image_bytes = 0;
    const double start = now(), used_before = used();
    if (strcmp(kind, "data") == 0) {
      CALL(cuModuleLoadData, &module, text);
    } else {
      CALL(cuLinkCreate_v2, 0, NULL, NULL, &link);
      CALL(cuLinkAddData_v2, link, CU_JIT_INPUT_PTX, text, bytes + (size_t)length + 1, "text", 0, NULL, NULL);
      CALL(cuLinkComplete, link, &image, &image_bytes);
    }
    if (i >= 0) {
      times[i] = now() - start;
      processor[i] = used() - used_before;
    }
    if (module != NULL) CALL(cuModuleUnload, module);
    if (link != NULL) CALL(cuLinkDestroy, link);
  }
  print_times("parse_ms", times, processor, rounds, 1e-3);
}

/* One load and launch in a fresh process. */
static void time_first(void) {
  char text[2048];
  snprintf(text, sizeof text, saxpy_ptx, -2);
  CUmodule module = NULL;
  CUdeviceptr memory = 0;
  float a = 2;
  unsigned n = 256;
  CALL(cuMemAlloc_v2, &memory, 2048);
  CUdeviceptr other = memory + 1024;
  void* arguments[4] = {&memory, &other, &a, &n};
  const double start = now(), used_before = used();
  CALL(cuModuleLoadData, &module, text);
  CALL(cuLaunchKernel, function_of(module, "saxpy"), 1, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL);
  CALL(cuCtxSynchronize);
  printf("first_ms %g %g\n", (now() - start) * 1e3, (used() - used_before) * 1e3);
}

int main(int count, char** words) {
  if (count < 3 || (library = dlopen(words[1], RTLD_NOW)) == NULL) {
    fprintf(stderr, "usage: driver_costs LIBRARY launches|compile|parse KIND FILE|first (%s)\n", dlerror());
    return 1;
  }
  CUcontext context = NULL;
  CALL(cuInit, 0);
  CALL(cuCtxCreate_v2, &context, 0, 0);
  if (strcmp(words[2], "launches") == 0) time_launches();
  if (strcmp(words[2], "compile") == 0) time_compiling();
  if (strcmp(words[2], "parse") == 0 && count == 5) time_parsing(words[3], words[4]);
  if (strcmp(words[2], "first") == 0) time_first();
  return 0;
}
