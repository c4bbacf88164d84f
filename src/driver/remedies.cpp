// SPDX-License-Identifier: MIT
#include "driver/remedies.h"

#include <string_view>

namespace pycuda::driver {
namespace {

/// Of all functions whose names begin with `routine`.
struct Remedy {
  CUresult code;
  std::string_view routine;
  const char* text;
};

// The first that fits is taken.
constexpr Remedy kRemedies[] = {
    {CUDA_ERROR_INVALID_HANDLE, "cuIpcGetEventHandle",
     "an event can be shared if it was made with event_flags.INTERPROCESS | "
     "event_flags.DISABLE_TIMING"},
    {CUDA_ERROR_INVALID_CONTEXT, "",
     "no context is current, or it was destroyed or reset: make one, and in it again what belonged "
     "to the old one"},
    {CUDA_ERROR_CONTEXT_IS_DESTROYED, "",
     "no context is current, or it was destroyed or reset: make one, and in it again what belonged "
     "to the old one"},
    {CUDA_ERROR_INVALID_VALUE, "cuIpcGetMemHandle",
     "no memory of mem_alloc begins at this address: other memory cannot be shared so"},
    {CUDA_ERROR_NOT_FOUND, "cuMemGetAddressRange", "there is no device memory at this address"},
    {CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "cuMemHostRegister",
     "unregister() of what register_host_memory() returned ends the first registration"},
    {CUDA_ERROR_INVALID_VALUE, "cuFuncSetAttribute",
     "MAX_DYNAMIC_SHARED_SIZE_BYTES and PREFERRED_SHARED_MEMORY_CARVEOUT can be set, within the "
     "device's limits"},
    {CUDA_ERROR_INVALID_VALUE, "cuMemPoolCreate",
     "the location is one of mem_location_type, and the number that of a device or node there is"},
    {CUDA_ERROR_INVALID_VALUE, "cuMemCreate",
     "the location is one of mem_location_type, and the number that of a device or node there is"},
    {CUDA_ERROR_INVALID_VALUE, "cuMemPoolSetAttribute",
     "RELEASE_THRESHOLD and the REUSE_ attributes can be set, the greatest uses to 0"},
    {CUDA_ERROR_INVALID_VALUE, "cuGraphAddDependencies",
     "both nodes must be of this graph, and the edges make neither a cycle nor a second edge"},
    {CUDA_ERROR_INVALID_VALUE, "cuGraphAddNode",
     "the nodes it depends on must be of this graph, and a condition is for one node"},
    {CUDA_ERROR_INVALID_VALUE, "cuGraphKernelNode",
     "the node is none of a kernel, or was destroyed: see its type"},
    {CUDA_ERROR_INVALID_VALUE, "cuGraphMemcpyNode",
     "the node is none of a copy, or was destroyed: see its type"},
    {CUDA_ERROR_INVALID_VALUE, "cuGraphMemsetNode",
     "the node is none of a fill, or was destroyed: see its type"},
    {CUDA_ERROR_INVALID_VALUE, "cuGraphHostNode",
     "the node is none of a function, or was destroyed: see its type"},
    {CUDA_ERROR_INVALID_VALUE, "cuGraphExecKernelNode",
     "the node is none of a kernel, or not of the instantiated graph"},
    {CUDA_ERROR_INVALID_VALUE, "cuGraphAddMemFreeNode",
     "the address is none of an allocation node, or a node frees it already: other memory is freed "
     "by its free()"},
    {CUDA_ERROR_INVALID_VALUE, "cuGraphNodeGet", "the node was destroyed, or is of another graph"},
    {CUDA_ERROR_INVALID_VALUE, "cuGraphDestroyNode", "the node was destroyed before"},
    {CUDA_ERROR_OPERATING_SYSTEM, "cuGraphDebugDotPrint",
     "the file cannot be written: is its folder there?"},
    {CUDA_ERROR_ILLEGAL_STATE, "cuStreamEndCapture",
     "the stream is not being captured: begin_capture() comes first, and one end_capture() ends "
     "it"},
    {CUDA_ERROR_ILLEGAL_STATE, "cuStreamBeginCapture",
     "the stream is being captured already: end_capture() comes first"},
    {CUDA_ERROR_ILLEGAL_STATE, "cuStreamUpdateCaptureDependencies",
     "the stream is not being captured: begin_capture() comes first"},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "",
     "a captured stream takes only work that is put into it, nothing that waits or asks for its "
     "state: do that before the capture, or after the graph's launch"},
    {CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "",
     "an earlier call that cannot be captured has spoilt the capture: end it, and look for the "
     "first error"},
    {CUDA_ERROR_STREAM_CAPTURE_MERGE, "",
     "two captures cannot become one: no event of one may be waited for in the other"},
    {CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "",
     "the capture must be ended in the stream in which it was begun"},
    {CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "",
     "another stream took part in the capture: before its end, record an event in that stream and "
     "let the captured one wait for it"},
    {CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "",
     "captured work cannot wait for work outside of the capture: record the event in the captured "
     "stream, or wait for it before the capture"},
    {CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "",
     "the default stream cannot be captured, and captured streams that wait for it cannot meet its "
     "work: give the work a stream, or capture with `with stream.capture()`"},
    {CUDA_ERROR_CAPTURED_EVENT, "",
     "the event was recorded in a captured stream and never happens by itself: add an event record "
     "node, or wait for the stream of the graph's launch"},
    {CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "",
     "a capture ends in the thread that began it, unless its mode is capture_mode.RELAXED"},
    {CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "",
     "an update changes arguments, sizes and addresses, not which nodes there are nor what they "
     "wait for: instantiate the new graph"},
    {CUDA_ERROR_NOT_PERMITTED, "",
     "is this in a function that a graph calls? Those must not use the driver"},
};

constexpr const char* kOtherContext =
    "it is of another context, or of one that is gone: use streams, events, kernels and graphs of "
    "one context, and make them again after its reset";

}  // namespace

const char* remedy_of(CUresult code, const std::string& routine) {
  for (const Remedy& remedy : kRemedies) {
    if (remedy.code == code && routine.starts_with(remedy.routine)) return remedy.text;
  }
  // OpenGL's objects are of other contexts, and a clean-up has no remedy.
  const bool is_of_context = !routine.starts_with("cuGraphics") && !routine.ends_with("Destroy");
  return code == CUDA_ERROR_INVALID_HANDLE && is_of_context ? kOtherContext : nullptr;
}

}  // namespace pycuda::driver
