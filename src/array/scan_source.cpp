// SPDX-License-Identifier: MIT
// The texts of scanning kernels.
#include "array/scan_source.h"

#include "array/kernel_text.h"

namespace pycuda::array {
namespace {

// A tile's state is 0, or 1 with the tile's total, or 2 with the total of the line up to it.
const char* const tile_state = R"cuda(
template <class T> FN T moved_up(T v, u32 d) {
  union { T value; u32 words[(sizeof(T) + 3) / 4]; } a;
  a.words[0] = 0;
  a.value = v;
  for (u32 w = 0; w < (sizeof(T) + 3) / 4; ++w) a.words[w] = __shfl_up_sync(~0u, a.words[w], d);
  return a.value;
}
template <class T> FN T moved_down(T v, u32 d) {
  union { T value; u32 words[(sizeof(T) + 3) / 4]; } a;
  a.words[0] = 0;
  a.value = v;
  for (u32 w = 0; w < (sizeof(T) + 3) / 4; ++w) a.words[w] = __shfl_down_sync(~0u, a.words[w], d);
  return a.value;
}
template <class T> FN T of_first_lane(T v) {
  union { T value; u32 words[(sizeof(T) + 3) / 4]; } a;
  a.words[0] = 0;
  a.value = v;
  for (u32 w = 0; w < (sizeof(T) + 3) / 4; ++w) a.words[w] = __shfl_sync(~0u, a.words[w], 0);
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
// What all tiles of the line before `tile` come to, for a whole warp. Each lane may look at several:
// the further a warp sees, the faster what is known moves on from tile to tile.
FN T all_before(const States<T>& states, u64 tile, u64 first_of_line, u32 lane) {
  constexpr u32 looks = 1;
  T before = identity();
  for (u64 next = tile;; next -= 32 * looks) {
    T seen[looks];
    u32 known[looks];
#pragma unroll
    for (u32 q = 0; q < looks; ++q) {
      known[q] = 2;
      seen[q] = identity();
      if (next >= first_of_line + lane * looks + q + 1) known[q] = states.look(next - 1 - lane * looks - q, seen[q]);
    }
    T value = identity();
    bool ends = false;
#pragma unroll
    for (u32 q = 0; q < looks; ++q) {
      if (ends) continue;
      while (known[q] == 0) known[q] = states.look(next - 1 - lane * looks - q, seen[q]);
      value = combined(seen[q], value);
      ends = known[q] == 2;
    }
    const u32 whole = __ballot_sync(~0u, ends);
    const u32 last = whole != 0 ? __ffs(whole) - 1 : 31;
    if (lane > last) value = identity();
    for (u32 d = 1; d < 32; d *= 2) {
      const T earlier = moved_down(value, d);
      if (lane + d < 32) value = combined(earlier, value);
    }
    before = combined(of_first_lane(value), before);
    if (whole != 0) return before;
  }
}
)cuda";

const char* const tile_body = R"cuda(
  constexpr u32 tile_size = threads * items;
  __shared__ __align__(16) char tile_bytes[(tile_size + threads) * sizeof(T)];
  __shared__ __align__(16) char total_bytes[threads / 32 * sizeof(T)];
  __shared__ __align__(16) char before_bytes[sizeof(T)];
  __shared__ u32 ticket;
  T* const tile = reinterpret_cast<T*>(tile_bytes);
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
  T own[items];
  if (count == tile_size) {
#pragma unroll
    for (u32 j = 0; j < items; ++j) own[j] = cast<T>(*reinterpret_cast<const in0*>(from + static_cast<i64>(j * threads + tid) * step0));
  } else {
#pragma unroll
    for (u32 j = 0; j < items; ++j) {
      own[j] = identity();
      if (j * threads + tid < count) own[j] = cast<T>(*reinterpret_cast<const in0*>(from + static_cast<i64>(j * threads + tid) * step0));
    }
  }
#pragma unroll
  for (u32 j = 0; j < items; ++j) { const u32 e = j * threads + tid; tile[e + e / items] = own[j]; }
  __syncthreads();
#pragma unroll
  for (u32 j = 0; j < items; ++j) own[j] = tile[tid * (items + 1) + j];
#pragma unroll
  for (u32 j = 1; j < items; ++j) own[j] = combined(own[j - 1], own[j]);
  T up_to = own[items - 1];
#pragma unroll
  for (u32 d = 1; d < 32; d *= 2) {
    const T left = moved_up(up_to, d);
    if (lane >= d) up_to = combined(left, up_to);
  }
  if (lane == 31) totals[warp] = up_to;
  const T in_warp = moved_up(up_to, 1);
  __syncthreads();
  T prefix = identity();
  for (u32 w = 0; w < warp; ++w) prefix = combined(prefix, totals[w]);
  if (lane != 0) prefix = combined(prefix, in_warp);
  if (warp == 0) {
    const States<T> states(state, static_cast<u64>(lines) * each);
    T total = totals[0];
    for (u32 w = 1; w < threads / 32; ++w) total = combined(total, totals[w]);
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
  __syncthreads();
  prefix = combined(*before, prefix);
#pragma unroll
  for (u32 j = 0; j < items; ++j) tile[tid * (items + 1) + j] = combined(prefix, own[j]);
  __syncthreads();
#pragma unroll
  for (u32 j = 0; j < items; ++j) {
    const u32 e = j * threads + tid;
    if (e < count) *reinterpret_cast<out_t*>(to + static_cast<i64>(e) * step1) = cast<out_t>(tile[e + e / items]);
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
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      all = combined(all, cast<T>(next[j]));
      *reinterpret_cast<out_t*>(to) = cast<out_t>(all);
      to += step1;
    }
  }
  for (; rest != 0; --rest) {
    all = combined(all, cast<T>(*reinterpret_cast<const in0*>(from)));
    *reinterpret_cast<out_t*>(to) = cast<out_t>(all);
    from += step0;
    to += step1;
  }
)cuda";

}  // namespace

std::int64_t scan_items(DType accumulated) {
  const std::size_t bytes = item_bytes(accumulated);
  return bytes <= 4 ? 16 : bytes == 8 ? 8 : 4;
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
  packer.add(wide);
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
    text += "constexpr u32 threads = " + std::to_string(scan_threads) +
            ", items = " + std::to_string(scan_items(accumulated)) + ";\n" + tile_state;
  }
  text += "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(scan_threads) + ") " +
          kernel_name() +
          "(char* p_out, const char* p0, char* state, const index_t lines, const index_t length, "
          "const index_t each, const i64 step0, const i64 step1" +
          lengths_parameter(line_dims, wide, "klengths") +
          strides_parameter(line_dims, "kstrides0") + strides_parameter(line_dims, "kstrides1") +
          ") {";
  std::string body = tiles ? tile_body : line_body;
  const std::string mark = "OFFSETS\n";
  body.replace(body.find(mark), mark.size(),
               unravel(line_dims, 2, wide, "line", "klengths", "kstrides", "o"));
  return text + body + "}\n";
}

}  // namespace pycuda::array
