// SPDX-License-Identifier: MIT
// Random structured kernels as PTX text: whatever a thread computes depends on no other thread but
// through barriers, warp operations and additions that commute.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace pycuda::cpu::testing {

/// Which of a kernel's f32 instructions carry .ftz.
enum class Flushing : std::uint8_t {
  Hardly,  ///< one of many, and most numbers are far from subnormal
  Some,    ///< of all kinds; numbers are often about as small as normal ones get
  All,     ///< and no doubles are computed: the processor can flush
};

/// What a kernel may contain.
struct KernelTraits {
  bool barriers = false;
  bool warps = false;        ///< shuffles and votes
  int size = 6;              ///< statements of the outermost level
  bool pointers = false;     ///< calls through pointers
  bool every_part = false;   ///< says which register differs; a long kernel
  bool walks = false;        ///< loops over rows, lists and local arrays, and turns
  bool whole_warps = false;  ///< among these, rows that belong to warps
  bool in_step = false;      ///< exchanges in volatile shared memory without barriers; with `warps`
  bool trips = false;        ///< such exchanges in loops of which lanes skip trips
  int literal_width = 0;     ///< reads at tid.y * this + tid.x
  Flushing flushing = Flushing::Hardly;
};

/// Writes `.entry <name>(u64 in, u64 out, u64 soa, u64 bins, u32 n)`, for blocks of up to 1024
/// threads in up to `block_rows` rows and grids of up to 2048 threads in all: `in` has
/// `in_words_with_rows` words, `out` `out_words` for each thread, `soa` `soa_rows` arrays of 2048
/// 64-bit words, `bins` `bin_words`. Blocks have 16 threads or more. Threads from n on write
/// nothing. Equal choices give equal kernels.
class RandomKernel {
 public:
  static constexpr int in_words = 8192, out_words = 16, soa_rows = 30, bin_words = 128;
  /// Row numbers times a pitch can exceed `in_words`, and four words may be read from there.
  static constexpr int block_rows = 256, largest_pitch = 40,
                       in_words_with_rows = block_rows * largest_pitch + 64 + 4;

  /// `choose(count)` gives a number below `count`.
  explicit RandomKernel(std::function<std::uint32_t(std::uint32_t)> choose)
      : choose_(std::move(choose)) {}

  /// Device functions that kernels call: once in a module. What is called through pointers is not
  /// left to the processor's flushing: there are none where most instructions flush.
  static std::string functions(Flushing flushing = Flushing::Hardly);
  std::string text(const std::string& name, const KernelTraits& traits);

 private:
  int pick(int count) { return static_cast<int>(choose_(static_cast<std::uint32_t>(count))); }
  bool one_in(int count) { return pick(count) == 0; }
  static std::string str(long long value) { return std::to_string(value); }
  void line(const std::string& text) { body_ += text + "\n"; }
  std::string label() { return "L" + str(next_label_++); }
  template <std::size_t Count>
  const char* any_of(const char* const (&names)[Count]) {
    return names[pick(static_cast<int>(Count))];
  }

  std::string r() { return "%r" + str(pick(8)); }
  std::string l() { return "%l" + str(pick(4)); }
  std::string h() { return "%h" + str(pick(4)); }
  std::string f() { return "%f" + str(pick(4)); }
  std::string d() { return "%d" + str(pick(3)); }
  std::string g() { return "%g" + str(pick(2)); }
  std::string source();
  std::string operand() { return pick(3) == 0 ? str(pick(200) - 40) : source(); }
  std::string comparison();
  std::string condition();

  void prologue();
  void epilogue(const std::string& used);
  void statements(int count, int depth);
  void statement(int depth);

  void integer();
  void integer_bits();
  void integer64();
  void integer16();
  void division();
  void real();
  void real64();
  void half();
  void approximate();
  void convert();
  void carry();

  bool flushes() const { return traits_.flushing != Flushing::Hardly; }
  std::string ftz();
  std::string rounding();
  void flushing_real();
  void flushing_compare();
  void flushing_approximate();
  void flushing_convert();
  void tiny_number();

  void index_to(const std::string& name);
  void bits_to(const std::string& name);
  void load();
  void load_row();
  void atomic();
  void store();
  void store_row();
  void add_to_bin();
  void select();
  void local();
  void call();
  void neighbour();

  enum class RowKind : std::uint8_t { Word, Real, Wide };
  static constexpr int shared_row_bytes = 36;
  void begin_walks();
  void walk(int depth);
  void count_trips(int most, const std::string& end);
  void next_trip(const std::string& start);
  void change_element(RowKind kind);
  void own_row();
  void keep_in_place();
  void walk_local();
  void extrema();
  void same_divisor(int depth);
  void walk_list();
  void row_of_warp();
  void lower_own_words();
  void turns();

  void branch(int depth);
  void loop(int depth);
  void skipped_trips(int depth);
  void part_of_trip(int depth, const std::function<void()>& go_on);
  void jump_table(int depth);
  void leave();
  void exchange();
  void share_and_reduce();
  /// Room for as many exchanges, of 1024 threads each.
  static constexpr int most_step_places = 4;
  void step();
  void exchange_in_step(const std::string& own, const std::string& other);
  void load_by_literal();
  void agreed_branch(int depth);
  void shuffle();
  void vote();

  std::function<std::uint32_t(std::uint32_t)> choose_;
  KernelTraits traits_;
  std::string body_;
  bool depth_is_uniform_ = true;  ///< all threads of the block are here together
  int step_places_ = 0;           ///< each has its own part of the slots
  int loops_ = 0;                 ///< depth of loops, each with a counter
  std::string loop_exit_, loop_next_;
  int next_label_ = 0;
};

}  // namespace pycuda::cpu::testing
