// SPDX-License-Identifier: MIT
// texture<> and surface<> variables, which CUDA C++ had before version 12: here they hold texture and surface objects,
// which Module.get_texref and Module.get_surfref make. Included before every source that declares one.
#ifndef PYCUDA_REFERENCES_H
#define PYCUDA_REFERENCES_H

namespace pycuda_references {

/// Format (CUarray_format) and channels of a texel, and what it is as fractions of one.
template <class T>
struct texel;

#define PYCUDA_TEXEL(TYPE, FORMAT, CHANNELS, FRACTIONS) \
  template <>                                           \
  struct texel<TYPE> {                                  \
    enum { format = FORMAT, channels = CHANNELS };      \
    typedef FRACTIONS fractions;                        \
  };
#define PYCUDA_TEXELS(NAME, FORMAT)        \
  PYCUDA_TEXEL(NAME##1, FORMAT, 1, float1) \
  PYCUDA_TEXEL(NAME##2, FORMAT, 2, float2) \
  PYCUDA_TEXEL(NAME##4, FORMAT, 4, float4)

PYCUDA_TEXEL(unsigned char, 0x01, 1, float)
PYCUDA_TEXEL(unsigned short, 0x02, 1, float)
PYCUDA_TEXEL(unsigned int, 0x03, 1, float)
PYCUDA_TEXEL(char, 0x08, 1, float)
PYCUDA_TEXEL(signed char, 0x08, 1, float)
PYCUDA_TEXEL(short, 0x09, 1, float)
PYCUDA_TEXEL(int, 0x0a, 1, float)
PYCUDA_TEXEL(float, 0x20, 1, float)
PYCUDA_TEXELS(uchar, 0x01)
PYCUDA_TEXELS(ushort, 0x02)
PYCUDA_TEXELS(uint, 0x03)
PYCUDA_TEXELS(char, 0x08)
PYCUDA_TEXELS(short, 0x09)
PYCUDA_TEXELS(int, 0x0a)
PYCUDA_TEXELS(float, 0x20)

#undef PYCUDA_TEXEL
#undef PYCUDA_TEXELS

template <class T, cudaTextureReadMode mode>
struct fetched {
  typedef T type;
};
template <class T>
struct fetched<T, cudaReadModeNormalizedFloat> {
  typedef typename texel<T>::fractions type;
};

}  // namespace pycuda_references

/// src/cuda/declared_reference.h knows this layout and these marks.
template <class T, int type = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct texture {
  unsigned long long object = 0;
  unsigned long long mark = 0x5854616475637970;
  int texel_format = pycuda_references::texel<T>::format;
  int texel_channels = pycuda_references::texel<T>::channels;
  int read_mode = mode;
  int texture_type = type;
};

template <class T, int type = cudaSurfaceType1D>
struct surface {
  unsigned long long object = 0;
  unsigned long long mark = 0x4653616475637970;
  int reserved[3] = {0, 0, 0};
  int surface_type = type;
};

#define PYCUDA_LIST(...) __VA_ARGS__
#define PYCUDA_FETCH(NAME, TYPE, PARAMETERS, ARGUMENTS)                                                              \
  template <class T, cudaTextureReadMode mode>                                                                       \
  inline __device__ typename pycuda_references::fetched<T, mode>::type NAME(const texture<T, TYPE, mode>& reference, \
                                                                            PARAMETERS) {                            \
    return ::NAME<typename pycuda_references::fetched<T, mode>::type>(reference.object, ARGUMENTS);                  \
  }

PYCUDA_FETCH(tex1Dfetch, cudaTextureType1D, int x, x)
PYCUDA_FETCH(tex1D, cudaTextureType1D, float x, x)
PYCUDA_FETCH(tex2D, cudaTextureType2D, PYCUDA_LIST(float x, float y), PYCUDA_LIST(x, y))
PYCUDA_FETCH(tex3D, cudaTextureType3D, PYCUDA_LIST(float x, float y, float z), PYCUDA_LIST(x, y, z))
PYCUDA_FETCH(tex1DLayered, cudaTextureType1DLayered, PYCUDA_LIST(float x, int layer), PYCUDA_LIST(x, layer))
PYCUDA_FETCH(tex2DLayered, cudaTextureType2DLayered, PYCUDA_LIST(float x, float y, int layer),
             PYCUDA_LIST(x, y, layer))
PYCUDA_FETCH(texCubemap, cudaTextureTypeCubemap, PYCUDA_LIST(float x, float y, float z), PYCUDA_LIST(x, y, z))
PYCUDA_FETCH(texCubemapLayered, cudaTextureTypeCubemapLayered, PYCUDA_LIST(float x, float y, float z, int layer),
             PYCUDA_LIST(x, y, z, layer))
PYCUDA_FETCH(tex1DLod, cudaTextureType1D, PYCUDA_LIST(float x, float level), PYCUDA_LIST(x, level))
PYCUDA_FETCH(tex2DLod, cudaTextureType2D, PYCUDA_LIST(float x, float y, float level), PYCUDA_LIST(x, y, level))
PYCUDA_FETCH(tex3DLod, cudaTextureType3D, PYCUDA_LIST(float x, float y, float z, float level),
             PYCUDA_LIST(x, y, z, level))
PYCUDA_FETCH(tex2DGrad, cudaTextureType2D, PYCUDA_LIST(float x, float y, float2 dx, float2 dy),
             PYCUDA_LIST(x, y, dx, dy))

#define PYCUDA_SURFACE(NAME, TYPE, PARAMETERS, ARGUMENTS)                                                    \
  template <class T, class S>                                                                                \
  inline __device__ T NAME##read(const surface<S, TYPE>& reference, PARAMETERS,                              \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                      \
    return ::NAME##read<T>(reference.object, ARGUMENTS, mode);                                               \
  }                                                                                                          \
  template <class T, class S>                                                                                \
  inline __device__ void NAME##read(T* value, const surface<S, TYPE>& reference, PARAMETERS,                 \
                                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                   \
    ::NAME##read(value, reference.object, ARGUMENTS, mode);                                                  \
  }                                                                                                          \
  template <class T, class S>                                                                                \
  inline __device__ void NAME##write(T value, const surface<S, TYPE>& reference, PARAMETERS,                 \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                  \
    ::NAME##write(value, reference.object, ARGUMENTS, mode);                                                 \
  }

PYCUDA_SURFACE(surf1D, cudaSurfaceType1D, int x, x)
PYCUDA_SURFACE(surf2D, cudaSurfaceType2D, PYCUDA_LIST(int x, int y), PYCUDA_LIST(x, y))
PYCUDA_SURFACE(surf3D, cudaSurfaceType3D, PYCUDA_LIST(int x, int y, int z), PYCUDA_LIST(x, y, z))
PYCUDA_SURFACE(surf1DLayered, cudaSurfaceType1DLayered, PYCUDA_LIST(int x, int layer), PYCUDA_LIST(x, layer))
PYCUDA_SURFACE(surf2DLayered, cudaSurfaceType2DLayered, PYCUDA_LIST(int x, int y, int layer),
               PYCUDA_LIST(x, y, layer))

#undef PYCUDA_FETCH
#undef PYCUDA_SURFACE
#undef PYCUDA_LIST

#endif
