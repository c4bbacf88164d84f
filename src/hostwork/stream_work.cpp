// SPDX-License-Identifier: MIT
#include "hostwork/stream_work.h"

#include <utility>

#include "hostwork/driver.h"

namespace pycuda::hostwork {
namespace {

struct Work {
  std::function<void()> run;
  std::shared_ptr<std::atomic<bool>> failed;
  bool once;
};

void run_in_stream(void* data) noexcept {
  auto* const work = static_cast<Work*>(data);
  try {
    work->run();
  } catch (...) {
    *work->failed = true;
  }
  if (work->once) delete work;
}

}  // namespace

bool is_capturing(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return driver()->is_capturing(stream, &status) == CUDA_SUCCESS &&
         status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

bool enqueue(CUstream stream, std::shared_ptr<std::atomic<bool>> failed,
             std::function<void()> work) {
  auto owner =
      std::make_unique<Work>(Work{std::move(work), std::move(failed), !is_capturing(stream)});
  if (driver()->launch(stream, run_in_stream, owner.get()) != CUDA_SUCCESS) return false;
  static_cast<void>(owner.release());  // run_in_stream has it
  return true;
}

}  // namespace pycuda::hostwork
