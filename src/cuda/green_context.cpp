// SPDX-License-Identifier: MIT
// Green contexts over the driver's.
#include "cuda/green_context.h"

#include <utility>

#include "cuda/context_stack.h"
#include "cuda/event.h"

namespace pycuda::cuda {

SmResource SmResource::of_device(const Device& device) {
  SmResource made(device);
  device.driver().cuDeviceGetDevResource(device.handle(), &made.resource_, CU_DEV_RESOURCE_TYPE_SM);
  return made;
}

SmResource SmResource::of_context() {
  const ContextPtr context = require_context();
  SmResource made(context->device());
  context->driver().cuCtxGetDevResource(context->handle(), &made.resource_,
                                        CU_DEV_RESOURCE_TYPE_SM);
  return made;
}

SmResourceParts SmResource::split(unsigned int size, std::optional<unsigned int> groups,
                                  unsigned int flags) const {
  const auto& driver_split = device_.driver().cuDevSmResourceSplitByCount;
  unsigned int made = groups.value_or(0);
  if (!groups) driver_split(nullptr, &made, &resource_, nullptr, flags, size);
  std::vector<CUdevResource> results(made);
  CUdevResource rest{};
  // With no room for results the driver would only count.
  CUdevResource none{};
  driver_split(results.empty() ? &none : results.data(), &made, &resource_, &rest, flags, size);
  SmResourceParts parts;
  for (unsigned int i = 0; i < made; ++i)
    parts.groups.emplace_back(SmResource(*this)).resource_ = results[i];
  if (rest.type == CU_DEV_RESOURCE_TYPE_SM && rest.sm.smCount != 0)
    parts.rest.emplace(SmResource(*this)).resource_ = rest;
  return parts;
}

std::shared_ptr<GreenContext> GreenContext::create(std::span<const SmResource> resources) {
  if (resources.empty()) {
    throw driver::DriverError("cuDevResourceGenerateDesc", CUDA_ERROR_INVALID_VALUE,
                              "a green context needs a resource");
  }
  const Device& device = resources.front().device();
  const driver::DriverTable& driver = device.driver();
  std::vector<CUdevResource> all;
  for (const SmResource& resource : resources) all.push_back(resource.resource());
  CUdevResourceDesc description = nullptr;
  driver.cuDevResourceGenerateDesc(&description, all.data(), static_cast<unsigned int>(all.size()));
  auto green = std::make_shared<GreenContext>(Key{}, device);
  driver.cuGreenCtxCreate(&green->green_, description, device.handle(),
                          CU_GREEN_CTX_DEFAULT_STREAM);
  green->life_.open();
  driver.cuCtxFromGreenCtx(&green->handle_, green->green_);
  return green;
}

ContextPtr GreenContext::share() const {
  return std::const_pointer_cast<Context>(shared_from_this());
}

unsigned long long GreenContext::green_id() const {
  unsigned long long id = 0;
  driver().cuGreenCtxGetId(green_, &id);
  return id;
}

SmResource GreenContext::resource() const {
  SmResource made(device());
  driver().cuGreenCtxGetDevResource(green_, &made.resource_, CU_DEV_RESOURCE_TYPE_SM);
  return made;
}

bool GreenContext::owns(CUstream stream) const {
  const ContextScope scope(*this);
  CUgreenCtx green = nullptr;
  driver().cuStreamGetGreenCtx(stream, &green);
  return green == green_;
}

void GreenContext::record(const Event& event) const {
  driver().cuGreenCtxRecordEvent(green_, event.handle());
}

void GreenContext::wait_for(const Event& event) const {
  driver().cuGreenCtxWaitEvent(green_, event.handle());
}

}  // namespace pycuda::cuda
