// SPDX-License-Identifier: MIT
// What to do about a finding: updates of one place need an atomic operation, other races a barrier.
#include "cpu/exec/finding_remedies.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace pycuda::cpu::exec {
namespace {

bool contains(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("the remedy is: " << text);
  return found;
}

Finding race(std::string line, const std::string& where = "global memory") {
  Finding finding;
  finding.check = Check::Race;
  finding.message =
      "two threads access the same byte of " + where + ", with no barrier between them";
  finding.at.source = std::move(line);
  finding.other = finding.at;
  return finding;
}

std::string remedy_of_line(std::string line, const std::string& where = "global memory") {
  return remedy_of(race(std::move(line), where));
}

/// A race of two lines of a file, by their numbers from 1; the same twice is a race with itself.
std::string remedy_of_lines(const std::string& text, std::uint32_t first, std::uint32_t second) {
  Finding finding = race("");
  std::string above;
  std::uint32_t number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    for (FoundPlace* const place : {&finding.at, &*finding.other}) {
      if (number != (place == &finding.at ? first : second)) continue;
      place->line = number;
      place->place = " at program.py:" + std::to_string(number);
      place->source = line;
      place->above = above;
      place->access = "write of 4 bytes";
    }
    above += line + "\n";
    begin = end == std::string::npos ? text.size() : end + 1;
  }
  return remedy_of(finding);
}

TEST_CASE("updates of one place need an atomic operation") {
  const std::pair<const char*, const char*> cases[] = {
      {"bins[data[i]]++;", "use atomicAdd(&bins[data[i]], ...)"},
      {"++bins[data[i]];", "use atomicAdd(&bins[data[i]], ...)"},
      {"if (i < n) *s += a[i];", "use atomicAdd(s, ...)"},
      {"for (int k = 0; k < n; k++) out[0] += a[k];", "use atomicAdd(&out[0], ...)"},
      {"total += a[i];", "use atomicAdd(&total, ...)"},
      {"out[0] = out[0] + a[i];", "use atomicAdd(&out[0], ...)"},
      {"out[0] = a[i] + out[0];", "use atomicAdd(&out[0], ...)"},
      {"left[0]--;", "use atomicSub(&left[0], ...)"},
      {"p->count |= bit;", "use atomicOr(&p->count, ...)"},
      {"(*p).count ^= bit;", "use atomicXor(&(*p).count, ...)"},
      {"out[0] *= a[i];", "use a loop with atomicCAS"},
      {"out[0] <<= 1;", "use a loop with atomicCAS"},
      {"__global__ void f(int *s, int *a) { int i = threadIdx.x; s[0] += a[i]; }",
       "use atomicAdd(&s[0], ...)"},
      {"int old = out[0]; out[0] = old + 1;", "use atomicAdd(&out[0], ...)"},
      {"int old = out[i & 7]; old++; out[i & 7] = old;", "use atomicAdd(&out[i & 7], ...)"},
      {"int old = *s; old |= bit; *s = old;", "use atomicOr(s, ...)"},
  };
  for (const auto& [line, words] : cases) {
    const std::string remedy = remedy_of_line(line);
    CHECK(contains(remedy, words));
    CHECK(contains(remedy, ", or a reduction;"));
    CHECK(remedy.find("__sync") == std::string::npos);
  }
}

TEST_CASE("maxima and minima need one, too, however they are written") {
  for (const char* const line : {
           "out[0] = max(out[0], a[i]);",
           "if (a[i] > out[0]) out[0] = a[i];",
           "if (i < n && out[0] <= v) { out[0] = v; }",
           "out[0] = v > out[0] ? v : out[0];",
           "out[0] = (out[0] < v) ? v : out[0];",
           "int m = out[0]; if (v > m) out[0] = v;",
       })
    CHECK(contains(remedy_of_line(line),
                   "use atomicMax(&out[0], ...) for integers, a loop with "
                   "atomicCAS for floating-point numbers, or a reduction"));
  for (const char* const line : {"*s = std::min(*s, v);", "if (v < *s) *s = v;",
                                 "if (*s > v) *s = v;", "*s = *s < v ? *s : v;"})
    CHECK(contains(remedy_of_line(line), "use atomicMin(s, ...) for integers"));
}

TEST_CASE("the type that the message names decides on the operation") {
  const std::string floats =
      "global memory, 0 bytes into the block, passed as 'float *out', "
      "argument #0 (0-based)";
  CHECK(contains(remedy_of_line("if (v > out[0]) out[0] = v;", floats),
                 "use a loop with atomicCAS (atomicMax takes integers)"));
  CHECK(contains(remedy_of_line("out[0] -= v;", floats), "use atomicAdd(&out[0], -...)"));
  const std::string integers =
      "global memory, 0 bytes into the block, passed as 'float *a', "
      "argument #0 (0-based), and 'unsigned int *out', argument #1";
  CHECK(contains(remedy_of_line("if (v > out[0]) out[0] = v;", integers),
                 "use atomicMax(&out[0], ...), or a reduction"));
}

TEST_CASE("who takes a place that is free needs one exchange") {
  for (const char* const line : {"if (lock[0] == 0) lock[0] = 1;", "if (!lock[0]) lock[0] = i;"})
    CHECK(contains(remedy_of_line(line), "use atomicCAS(&lock[0], ...); if each thread"));
}

TEST_CASE("an update may be written in several lines") {
  const char* const text =
      "if (a[i] > best[0])\n"
      "best[0] = a[i];\n"
      "__syncthreads();\n"
      "float old = sum[0];\n"
      "sum[0] = old + a[i];\n"
      "if (a[i] < least[0]) {\n"
      "count = 1;\n"
      "least[0] = a[i];\n"
      "if (v > *p) {\n"
      "*p = v;\n"
      "*at = i;\n";
  CHECK(contains(remedy_of_lines(text, 1, 2), "use atomicMax(&best[0], ...)"));
  CHECK(contains(remedy_of_lines(text, 2, 1), "use atomicMax(&best[0], ...)"));
  CHECK(contains(remedy_of_lines(text, 2, 2), "use atomicMax(&best[0], ...)"));
  CHECK(contains(remedy_of_lines(text, 5, 4), "use atomicAdd(&sum[0], ...)"));
  CHECK(contains(remedy_of_lines(text, 6, 8), "use atomicMin(&least[0], ...)"));
  CHECK(contains(remedy_of_lines(text, 9, 10), "use atomicMax(p, ...)"));
  CHECK(contains(remedy_of_lines(text, 11, 11), "let one thread write this place"));
}

TEST_CASE("other races of a line need a barrier") {
  for (const char* const line : {
           "part[i] += part[i + half];",
           "a[i] = a[i] + a[i + 1];",
           "a[i + 1] = a[i];",
           "for (int k = 0; k < n; k++) out[0] = k;",
           "if (out[0] == 3) out[1] = 2;",
           "if (s[i] < s[i + half]) s[i] = s[i + half];",
           "int t = a[i]; a[i] = a[j]; a[j] = t;",
           "int t = a[0]; a[0] = t;",
           "",
           "if (",
           ")] } = a[",
           "x] if (y) b] > a[0]) a[0] = 1;",
       })
    CHECK(contains(remedy_of_line(line), "call __syncthreads()"));
}

TEST_CASE("lines may be cut anywhere, as quotes of long ones are") {
  const std::string line =
      "__global__ void k(int *a) { if ((*p).x[i] > max(a[b[j]], 2) && !q->n[0]) for (;;) { a[b[j]] "
      "= a[b[j]] < v ? v : a[b[j]]; ns::q->n[0] <<= 'x' + \"y\" /* c */; int t = a[0]; a[0] = t; } "
      "}";
  for (std::size_t at = 0; at <= line.size(); ++at) {
    CHECK_FALSE(remedy_of_line(line.substr(0, at)).empty());
    CHECK_FALSE(remedy_of_line(line.substr(at)).empty());
    CHECK_FALSE(remedy_of_line(line.substr(at / 2, at / 2)).empty());
  }
}

TEST_CASE("accesses of two lines that are no update need a barrier") {
  const char* const text =
      "s[0] += 1;\n"
      "a[i] = s[0];\n"
      "if (s[0] > 1) count = 2;\n"
      "__syncthreads();\n"
      "s[0] = 3;\n";
  for (const auto& [first, second] : {std::pair(1, 2), std::pair(3, 5), std::pair(1, 5)})
    CHECK(contains(remedy_of_lines(text, static_cast<std::uint32_t>(first),
                                   static_cast<std::uint32_t>(second)),
                   "call __syncthreads()"));
}

TEST_CASE("a line that all threads write to one place needs one thread") {
  Finding finding = race("out[0] = s;");
  finding.message = "two threads of a warp ... with no __syncwarp() or barrier between them";
  finding.at.access = finding.other->access = "write of 4 bytes";
  CHECK(remedy_of(finding).starts_with("let one thread write this place"));
  finding.other->access = "read of 4 bytes";
  CHECK(contains(remedy_of(finding), "call __syncwarp()"));
}

TEST_CASE("the variable that a message names is meant") {
  const char* const where = "shared memory, 0 bytes into the 4-byte shared variable 'f::s'";
  CHECK(contains(remedy_of_line("s += out[i];", where), "atomicAdd(&s, ...)"));
  CHECK(contains(remedy_of_line("if (s < out[i]) s = out[i];", where), "atomicMax(&s, ...)"));
  CHECK(contains(remedy_of_line("count[0] += s = i;", where), "call __syncthreads()"));
}

TEST_CASE("what depends on the program has none") {
  Finding finding;
  finding.check = Check::Init;
  finding.message = "a thread reads a local variable of the thread that it did not write";
  CHECK(remedy_of(finding).empty());
}

}  // namespace
}  // namespace pycuda::cpu::exec
