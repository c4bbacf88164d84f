// SPDX-License-Identifier: MIT
// One warp, one access: for each width and pattern of lanes what a device counts. tools/record_counters.py runs these
// to settle what the definitions leave open. Every kernel takes (out, in, n).
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using u128 = uint4;

// A load of global memory and a store by the lanes that `Active` names, at the elements that `At` says.
#define GLOBAL(name, T, Active, At)                                                    \
  extern "C" __global__ void global_##name##_##T(T* out, const T* in, int) {           \
    int l = threadIdx.x;                                                               \
    if (Active) out[l] = in[At];                                                       \
  }
// A store to shared memory and a load from it.
#define SHARED(name, T, Active, At)                                                    \
  extern "C" __global__ void shared_##name##_##T(T* out, const T* in, int) {           \
    extern __shared__ uint4 window[];                                                  \
    T* elements = reinterpret_cast<T*>(window);                                        \
    int l = threadIdx.x;                                                               \
    T own = in[l];                                                                     \
    if (Active) elements[At] = own;                                                    \
    __syncwarp();                                                                      \
    asm volatile("" ::: "memory");                                                     \
    if (Active) out[l] = elements[At];                                                 \
  }
#define BOTH(name, T, Active, At) GLOBAL(name, T, Active, At) SHARED(name, T, Active, At)
#define WIDE(name, Active, At) BOTH(name, u64, Active, At) BOTH(name, u128, Active, At)
#define ALL(name, Active, At) BOTH(name, u8, Active, At) BOTH(name, u32, Active, At) WIDE(name, Active, At)

ALL(in_order, true, l)
ALL(same, true, l / 32)
ALL(pairs, true, l / 2)
WIDE(pairs_by_2, true, l & ~2)
WIDE(quads, true, l / 4)
WIDE(halves, true, l % 16)
WIDE(quarters, true, l % 8)
ALL(stride_2, true, 2 * l)
WIDE(stride_32, true, 32 * l)
ALL(odd_lanes, l & 1, l)
ALL(low_half, l < 16, l)
ALL(one_lane, l == 5, l)
ALL(ten_lanes, l < 10, l)
WIDE(odd_lanes_same, l & 1, l / 32)
