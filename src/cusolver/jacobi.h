// SPDX-License-Identifier: MIT
// The objects of the functions that are Jacobi's methods in cuSOLVER. Here LAPACK's other methods
// compute the same values to full precision, in order, so that tolerance, sweeps and sorting have
// no effect.
#pragma once

#include <memory>

#include "cusolver/handle.h"

namespace pycuda::cusolver {

/// What the work in a stream leaves to be asked for.
struct Finding {
  double residual = 0;
  int sweeps = 0;
};

struct JacobiInfo {
  std::shared_ptr<Finding> finding = std::make_shared<Finding>();
  bool of_batch = false;
};
struct EigenInfo : JacobiInfo {};
struct SingularInfo : JacobiInfo {};

template <class Info>
void require_object(const Info* info) {
  require(hostwork::Registry<Info>::instance().contains(info), "the info object does not exist");
}

/// What the last call with this object has found; waits for it. Batches have none, as documented.
inline Finding finished(const Handle& handle, const JacobiInfo& info) {
  if (info.of_batch) throw Refusal{Outcome::NotSupported, "batches have no residual and no sweeps"};
  wait(handle);
  return *info.finding;
}

}  // namespace pycuda::cusolver
