# SPDX-License-Identifier: MIT
"""The kernel of scans in one pass over memory, for devices whose blocks run at the same time.

A block takes the next tile, scans it, and looks back to the tiles before it: each has published its
total, or already the total of everything up to it. Tiles are taken in the order in which blocks
start, so those that are waited for have started.
"""

THREADS = 256
LARGEST_ITEM = 64

# Follows scan.SHARED_PREAMBLE, formatted; WRITE stands for what an element becomes.
SOURCE = """
#define ITEMS {items}
#define WORDS ((sizeof(scan_type) + 3) / 4)

WITHIN_KERNEL scan_type pycuda_scan_shuffle(const scan_type &v, int how, unsigned d) {{
  unsigned words[WORDS];
  words[WORDS - 1] = 0;
  memcpy(words, &v, sizeof(scan_type));
#pragma unroll
  for (unsigned w = 0; w < WORDS; ++w)
    words[w] = how == 0 ? __shfl_up_sync(~0u, words[w], d)
             : how == 1 ? __shfl_down_sync(~0u, words[w], d) : __shfl_sync(~0u, words[w], d);
  scan_type result;
  memcpy(&result, words, sizeof(scan_type));
  return result;
}}

// State 1: the tile's total; 2: the total up to it.
WITHIN_KERNEL void pycuda_scan_publish(unsigned *memory, size_t tiles, size_t tile, const scan_type &v,
                                       unsigned state) {{
  unsigned words[WORDS];
  words[WORDS - 1] = 0;
  memcpy(words, &v, sizeof(scan_type));
  if (WORDS == 1) {{
    ((volatile unsigned long long *)memory)[tile] = (unsigned long long)state << 32 | words[0];
  }} else {{
    volatile unsigned *values = memory + tiles + ((state - 1) * tiles + tile) * WORDS;
    for (unsigned w = 0; w < WORDS; ++w) values[w] = words[w];
    __threadfence();
    *(volatile unsigned *)(memory + tile) = state;
  }}
}}

WITHIN_KERNEL unsigned pycuda_scan_look(unsigned *memory, size_t tiles, size_t tile, scan_type *v) {{
  unsigned words[WORDS], state;
  if (WORDS == 1) {{
    const unsigned long long word = ((volatile unsigned long long *)memory)[tile];
    state = (unsigned)(word >> 32);
    words[0] = (unsigned)word;
  }} else {{
    state = *(volatile unsigned *)(memory + tile);
    if (state == 0) return 0;
    __threadfence();
    volatile unsigned *values = memory + tiles + ((state - 1) * tiles + tile) * WORDS;
    for (unsigned w = 0; w < WORDS; ++w) words[w] = values[w];
  }}
  memcpy(v, words, sizeof(scan_type));
  return state;
}}

KERNEL __launch_bounds__(WG_SIZE) void {name_prefix}_single_pass(const scan_type *input, scan_type *output,
                                                                unsigned *ticket, unsigned *memory, size_t n) {{
  LOCAL_MEM __align__(16) unsigned char tile_bytes[(WG_SIZE * ITEMS + WG_SIZE) * sizeof(scan_type)];
  LOCAL_MEM __align__(16) unsigned char total_bytes[WG_SIZE / 32 * sizeof(scan_type)];
  LOCAL_MEM __align__(16) unsigned char before_bytes[sizeof(scan_type)];
  LOCAL_MEM unsigned taken;
  scan_type *tile = (scan_type *)tile_bytes, *totals = (scan_type *)total_bytes, *before = (scan_type *)before_bytes;
  if (LID_0 == 0) taken = atomicAdd(ticket, 1u);
  __syncthreads();
  const unsigned lane = LID_0 % 32, warp = LID_0 / 32;
  const size_t number = taken, tiles = gridDim.x, first = number * (WG_SIZE * ITEMS);
  const unsigned count = n - first < WG_SIZE * ITEMS ? (unsigned)(n - first) : WG_SIZE * ITEMS;
  scan_type own[ITEMS];
#pragma unroll
  for (unsigned j = 0; j < ITEMS; ++j) {{
    const unsigned e = j * WG_SIZE + LID_0;
    if (e < count) own[j] = input[first + e];
  }}
#pragma unroll
  for (unsigned j = 0; j < ITEMS; ++j) {{
    const unsigned e = j * WG_SIZE + LID_0;
    if (e < count) tile[e + e / ITEMS] = own[j];
  }}
  __syncthreads();
  // Threads before the last one that has elements are full.
  const unsigned mine = LID_0 * ITEMS < count ? (count - LID_0 * ITEMS < ITEMS ? count - LID_0 * ITEMS : ITEMS) : 0;
#pragma unroll
  for (unsigned j = 0; j < ITEMS; ++j) if (j < mine) own[j] = tile[LID_0 * (ITEMS + 1) + j];
  scan_type up_to;
#pragma unroll
  for (unsigned j = 0; j < ITEMS; ++j) if (j < mine) {{
    if (j == 0) up_to = own[0]; else up_to = SCAN_EXPR(up_to, own[j]);
  }}
  const unsigned filled = (count + ITEMS - 1) / ITEMS;  // threads that have elements
#pragma unroll
  for (unsigned d = 1; d < 32; d *= 2) {{
    const scan_type left = pycuda_scan_shuffle(up_to, 0, d);
    if (lane >= d && LID_0 < filled) up_to = SCAN_EXPR(left, up_to);
  }}
  const unsigned warps = (filled + 31) / 32;
  if (LID_0 < filled && (lane == 31 || LID_0 == filled - 1)) totals[warp] = up_to;
  const scan_type in_warp = pycuda_scan_shuffle(up_to, 0, 1);
  __syncthreads();
  bool has_prefix = false;
  scan_type prefix;
  for (unsigned w = 0; w < warp && w < warps; ++w) {{
    if (has_prefix) prefix = SCAN_EXPR(prefix, totals[w]); else prefix = totals[w];
    has_prefix = true;
  }}
  if (lane != 0) {{
    if (has_prefix) prefix = SCAN_EXPR(prefix, in_warp); else prefix = in_warp;
    has_prefix = true;
  }}
  if (warp == 0) {{
    scan_type total = totals[0];
    for (unsigned w = 1; w < warps; ++w) total = SCAN_EXPR(total, totals[w]);
    if (number == 0) {{
      if (lane == 0) pycuda_scan_publish(memory, tiles, number, total, 2);
    }} else {{
      if (lane == 0) pycuda_scan_publish(memory, tiles, number, total, 1);
      bool has_earlier = false;
      scan_type earlier;
      for (size_t next = number;; next -= 32) {{
        scan_type value;
        unsigned state = 2;
        const bool inside = next >= lane + 1;
        if (inside) do state = pycuda_scan_look(memory, tiles, next - 1 - lane, &value); while (state == 0);
        const unsigned whole = __ballot_sync(~0u, state == 2);
        unsigned last = whole != 0 ? __ffs(whole) - 1 : 31;
        // Lanes before the first tile end the search; the tile itself is the last one that counts.
        if (last >= next) last = (unsigned)next - 1;
#pragma unroll
        for (unsigned d = 1; d < 32; d *= 2) {{
          const scan_type further = pycuda_scan_shuffle(value, 1, d);
          if (lane + d <= last) value = SCAN_EXPR(further, value);
        }}
        value = pycuda_scan_shuffle(value, 2, 0);
        if (has_earlier) earlier = SCAN_EXPR(value, earlier); else earlier = value;
        has_earlier = true;
        if (whole != 0) break;
      }}
      if (lane == 0) {{
        pycuda_scan_publish(memory, tiles, number, SCAN_EXPR(earlier, total), 2);
        *before = earlier;
      }}
    }}
  }}
  __syncthreads();
  if (number != 0) {{
    if (has_prefix) prefix = SCAN_EXPR(*before, prefix); else prefix = *before;
    has_prefix = true;
  }}
#pragma unroll
  for (unsigned j = 0; j < ITEMS; ++j) if (j < mine) {{
    __WRITE_BEFORE__
    if (has_prefix) prefix = SCAN_EXPR(prefix, own[j]); else prefix = own[j];
    has_prefix = true;
    __WRITE_AFTER__
  }}
  __syncthreads();
#pragma unroll
  for (unsigned j = 0; j < ITEMS; ++j) {{
    const unsigned e = j * WG_SIZE + LID_0;
    if (e < count) output[first + e] = tile[e + e / ITEMS];
  }}
}}
"""

INCLUSIVE = SOURCE.replace("__WRITE_BEFORE__", "").replace("__WRITE_AFTER__", "tile[LID_0 * (ITEMS + 1) + j] = prefix;")
EXCLUSIVE = SOURCE.replace(
    "__WRITE_BEFORE__",
    "if (has_prefix) tile[LID_0 * (ITEMS + 1) + j] = prefix; else tile[LID_0 * (ITEMS + 1) + j] = {neutral};",
).replace("__WRITE_AFTER__", "")


def items_for(itemsize):
    """Elements that a thread scans of a tile."""
    return max(1, min(16, 64 // itemsize))


def state_sizes(itemsize, tiles):
    """32-bit words of the state of so many tiles, and how many of them must be 0 at first."""
    if itemsize <= 4:
        return 2 * tiles, 2 * tiles
    return tiles + 2 * tiles * ((itemsize + 3) // 4), tiles
