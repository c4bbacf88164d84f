// SPDX-License-Identifier: MIT
// Contexts and each thread's stack of them.
#include <nanobind/stl/shared_ptr.h>

#include <cstdint>
#include <cstdio>
#include <optional>

#include "bindings/base/bind.h"
#include "bindings/convert/enumeration.h"
#include "bindings/convert/enumerators.h"
#include "bindings/convert/integers.h"
#include "bindings/gil/released.h"
#include "cuda/capturing.h"
#include "cuda/cleanup.h"
#include "cuda/context_stack.h"
#include "cuda/event.h"
#include "cuda/peer_access.h"
#include "driver/process_driver.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

std::uintptr_t number_of(const cuda::Context& context) {
  return reinterpret_cast<std::uintptr_t>(context.handle());
}

// Destructors run on any thread, with and without the interpreter: so this goes to C's stream.
void warn_of_cleanup(const char* text) noexcept {
  std::fprintf(stderr, "PyCUDA WARNING: %s\n", text);
}

cuda::ContextPtr attach(nb::handle flags) {
  if (as_integer<unsigned int>(flags, "flags") != 0) {
    throw driver::DriverError("cuCtxAttach", CUDA_ERROR_INVALID_VALUE, "flags must be 0");
  }
  cuda::ContextPtr context = cuda::Context::attach_current(driver::process_driver());
  if (!context) throw driver::DriverError("cuCtxAttach", CUDA_ERROR_INVALID_CONTEXT);
  cuda::push_context(context);
  return context;
}

// The driver's current context is not asked for: a thread without one uses the process's.
cuda::Device current_device() {
  const cuda::ContextPtr context =
      cuda::current_context() ? cuda::current_context() : cuda::process_context();
  if (!context) throw driver::DriverError("cuCtxGetDevice", CUDA_ERROR_INVALID_CONTEXT);
  return context->device();
}

/// Whether the current context's work is done, up to where the first call put `mark`; true where a
/// driver before CUDA 12.5 has no such marks, and where the wait reports a failure or capture.
bool is_done_up_to(std::optional<cuda::Event>& mark) noexcept {
  try {
    if (cuda::any_capture()) return true;
    if (!mark) {
      mark.emplace(CU_EVENT_DISABLE_TIMING);
      const auto& record = driver::process_driver().cuCtxRecordEvent;
      if (record.status(mark->context()->handle(), mark->handle()) != CUDA_SUCCESS) return true;
    }
    return mark->query();
  } catch (...) {
    return true;
  }
}

/// The driver may give a new context the handle of one that is gone.
bool same_context(const cuda::Context& self, nb::handle other) {
  if (!nb::isinstance<cuda::Context>(other)) return false;
  const auto& context = nb::cast<const cuda::Context&>(other);
  return &self == &context ||
         (self.valid() && context.valid() && self.handle() == context.handle());
}

}  // namespace

void bind_context(nb::module_& m) {
  cuda::set_cleanup_reporter(warn_of_cleanup);
  nb::class_<cuda::Context>(m, "Context",
                            "A context: memory, modules, streams and events belong to one. "
                            "`Device.make_context` makes it.\n"
                            "\n"
                            "Each thread has its own stack of contexts; the top one is current. A "
                            "thread with an empty stack uses the context that was made\n"
                            "current last in the process and still is. As a context manager it is "
                            "pushed, and popped at the end.",
                            nb::dynamic_attr(), nb::is_weak_referenceable())
      .def_prop_ro("handle", &number_of, "The driver's handle, a number.")
      .def_prop_ro("_fault_told", &cuda::Context::fault_told,
                   "Whether an error has told of a kernel's fault that ended the context.")
      .def_static("attach", &attach, nb::arg("flags") = 0,
                  "A further reference to the current context; `flags` must be 0.")
      .def(
          "detach", [](cuda::Context& self) { without_gil([&] { self.detach(); }); },
          "Give the context up: it leaves this thread's stack and, with all that was made in it, "
          "ends. Objects that belonged to it can still\n"
          "be dropped by any thread; using them raises LogicError.")
      .def(
          "push", [](const std::shared_ptr<cuda::Context>& self) { cuda::push_context(self); },
          "Make the context current in this thread, on top of those that are on its stack.")
      .def_static(
          "pop", [] { cuda::pop_context(); },
          "Take the top context off this thread's stack; the one below becomes current.\n"
          "\n"
          "Raises\n"
          "------\n"
          "LogicError\n"
          "    When the stack is empty.")
      .def_static(
          "get_current", [] { return cuda::current_context(); },
          "This thread's current context, or None.")
      .def_static("get_device", &current_device, "The device of the current context.")
      .def_static(
          "synchronize",
          [] {
            std::optional<cuda::Event> mark;
            wait_without_gil([] { cuda::require_context()->synchronize(); },
                             [&] { return is_done_up_to(mark); });
          },
          "Wait until the current context has done all its work.\n"
          "\n"
          "Raises\n"
          "------\n"
          "LogicError, LaunchError\n"
          "    When a kernel has failed. The context keeps the error: every later call raises it "
          "again.")
      .def_static(
          "set_limit",
          [](nb::handle limit, nb::handle value) {
            cuda::require_context()->set_limit(as_enumerator<CUlimit>(limit, "the limit"),
                                               as_integer<std::size_t>(value, "the value"));
          },
          nb::arg("limit"), nb::arg("value"),
          "Set a `limit` of the current context; sizes are in bytes.")
      .def_static(
          "get_limit",
          [](nb::handle limit) {
            return cuda::require_context()->limit(as_enumerator<CUlimit>(limit, "the limit"));
          },
          nb::arg("limit"), "The value of a `limit` of the current context.")
      .def_static(
          "set_cache_config",
          [](nb::handle config) {
            cuda::require_context()->set_cache_config(
                as_enumerator<CUfunc_cache>(config, "the cache configuration"));
          },
          nb::arg("config"), "What kernels of the current context prefer, a `func_cache`.")
      .def_static(
          "get_cache_config",
          [] { return member_of("func_cache", cuda::require_context()->cache_config()); },
          "The current context's `func_cache`.")
      .def_static(
          "set_shared_config",
          [](nb::handle config) {
            cuda::require_context()->set_shared_config(
                as_enumerator<CUsharedconfig>(config, "the bank configuration"));
          },
          nb::arg("config"), "Set the width of the banks of shared memory, a `shared_config`.")
      .def_static(
          "get_shared_config",
          [] { return member_of("shared_config", cuda::require_context()->shared_config()); },
          "The current context's `shared_config`.")
      .def_static(
          "enable_peer_access",
          [](const cuda::Context& peer, nb::handle flags) {
            cuda::enable_peer_access(peer, as_integer<unsigned int>(flags, "flags"));
          },
          nb::arg("peer"), nb::arg("flags") = 0,
          "Let kernels of the current context use the memory of the context `peer`; `flags` must "
          "be 0.\n"
          "\n"
          "Raises\n"
          "------\n"
          "LogicError, RuntimeError\n"
          "    When the devices cannot, or it is enabled already.")
      .def_static(
          "disable_peer_access",
          [](const cuda::Context& peer, nb::handle flags) {
            if (as_integer<unsigned int>(flags, "flags") != 0) {
              throw driver::DriverError("cuCtxDisablePeerAccess", CUDA_ERROR_INVALID_VALUE,
                                        "flags must be 0");
            }
            cuda::disable_peer_access(peer);
          },
          nb::arg("peer"), nb::arg("flags") = 0, "End what `enable_peer_access` began.")
      .def_static(
          "reset_persisting_l2_cache", [] { cuda::require_context()->reset_persisting_l2(); },
          "Let the lines of the L2 cache that were to persist be replaced as others are.")
      .def_prop_ro("id", &cuda::Context::id,
                   "A number that no other context of the process has, had or will have.")
      .def("get_api_version", &cuda::Context::api_version,
           "The version of the driver's interface that the context was made for.")
      .def("__enter__",
           [](const std::shared_ptr<cuda::Context>& self) {
             cuda::push_context(self);
             return self;
           })
      .def(
          "__exit__",
          [](const std::shared_ptr<cuda::Context>& self, nb::handle, nb::handle, nb::handle) {
            // The body may have popped or detached it already; leaving is no second error then.
            const cuda::ContextPtr top = cuda::current_context();
            if (top && top->handle() == self->handle()) cuda::pop_context();
          },
          nb::arg("type").none(), nb::arg("value").none(), nb::arg("traceback").none())
      .def("__eq__", &same_context, nb::arg("other").none())
      .def(
          "__ne__",
          [](const cuda::Context& self, nb::handle other) { return !same_context(self, other); },
          nb::arg("other").none())
      .def("__hash__", &number_of);
  m.def("_process_context", &cuda::process_context);
}

}  // namespace pycuda::bindings
