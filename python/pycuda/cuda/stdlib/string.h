// SPDX-License-Identifier: MIT
// <string.h> for device code: the compiler has memcpy and memset; what it lacks is here, for small texts.
#pragma once
#include <stddef.h>

extern "C++" {
inline __device__ size_t strlen(const char* text) {
  size_t length = 0;
  while (text[length] != '\0') ++length;
  return length;
}
inline __device__ int strcmp(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return static_cast<unsigned char>(*a) - static_cast<unsigned char>(*b);
}
inline __device__ int strncmp(const char* a, const char* b, size_t count) {
  for (; count != 0; --count, ++a, ++b) {
    if (*a != *b || *a == '\0') return static_cast<unsigned char>(*a) - static_cast<unsigned char>(*b);
  }
  return 0;
}
inline __device__ char* strcpy(char* to, const char* from) {
  char* const begin = to;
  while ((*to++ = *from++) != '\0') {
  }
  return begin;
}
inline __device__ int memcmp(const void* a, const void* b, size_t bytes) {
  const unsigned char* x = static_cast<const unsigned char*>(a);
  const unsigned char* y = static_cast<const unsigned char*>(b);
  for (; bytes != 0; --bytes, ++x, ++y) {
    if (*x != *y) return *x - *y;
  }
  return 0;
}
inline __device__ void* memmove(void* to, const void* from, size_t bytes) {
  unsigned char* out = static_cast<unsigned char*>(to);
  const unsigned char* in = static_cast<const unsigned char*>(from);
  if (out < in) {
    for (size_t i = 0; i < bytes; ++i) out[i] = in[i];
  } else {
    for (size_t i = bytes; i != 0; --i) out[i - 1] = in[i - 1];
  }
  return to;
}
}
