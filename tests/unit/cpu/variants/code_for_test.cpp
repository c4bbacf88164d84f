// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "cpu/variants/choose.h"
#include "unit/cpu/variants/fake_source.h"

namespace {

using namespace std::chrono_literals;
using namespace pycuda::cpu;
using namespace pycuda::cpu::variants;
using testing::FakeSource;
using testing::gang_code;
using testing::LateThread;
using testing::makeshift_code;

constexpr Dim3 grid{4}, ragged{50};
const Variant tails = Variant::of(Form::Tails), threads = Variant::of(Form::Threads);

bool on_a_thread(std::function<void()> work) {
  std::thread(std::move(work)).detach();
  return true;
}

/// Whether the launch runs this variant.
bool runs(FakeSource& source, Variant variant) {
  const Made code = code_for(source.first, grid, ragged);
  return code.ok() && *code != nullptr && *code == source.table.ready(variant);
}

}  // namespace

TEST_CASE("a launch compiles a short form itself") {
  LateThread late;
  FakeSource source(gang_code(), {late.spawn(), late.spawn(), {}, 1, {}}, 1ms);
  CHECK(runs(source, tails));
  CHECK(late.waiting.empty());
}

TEST_CASE("a launch waits for a form that does not take long") {
  const auto owner = std::make_shared<int>();
  FakeSource source(gang_code(), {on_a_thread, on_a_thread, {}, 1, owner}, 400ms);
  CHECK(runs(source, tails));
  CHECK(source.asked[threads] == 0);
}

TEST_CASE("a launch runs thread by thread while a long form is compiled") {
  const auto owner = std::make_shared<int>();
  LateThread late;
  FakeSource source(gang_code(), {late.spawn(), late.spawn(), {}, 1, owner}, 5s);
  for (int launch = 0; launch < 2; ++launch) CHECK(runs(source, threads));
  CHECK(late.waiting.size() == 1);
  late.run_all();
  CHECK(runs(source, tails));
}

TEST_CASE("a launch compiles code for single threads itself, however long that takes") {
  LateThread late;
  FakeSource source(gang_code(), {late.spawn(), late.spawn(), {}, 1, {}}, 5s);
  const Made code = code_for(source.first, grid, {1});
  REQUIRE(code.ok());
  CHECK(*code == source.table.ready(threads));
  CHECK(late.waiting.empty());
}

TEST_CASE("a launch of single threads runs a makeshift while their form is compiled") {
  const auto owner = std::make_shared<int>();
  LateThread late;
  FakeSource source(makeshift_code(), {late.spawn(), late.spawn(), {}, 1, owner}, 5s);
  REQUIRE(source.table.make(Variant::usual()).ok());
  CHECK(*code_for(source.first, grid, {1}) == &source.first);
  CHECK(late.waiting.size() == 1);
  late.run_all();
  const Made code = code_for(source.first, grid, {1});
  REQUIRE(code.ok());
  CHECK(*code == source.table.ready(threads));
  CHECK(*code != &source.first);
}

TEST_CASE("a launch runs a makeshift where its form cannot be made") {
  FakeSource source(makeshift_code());
  source.failing = {threads};
  REQUIRE(source.table.make(Variant::usual()).ok());
  CHECK(*code_for(source.first, grid, {1}) == &source.first);
}

TEST_CASE("a launch compiles a long form itself where no thread can be had") {
  FakeSource source(gang_code(), {[](const auto&) { return false; }, {}, {}, 1, {}}, 5s);
  CHECK(runs(source, tails));
}

TEST_CASE("a launch ends with the failure of its form where nothing else runs it") {
  FakeSource source(gang_code());
  source.failing = {tails};
  for (int launch = 0; launch < 2; ++launch)
    CHECK(code_for(source.first, grid, ragged).error().message ==
          "kernel 'k' could not be compiled");
  // Other launches may have had more to offer.
  CHECK(source.table.make(threads).ok());
  CHECK(runs(source, threads));
}

TEST_CASE("a long form that fails in the background leaves launches as they run") {
  const auto owner = std::make_shared<int>();
  LateThread late;
  FakeSource source(gang_code(), {late.spawn(), late.spawn(), {}, 1, owner}, 5s);
  source.failing = {tails};
  REQUIRE(code_for(source.first, grid, ragged).ok());
  late.run_all();
  CHECK(source.table.state(tails) == State::Failed);
  CHECK(runs(source, threads));
}
