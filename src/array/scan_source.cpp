// SPDX-License-Identifier: MIT
// The texts of scanning kernels.
#include "array/scan_source.h"

#include "array/kernel_text.h"

namespace pycuda::array {
namespace {

// Values of other lanes of a warp.
const char* const warp_moves = R"cuda(
template <class T> FN T moved_up(T v, u32 d) {
  union { T value; u32 words[(sizeof(T) + 3) / 4]; } a;
  a.words[0] = 0;
  a.value = v;
  for (u32 w = 0; w < (sizeof(T) + 3) / 4; ++w) a.words[w] = __shfl_up_sync(~0u, a.words[w], d);
  return a.value;
}
template <class T> FN T of_lane(T v, u32 l) {
  union { T value; u32 words[(sizeof(T) + 3) / 4]; } a;
  a.words[0] = 0;
  a.value = v;
  for (u32 w = 0; w < (sizeof(T) + 3) / 4; ++w) a.words[w] = __shfl_sync(~0u, a.words[w], l);
  return a.value;
}
)cuda";

// A tile's state is 0, or 1 with the tile's total, or 2 with the total of the line up to it.
const char* const tile_state = R"cuda(
template <class T> FN T moved_down(T v, u32 d) {
  union { T value; u32 words[(sizeof(T) + 3) / 4]; } a;
  a.words[0] = 0;
  a.value = v;
  for (u32 w = 0; w < (sizeof(T) + 3) / 4; ++w) a.words[w] = __shfl_down_sync(~0u, a.words[w], d);
  return a.value;
}
template <class T, bool small = (sizeof(T) <= 4)> struct States;
template <class T> struct States<T, true> {  // state and value are written at once
  volatile u64* words;
  FN States(char* state, u64) : words(reinterpret_cast<u64*>(state + 16)) {}
  FN void publish(u64 tile, T value, u32 state) const {
    union { T value; u32 bits; } a;
    a.bits = 0;
    a.value = value;
    words[tile] = static_cast<u64>(state) << 32 | a.bits;
  }
  FN u32 look(u64 tile, T& value) const {
    const u64 word = words[tile];
    union { T value; u32 bits; } a;
    a.bits = static_cast<u32>(word);
    value = a.value;
    return static_cast<u32>(word >> 32);
  }
};
template <class T> struct States<T, false> {
  volatile u32* states;
  volatile u64* totals[2];
  static constexpr u32 count = sizeof(T) / 8;
  FN States(char* state, u64 tiles) : states(reinterpret_cast<u32*>(state + 16)) {
    u64* const values = reinterpret_cast<u64*>(state + 16 + (tiles * 4 + 15) / 16 * 16);
    totals[0] = values;
    totals[1] = values + tiles * count;
  }
  FN void publish(u64 tile, T value, u32 state) const {
    union { T value; u64 words[count]; } a;
    a.value = value;
    for (u32 w = 0; w < count; ++w) totals[state - 1][tile * count + w] = a.words[w];
    __threadfence();
    states[tile] = state;
  }
  FN u32 look(u64 tile, T& value) const {
    const u32 state = states[tile];
    if (state == 0) return 0;
    __threadfence();
    union { T value; u64 words[count]; } a;
    for (u32 w = 0; w < count; ++w) a.words[w] = totals[state - 1][tile * count + w];
    value = a.value;
    return state;
  }
};
// What all tiles of the line before `tile` come to, for a whole warp.
FN T all_before(const States<T>& states, u64 tile, u64 first_of_line, u32 lane) {
  T before = identity();
  for (u64 next = tile;; next -= 32) {
    T value = identity();
    u32 known = 2;
    if (next >= first_of_line + lane + 1) {
      do known = states.look(next - 1 - lane, value); while (known == 0);
    }
    const u32 whole = __ballot_sync(~0u, known == 2);
    const u32 last = whole != 0 ? __ffs(whole) - 1 : 31;
    if (lane > last) value = identity();
    for (u32 d = 1; d < 32; d *= 2) {
      const T earlier = moved_down(value, d);
      if (lane + d < 32) value = combined(earlier, value);
    }
    before = combined(of_lane(value, 0), before);
    if (whole != 0) return before;
  }
}
// As many elements as a thread moves at once; what is scanned is used once, so it need not stay in caches.
template <u32 bytes> struct Words;
template <> struct Words<16> { typedef uint4 type; };
template <> struct Words<8> { typedef uint2 type; };
template <> struct Words<4> { typedef u32 type; };
template <> struct Words<2> { typedef u16 type; };
template <> struct Words<1> { typedef u8 type; };
template <class E, u32 n> union Together {
  typedef typename Words<sizeof(E) * n>::type W;
  W words;
  E values[n];
  FN Together() {}
  FN void load(const char* from) { words = __ldcs(reinterpret_cast<const W*>(from)); }
  FN void store(char* to) const { __stcs(reinterpret_cast<W*>(to), words); }
};
)cuda";

// A thread's elements come in groups of as many as one load takes; a warp's groups are side by
// side, so each of its loads is contiguous, and all groups are scanned by shuffles at once.
const char* const tile_body = R"cuda(
  constexpr u32 widest = sizeof(in0) > sizeof(out_t) ? sizeof(in0) : sizeof(out_t);
  constexpr u32 together = widest >= 16 ? 1 : widest < 4 ? 4 : 16 / widest;
  constexpr u32 groups = items / together, tile_size = threads * items, warps = threads / 32;
  __shared__ __align__(16) char total_bytes[warps * sizeof(T)];
  __shared__ __align__(16) char before_bytes[sizeof(T)];
  __shared__ u32 ticket;
  T* const totals = reinterpret_cast<T*>(total_bytes);
  T* const before = reinterpret_cast<T*>(before_bytes);
  // Tiles in the order in which blocks start: those that are waited for have started.
  if (threadIdx.x == 0) ticket = atomicAdd(reinterpret_cast<u32*>(state), 1u);
  __syncthreads();
  const u32 tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const u64 number = ticket;
  const index_t line = static_cast<index_t>(number / each), k = static_cast<index_t>(number - line * each);
  i64 o0 = 0, o1 = 0;
OFFSETS
  const u64 first = static_cast<u64>(k) * tile_size;
  const u32 count = length - first < tile_size ? static_cast<u32>(length - first) : tile_size;
  const char* const from = p0 + o0 + static_cast<i64>(first) * step0;
  char* const to = p_out + o1 + static_cast<i64>(first) * step1;
  const u32 mine = warp * 32 * items + lane * together;
  T own[groups][together];
  if (count == tile_size && step0 == sizeof(in0) && reinterpret_cast<u64>(from) % sizeof(Together<in0, together>) == 0) {
#pragma unroll
    for (u32 g = 0; g < groups; ++g) {
      Together<in0, together> all;
      all.load(from + (mine + g * 32 * together) * sizeof(in0));
#pragma unroll
      for (u32 q = 0; q < together; ++q) own[g][q] = cast<T>(all.values[q]);
    }
  } else {
#pragma unroll
    for (u32 g = 0; g < groups; ++g) {
#pragma unroll
      for (u32 q = 0; q < together; ++q) {
        const u32 e = mine + g * 32 * together + q;
        own[g][q] = identity();
        if (e < count) own[g][q] = cast<T>(*reinterpret_cast<const in0*>(from + static_cast<i64>(e) * step0));
      }
    }
  }
  T up_to[groups];
#pragma unroll
  for (u32 g = 0; g < groups; ++g) {
#pragma unroll
    for (u32 q = 1; q < together; ++q) own[g][q] = combined(own[g][q - 1], own[g][q]);
    up_to[g] = own[g][together - 1];
  }
#pragma unroll
  for (u32 d = 1; d < 32; d *= 2) {
#pragma unroll
    for (u32 g = 0; g < groups; ++g) {
      const T left = moved_up(up_to[g], d);
      if (lane >= d) up_to[g] = combined(left, up_to[g]);
    }
  }
  T in_warp = identity();
#pragma unroll
  for (u32 g = 0; g < groups; ++g) {
    const T whole = of_lane(up_to[g], 31);
    const T left = moved_up(up_to[g], 1);
    up_to[g] = lane == 0 ? in_warp : combined(in_warp, left);
    in_warp = combined(in_warp, whole);
  }
  if (lane == 0) totals[warp] = in_warp;
  __syncthreads();
  if (warp == 0) {
    const States<T> states(state, static_cast<u64>(lines) * each);
    T total = totals[0];
    for (u32 w = 1; w < warps; ++w) total = combined(total, totals[w]);
    T earlier = identity();
    if (k != 0) {
      if (lane == 0) states.publish(number, total, 1);
      earlier = all_before(states, number, number - k, lane);
    }
    if (lane == 0) {
      states.publish(number, combined(earlier, total), 2);
      *before = earlier;
    }
  }
  T prefix = identity();
  for (u32 w = 0; w < warp; ++w) prefix = combined(prefix, totals[w]);
  __syncthreads();
  prefix = combined(*before, prefix);
  const bool at_once = count == tile_size && step1 == sizeof(out_t) && reinterpret_cast<u64>(to) % sizeof(Together<out_t, together>) == 0;
#pragma unroll
  for (u32 g = 0; g < groups; ++g) {
    const T earlier = combined(prefix, up_to[g]);
    const u32 e = mine + g * 32 * together;
    if (at_once) {
      Together<out_t, together> all;
#pragma unroll
      for (u32 q = 0; q < together; ++q) all.values[q] = cast<out_t>(combined(earlier, own[g][q]));
      all.store(to + e * sizeof(out_t));
    } else {
#pragma unroll
      for (u32 q = 0; q < together; ++q) {
        if (e + q < count) *reinterpret_cast<out_t*>(to + static_cast<i64>(e + q) * step1) = cast<out_t>(combined(earlier, own[g][q]));
      }
    }
  }
)cuda";

// A warp has as many neighbouring elements for each of its lanes, in groups of one for each.
const char* const once_body = R"cuda(
  const index_t line = blockIdx.x;
  i64 o0 = 0, o1 = 0;
OFFSETS
  const char* from = p0 + o0;
  char* to = p_out + o1;
  T all = identity();
#pragma unroll 1
  for (index_t i = 0; i < length; ++i) {
    all = combined(all, cast<T>(*reinterpret_cast<const in0*>(from)));
    *reinterpret_cast<out_t*>(to) = cast<out_t>(all);
    from += step0;
    to += step1;
  }
)cuda";

const char* const line_body = R"cuda(
  const index_t line = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  i64 o0 = 0, o1 = 0;
OFFSETS
  const index_t first = static_cast<index_t>(blockIdx.y) * each;
  const index_t last = length - first < each ? length : first + each;
  const char* from = p0 + o0 + static_cast<i64>(first) * step0;
  char* to = p_out + o1 + static_cast<i64>(first) * step1;
  T all = identity();
  if (state != nullptr && blockIdx.y != 0) {
    all = reinterpret_cast<const T*>(state)[static_cast<u64>(line) * (gridDim.y - 1) + blockIdx.y - 1];
  }
  index_t rest = last - first;
  for (; rest >= 8; rest -= 8) {
    in0 next[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) { next[j] = *reinterpret_cast<const in0*>(from); from += step0; }
    // From one eight to the next a single operation waits for another.
    T up_to[8];
    up_to[0] = cast<T>(next[0]);
#pragma unroll
    for (int j = 1; j < 8; ++j) up_to[j] = combined(up_to[j - 1], cast<T>(next[j]));
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      *reinterpret_cast<out_t*>(to) = cast<out_t>(combined(all, up_to[j]));
      to += step1;
    }
    all = combined(all, up_to[7]);
  }
  for (; rest != 0; --rest) {
    all = combined(all, cast<T>(*reinterpret_cast<const in0*>(from)));
    *reinterpret_cast<out_t*>(to) = cast<out_t>(all);
    from += step0;
    to += step1;
  }
)cuda";

}  // namespace

unsigned ScanKey::threads() const {
  if (alone || once) return 1;
  return tiles && large ? 512 : 256;
}

std::int64_t ScanKey::items() const {
  const std::size_t bytes = item_bytes(accumulated);
  const std::int64_t words = bytes <= 4 ? 16 : bytes == 8 ? 8 : 4;
  return (large ? 2 : 1) * words;
}

ScanState scan_state(DType accumulated, std::int64_t tiles) {
  const auto bytes = static_cast<std::int64_t>(item_bytes(accumulated));
  if (bytes <= 4) return {16 + 8 * tiles, 16 + 8 * tiles};
  const std::int64_t states = 16 + (4 * tiles + 15) / 16 * 16;
  return {states + 2 * bytes * tiles, states};
}

KernelNumber ScanKey::packed() const {
  Packer packer(3);
  packer.add(static_cast<unsigned>(op), 5);
  packer.add(input);
  packer.add(accumulated);
  packer.add(result);
  packer.add(static_cast<unsigned>(line_dims), 6);
  packer.add(tiles);
  packer.add(large);
  packer.add(wide);
  packer.add(alone);
  packer.add(once);
  packer.add(dense);
  return packer.key();
}

std::string ScanKey::kernel_name() const {
  return unique_name((std::string("scan_") + facts(op).name).c_str(), packed());
}

std::string ScanKey::source() const {
  std::string text = std::string(kernel_prelude_types) + index_types(wide) + "typedef " +
                     c_name(accumulated) + " T;\ntypedef " + c_name(input) + " in0;\ntypedef " +
                     c_name(result) + " out_t;\n" + reduction_prelude +
                     "FN T combined(T a, T b) { return " + facts(op).combine +
                     "; }\nFN T identity() { return " + facts(op).identity + "; }\n";
  if (tiles) {
    text += "constexpr u32 threads = " + std::to_string(threads()) +
            ", items = " + std::to_string(items()) + ";\n" + warp_moves + tile_state;
  }
  text += "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(threads()) + ") " +
          kernel_name() +
          "(char* p_out, const char* p0, char* state, const index_t lines, const index_t length, "
          "const index_t each, " +
          (dense ? "const i64, const i64" : "const i64 step0, const i64 step1") +
          lengths_parameter(line_dims, wide, "klengths") +
          strides_parameter(line_dims, "kstrides0") + strides_parameter(line_dims, "kstrides1") +
          ") {\n" + (once || alone ? fixed_block : "") +
          (dense ? "  constexpr i64 step0 = sizeof(in0), step1 = sizeof(out_t);" : "");
  std::string body = tiles ? tile_body : once ? once_body : line_body;
  const std::string mark = "OFFSETS\n";
  body.replace(body.find(mark), mark.size(),
               unravel(line_dims, 2, wide, "line", "klengths", "kstrides", "o"));
  return text + body + "}\n";
}

}  // namespace pycuda::array
