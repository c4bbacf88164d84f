// SPDX-License-Identifier: MIT
#include "cpu/variants/choose.h"

#include <doctest/doctest.h>

#include <optional>

#include "unit/cpu/variants/fake_source.h"

namespace {

using namespace pycuda::cpu;
using namespace pycuda::cpu::variants;
using testing::baseline_code;
using testing::FakeSource;
using testing::gang_code;
using testing::makeshift_code;

struct Launch {
  Dim3 grid, block;
  bool streams = false;
};

constexpr Launch whole{{4}, {64}}, ragged{{4}, {50}}, small{{4}, {16}}, lone{{4}, {1}};

/// Launches with stores that should go past the caches.
constexpr Launch large{{4}, {64}, true};

Choice choose(const Kernel& code, const Launch& launch) {
  return variants::choose(code, launch.grid, launch.block, launch.streams);
}

bool is(const Choice& choice, const Kernel* code, std::optional<Variant> work) {
  return choice.code == code && choice.work == work;
}

}  // namespace

TEST_CASE("code without a table runs every launch") {
  Kernel kernel;
  kernel.facts = gang_code();
  CHECK(is(choose(kernel, ragged), &kernel, std::nullopt));
}

TEST_CASE("code runs the launches whose form it has") {
  const FakeSource source(gang_code());
  CHECK(is(choose(source.first, whole), &source.first, std::nullopt));
}

TEST_CASE("a launch that needs another form asks for it, and runs it once it is there") {
  for (const auto& [launch, form] :
       {std::pair{ragged, Form::Tails}, {small, Form::ShortRows}, {lone, Form::Threads}}) {
    FakeSource source(gang_code());
    CHECK(is(choose(source.first, launch), nullptr, Variant::of(form)));
    const Made made = source.table.make(Variant::of(form));
    REQUIRE(made.ok());
    CHECK(is(choose(source.first, launch), *made, std::nullopt));
  }
}

TEST_CASE("meanwhile a launch runs in whatever form can run it, the usual one first") {
  FakeSource source(gang_code());
  const Made threads = source.table.make(Variant::of(Form::Threads));
  CHECK(is(choose(source.first, ragged), *threads, Variant::of(Form::Tails)));
  CHECK(is(choose(source.first, small), *threads, Variant::of(Form::ShortRows)));
  const Made tails = source.table.make(Variant::of(Form::Tails));
  CHECK(is(choose(source.first, small), *tails, Variant::of(Form::ShortRows)));
}

TEST_CASE("what could not be made for small blocks is not asked for again: the usual form is") {
  FakeSource source(gang_code());
  source.failing.insert(Variant::of(Form::ShortRows));
  CHECK(!source.table.make(Variant::of(Form::ShortRows)).ok());
  CHECK(is(choose(source.first, small), nullptr, Variant::of(Form::Tails)));
  const Made tails = source.table.make(Variant::of(Form::Tails));
  CHECK(is(choose(source.first, small), *tails, std::nullopt));
}

TEST_CASE("a launch that nothing can run names the form whose failure it ends with") {
  FakeSource source(gang_code());
  source.failing.insert(Variant::of(Form::Tails));
  CHECK(!source.table.make(Variant::of(Form::Tails)).ok());
  CHECK(is(choose(source.first, ragged), nullptr, Variant::of(Form::Tails)));
}

TEST_CASE("baseline code runs until there is vector code, and then what that has no form for") {
  FakeSource source(baseline_code());
  CHECK(is(choose(source.first, whole), &source.first, Variant::vectors()));
  CHECK(is(choose(source.first, ragged), &source.first, Variant::vectors()));
  const Made vectors = source.table.make(Variant::vectors());
  CHECK(is(choose(source.first, whole), *vectors, std::nullopt));
  CHECK(is(choose(source.first, ragged), &source.first, Variant::of(Form::Tails)));
  const Made tails = source.table.make(Variant::of(Form::Tails));
  CHECK(is(choose(source.first, ragged), *tails, std::nullopt));
  // Threads one by one are the baseline code's.
  CHECK(is(choose(source.first, lone), &source.first, std::nullopt));
}

TEST_CASE("baseline code runs for ever where there is no vector code") {
  FakeSource source(baseline_code());
  source.failing.insert(Variant::vectors());
  CHECK(!source.table.make(Variant::vectors()).ok());
  CHECK(is(choose(source.first, whole), &source.first, std::nullopt));
}

TEST_CASE("a makeshift runs until there is any other code") {
  FakeSource source(makeshift_code());
  CHECK(is(choose(source.first, whole), &source.first, Variant::usual()));
  CHECK(source.table.vector_state() == State::Missing);
  const Made usual = source.table.make(Variant::usual());
  CHECK(is(choose(source.first, whole), *usual, std::nullopt));
  CHECK(source.table.vector_state() == State::Ready);
}

TEST_CASE("what takes a makeshift's place may be baseline code in turn") {
  FakeSource source(makeshift_code());
  source.usual = baseline_code();
  const Made usual = source.table.make(Variant::usual());
  CHECK(is(choose(source.first, whole), *usual, Variant::vectors()));
  CHECK(is(choose(**usual, whole), *usual, Variant::vectors()));
  const Made vectors = source.table.make(Variant::vectors());
  CHECK(is(choose(source.first, whole), *vectors, std::nullopt));
  CHECK(is(choose(**usual, whole), *vectors, std::nullopt));
}

TEST_CASE("single threads run a makeshift until there is other code, and ask for it") {
  FakeSource source(makeshift_code());
  const Variant threads = Variant::of(Form::Threads);
  CHECK(is(choose(source.first, lone), &source.first, Variant::usual()));
  REQUIRE(source.table.make(Variant::usual()).ok());
  CHECK(is(choose(source.first, lone), &source.first, threads));
  CHECK(is(choose(source.first, ragged), &source.first, Variant::of(Form::Tails)));
  const Made made = source.table.make(threads);
  REQUIRE(made.ok());
  CHECK(*made != &source.first);
  CHECK(is(choose(source.first, lone), *made, std::nullopt));
  CHECK(is(choose(source.first, ragged), *made, Variant::of(Form::Tails)));
}

TEST_CASE("single threads run the baseline code that took a makeshift's place") {
  FakeSource source(makeshift_code());
  source.usual = baseline_code();
  const Made usual = source.table.make(Variant::usual());
  REQUIRE(usual.ok());
  CHECK(is(choose(source.first, lone), *usual, Variant::vectors()));
  REQUIRE(source.table.make(Variant::vectors()).ok());
  CHECK(is(choose(source.first, lone), *usual, std::nullopt));
  CHECK(*source.table.make(Variant::of(Form::Threads)) == *usual);
}

TEST_CASE("single threads run a makeshift for ever where nothing else can be made") {
  FakeSource source(makeshift_code());
  REQUIRE(source.table.make(Variant::usual()).ok());
  source.failing.insert(Variant::of(Form::Threads));
  CHECK(!source.table.make(Variant::of(Form::Threads)).ok());
  CHECK(is(choose(source.first, lone), &source.first, std::nullopt));
}

TEST_CASE("large launches ask for code whose stores go past the caches, and others do not") {
  FakeSource source(gang_code(), {}, std::chrono::nanoseconds(1), Streaming::InLargeLaunches);
  CHECK(is(choose(source.first, whole), &source.first, std::nullopt));
  CHECK(is(choose(source.first, large), &source.first, Variant::streaming()));
  const Made streaming = source.table.make(Variant::streaming());
  CHECK(is(choose(source.first, large), *streaming, std::nullopt));
  CHECK(is(choose(source.first, whole), &source.first, std::nullopt));
}
