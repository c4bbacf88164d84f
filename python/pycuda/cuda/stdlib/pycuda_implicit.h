// SPDX-License-Identifier: MIT
// What nvcc's sources know without any #include, because nvcc includes host headers by itself: included before every
// source. Names that nvcc leaves free (uint32_t, FLT_MAX, strcmp ...) must stay free.
#pragma once
#include <cmath>
#include <limits.h>
#include <stdlib.h>
#include <time.h>
// Never defined: the name of an instance tells the types of a kernel's parameters (src/rtc/name_expressions.cpp).
template <class pycuda_function>
__global__ void pycuda_type_of();
