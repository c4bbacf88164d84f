// SPDX-License-Identifier: MIT
// What every program of this folder uses: a call that must succeed, a value that must be right.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CALL(call)                                                                          \
  do {                                                                                      \
    const cudaError_t status_ = (call);                                                     \
    if (status_ != cudaSuccess) {                                                           \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(status_)); \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::printf("%s:%d: %s is false\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (0)
