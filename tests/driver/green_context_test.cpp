// SPDX-License-Identifier: MIT
// Resources, their splits, and green contexts: which multiprocessors kernels run on, streams,
// events, life.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "driver/driver.h"

using namespace driver_test;

namespace {

// Each block writes its %smid.
constexpr const char* where_ptx = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry where_am_i(.param .u64 out)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<4>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %smid;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
}
.visible .entry meet(.param .u64 out)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<4>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %ctaid.x;
  bar.sync 0;
  mov.u32 %r2, %smid;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  bar.sync 0;
  st.global.u32 [%rd3], %r2;
  ret;
}
)";

CUdevResource all_processors() {
  initialise();
  CUdevResource resource{};
  REQUIRE(CU(cuDeviceGetDevResource)(0, &resource, CU_DEV_RESOURCE_TYPE_SM) == CUDA_SUCCESS);
  return resource;
}

CUdevResourceDesc description(CUdevResource resource) {
  CUdevResourceDesc made = nullptr;
  REQUIRE(CU(cuDevResourceGenerateDesc)(&made, &resource, 1) == CUDA_SUCCESS);
  return made;
}

/// The smallest group of the device, and what is left.
struct Halves {
  CUdevResource group{}, rest{};
  Halves() {
    const CUdevResource all = all_processors();
    unsigned groups = 1;
    REQUIRE(CU(cuDevSmResourceSplitByCount)(&group, &groups, &all, &rest, 0,
                                            all.sm.minSmPartitionSize) == CUDA_SUCCESS);
    REQUIRE(groups == 1);
  }
};

class Green {
 public:
  explicit Green(const CUdevResource& resource) {
    REQUIRE(CU(cuGreenCtxCreate)(&handle_, description(resource), 0, CU_GREEN_CTX_DEFAULT_STREAM) ==
            CUDA_SUCCESS);
    REQUIRE(CU(cuCtxFromGreenCtx)(&context_, handle_) == CUDA_SUCCESS);
  }
  ~Green() {
    if (handle_ != nullptr) CU(cuGreenCtxDestroy)(handle_);
  }
  Green(const Green&) = delete;
  Green& operator=(const Green&) = delete;
  CUgreenCtx handle() const { return handle_; }
  CUcontext context() const { return context_; }
  CUresult destroy() { return CU(cuGreenCtxDestroy)(std::exchange(handle_, nullptr)); }
  CUstream stream() const {
    CUstream made = nullptr;
    REQUIRE(CU(cuGreenCtxStreamCreate)(&made, handle_, CU_STREAM_NON_BLOCKING, 0) == CUDA_SUCCESS);
    return made;
  }

 private:
  CUgreenCtx handle_ = nullptr;
  CUcontext context_ = nullptr;
};

class Current {
 public:
  explicit Current(CUcontext context) { REQUIRE(CU(cuCtxPushCurrent_v2)(context) == CUDA_SUCCESS); }
  ~Current() { CU(cuCtxPopCurrent_v2)(nullptr); }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
};

/// The multiprocessors that ran the blocks of a launch, in a current context.
std::set<unsigned> processors_of(const LoadedModule& code, const char* name, CUstream stream,
                                 unsigned blocks, unsigned threads) {
  const DeviceBlock out(4 * blocks);
  CUdeviceptr address = out.address();
  void* arguments[] = {&address};
  REQUIRE(CU(cuLaunchKernel)(code.function(name), blocks, 1, 1, threads, 1, 1, 0, stream, arguments,
                             nullptr) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  std::vector<unsigned> where(blocks);
  REQUIRE(CU(cuMemcpyDtoH_v2)(where.data(), address, 4 * blocks) == CUDA_SUCCESS);
  return {where.begin(), where.end()};
}

}  // namespace

TEST_CASE("a device's resource is all of its multiprocessors") {
  const CUdevResource all = all_processors();
  int count = 0;
  REQUIRE(CU(cuDeviceGetAttribute)(&count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0) ==
          CUDA_SUCCESS);
  CHECK(all.type == CU_DEV_RESOURCE_TYPE_SM);
  CHECK(all.sm.smCount == static_cast<unsigned>(count));
  CHECK(all.sm.minSmPartitionSize >= 1);
  CHECK(all.sm.minSmPartitionSize <= all.sm.smCount);
}

TEST_CASE("a split says how many groups there would be, and makes them") {
  const CUdevResource all = all_processors();
  const unsigned size = all.sm.minSmPartitionSize;
  unsigned most = 0;
  REQUIRE(CU(cuDevSmResourceSplitByCount)(nullptr, &most, &all, nullptr, 0, size) == CUDA_SUCCESS);
  REQUIRE(most >= 1);
  std::vector<CUdevResource> groups(most + 3);
  auto made = static_cast<unsigned>(groups.size());
  CUdevResource rest{};
  REQUIRE(CU(cuDevSmResourceSplitByCount)(groups.data(), &made, &all, &rest, 0, size) ==
          CUDA_SUCCESS);
  CHECK(made == most);
  unsigned sum = rest.type == CU_DEV_RESOURCE_TYPE_SM ? rest.sm.smCount : 0;
  for (unsigned i = 0; i < made; ++i) {
    CHECK(groups[i].sm.smCount >= size);
    sum += groups[i].sm.smCount;
  }
  CHECK(sum == all.sm.smCount);
}

TEST_CASE("wrong splits and descriptions") {
  const CUdevResource all = all_processors();
  CUdevResource group{}, rest{};
  unsigned groups = 1;
  const auto split = CU(cuDevSmResourceSplitByCount);
  CHECK(split(&group, nullptr, &all, &rest, 0, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(split(&group, &groups, nullptr, &rest, 0, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(split(&group, &groups, &all, &rest, 0x100, 1) == CUDA_SUCCESS);
  CUdevResource none{};
  CHECK(split(&group, &groups, &none, &rest, 0, 1) == CUDA_ERROR_INVALID_RESOURCE_TYPE);
  CHECK(split(&group, &groups, &all, &rest, 0, all.sm.smCount + 1) ==
        CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
  CHECK(CU(cuDeviceGetDevResource)(0, nullptr, CU_DEV_RESOURCE_TYPE_SM) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuDeviceGetDevResource)(0, &none, CU_DEV_RESOURCE_TYPE_INVALID) ==
        CUDA_ERROR_INVALID_RESOURCE_TYPE);
  CHECK(CU(cuDeviceGetDevResource)(99, &none, CU_DEV_RESOURCE_TYPE_SM) ==
        CUDA_ERROR_INVALID_DEVICE);
  CUdevResourceDesc made = nullptr;
  CHECK(CU(cuDevResourceGenerateDesc)(nullptr, &group, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuDevResourceGenerateDesc)(&made, nullptr, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuDevResourceGenerateDesc)(&made, &none, 1) == CUDA_ERROR_INVALID_RESOURCE_TYPE);
}

TEST_CASE("resources that do not belong together, or were made up") {
  if (!is_cpu_driver()) return;
  const Halves one, two;
  CUdevResourceDesc made = nullptr;
  if (one.rest.type == CU_DEV_RESOURCE_TYPE_SM) {
    CUdevResource pair[] = {one.group, one.rest};
    CHECK(CU(cuDevResourceGenerateDesc)(&made, pair, 2) == CUDA_SUCCESS);
  }
  CUdevResource strangers[] = {one.group, two.group};
  CHECK(CU(cuDevResourceGenerateDesc)(&made, strangers, 2) ==
        CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
  CUdevResource forged{};
  forged.type = CU_DEV_RESOURCE_TYPE_SM;
  forged.sm.smCount = 1;
  CHECK(CU(cuDevResourceGenerateDesc)(&made, &forged, 1) ==
        CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
  CUdevResource group{};
  unsigned groups = 1;
  CHECK(CU(cuDevSmResourceSplitByCount)(&group, &groups, &one.group, nullptr, 0, 1) ==
        CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
}

TEST_CASE("kernels of a green context run on its multiprocessors alone") {
  const Halves halves;
  const Green green(halves.group);
  const Current current(green.context());
  const LoadedModule code(where_ptx);
  const CUstream stream = green.stream();
  const std::set<unsigned> first = processors_of(code, "where_am_i", stream, 4096, 128);
  CHECK(first.size() <= halves.group.sm.smCount);
  for (const char* name : {"where_am_i", "meet"}) {
    const std::set<unsigned> again = processors_of(code, name, stream, 2048, 64);
    CHECK(again.size() <= halves.group.sm.smCount);
    const std::set<unsigned> default_stream = processors_of(code, name, nullptr, 2048, 64);
    CHECK(default_stream.size() <= halves.group.sm.smCount);
  }
  CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_SUCCESS);
  if (halves.rest.type != CU_DEV_RESOURCE_TYPE_SM) return;
  const Green other(halves.rest);
  const CUstream beside = other.stream();
  const std::set<unsigned> second = processors_of(code, "where_am_i", beside, 4096, 128);
  std::vector<unsigned> both;
  std::ranges::set_intersection(first, second, std::back_inserter(both));
  CHECK(both.empty());
  CHECK(CU(cuStreamDestroy_v2)(beside) == CUDA_SUCCESS);
}

TEST_CASE("many launches on both parts at once all end") {
  const Halves halves;
  if (halves.rest.type != CU_DEV_RESOURCE_TYPE_SM) return;
  const Green one(halves.group), two(halves.rest);
  const Current current(one.context());
  const LoadedModule code(where_ptx);
  const DeviceBlock out(4 * 512);
  CUdeviceptr address = out.address();
  void* arguments[] = {&address};
  const CUstream streams[] = {one.stream(), two.stream(), one.stream(), two.stream()};
  const CUfunction kernels[] = {code.function("where_am_i"), code.function("meet")};
  int failed = 0;
  for (int i = 0; i < 400; ++i) {
    if (CU(cuLaunchKernel)(kernels[i / 4 % 2], 512, 1, 1, 64, 1, 1, 0, streams[i % 4], arguments,
                           nullptr) != CUDA_SUCCESS)
      ++failed;
    if (i % 50 == 49 && CU(cuStreamSynchronize)(streams[i % 4]) != CUDA_SUCCESS) ++failed;
  }
  CHECK(failed == 0);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  for (const CUstream stream : streams) {
    CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
    CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_SUCCESS);
  }
}

TEST_CASE("a captured kernel keeps to its multiprocessors") {
  const Halves halves;
  const Green green(halves.group);
  const Current current(green.context());
  const LoadedModule code(where_ptx);
  const CUstream stream = green.stream();
  constexpr unsigned blocks = 2048;
  const DeviceBlock out(4 * blocks);
  CUdeviceptr address = out.address();
  void* arguments[] = {&address};
  REQUIRE(CU(cuStreamBeginCapture_v2)(stream, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
  REQUIRE(CU(cuLaunchKernel)(code.function("where_am_i"), blocks, 1, 1, 64, 1, 1, 0, stream,
                             arguments, nullptr) == CUDA_SUCCESS);
  CUgraph graph = nullptr;
  REQUIRE(CU(cuStreamEndCapture)(stream, &graph) == CUDA_SUCCESS);
  CUgraphExec exec = nullptr;
  REQUIRE(CU(cuGraphInstantiateWithFlags)(&exec, graph, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphLaunch)(exec, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  std::vector<unsigned> where(blocks);
  REQUIRE(CU(cuMemcpyDtoH_v2)(where.data(), address, 4 * blocks) == CUDA_SUCCESS);
  CHECK(std::set<unsigned>(where.begin(), where.end()).size() <= halves.group.sm.smCount);
  CU(cuGraphExecDestroy)(exec);
  CU(cuGraphDestroy)(graph);
  CU(cuStreamDestroy_v2)(stream);
}

TEST_CASE("streams know their green context") {
  const Halves halves;
  const Green green(halves.group);
  CUcontext primary = nullptr;
  REQUIRE(CU(cuDevicePrimaryCtxRetain)(&primary, 0) == CUDA_SUCCESS);
  CUgreenCtx of = nullptr;
  CUcontext context = nullptr;
  {
    const Current current(green.context());
    CHECK(CU(cuStreamGetGreenCtx)(nullptr, &of) == CUDA_SUCCESS);
    CHECK(of == green.handle());
    CUstream made = nullptr;
    REQUIRE(CU(cuStreamCreate)(&made, CU_STREAM_DEFAULT) == CUDA_SUCCESS);
    CHECK(CU(cuStreamGetGreenCtx)(made, &of) == CUDA_SUCCESS);
    CHECK(of == green.handle());
    CU(cuStreamDestroy_v2)(made);
  }
  const Current current(primary);
  const CUstream stream = green.stream();
  of = nullptr;
  CHECK(CU(cuStreamGetGreenCtx)(stream, &of) == CUDA_SUCCESS);
  CHECK(of == green.handle());
  CHECK(CU(cuStreamGetCtx)(stream, &context) == CUDA_SUCCESS);
  CHECK(context == green.context());
  CHECK(CU(cuStreamGetCtx_v2)(stream, &context, &of) == CUDA_SUCCESS);
  CHECK(context == primary);
  CHECK(of == green.handle());
  CHECK(CU(cuStreamGetGreenCtx)(nullptr, &of) == CUDA_SUCCESS);
  CHECK(of == nullptr);
  CU(cuStreamDestroy_v2)(stream);
  CU(cuDevicePrimaryCtxRelease_v2)(0);
}

TEST_CASE("a green context's resource and number") {
  const Halves halves;
  const Green one(halves.group), two(halves.group);
  CUdevResource resource{};
  CHECK(CU(cuGreenCtxGetDevResource)(one.handle(), &resource, CU_DEV_RESOURCE_TYPE_SM) ==
        CUDA_SUCCESS);
  CHECK(resource.sm.smCount == halves.group.sm.smCount);
  CHECK(CU(cuCtxGetDevResource)(one.context(), &resource, CU_DEV_RESOURCE_TYPE_SM) == CUDA_SUCCESS);
  CHECK(resource.sm.smCount == halves.group.sm.smCount);
  if (!has_symbol("cuGreenCtxGetId")) return;
  unsigned long long first = 0, second = 0, current = 0;
  CHECK(CU(cuGreenCtxGetId)(one.handle(), &first) == CUDA_SUCCESS);
  CHECK(CU(cuGreenCtxGetId)(two.handle(), &second) == CUDA_SUCCESS);
  CHECK(first != second);
  const Current made_current(two.context());
  CHECK(CU(cuGreenCtxGetId)(nullptr, &current) == CUDA_SUCCESS);
  CHECK(current == second);
}

TEST_CASE("events of a green context") {
  const Halves halves;
  const Green green(halves.group);
  const Current current(green.context());
  CUevent event = nullptr;
  REQUIRE(CU(cuEventCreate)(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
  CHECK(CU(cuGreenCtxRecordEvent)(green.handle(), event) == CUDA_SUCCESS);
  CHECK(CU(cuEventSynchronize)(event) == CUDA_SUCCESS);
  CHECK(CU(cuGreenCtxWaitEvent)(green.handle(), event) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  CU(cuEventDestroy_v2)(event);
}

TEST_CASE("recording the work of a context does not wait for it") {
  const Halves halves;
  const Green green(halves.group);
  const Current current(green.context());
  const CUstream stream = green.stream();
  CUevent event = nullptr;
  REQUIRE(CU(cuEventCreate)(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
  for (const bool whole : {false, true}) {
    CAPTURE(whole);
    const DeviceBlock word(4);
    REQUIRE(CU(cuMemsetD32_v2)(word.address(), 0, 1) == CUDA_SUCCESS);
    REQUIRE(CU(cuStreamWaitValue32_v2)(stream, word.address(), 1, CU_STREAM_WAIT_VALUE_GEQ) ==
            CUDA_SUCCESS);
    CHECK((whole ? CU(cuCtxRecordEvent)(green.context(), event)
                 : CU(cuGreenCtxRecordEvent)(green.handle(), event)) == CUDA_SUCCESS);
    CHECK(CU(cuEventQuery)(event) == CUDA_ERROR_NOT_READY);
    const CUstream other = green.stream();
    REQUIRE(CU(cuStreamWriteValue32_v2)(other, word.address(), 1, 0) == CUDA_SUCCESS);
    CHECK(CU(cuEventSynchronize)(event) == CUDA_SUCCESS);
    REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
    CHECK(CU(cuStreamDestroy_v2)(other) == CUDA_SUCCESS);
  }
  CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_SUCCESS);
  CU(cuEventDestroy_v2)(event);
}

TEST_CASE("streams of a green context that has been destroyed are of no use") {
  const Halves halves;
  CUcontext primary = nullptr;
  REQUIRE(CU(cuDevicePrimaryCtxRetain)(&primary, 0) == CUDA_SUCCESS);
  const Current current(primary);
  Green green(halves.group);
  const CUstream stream = green.stream();
  const CUgreenCtx stale = green.handle();
  CHECK(green.destroy() == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_ERROR_CONTEXT_IS_DESTROYED);
  CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_ERROR_CONTEXT_IS_DESTROYED);
  if (is_cpu_driver()) {
    CUcontext context = nullptr;
    CHECK(CU(cuCtxFromGreenCtx)(&context, stale) == CUDA_ERROR_CONTEXT_IS_DESTROYED);
    CHECK(CU(cuGreenCtxDestroy)(stale) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(CU(cuGreenCtxDestroy)(nullptr) == CUDA_ERROR_INVALID_CONTEXT);
  }
  CU(cuDevicePrimaryCtxRelease_v2)(0);
}

TEST_CASE("wrong arguments of the functions for green contexts") {
  const Halves halves;
  const Green green(halves.group);
  const CUdevResourceDesc described = description(halves.group);
  CUgreenCtx made = nullptr;
  CUstream stream = nullptr;
  const unsigned flags = CU_GREEN_CTX_DEFAULT_STREAM;
  CHECK(CU(cuGreenCtxCreate)(nullptr, described, 0, flags) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGreenCtxCreate)(&made, described, 99, flags) == CUDA_ERROR_INVALID_DEVICE);
  CHECK(CU(cuGreenCtxCreate)(&made, described, 0, 0x100) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGreenCtxStreamCreate)(&stream, green.handle(), CU_STREAM_DEFAULT, 0) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGreenCtxStreamCreate)(nullptr, green.handle(), CU_STREAM_NON_BLOCKING, 0) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuCtxFromGreenCtx)(nullptr, green.handle()) == CUDA_ERROR_INVALID_VALUE);
  CUdevResource resource{};
  CHECK(CU(cuGreenCtxGetDevResource)(green.handle(), nullptr, CU_DEV_RESOURCE_TYPE_SM) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGreenCtxGetDevResource)(green.handle(), &resource, CU_DEV_RESOURCE_TYPE_INVALID) ==
        CUDA_ERROR_INVALID_RESOURCE_TYPE);
}

TEST_CASE("without a descriptor a green context has the whole device") {
  initialise();
  CUgreenCtx made = nullptr;
  REQUIRE(CU(cuGreenCtxCreate)(&made, nullptr, 0, CU_GREEN_CTX_DEFAULT_STREAM) == CUDA_SUCCESS);
  CUdevResource resource{};
  CHECK(CU(cuGreenCtxGetDevResource)(made, &resource, CU_DEV_RESOURCE_TYPE_SM) == CUDA_SUCCESS);
  CHECK(resource.sm.smCount == all_processors().sm.smCount);
  CHECK(CU(cuGreenCtxDestroy)(made) == CUDA_SUCCESS);
}

TEST_CASE("resetting a device ends its green contexts") {
  if (!is_cpu_driver()) return;
  const Halves halves;
  CUcontext primary = nullptr;
  REQUIRE(CU(cuDevicePrimaryCtxRetain)(&primary, 0) == CUDA_SUCCESS);
  {
    Green green(halves.group);
    const Current current(green.context());
    CHECK(CU(cuDevicePrimaryCtxReset_v2)(0) == CUDA_SUCCESS);
    CHECK(CU(cuCtxSynchronize)() == CUDA_ERROR_CONTEXT_IS_DESTROYED);
    CUcontext context = nullptr;
    CHECK(CU(cuCtxFromGreenCtx)(&context, green.handle()) == CUDA_ERROR_CONTEXT_IS_DESTROYED);
    CHECK(green.destroy() == CUDA_SUCCESS);
  }
  CU(cuDevicePrimaryCtxRelease_v2)(0);
}
