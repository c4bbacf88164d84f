// SPDX-License-Identifier: MIT
// What nvcc's sources know without any #include, because nvcc includes host headers by itself: included before every
// source. Names that nvcc leaves free (uint32_t, FLT_MAX, strcmp ...) must stay free.
#pragma once
#include <cmath>
#include <limits.h>
#include <stdlib.h>
#include <time.h>
// CUDA warns of deprecated types where the program uses them, not here too.
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1444
// Never defined: the name of an instance tells the types of a kernel's parameters (src/rtc/name_expressions.cpp), as
// they are and with the numbers that stand for enumerations.
template <class pycuda_type, bool = __is_enum(pycuda_type)>
struct pycuda_number {
  typedef pycuda_type type;
};
template <class pycuda_type>
struct pycuda_number<pycuda_type, true> {
  typedef __underlying_type(pycuda_type) type;
};
template <class pycuda_type, decltype(sizeof(0)) pycuda_size>
struct pycuda_number<pycuda_type[pycuda_size], false> {
  typedef typename pycuda_number<pycuda_type>::type type[pycuda_size];
};
template <class pycuda_type>
struct pycuda_parameter {
  typedef typename pycuda_number<pycuda_type>::type type;
};
template <class pycuda_type>
struct pycuda_parameter<pycuda_type *> {
  typedef typename pycuda_number<pycuda_type>::type *type;
};
template <class pycuda_type>
struct pycuda_parameter<pycuda_type &> {
  typedef typename pycuda_number<pycuda_type>::type &type;
};
template <class pycuda_function>
struct pycuda_numbers {
  typedef pycuda_function type;
};
template <class... pycuda_types>
struct pycuda_numbers<void(pycuda_types...)> {
  typedef void type(typename pycuda_parameter<pycuda_types>::type...);
};
template <class pycuda_function, class = typename pycuda_numbers<pycuda_function>::type>
__global__ void pycuda_type_of();
#pragma nv_diagnostic pop
