// SPDX-License-Identifier: MIT
// What pycuda.profile is made of: the recorded work as tuples.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/base/bind.h"
#include "bindings/gil/released.h"
#include "cuda/profile.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

constexpr const char* kind_name(cuda::WorkKind kind) {
  switch (kind) {
    case cuda::WorkKind::Kernel:
      return "kernel";
    case cuda::WorkKind::Graph:
      return "graph";
    case cuda::WorkKind::Copy:
      return "copy";
    case cuda::WorkKind::Set:
      return "set";
    case cuda::WorkKind::Wait:
      return "wait";
  }
  return "";
}

nb::tuple extents(const unsigned int (&size)[3]) {
  return nb::make_tuple(size[0], size[1], size[2]);
}

/// In the order of pycuda._profile.Work's fields.
nb::tuple as_tuple(const cuda::WorkRecord& record) {
  static const cuda::KernelFacts none;
  const bool kernel = record.facts != nullptr;
  const cuda::KernelFacts& facts = kernel ? *record.facts : none;
  return nb::make_tuple(kind_name(record.kind), kernel ? facts.name.c_str() : record.what,
                        record.start, record.duration, record.called, record.returned, record.bytes,
                        record.device, record.context, record.stream,
                        kernel ? nb::object(extents(record.shape.grid)) : nb::none(),
                        kernel ? nb::object(extents(record.shape.block)) : nb::none(),
                        facts.static_shared_bytes + record.shape.dynamic_shared_bytes,
                        facts.registers, facts.blocks_per_multiprocessor);
}

}  // namespace

void bind_profile(nb::module_& m) {
  m.def("_start_profile", [](const std::vector<std::string>& cupti_libraries) {
    const GilReleased released;  // CUPTI takes a while to start
    return cuda::start_profile(cupti_libraries);
  });
  m.def("_stop_profile", [] {
    cuda::RecordedWork work;
    without_gil([&] {
      const Interruptible::NoHandlers none;  // their work would be recorded too
      work = cuda::stop_profile();
    });
    nb::list all;
    for (const cuda::WorkRecord& record : work.records) all.append(as_tuple(record));
    return nb::make_tuple(all, work.dropped);
  });
}

}  // namespace pycuda::bindings
