// SPDX-License-Identifier: MIT
#include "cuda/context_stack.h"

#include <doctest/doctest.h>

#include <thread>

#include "cuda/device_memory.h"
#include "unit/fake/fake_driver.h"

using namespace pycuda::cuda;
using pycuda::driver::DriverError;
using pycuda::driver::DriverTable;
using pycuda::testing::CurrentContext;
using pycuda::testing::fake;
using pycuda::testing::fake_driver;
using pycuda::testing::fake_driver_stack;

TEST_CASE("only the top of the stack is current in the driver") {
  const DriverTable driver = fake_driver();
  const CurrentContext below(driver);
  const CurrentContext top(driver);
  CHECK(context_stack_depth() == 2);
  CHECK(fake_driver_stack() == std::vector<CUcontext>{top->handle()});
  pop_context();
  CHECK(current_context() == *below);
  CHECK(fake_driver_stack() == std::vector<CUcontext>{below->handle()});
}

TEST_CASE("another library's context below ours is left alone") {
  const DriverTable driver = fake_driver();
  const ContextPtr other = Context::create(Device(0, driver));
  fake_driver_stack().push_back(other->handle());
  {
    const CurrentContext ours(driver);
    CHECK(fake_driver_stack().size() == 2);
  }
  CHECK(fake_driver_stack() == std::vector<CUcontext>{other->handle()});
}

TEST_CASE("popping an empty stack says so") {
  static_cast<void>(fake_driver());
  CHECK_THROWS_WITH_AS(pop_context(),
                       "context::pop failed: invalid device context - cannot pop non-current "
                       "context",
                       DriverError);
}

TEST_CASE("a context is destroyed with its last owner, and once") {
  const DriverTable driver = fake_driver();
  {
    const CurrentContext context(driver);
    CHECK(fake().contexts.size() == 1);
  }
  CHECK(fake().contexts.empty());
  CHECK(fake_driver_stack().empty());
}

TEST_CASE("a retained primary context is released, not destroyed") {
  const DriverTable driver = fake_driver();
  {
    const ContextPtr primary = Context::retain_primary(Device(0, driver));
    CHECK(current_context() == nullptr);
    CHECK(fake().contexts.size() == 1);
  }
  CHECK(fake().contexts.empty());
}

TEST_CASE("an attached context survives us") {
  const DriverTable driver = fake_driver();
  const ContextPtr owner = Context::create(Device(0, driver));
  CHECK(Context::attach_current(driver) == nullptr);
  fake_driver_stack().push_back(owner->handle());
  Context::attach_current(driver)->detach();
  CHECK(fake().contexts.contains(owner->handle()));
}

TEST_CASE("after detaching the only context nothing can be made") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  context->detach();
  CHECK(current_context() == nullptr);
  CHECK_THROWS_WITH_AS(DeviceMemory(16),
                       "explicit_context_dependent failed: invalid device context - no currently "
                       "active context? The one before has been popped or detached: its push() "
                       "makes a popped one current, pycuda.tools.make_default_context() makes a "
                       "new one",
                       DriverError);
  CHECK_THROWS_WITH_AS(context->detach(),
                       "context::detach failed: invalid device context - cannot detach from "
                       "invalid context",
                       DriverError);
}

TEST_CASE("detaching the top makes the one below current") {
  const DriverTable driver = fake_driver();
  const CurrentContext below(driver);
  const CurrentContext top(driver);
  top->detach();
  CHECK(current_context() == *below);
  CHECK(fake_driver_stack() == std::vector<CUcontext>{below->handle()});
}

TEST_CASE("detaching a context in the middle leaves the top current") {
  const DriverTable driver = fake_driver();
  const CurrentContext below(driver);
  const CurrentContext top(driver);
  below->detach();
  CHECK(current_context() == *top);
  CHECK(fake_driver_stack() == std::vector<CUcontext>{top->handle()});
}

TEST_CASE("a context detached on another thread gives way to the one below") {
  const DriverTable driver = fake_driver();
  const CurrentContext below(driver);
  const CurrentContext top(driver);
  std::thread([&] { top->detach(); }).join();
  CHECK(current_context() == *below);
  DeviceMemory memory(16);
  CHECK(memory.context() == *below);
}

TEST_CASE("a detached context cannot be pushed") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  context->detach();
  CHECK_THROWS_AS(push_context(*context), DriverError);
  CHECK(context_stack_depth() == 0);
}

TEST_CASE("a thread without a context uses the one that the process pushed last") {
  const DriverTable driver = fake_driver();
  const CurrentContext first(driver);
  const CurrentContext second(driver);
  std::thread([&] {
    CHECK(current_context() == nullptr);
    CHECK(require_context() == *second);
    CHECK(fake_driver_stack() == std::vector<CUcontext>{second->handle()});
    const DeviceMemory memory(16);
    CHECK(memory.context() == *second);
  }).join();
  CHECK(fake().resources.empty());
}

TEST_CASE("a popped context is no longer the process's") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  pop_context();
  CHECK(process_context() == nullptr);
  CHECK_THROWS_AS(require_context(), DriverError);
}

TEST_CASE("a thread that took the process's context lets go of it when it pushes its own") {
  const DriverTable driver = fake_driver();
  const CurrentContext process(driver);
  std::thread([&] {
    CHECK(require_context() == *process);
    const CurrentContext own(driver);
    CHECK(require_context() == *own);
    CHECK(fake_driver_stack() == std::vector<CUcontext>{own->handle()});
  }).join();
}

TEST_CASE("a thread that ends with contexts pushed lets go of them") {
  const DriverTable driver = fake_driver();
  std::thread([&] {
    make_context(Device(0, driver));
    make_context(Device(0, driver));
  }).join();
  CHECK(fake().contexts.empty());
  CHECK(process_context() == nullptr);
}

TEST_CASE("a context that is kept serves other threads after the thread that made it has ended") {
  const DriverTable driver = fake_driver();
  ContextPtr first, second;
  std::thread([&] { first = make_context(Device(0, driver)); }).join();
  std::thread([&] {
    second = make_context(Device(0, driver));
    push_context(first);
    pop_context();
  }).join();
  // In a thread, which lets go at its end of what it has adopted.
  std::thread([&] {
    CHECK(current_context() == nullptr);
    CHECK(require_context() == second);
    second->detach();
    CHECK(require_context() == first);
    {
      const CurrentContext own(driver);
      CHECK(require_context() == *own);
      std::thread([&] { CHECK(require_context() == *own); }).join();
    }
    CHECK(require_context() == first);
  }).join();
  first.reset();
  CHECK(process_context() == nullptr);
  CHECK(fake().contexts.empty());
}

TEST_CASE("a context that cannot be popped after its making is not lost") {
  DriverTable driver = fake_driver();
  driver.cuCtxPopCurrent.bind([](CUcontext*) { return CUDA_ERROR_UNKNOWN; });
  CHECK_THROWS_AS(Context::create(Device(0, driver)), DriverError);
  CHECK(fake().contexts.empty());
}

TEST_CASE("a scope makes a context current and the former one current again") {
  const DriverTable driver = fake_driver();
  const CurrentContext other(driver);
  const CurrentContext own(driver);
  {
    const ContextScope scope(*other);
    CHECK(fake_driver_stack().back() == other->handle());
    const ContextScope again(*other);
    CHECK(fake_driver_stack().size() == 2);
  }
  CHECK(fake_driver_stack() == std::vector<CUcontext>{own->handle()});
  other->detach();
  CHECK_THROWS_AS(static_cast<void>(ContextScope{*other}), DriverError);
}

TEST_CASE("what is made in a scope belongs to the scope's context") {
  const DriverTable driver = fake_driver();
  const CurrentContext other(driver);
  const CurrentContext own(driver);
  {
    const ContextScope scope(*other);
    const DeviceMemory memory(16);
    CHECK(memory.context() == *other);
    CHECK(current_context() == *own);
  }
  CHECK(require_context() == *own);
  CHECK(fake().released_elsewhere == 0);
}

TEST_CASE("memory that has died keeps no context alive") {
  const DriverTable driver = fake_driver();
  std::weak_ptr<Context> popped, covered, detached, scoped;
  const auto allocate_and_free = [] { DeviceMemory(64).free(); };
  {
    ContextPtr context = make_context(Device(0, driver));
    allocate_and_free();
    popped = context;
    pop_context();
  }
  CHECK(popped.expired());
  {
    ContextPtr context = make_context(Device(0, driver));
    covered = context;
    allocate_and_free();
    const CurrentContext top(driver);
    allocate_and_free();
    CHECK(require_context() == *top);
  }
  pop_context();
  CHECK(covered.expired());
  {
    ContextPtr context = make_context(Device(0, driver));
    detached = context;
    allocate_and_free();
    context->detach();
  }
  CHECK(detached.expired());
  const CurrentContext other(driver);
  {
    const ContextPtr context = Context::create(Device(0, driver));
    scoped = context;
    const ContextScope scope(context);
    allocate_and_free();
  }
  CHECK(scoped.expired());
}

TEST_CASE("many threads make, push and drop contexts at once") {
  const DriverTable driver = fake_driver();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        const CurrentContext context(driver);
        DeviceMemory memory(64);
        static_cast<void>(process_context());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(fake().contexts.empty());
  CHECK(fake().resources.empty());
  CHECK(fake().released_elsewhere == 0);
}
