// SPDX-License-Identifier: MIT
#include "cpu/variants/table.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "unit/base/captured_log.h"
#include "unit/cpu/variants/fake_source.h"

namespace {

using namespace std::chrono_literals;
using namespace pycuda::cpu;
using namespace pycuda::cpu::variants;
using testing::baseline_code;
using testing::FakeSource;
using testing::gang_code;
using testing::LateThread;

const Variant tails = Variant::of(Form::Tails), vectors = Variant::vectors();

/// In the background of a module that lives as long as this.
struct Module {
  LateThread thread, spare;
  std::shared_ptr<int> owner = std::make_shared<int>();
  Background background() { return {thread.spawn(), thread.spawn(), spare.spawn(), 1, owner}; }
};

/// Read once, by the first that logs.
[[maybe_unused]] const int log_level_of_tests = ::setenv("PYCUDA_LOG", "info", 0);

}  // namespace

TEST_CASE("every variant has a number of its own") {
  std::vector<Variant> all{Variant::first(), vectors, Variant::streaming(), Variant::usual()};
  for (std::size_t form = 0; form < form_count; ++form)
    all.push_back(Variant::of(static_cast<Form>(form)));
  for (unsigned bits = 0; bits < Checks::set_count; ++bits)
    all.push_back(Variant::of(Checks::from_bits(bits)));
  for (unsigned bits = 0; bits < Checks::set_count; ++bits)
    all.push_back(Variant::likely(Checks::from_bits(bits)));
  CHECK(all.size() == Variant::count);
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(all[i].index() == i);
  CHECK(Variant::of(Form::DeepLine).form() == Form::DeepLine);
  CHECK(Variant::of(Checks::all()).checks() == Checks::all());
  CHECK(Variant::likely(Checks::all()).checks() == Checks::all());
  CHECK(Variant::likely(Checks()).is_checked());
  CHECK(!Variant::of(Checks::from_bits(Checks::set_count - 1)).is_likely());
  CHECK(!Variant::of(Form::DeepLine).is_checked());
  CHECK(!Variant::of(Checks()).is_form());
}

TEST_CASE("a variant is made once, by the first that asks") {
  FakeSource source(gang_code());
  CHECK(source.table.state(tails) == State::Missing);
  const Made made = source.table.make(tails);
  REQUIRE(made.ok());
  CHECK(source.table.state(tails) == State::Ready);
  CHECK(source.table.ready(tails) == *made);
  CHECK(*source.table.make(tails) == *made);
  CHECK(source.asked[tails] == 1);
  // Gangs that may have a rest need none.
  CHECK(source.table.with(Form::Tails) == *made);
}

TEST_CASE("a failure is for ever, and told to everybody") {
  FakeSource source(gang_code());
  source.failing.insert(tails);
  for (int round = 0; round < 2; ++round) {
    const Made made = source.table.make(tails);
    REQUIRE(!made.ok());
    CHECK(made.error().message == "kernel 'k' could not be compiled");
  }
  CHECK(source.table.state(tails) == State::Failed);
  CHECK(source.asked[tails] == 1);
}

TEST_CASE("threads that ask at once get the same code") {
  FakeSource source(gang_code());
  std::vector<const Kernel*> found(8);
  std::vector<std::thread> threads;
  for (const Kernel*& place : found)
    threads.emplace_back([&] { place = *source.table.make(tails); });
  for (std::thread& thread : threads) thread.join();
  for (const Kernel* const code : found) CHECK(code == found.front());
  CHECK(source.asked[tails] == 1);
}

TEST_CASE("vector code is begun once baseline code has run for as long as it takes, and once") {
  Module module;
  FakeSource source(baseline_code(), module.background(), 100ns);
  source.table.add_run_time(vectors, 50ns);
  CHECK(module.thread.waiting.empty());
  source.table.add_run_time(vectors, 50ns);
  CHECK(module.thread.waiting.size() == 1);
  CHECK(source.table.state(vectors) == State::Making);
  source.table.add_run_time(vectors, 1s);
  CHECK(module.thread.waiting.size() == 1);
  module.thread.run_all();
  CHECK(source.table.state(vectors) == State::Ready);
  source.table.add_run_time(vectors, 1s);
  CHECK(module.thread.waiting.empty());
}

TEST_CASE("stores past the caches gain little, and are compiled in the time that is left") {
  Module module;
  FakeSource source(baseline_code(), module.background(), 100ns);
  source.table.begin_after(Variant::streaming(), 10ns);
  source.table.add_run_time(Variant::streaming(), 10ns);
  CHECK(module.thread.waiting.empty());
  CHECK(module.spare.waiting.size() == 1);
}

TEST_CASE("run time counts for nothing where nothing may be compiled later") {
  Module module;
  Background never = module.background();
  never.patience = -1;
  FakeSource impatient(baseline_code(), never, 100ns), alone(baseline_code(), {}, 100ns);
  for (FakeSource* const source : {&impatient, &alone}) {
    source->table.add_run_time(vectors, 1s);
    source->table.add_run_time(vectors, 1s);
    CHECK(source->table.state(vectors) == State::Missing);
  }
  CHECK(module.thread.waiting.empty());
}

TEST_CASE("work in the background is begun once, and is nothing where the code is there") {
  Module module;
  FakeSource source(gang_code(), module.background());
  const auto job = source.table.begin(tails, module.thread.spawn());
  REQUIRE(job != nullptr);
  CHECK(source.table.begin(tails, module.thread.spawn()) == job);
  CHECK(module.thread.waiting.size() == 1);
  // Somebody who cannot wait for it.
  CHECK(source.table.make(tails).ok());
  module.thread.run_all();
  CHECK(job->is_done());
  CHECK(source.asked[tails] == 1);
  const Variant threads = Variant::of(Form::Threads);
  CHECK(source.table.make(threads).ok());
  CHECK(source.table.begin(threads, module.thread.spawn()) == nullptr);
}

TEST_CASE("nothing is linked for a module that has gone, but what was begun is compiled") {
  Module module;
  FakeSource source(gang_code(), module.background());
  int compiled = 0;
  source.compile = [&] { ++compiled; };
  source.table.begin(tails, module.thread.spawn());
  module.owner.reset();
  module.thread.run_all();
  CHECK(compiled == 1);
  CHECK(source.asked[tails] == 0);
}

TEST_CASE("other code takes the place of a makeshift as soon as it is compiled") {
  const Variant checked = Variant::of(Check::Memory), threads = Variant::of(Form::Threads);
  for (const Variant variant : {threads, checked}) {
    Module module;
    FakeSource source(gang_code(), module.background());
    source.in_a_hurry.insert(variant);
    const Made makeshift = source.table.make(variant);
    REQUIRE(makeshift.ok());
    CHECK((*makeshift)->facts.is_makeshift);
    CHECK(source.table.ready(variant) == *makeshift);
    REQUIRE(module.thread.waiting.size() == 1);
    source.compile = [&] { source.in_a_hurry.clear(); };
    module.thread.run_all();
    CHECK(source.table.state(variant) == State::Ready);
    CHECK_FALSE(source.table.ready(variant)->facts.is_makeshift);
    CHECK(*source.table.make(variant) == source.table.ready(variant));
    CHECK(source.asked[variant] == 2);
  }
}

TEST_CASE("a makeshift stays where what should take its place fails or its module has gone") {
  const Variant threads = Variant::of(Form::Threads);
  for (const bool has_gone : {false, true}) {
    Module module;
    FakeSource source(gang_code(), module.background());
    source.in_a_hurry.insert(threads);
    const Made makeshift = source.table.make(threads);
    source.failing.insert(threads);
    if (has_gone) module.owner.reset();
    const std::string log = standard_error_of([&] { module.thread.run_all(); });
    CHECK(source.table.ready(threads) == *makeshift);
    CHECK(source.asked[threads] == (has_gone ? 1 : 2));
    CHECK((log.find("kernel 'k' could not be compiled; kernel 'k' stays in the form that it runs "
                    "in\n") != std::string::npos) == !has_gone);
  }
}

TEST_CASE("work that ends with an exception leaves a makeshift, and says so") {
  const Variant threads = Variant::of(Form::Threads);
  Module module;
  FakeSource source(gang_code(), module.background());
  source.in_a_hurry.insert(threads);
  const Made makeshift = source.table.make(threads);
  source.compile = [] { throw std::bad_alloc(); };
  const std::string log = standard_error_of([&] { module.thread.run_all(); });
  CHECK(source.table.ready(threads) == *makeshift);
  CHECK(log.find("not enough memory") != std::string::npos);
}

TEST_CASE("work that ends with an exception leaves its variant failed") {
  Module module;
  FakeSource source(gang_code(), module.background());
  source.compile = [] { throw std::bad_alloc(); };
  const auto job = source.table.begin(tails, module.thread.spawn());
  module.thread.run_all();
  CHECK_THROWS_AS(job->wait(), std::bad_alloc);
  CHECK(source.table.state(tails) == State::Failed);
  CHECK(source.table.make(tails).error().message.find("not enough memory") != std::string::npos);
}
