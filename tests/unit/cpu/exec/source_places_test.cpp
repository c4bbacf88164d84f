// SPDX-License-Identifier: MIT
#include "cpu/exec/source_places.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace pycuda::cpu::exec {
namespace {

const int code = 0;
const int other_code = 0;

struct Added {
  Added(const void* of, SourcePlace place) : code(of) { add_source_place(of, std::move(place)); }
  ~Added() { remove_source_places(code); }
  const void* code;
};

TEST_CASE("a line has the number that it has in the user's program, and its text") {
  const Added added(&code, {"kernel.cu", "one\n  two;  \nthree", "program.py:{}", 10});
  const SourceLine line = find_source_line(&code, "/somewhere/kernel.cu", 2);
  CHECK(line.place == " at program.py:11");
  CHECK(line.text == "two;");
}

TEST_CASE("each code has places of its own, until they are removed") {
  const Added added(&code, {"kernel.cu", "one", "first.py:{}", 1});
  {
    const Added other(&other_code, {"kernel.cu", "one", "line {} of the source", 1});
    CHECK(find_source_line(&code, "kernel.cu", 1).place == " at first.py:1");
    CHECK(find_source_line(&other_code, "kernel.cu", 1).place == " at line 1 of the source");
  }
  CHECK(find_source_line(&other_code, "kernel.cu", 1).place == " at kernel.cu:1");
}

TEST_CASE("sources of one module are told apart by their files") {
  const Added first(&code, {"kernel-1.cu", "a", "a.py:{}", 1});
  const Added second(&code, {"kernel-2.cu", "b", "b.py:{}", 1});
  CHECK(find_source_line(&code, "kernel-2.cu", 1).place == " at b.py:1");
  CHECK(find_source_line(&code, "other-kernel-2.cu", 1).place == " at other-kernel-2.cu:1");
}

TEST_CASE("a line beyond the source, and one of an unknown file, have no text") {
  const Added added(&code, {"kernel.cu", "one\ntwo", "p.py:{}", 1});
  CHECK(find_source_line(&code, "kernel.cu", 3).text.empty());
  CHECK(find_source_line(&code, "", 3).place == " at line 3");
  CHECK(find_source_line(&code, "/no/such/file.cu", 3).text.empty());
}

TEST_CASE("a file that can be read is quoted") {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / "pycuda_source_places_test.cuh";
  std::ofstream(path) << "first\n\tsecond\n";
  const SourceLine line = find_source_line(&code, path.string(), 2);
  CHECK(line.place == " at " + path.string() + ":2");
  CHECK(line.text == "second");
  CHECK(find_source_line(&code, path.string(), 9).text.empty());
  // Of the same name in the current folder, it need not be the one that was compiled.
  const std::filesystem::path relative = std::filesystem::proximate(path);
  CHECK(find_source_line(&code, relative.string(), 2).text.empty());
  std::filesystem::remove(path);
}

TEST_CASE("a source's place can be told anew") {
  const Added first(&code, {"kernel.cu", "one", "a.py:{}", 1});
  add_source_place(&code, {"kernel.cu", "two", "b.py:{}", 5});
  CHECK(find_source_line(&code, "kernel.cu", 1).place == " at b.py:5");
  CHECK(find_source_line(&code, "kernel.cu", 1).text == "two");
}

TEST_CASE("a long line is cut, not within a character") {
  std::string text(159, 'x');
  text += "\xc3\xa9yyyy";
  const Added added(&code, {"kernel.cu", text, "p.py:{}", 1});
  CHECK(find_source_line(&code, "kernel.cu", 1).text == std::string(159, 'x') + "...");
}

}  // namespace
}  // namespace pycuda::cpu::exec
