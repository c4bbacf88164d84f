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
      {"int v = out[i % 4]; v = v + 1; out[i % 4] = v;", "use atomicAdd(&out[i % 4], ...)"},
      {"int v = out[i]; v |= 4; out[i] = v;", "use atomicOr(&out[i], ...)"},
      {"(*length)++;", "change and write *length, which"},
      {"(*length)++;", "use atomicAdd(length, ...)"},
      {"out[i % 1'000] += n % 1'0;", "use atomicAdd(&out[i % 1'000], ...)"},
      {"out[0] += out[threadIdx.x];", "use atomicAdd(&out[0], ...)"},
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

/// Of a race for memory that was passed as the argument.
std::string remedy_for(const std::string& declaration, std::string line) {
  return remedy_of_line(std::move(line), "global memory, 0 bytes into the block, passed as '" +
                                             declaration + "', argument #0 (0-based)");
}

TEST_CASE("the type that the message names decides on the operation") {
  struct Case {
    const char *declaration, *line, *words;
  };
  const Case cases[] = {
      {"float *out", "if (v > out[0]) out[0] = v;",
       "use a loop with atomicCAS (atomicMax takes integers)"},
      {"double *out", "out[0] = fmax(out[0], v);", "use a loop with atomicCAS (atomicMax takes"},
      {"float *out", "out[0] -= v;", "use atomicAdd(&out[0], -...)"},
      {"float *out", "out[0]--;", "use atomicAdd(&out[0], -...)"},
      {"float4 *out", "out[0].x -= v;", "use atomicAdd(&out[0].x, -...)"},
      {"float *out", "if (out[0] == 0) out[0] = v;",
       "use a loop with atomicCAS on the bits (__float_as_int);"},
      {"double *out", "out[0] *= v;", "atomicCAS on the bits (__double_as_longlong), or"},
      {"__half *out", "out[0] -= v;", "use atomicAdd(&out[0], -...), or"},
      {"__nv_bfloat16 *out", "if (v > out[0]) out[0] = v;",
       "use a loop with atomicCAS (atomicMax takes integers; atomicCAS takes unsigned short), or"},
      {"__half *out", "if (out[0] == 0) out[0] = v;", "atomicCAS on the bits (unsigned short);"},
      {"short *out", "if (out[0] == 0) out[0] = v;", "use atomicCAS((unsigned short *)&out[0], "},
      {"short *out", "out[0] += v;", "(atomicAdd takes no integers of 2 bytes)"},
      {"int out[]", "out[0] -= v;", "use atomicSub(&out[0], ...)"},
      {"unsigned *out", "out[0] = max(out[0], v);", "use atomicMax(&out[0], ...), or a red"},
      {"unsigned char *out", "out[0] |= 1;",
       "make out an array of int and use atomicOr(&out[0], ...) (atomicOr takes no numbers of 1 "},
      {"const volatile short *out", "*out += 1;", "make out an array of int and use atomicAdd(out"},
      {"uint8_t *out", "out[i] *= 2;", "make out an array of int and use a loop with atomicCAS"},
      {"unsigned short *out", "out[i] *= 2;", ": use a loop with atomicCAS, or"},
      {"__half *out", "out[0] += v;", "use atomicAdd(&out[0], ...), or"},
      {"long long *out", "out[0] += 1;", "use atomicAdd((unsigned long long *)&out[0], ...)"},
      {"long long *out", "out[0] -= 1;", "use atomicAdd((unsigned long long *)&out[0], -...)"},
      {"long long int *out", "if (v > *out) *out = v;", "use atomicMax(out, ...), or"},
      {"long *out", "if (v > *out) *out = v;", "use atomicMax((long long *)out, ...), or"},
      {"size_t *out", "out[0] &= 3;", "use atomicAnd((unsigned long long *)&out[0], ...)"},
      {"unsigned long long *out", "out[0] -= 1;", "use atomicAdd(&out[0], -...)"},
      {"Number *out", "out[0] -= v;",
       "use atomicSub(&out[0], ...) for int, atomicAdd(&out[0], -...) for other types"},
      {"Number *out', argument #0 (0-based), and 'float *a", "out[0] -= v;", "for int, atomicAdd("},
      {"float *a', argument #0 (0-based), and 'int *out", "out[0] -= v;", "use atomicSub("},
      {"float *a", "*p -= v;", "use atomicAdd(p, -...)"},
      {"unsigned *half", "half[0] -= v;", "use atomicSub(&half[0], ...), or"},
      {"Node *half", "half[0] -= v;", "for int, atomicAdd("},
      {"Pair<float> *out", "out[0] -= v;", "for int, atomicAdd("},
      {"float **x", "x[0][1] -= v;", "for int, atomicAdd("},
      {"float *x[]", "x[0][1] -= v;", "for int, atomicAdd("},
      {"float (*rows)[8]", "rows[0][1] -= v;", "use atomicAdd(&rows[0][1], -...)"},
      {"unsigned long a", "*(int *)a -= v;", "for int, atomicAdd("},
  };
  for (const Case& one : cases) CHECK(contains(remedy_for(one.declaration, one.line), one.words));
}

TEST_CASE("the declaration of a shared variable does, too") {
  Finding finding =
      race("s -= v;", "shared memory, 0 bytes into the 4-byte shared variable 'f::s'");
  FindingSituation situation;
  const auto remedy = [&](const char* source) {
    situation.source = source;
    return remedy_of(finding, situation);
  };
  CHECK(contains(remedy("__shared__ float s; int s2;"), "use atomicAdd(&s, -...), or"));
  CHECK(contains(remedy("#error don't\n__shared__ int s;"), "use atomicSub(&s, ...), or"));
  CHECK(contains(remedy("__shared__ int s;"), "use atomicSub(&s, ...), or"));
  CHECK(
      contains(remedy("__shared__ unsigned char t[3], s;"), "make s an int and use atomicSub(&s"));
  CHECK(
      contains(remedy("__shared__ int s; void g() { __shared__ float s; }"), "for int, atomicAdd"));
  CHECK(contains(remedy("template <class T> void f() { __shared__ T s; }"), "for int, atomicAdd("));
  for (const char* const several :
       {"void f() { __shared__ T s; } void g() { __shared__ float s; }",
        "void f() { __shared__ float s; } void g() { __shared__ T s; }",
        "__shared__ float s; void f() { __shared__ T s; } void g() { __shared__ float s; }"})
    CHECK(contains(remedy(several), "for int, atomicAdd("));
  finding.message.replace(finding.message.rfind("::s"), 3, "::half");
  finding.at.source = finding.other->source = "half[1] -= v;";
  CHECK(contains(remedy("__shared__ int half[64];"), "use atomicSub(&half[1], ...), or"));
  CHECK(contains(remedy("__shared__ half x, half[64];"), "use atomicAdd(&half[1], -...), or"));
}

TEST_CASE("the size of an access decides where nothing else does") {
  Finding finding = race("p->flags |= 2;");
  finding.at.access = finding.other->access = "write of 1 byte";
  CHECK(contains(remedy_of(finding), "make the member an int and use atomicOr(&p->flags, ...)"));
  finding.at.source = finding.other->source = "p[i].flags[2] |= 2;";
  CHECK(contains(remedy_of(finding), "make the member an array of int and use atomicOr("));
  finding.at.source = finding.other->source = "bits[p->at] |= 2;";
  CHECK(contains(remedy_of(finding), "make bits an array of int and use atomicOr("));
}

TEST_CASE("operators beside the one that changes the place are not overlooked") {
  for (const char* const line : {
           "a[0] = a[0] + x[i] & 7;",
           "a[0] = a[0] & x[i] | 1;",
           "a[0] = a[0] + x[i] << 1;",
           "a[0] = x[i] - a[0];",
           "a[0] = x[i] - (y + a[0] + 1);",
           "a[0] = a[0] * x[i] + 1;",
           "a[0] = a[0] && x[i];",
           "a[0] = a[0] + a[0];",
           "a[0] = max(a[0] + 1, x[i]);",
           "a[0] = max(x[i], 2 * a[0]);",
           "a[0] = max(a[0], x[i]) + 1;",
           "a[0] = a[0] + 1 > v ? a[0] + 1 : v;",
           "int v = a[0]; v = v + 1; v = v * 2; a[0] = v;",
           "int v = a[0]; v *= 2; a[0] = v + 1;",
           "int v = a[0]; v++; if (v == 8) v = 0; a[0] = v;",
       })
    CHECK(contains(remedy_of_line(line), ": use a loop with atomicCAS, or"));
  const std::pair<const char*, const char*> cases[] = {
      {"a[0] = a[0] + x[i] * 2 - y;", "atomicAdd("},
      {"a[0] = x[i] / 2 - y + a[0];", "atomicAdd("},
      {"a[0] = -x[i] + a[0];", "atomicAdd("},
      {"a[0] = a[0] + static_cast<int>(x[i] & 7);", "atomicAdd("},
      {"a[0] = a[0] - x[i] - 1;", "atomicSub("},
      {"a[0] = a[0] | 1 << i;", "atomicOr("},
      {"a[0] = a[0] & ~x[i];", "atomicAnd("},
      {"a[0] = x[i] & 1 ^ a[0];", "atomicXor("},
      {"a[0] = max(x[i] + 1, a[0]);", "atomicMax("},
      {"int v = a[0]; v += 1; v += x[i]; a[0] = v;", "atomicAdd("},
  };
  for (const auto& [line, words] : cases) CHECK(contains(remedy_of_line(line), words));
}

TEST_CASE("a condition that is turned round or one of several is no minimum") {
  for (const char* const line : {
           "if (x[i] <= a[0]) ; else a[0] = x[i];",
           "if (x[i] <= a[0]) { n++; } else { a[0] = x[i]; }",
           "if (i < n) if (x[i] <= a[0]) n++; else a[0] = x[i];",
           "if (!(x[i] < a[0])) a[0] = x[i];",
           "if (i < n && !(k && x[i] < a[0])) a[0] = x[i];",
           "if ((x[i] < a[0]) == k) a[0] = x[i];",
           "if (k || x[i] < a[0]) a[0] = x[i];",
           "if (k && (x[i] < a[0] || i < n)) a[0] = x[i];",
       })
    CHECK(contains(remedy_of_line(line), "use atomicCAS(&a[0], ...);"));
  const char* const text = "if (x[i] <= a[0])\n;\nelse\na[0] = x[i];\n";
  CHECK(contains(remedy_of_lines(text, 1, 4), "use atomicCAS(&a[0], ...);"));
  for (const char* const line : {"if (k) n++; else if (x[i] < a[0]) a[0] = x[i];",
                                 "if (i < n && ((x[i]) < n && (x[i] < a[0]))) a[0] = x[i];"})
    CHECK(contains(remedy_of_line(line), "use atomicMin(&a[0], ...)"));
}

TEST_CASE("a condition on another statement is none on the write") {
  for (const char* const line : {"if (x[i] > a[0]) { out[i] = 1; } a[0] = x[i];",
                                 "if (x[i] > a[0]) out[i] = 1; else n = 2; a[0] = x[i];"})
    CHECK(remedy_of_line(line).find("atomic") == std::string::npos);
  const char* const text = "if (a[0] == 7)\nreturn;\nb[i] = 2;\na[0] = 1;\n";
  CHECK(remedy_of_lines(text, 1, 4).find("atomic") == std::string::npos);
  CHECK(contains(remedy_of_lines("if (diff > a[0])\nb = 1;\n{\na[0] = diff;\n", 1, 4),
                 "call __syncthreads()"));
  CHECK(contains(remedy_of_lines("if (diff > a[0])\n{\nb = 1;\na[0] = diff;\n", 1, 4),
                 "use atomicMax(&a[0], ...)"));
}

TEST_CASE("a block is behind a condition only if the line before it has one") {
  const std::string before = "if (v > s[0])\n";
  CHECK(contains(remedy_of_lines(before + "{\ns[0] = v;\n", 1, 3), "use atomicMax("));
  for (const char* const line : {"do", "diff(v);"})
    CHECK(remedy_of_lines(before + line + "\n{\ns[0] = v;\n", 1, 4).find("atomic") ==
          std::string::npos);
}

TEST_CASE("who takes a place that is free needs one exchange") {
  for (const char* const line : {"if (lock[0] == 0) lock[0] = 1;", "if (!lock[0]) lock[0] = i;"})
    CHECK(contains(remedy_of_line(line), "use atomicCAS(&lock[0], ...); if each thread"));
}

TEST_CASE("the result of an atomic operation is not stored to the place that it updates") {
  for (const char* const line : {"counts[p] = atomicAdd(&counts[p], 1);",
                                 "if (i < n) counts[p] = atomicAdd(&counts[p], a[i]);"})
    CHECK(remedy_of_line(line).starts_with("leave out the assignment to counts[p]: the atomic"));
  CHECK(contains(remedy_of_line("*p = atomicMax(p, v);"), "leave out the assignment to *p"));
  CHECK(contains(remedy_of_line("s = atomicSub(&s, 1);"), "leave out the assignment to s"));
  for (const char* const line :
       {"counts[p] = atomicAdd(&totals[p], 1);", "counts[p] = f(&counts[p]);"})
    CHECK(remedy_of_line(line).find("leave out") == std::string::npos);
}

TEST_CASE("what nobody wrote is to be written") {
  Finding finding;
  finding.check = Check::Init;
  const auto remedy = [&](const char* message) {
    finding.message = message;
    return remedy_of(finding);
  };
  CHECK(contains(remedy("a thread reads global memory that nobody wrote, 8 bytes into the block"),
                 "InOut instead of Out, memcpy_htod), or by pycuda.gpuarray.zeros() or fill()"));
  CHECK(contains(remedy("a thread reads shared memory that nobody wrote, 0 bytes into"),
                 "call __syncthreads() in between"));
  CHECK(contains(remedy("a thread reads a local variable of the thread that it did not write"),
                 "where it is declared"));
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
           "*p += p[half];",
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
  CHECK(contains(remedy_of(finding), "between the turns"));
  FindingSituation situation;
  finding.kernel = "_Z1kPf";
  situation.source = "__global__ void k(float *out) { out[0] = s; }";
  CHECK(remedy_of(finding, situation).ends_with(", or give each thread one of its own"));
  finding.other->access = "read of 4 bytes";
  CHECK(contains(remedy_of(finding), "call __syncwarp()"));
}

TEST_CASE("within one statement no barrier can stand") {
  Finding finding = race("if (i >= d) a[i] += a[i - d];");
  finding.kernel = "_Z1kPf";
  FindingSituation situation;
  situation.threads = 64;
  situation.source = "__global__ void k(float *a) { for (;;) if (i >= d) a[i] += a[i - d]; }";
  CHECK(remedy_of(finding, situation) ==
        "call __syncthreads() at the end of each turn of a loop; if they access it in the same "
        "turn, read into a variable, call __syncthreads(), and write then");
  situation.source = "__global__ void k(float *a) { if (i >= d) a[i] += a[i - d]; }";
  CHECK(remedy_of(finding, situation) ==
        "read into a variable, call __syncthreads(), and write then");
  finding.at.source = finding.other->source = "a[i] = 1; b[i] = a[i - d];";
  CHECK(remedy_of(finding, situation) ==
        "call __syncthreads() between the two accesses, in a loop also at its end");
}

TEST_CASE("a barrier in a loop of unequal turns is to be moved, not repeated") {
  Finding finding = race("s[t] = a[t];");
  finding.other->source = "sum += s[t];";
  finding.kernel = "_Z1kPf";
  FindingSituation situation;
  situation.threads = 64;
  const auto remedy = [&](const std::string& body) {
    situation.source = "__global__ void k(float *a) { " + body + " }";
    return remedy_of(finding, situation);
  };
  const std::string moved = "move the __syncthreads() between the two accesses out of the loop";
  CHECK(remedy("for (int t = i; t < n; t += 64) { s[t] = a[t]; __syncthreads(); } sum += s[t];")
            .starts_with(moved));
  CHECK(remedy("for (;;) { if (i < n) { s[t] = a[t]; __syncthreads(); } sum += s[t]; }")
            .starts_with(moved));
  CHECK(remedy("s[t] = a[t]; if (i < n) { __syncthreads(); sum += s[t]; }").starts_with(moved));
  for (const char* const other : {
           "for (;;) { s[t] = a[t]; __syncthreads(); sum += s[t]; }",
           "s[t] = a[t]; __syncthreads(); sum += s[t];",
           "for (;;) { s[t] = a[t]; } sum += s[t];",
           "for (;;) { sum += s[t]; s[t] = a[t]; } __syncthreads();",
       })
    CHECK(remedy(other).starts_with("call __syncthreads() between the two accesses, in a loop"));
}

TEST_CASE("a barrier orders no blocks") {
  Finding finding = race("a[threadIdx.x] = s;");
  finding.message = "threads of two blocks ... with nothing that orders the blocks";
  finding.at.access = finding.other->access = "write of 4 bytes";
  CHECK(
      contains(remedy_of(finding), "each thread of all blocks one of its own, such as the one at"));
  CHECK(remedy_of(finding).find("__sync") == std::string::npos);
  finding.other->access = "read of 4 bytes";
  CHECK(contains(remedy_of(finding), "use two kernels, a second array for the output, or atomics"));
}

TEST_CASE("the pair of a warp that was found first stands for those of the block and the grid") {
  Finding finding = race("a[i] = s;");
  finding.other->source = "a[i + 1] = 2;";
  finding.message =
      "two threads of a warp access the same byte of global memory, with no __syncwarp() or "
      "barrier "
      "between them";
  FindingSituation situation;
  situation.blocks = 1;
  situation.threads = 32;
  CHECK(remedy_of(finding, situation).starts_with("call __syncwarp() between the two accesses"));
  situation.threads = 33;
  const std::string of_block = remedy_of(finding, situation);
  CHECK(of_block.starts_with("call __syncthreads() between the two accesses, in a loop also at"));
  CHECK(of_block.ends_with("(__syncwarp() is enough only if both threads are always of one warp)"));
  situation.blocks = 2;
  CHECK(contains(remedy_of(finding, situation),
                 "; if other blocks access the same places, use two kernels, a second array"));
  finding.message.replace(finding.message.find("global"), 6, "shared");
  CHECK(remedy_of(finding, situation) == of_block);
}

TEST_CASE("a barrier that some threads miss is moved out of the branch, unless they return") {
  Finding finding;
  finding.check = Check::Sync;
  finding.kernel = "_Z1kPfi";
  finding.message = "3 threads exited without reaching a barrier that the others wait at";
  FindingSituation situation;
  const auto remedy = [&](const std::string& body, std::string above, std::string line) {
    finding.at.above = std::move(above);
    finding.at.source = std::move(line);
    situation.source = body.empty() ? body : "__global__ void k(float *a, int n) { " + body + " }";
    return remedy_of(finding, situation);
  };
  const std::string branch = remedy("for (;;) if (t < h) { __syncthreads(); }", "", "");
  CHECK(branch.starts_with("move __syncthreads() out of the branch or the loop"));
  const std::string early = remedy("if (i >= n) return; f(); __syncthreads();",
                                   "if (i >= n) return;\nf();\n", "__syncthreads();");
  CHECK(early.starts_with("replace if (i >= n) return; by a condition"));
  CHECK(early.find("branch") == std::string::npos);
  const std::string both = early + "; or " + branch;
  CHECK(remedy("if (i >= n) return; ...", "if (t < h) {\n", "__syncthreads();") == both);
  CHECK(remedy("", "", "__syncthreads();") == both);
}

TEST_CASE("threads of a block that wait at two barriers have a remedy, too") {
  Finding finding;
  finding.check = Check::Sync;
  finding.message = "threads of the block wait at different __syncthreads(): a condition around";
  CHECK(remedy_of(finding) == "move __syncthreads() out of the branch");
}

TEST_CASE("a line that is too long to be quoted is known as a whole") {
  Finding finding = race("__global__ void k(int *in, int c) { c = 1 ...");
  finding.at.whole = finding.other->whole =
      "__global__ void k(int *in, int c) { c = 1; *in += c; }";
  CHECK(contains(remedy_of(finding), "use atomicAdd(in, ...)"));
}

TEST_CASE("the variable that a message names is meant") {
  const char* const where = "shared memory, 0 bytes into the 4-byte shared variable 'f::s'";
  CHECK(contains(remedy_of_line("s += out[i];", where), "atomicAdd(&s, ...)"));
  CHECK(contains(remedy_of_line("if (s < out[i]) s = out[i];", where), "atomicMax(&s, ...)"));
  CHECK(contains(remedy_of_line("count[0] += s = i;", where), "call __syncthreads()"));
}

TEST_CASE("what depends on the program has none") {
  Finding finding;
  finding.check = Check::Memory;
  finding.message = "illegal memory access at address 0x1000, 8 bytes past the end of the block";
  CHECK(remedy_of(finding).empty());
}

}  // namespace
}  // namespace pycuda::cpu::exec
