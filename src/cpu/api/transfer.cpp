// SPDX-License-Identifier: MIT
#include "cpu/api/transfer.h"

#include <string>

#include "cpu/api/context.h"
#include "cpu/api/error_detail.h"

namespace pycuda::cpu::api {

CUresult refuse_transfer(const char* what) {
  return fail(CUDA_ERROR_INVALID_VALUE,
              std::string(what) +
                  ": some of the memory has no addresses of this process, or may not be "
                  "written to");
}

void report_transfer(Context& context, const char* what) {
  exec::Fault fault;
  fault.kind = FaultKind::IllegalAddress;
  fault.message = "illegal memory access in an asynchronous " + std::string(what) +
                  ": the memory was freed or unmapped";
  context.report(fault);
}

}  // namespace pycuda::cpu::api
