// SPDX-License-Identifier: MIT
// How long vector forms take to compile, and how narrow gangs become for it.
#include "cpu/simt/width/compile_cost.h"

#include <chrono>
#include <string>

#include "cpu/simt/width/register_pressure.h"
#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::CompileCost;
using pycuda::cpu::simt::most_live_words;
using pycuda::cpu::testing::FunctionText;
using pycuda::cpu::testing::registers_of_avx2;
using pycuda::cpu::testing::registers_of_avx512;

namespace {

/// `rounds` sums for each of `live` numbers of the type, all of which are needed at the end.
std::string hash(int live, int rounds, const std::string& type) {
  std::string text = "define void @f(ptr %thread, ptr %out) {\n";
  const auto name = [](int number, int round) {
    return "%x." + std::to_string(number) + "." + std::to_string(round);
  };
  for (int i = 0; i < live; ++i)
    text += "  " + name(i, 0) + " = load volatile " + type + ", ptr %out\n";
  for (int round = 1; round <= rounds; ++round)
    for (int i = 0; i < live; ++i)
      text += "  " + name(i, round) + " = add " + type + " " + name(i, round - 1) + ", " +
              name((i + 1) % live, round - 1) + "\n";
  for (int i = 0; i < live; ++i)
    text += "  store volatile " + type + " " + name(i, rounds) + ", ptr %out\n";
  return text + "  ret void\n}\n";
}

}  // namespace

TEST_CASE("live words count double for wide values, and not for truths and pointers") {
  FunctionText words(hash(10, 2, "i32")), wide(hash(10, 2, "i64")), truths(hash(10, 2, "i1"));
  CHECK(most_live_words(words.function()) >= 10);
  CHECK(most_live_words(words.function()) <= 12);
  CHECK(most_live_words(wide.function()) == 2 * most_live_words(words.function()));
  CHECK(most_live_words(truths.function()) == 0);
}

TEST_CASE("gangs are narrow where wide ones would take long to compile") {
  using std::chrono::seconds;
  FunctionText large_text(hash(50, 60, "i64")), small_text(hash(8, 30, "i32"));
  const CompileCost large(large_text.function()), small(small_text.function());
  CHECK(large.time(32, registers_of_avx512) > seconds(4));
  CHECK(large.time(32, registers_of_avx2) > large.time(32, registers_of_avx512));
  CHECK(large.fit(32, 16, registers_of_avx2) == 16);
  CHECK(large.fit(32, 32, registers_of_avx2) == 32);
  CHECK(small.time(64, registers_of_avx512) < seconds(1));
  CHECK(small.fit(64, 16, registers_of_avx512) == 64);
  CHECK(small.fit(64, 16, registers_of_avx2) == 64);
}
