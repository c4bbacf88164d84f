// SPDX-License-Identifier: MIT
// The benchmark's kernels are one text for CUDA and OpenCL; this is what differs.
// Indexes are size_t in OpenCL: with int, Intel's compiler cannot tell that neighbours are neighbours.
#ifdef __OPENCL_VERSION__
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define KERNEL __kernel void
#define DEVICE static
#define GLOBAL __global
#define SHARED __local
#define INDEX size_t
#define TID(d) get_local_id(d)
#define BLOCK(d) get_group_id(d)
#define ID(d) get_global_id(d)
#define ALL_THREADS(d) get_global_size(d)
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define ADD_SHARED(p, v) atomic_add((volatile __local int*)(p), v)
#define ADD_GLOBAL(p, v) atomic_add((volatile __global int*)(p), v)
#define SWAP_GLOBAL(p, old, v) atomic_cmpxchg((volatile __global int*)(p), old, v)
#define EXPF(x) exp(x)
#define LOGF(x) log(x)
#define SQRTF(x) sqrt(x)
#define ERFCF(x) erfc(x)
#define EXP(x) exp(x)
#define COS(x) cos(x)
#define LOG(x) log(x)
#define POWF(x, y) pow(x, y)
#define ROTATE(x, bits) rotate(x, (uint)(bits))
#define FMAXF(x, y) fmax(x, y)
#define FABSF(x) fabs(x)
typedef uchar byte;
#else
#define KERNEL extern "C" __global__ void
#define DEVICE static __device__
#define GLOBAL
#define SHARED __shared__
#define INDEX int
#define DIM0 x
#define DIM1 y
#define DIM2(d) DIM##d
#define DIM(d) DIM2(d)
#define TID(d) (int)threadIdx.DIM(d)
#define BLOCK(d) (int)blockIdx.DIM(d)
#define ID(d) (int)(blockIdx.DIM(d) * blockDim.DIM(d) + threadIdx.DIM(d))
#define ALL_THREADS(d) (int)(gridDim.DIM(d) * blockDim.DIM(d))
#define BARRIER() __syncthreads()
#define ADD_SHARED(p, v) atomicAdd(p, v)
#define ADD_GLOBAL(p, v) atomicAdd(p, v)
#define SWAP_GLOBAL(p, old, v) atomicCAS(p, old, v)
#define EXPF(x) expf(x)
#define LOGF(x) logf(x)
#define SQRTF(x) sqrtf(x)
#define ERFCF(x) erfcf(x)
#define EXP(x) exp(x)
#define COS(x) cos(x)
#define LOG(x) log(x)
#define POWF(x, y) powf(x, y)
#define ROTATE(x, bits) __funnelshift_l(x, x, bits)
#define FMAXF(x, y) fmaxf(x, y)
#define FABSF(x) fabsf(x)
typedef unsigned char byte;
typedef unsigned int uint;
#endif
