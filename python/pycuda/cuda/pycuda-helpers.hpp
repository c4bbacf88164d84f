// SPDX-License-Identifier: MIT
// Textures and surfaces of doubles and complex numbers, which are stored as integers in them.
#ifndef PYCUDA_HELPERS_HPP
#define PYCUDA_HELPERS_HPP

#include "pycuda-complex.hpp"

extern "C++" {

typedef float fp_tex_float;
typedef int2 fp_tex_double;
typedef uint2 fp_tex_cfloat;
typedef int4 fp_tex_cdouble;

/// How a texture or surface stores a T: the `type` it reads and writes, and the way to and fro.
/// Specialised below; PYCUDA_GENERATE_FP_TEX_FUNCS does it for a type that is stored as it is.
template <class T>
struct fp_tex_storage;

#define PYCUDA_GENERATE_FP_TEX_FUNCS(TYPE)                        \
  template <>                                                     \
  struct fp_tex_storage<TYPE> {                                   \
    typedef TYPE type;                                            \
    __device__ static TYPE unpack(TYPE stored) { return stored; } \
    __device__ static TYPE pack(TYPE value) { return value; }     \
  };

PYCUDA_GENERATE_FP_TEX_FUNCS(float)
PYCUDA_GENERATE_FP_TEX_FUNCS(int)
PYCUDA_GENERATE_FP_TEX_FUNCS(unsigned int)
PYCUDA_GENERATE_FP_TEX_FUNCS(short int)
PYCUDA_GENERATE_FP_TEX_FUNCS(unsigned short int)
PYCUDA_GENERATE_FP_TEX_FUNCS(char)
PYCUDA_GENERATE_FP_TEX_FUNCS(signed char)
PYCUDA_GENERATE_FP_TEX_FUNCS(unsigned char)

template <>
struct fp_tex_storage<double> {
  typedef fp_tex_double type;
  __device__ static double unpack(type stored) { return __hiloint2double(stored.y, stored.x); }
  __device__ static type pack(double value) {
    return make_int2(__double2loint(value), __double2hiint(value));
  }
};

template <>
struct fp_tex_storage<pycuda::complex<float> > {
  typedef fp_tex_cfloat type;
  __device__ static pycuda::complex<float> unpack(type stored) {
    return pycuda::complex<float>(__uint_as_float(stored.x), __uint_as_float(stored.y));
  }
  __device__ static type pack(const pycuda::complex<float>& value) {
    return make_uint2(__float_as_uint(value._M_re), __float_as_uint(value._M_im));
  }
};

template <>
struct fp_tex_storage<pycuda::complex<double> > {
  typedef fp_tex_cdouble type;
  __device__ static pycuda::complex<double> unpack(type stored) {
    return pycuda::complex<double>(__hiloint2double(stored.y, stored.x),
                                   __hiloint2double(stored.w, stored.z));
  }
  __device__ static type pack(const pycuda::complex<double>& value) {
    return make_int4(__double2loint(value._M_re), __double2hiint(value._M_re),
                     __double2loint(value._M_im), __double2hiint(value._M_im));
  }
};

/// Reads of texture objects, as fp_tex1Dfetch<double>(texture, i).
template <class T>
__device__ T fp_tex1Dfetch(cudaTextureObject_t texture, int i) {
  return fp_tex_storage<T>::unpack(tex1Dfetch<typename fp_tex_storage<T>::type>(texture, i));
}
template <class T>
__device__ T fp_tex2D(cudaTextureObject_t texture, float i, float j) {
  return fp_tex_storage<T>::unpack(tex2D<typename fp_tex_storage<T>::type>(texture, i, j));
}
template <class T>
__device__ T fp_tex2DLayered(cudaTextureObject_t texture, float i, float j, int layer) {
  return fp_tex_storage<T>::unpack(
      tex2DLayered<typename fp_tex_storage<T>::type>(texture, i, j, layer));
}
template <class T>
__device__ T fp_tex3D(cudaTextureObject_t texture, float i, float j, float k) {
  return fp_tex_storage<T>::unpack(tex3D<typename fp_tex_storage<T>::type>(texture, i, j, k));
}

/// Reads and writes of surface objects; `i` counts elements, not bytes.
template <class T>
__device__ void fp_surf2DLayeredwrite(T value, cudaSurfaceObject_t surface, int i, int j, int layer,
                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  surf2DLayeredwrite(fp_tex_storage<T>::pack(value), surface, i * static_cast<int>(sizeof(T)), j,
                     layer, mode);
}
template <class T>
__device__ void fp_surf2DLayeredread(T* value, cudaSurfaceObject_t surface, int i, int j, int layer,
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  typename fp_tex_storage<T>::type stored;
  surf2DLayeredread(&stored, surface, i * static_cast<int>(sizeof(T)), j, layer, mode);
  *value = fp_tex_storage<T>::unpack(stored);
}
template <class T>
__device__ void fp_surf3Dwrite(T value, cudaSurfaceObject_t surface, int i, int j, int k,
                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  surf3Dwrite(fp_tex_storage<T>::pack(value), surface, i * static_cast<int>(sizeof(T)), j, k, mode);
}
template <class T>
__device__ void fp_surf3Dread(T* value, cudaSurfaceObject_t surface, int i, int j, int k,
                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  typename fp_tex_storage<T>::type stored;
  surf3Dread(&stored, surface, i * static_cast<int>(sizeof(T)), j, k, mode);
  *value = fp_tex_storage<T>::unpack(stored);
}

#ifdef PYCUDA_REFERENCES_H

/// What a texture reference of T stands for.
template <class T>
struct fp_tex_element {
  typedef T type;
};
template <>
struct fp_tex_element<fp_tex_double> {
  typedef double type;
};
template <>
struct fp_tex_element<fp_tex_cfloat> {
  typedef pycuda::complex<float> type;
};
template <>
struct fp_tex_element<fp_tex_cdouble> {
  typedef pycuda::complex<double> type;
};

/// The same of texture and surface references, whose declaration tells the type.
template <class T, cudaTextureReadMode mode>
__device__ typename fp_tex_element<T>::type fp_tex1Dfetch(
    const texture<T, cudaTextureType1D, mode>& reference, int i) {
  return fp_tex1Dfetch<typename fp_tex_element<T>::type>(reference.object, i);
}
template <class T, cudaTextureReadMode mode>
__device__ typename fp_tex_element<T>::type fp_tex2D(
    const texture<T, cudaTextureType2D, mode>& reference, float i, float j) {
  return fp_tex2D<typename fp_tex_element<T>::type>(reference.object, i, j);
}
template <class T, cudaTextureReadMode mode>
__device__ typename fp_tex_element<T>::type fp_tex2DLayered(
    const texture<T, cudaTextureType2DLayered, mode>& reference, float i, float j, int layer) {
  return fp_tex2DLayered<typename fp_tex_element<T>::type>(reference.object, i, j, layer);
}
template <class T, cudaTextureReadMode mode>
__device__ typename fp_tex_element<T>::type fp_tex3D(
    const texture<T, cudaTextureType3D, mode>& reference, float i, float j, float k) {
  return fp_tex3D<typename fp_tex_element<T>::type>(reference.object, i, j, k);
}
template <class T, class S>
__device__ void fp_surf2DLayeredwrite(T value,
                                      const surface<S, cudaSurfaceType2DLayered>& reference, int i,
                                      int j, int layer,
                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  fp_surf2DLayeredwrite(value, reference.object, i, j, layer, mode);
}
template <class T, class S>
__device__ void fp_surf2DLayeredread(T* value,
                                     const surface<S, cudaSurfaceType2DLayered>& reference, int i,
                                     int j, int layer,
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  fp_surf2DLayeredread(value, reference.object, i, j, layer, mode);
}
template <class T, class S>
__device__ void fp_surf3Dwrite(T value, const surface<S, cudaSurfaceType3D>& reference, int i,
                               int j, int k, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  fp_surf3Dwrite(value, reference.object, i, j, k, mode);
}
template <class T, class S>
__device__ void fp_surf3Dread(T* value, const surface<S, cudaSurfaceType3D>& reference, int i,
                              int j, int k, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  fp_surf3Dread(value, reference.object, i, j, k, mode);
}

#endif  // PYCUDA_REFERENCES_H

}  // extern "C++"

#endif
