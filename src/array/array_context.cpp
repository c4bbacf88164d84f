// SPDX-License-Identifier: MIT
#include "array/array_context.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "cuda/capture.h"
#include "cuda/context_stack.h"
#include "cuda/event.h"

namespace pycuda::array {
namespace {

struct CompilerChoice {
  std::mutex mutex;  ///< protects the rest
  rtc::Compiler* compiler = nullptr;
  std::optional<std::string> cache_folder;
};

CompilerChoice& compiler_choice() {
  static auto* choice = new CompilerChoice;  // threads may end after static objects have
  return *choice;
}

struct Known {
  std::mutex mutex;  ///< protects `contexts`
  std::vector<std::shared_ptr<ArrayContext>> contexts;
  std::atomic<std::uint64_t> generation{1};  ///< changes whenever one is dropped
};

Known& known() {
  static auto* all = new Known;
  return *all;
}

struct Last {
  const cuda::Context* context = nullptr;
  std::weak_ptr<ArrayContext> arrays;
  std::uint64_t generation = 0;
};
thread_local Last last;

}  // namespace

void set_compiler(rtc::Compiler* compiler, std::optional<std::string> cache_folder) {
  CompilerChoice& choice = compiler_choice();
  const std::lock_guard lock(choice.mutex);
  choice.compiler = compiler;
  choice.cache_folder = std::move(cache_folder);
}

std::shared_ptr<ArrayContext> ArrayContext::current() {
  const cuda::Context* current = cuda::internal::on_thread.current;
  Known& all = known();
  if (current != nullptr && current == last.context &&
      last.generation == all.generation.load(std::memory_order_acquire) && current->valid()) {
    if (auto arrays = last.arrays.lock()) return arrays;
  }
  const cuda::ContextPtr context = cuda::require_context();
  std::vector<std::shared_ptr<ArrayContext>> dropped;  // released outside of the lock
  const std::lock_guard lock(all.mutex);
  const auto dead = std::stable_partition(
      all.contexts.begin(), all.contexts.end(),
      [](const std::shared_ptr<ArrayContext>& arrays) { return arrays->context()->valid(); });
  if (dead != all.contexts.end()) {
    dropped.assign(std::make_move_iterator(dead), std::make_move_iterator(all.contexts.end()));
    all.contexts.erase(dead, all.contexts.end());
    all.generation.fetch_add(1, std::memory_order_acq_rel);
  }
  auto found = std::find_if(all.contexts.begin(), all.contexts.end(),
                            [&](const auto& arrays) { return arrays->context() == context; });
  if (found == all.contexts.end()) {
    all.contexts.push_back(std::make_shared<ArrayContext>(context));
    found = std::prev(all.contexts.end());
  }
  last = {context.get(), *found, all.generation.load(std::memory_order_acquire)};
  return *found;
}

void ArrayContext::forget_all() {
  std::vector<std::shared_ptr<ArrayContext>> dropped;
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  dropped.swap(all.contexts);
  all.generation.fetch_add(1, std::memory_order_acq_rel);
}

bool ArrayContext::free_held_memory() noexcept {
  std::vector<std::shared_ptr<cuda::DeviceMemoryPool>> pools;
  try {
    Known& all = known();
    const std::lock_guard lock(all.mutex);
    for (const auto& arrays : all.contexts) pools.push_back(arrays->pool());
  } catch (...) {
    return false;
  }
  bool any = false;
  for (const auto& pool : pools) {
    any = any || pool->held_blocks() > 0;
    pool->free_held();
  }
  return any;
}

ArrayContext::ArrayContext(cuda::ContextPtr context)
    : context_(std::move(context)),
      pool_(std::make_shared<cuda::DeviceMemoryPool>()),
      device_(cuda::read_device_traits(context_->device())) {}

const cuda::Kernel& ArrayContext::kernel(std::uint64_t number, const char* name,
                                         std::string (*source)(const void*), const void* argument) {
  const KernelNumber key{{number << 3, 0}};  // the families of the other kernels are not 0
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = kernels_.find(key); found != kernels_.end()) return *found->second;
  }
  return add_kernel(key, source(argument), name);
}

const cuda::Kernel& ArrayContext::add_kernel(const KernelNumber& number, const std::string& source,
                                             const std::string& name) {
  rtc::CompileRequest request;
  rtc::Compiler* compiler = nullptr;
  {
    CompilerChoice& choice = compiler_choice();
    const std::lock_guard lock(choice.mutex);
    compiler = choice.compiler;
    if (choice.cache_folder) request.cache_folder = *choice.cache_folder;
  }
  if (compiler == nullptr) throw std::logic_error("arrays have not been given a compiler");
  request.source = source;
  // Contraction would make products of complex numbers differ from NumPy's. The declarations that
  // "minimal" leaves out, which no kernel here uses, take NVRTC a quarter of its time.
  request.options = {"-std=c++17", "--fmad=false", "--minimal"};
  request.device = device_;
  request.extern_c = false;
  const rtc::Compiled compiled = compiler->compile(request);
  const cuda::ContextScope scope(context_);
  std::shared_ptr<cuda::Kernel> made = cuda::Module::from_image(*compiled.image)->kernel(name);
  const std::unique_lock lock(mutex_);
  return *kernels_.emplace(number, std::move(made)).first->second;
}

cuda::PooledDeviceMemory ArrayContext::allocate_for_graph(std::size_t bytes) {
  cuda::Capture* const capture = cuda::Capture::of_thread();
  return capture != nullptr && capture->context() == context_ ? capture->allocate(bytes)
                                                              : pool_->allocate(bytes);
}

void ArrayContext::order_after_default(CUstream stream) const {
  if (stream == nullptr || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD) return;
  // What is captured runs later, in memory that the default stream does not know.
  if (cuda::goes_into_graph(stream)) return;
  const driver::DriverTable& driver = context_->driver();
  unsigned int flags = 0;
  driver.cuStreamGetFlags(stream, &flags);
  if ((flags & CU_STREAM_NON_BLOCKING) == 0) return;
  const cuda::Event done(CU_EVENT_DISABLE_TIMING);
  done.record(nullptr);
  driver.cuStreamWaitEvent(stream, done.handle(), 0);
}

TemporaryMemory::~TemporaryMemory() {
  // Blocks of the pool are reused in the order of the default stream's work.
  if (context_ == nullptr || stream_ == nullptr) return;
  if (cuda::goes_into_graph(stream_)) {
    cuda::Capture::of_stream(stream_)->resources()->keep(
        std::make_shared<cuda::PooledDeviceMemory>(std::move(block_)));
    return;
  }
  const driver::DriverTable& driver = context_->context()->driver();
  if (const CUresult code = driver.cuStreamSynchronize.status(stream_); code != CUDA_SUCCESS) {
    cuda::report_cleanup_failure(driver, driver.cuStreamSynchronize.name(), code);
  }
}

}  // namespace pycuda::array
