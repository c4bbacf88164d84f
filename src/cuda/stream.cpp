// SPDX-License-Identifier: MIT
// Streams over the driver's.
#include "cuda/stream.h"

#include <utility>

#include "cuda/capture.h"
#include "cuda/event.h"
#include "cuda/flag_refusal.h"
#include "cuda/green_context.h"

namespace pycuda::cuda {
namespace {

constexpr const char* known = "they are 0 or 1, which is stream_flags.NON_BLOCKING";

}  // namespace

Stream::Stream(unsigned int flags) : stream_(require_context()) {
  const auto& create = stream_.driver().cuStreamCreate;
  const CUresult code = create.status(stream_.out(), flags);
  if (code != CUDA_SUCCESS) throw flag_error(create, code, flags, CU_STREAM_NON_BLOCKING, known);
}

Stream::Stream(unsigned int flags, int priority) : stream_(require_context()) {
  const auto& create = stream_.driver().cuStreamCreateWithPriority;
  const CUresult code = create.status(stream_.out(), flags, priority);
  if (code != CUDA_SUCCESS) throw flag_error(create, code, flags, CU_STREAM_NON_BLOCKING, known);
}

Stream::Stream(const GreenContext& green, int priority) : stream_(green.share()) {
  stream_.driver().cuGreenCtxStreamCreate(stream_.out(), green.green_handle(),
                                          CU_STREAM_NON_BLOCKING, priority);
}

Stream Stream::borrow(CUstream handle) { return Stream(Owner::borrow(require_context(), handle)); }

Stream& Stream::operator=(Stream&& other) noexcept {
  if (this != &other) {
    abandon_capture();
    stream_ = std::move(other.stream_);
  }
  return *this;
}

Stream::~Stream() { abandon_capture(); }

void Stream::abandon_capture() noexcept {
  if (any_capture() && handle() != nullptr && !stream_.is_borrowed()) [[unlikely]]
    Capture::abandon(handle());
}

void Stream::synchronize() const {
  const ContextScope scope(context());
  if (goes_into_graph(handle())) {
    throw stream_.driver().cuStreamSynchronize.error(
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
        "the stream is captured, nothing of it runs until the graph is launched: wait after that");
  }
  stream_.driver().cuStreamSynchronize(handle());
}

bool Stream::is_done() const {
  const ContextScope scope(context());
  const auto& query = stream_.driver().cuStreamQuery;
  const CUresult code = query.status(handle());
  if (code == CUDA_SUCCESS) return true;
  if (code == CUDA_ERROR_NOT_READY) return false;
  throw query.error(code);
}

void Stream::wait_for(const Event& event) const {
  const ContextScope scope(context());
  require_alive(event.context());
  stream_.driver().cuStreamWaitEvent(handle(), event.handle(), 0);
}

CUstreamCaptureStatus Stream::capture_status() const {
  const ContextScope scope(context());
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  stream_.driver().cuStreamIsCapturing(handle(), &status);
  return status;
}

std::uint64_t Stream::id() const {
  const ContextScope scope(context());
  unsigned long long id = 0;
  stream_.driver().cuStreamGetId(handle(), &id);
  return id;
}

unsigned int Stream::flags() const {
  const ContextScope scope(context());
  unsigned int flags = 0;
  stream_.driver().cuStreamGetFlags(handle(), &flags);
  return flags;
}

int Stream::priority() const {
  const ContextScope scope(context());
  int priority = 0;
  stream_.driver().cuStreamGetPriority(handle(), &priority);
  return priority;
}

}  // namespace pycuda::cuda
