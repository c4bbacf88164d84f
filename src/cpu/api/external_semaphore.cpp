// SPDX-License-Identifier: MIT
// cuImportExternalSemaphore: a file that can be mapped stands for a semaphore, whose value is the
// file's first 64 bits. One process's streams write it, and another's wait for it.
#include "cpu/api/external_semaphore.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>

#include "cpu/api/capture.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/stream_guard.h"
#include "cpu/api/stream_memory.h"

namespace pycuda::cpu::api {

class ExternalSemaphore {
 public:
  using Operations = std::vector<CUstreamBatchMemOpParams>;

  ExternalSemaphore(void* word, bool is_timeline)
      : word_(word),
        is_timeline_(is_timeline),
        handle_(registry.external_semaphores.insert(this)) {}
  ~ExternalSemaphore() {
    registry.external_semaphores.erase(handle_, this);
    munmap(word_, sizeof(cuuint64_t));
  }
  ExternalSemaphore(const ExternalSemaphore&) = delete;
  ExternalSemaphore& operator=(const ExternalSemaphore&) = delete;

  CUexternalSemaphore handle() const { return handle_; }

  void append(const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS& signal, Operations* operations) const {
    write(is_timeline_ ? signal.params.fence.value : 1, operations);
  }
  void append(const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS& wait, Operations* operations) const {
    CUstreamBatchMemOpParams operation{};
    operation.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
    operation.waitValue.address = reinterpret_cast<CUdeviceptr>(word_);
    operation.waitValue.value64 = is_timeline_ ? wait.params.fence.value : 1;
    operation.waitValue.flags = is_timeline_ ? CU_STREAM_WAIT_VALUE_GEQ : CU_STREAM_WAIT_VALUE_EQ;
    operations->push_back(operation);
    if (!is_timeline_) write(0, operations);  // a binary one is taken by who waited for it
  }

 private:
  void write(cuuint64_t value, Operations* operations) const {
    CUstreamBatchMemOpParams operation{};
    operation.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    operation.writeValue.address = reinterpret_cast<CUdeviceptr>(word_);
    operation.writeValue.value64 = value;
    operations->push_back(operation);
  }

  void* word_;
  bool is_timeline_;
  CUexternalSemaphore handle_;
};

namespace {

void* map_word(int descriptor) {
  struct stat facts{};
  if (fstat(descriptor, &facts) != 0 || facts.st_size < off_t{sizeof(cuuint64_t)})
    return MAP_FAILED;
  return mmap(nullptr, sizeof(cuuint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
}

CUresult import(const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC& description,
                CUexternalSemaphore* semaphore) {
  const auto type = description.type;
  if (type < CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD ||
      type > CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32 || description.flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  const bool is_timeline = type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
  if (!is_timeline && type != CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD) {
    return fail(CUDA_ERROR_NOT_SUPPORTED,
                "cuImportExternalSemaphore: the CPU driver takes file descriptors alone");
  }
  const int descriptor = description.handle.fd;
  void* const word = map_word(descriptor);
  if (word == MAP_FAILED) {
    return fail(CUDA_ERROR_UNKNOWN,
                "cuImportExternalSemaphore: the descriptor " + std::to_string(descriptor) +
                    " is none of a file of at least 8 bytes that can be mapped");
  }
  close(descriptor);  // the driver's, as with NVIDIA's, once the import has succeeded
  *semaphore = (new ExternalSemaphore(word, is_timeline))->handle();  // the destroyer's
  return CUDA_SUCCESS;
}

template <class Parameters>
CUresult make(const SemaphoreList<Parameters>& list, SemaphoreAction<Parameters>* action) {
  if (list.count != 0 && (list.semaphores == nullptr || list.parameters == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  Context* context = nullptr;
  const CUresult status = find_node_context(nullptr, &context);
  if (status != CUDA_SUCCESS) return status;
  action->context = context->handle();
  for (unsigned i = 0; i < list.count; ++i) {
    const ExternalSemaphore* const semaphore =
        registry.external_semaphores.find(list.semaphores[i]);
    if (semaphore == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    // The only flag is for memory of NVIDIA's embedded systems.
    if (list.parameters[i].flags != 0) return CUDA_ERROR_INVALID_VALUE;
    semaphore->append(list.parameters[i], &action->operations);
  }
  action->semaphores.assign(list.semaphores, list.semaphores + list.count);
  action->parameters.assign(list.parameters, list.parameters + list.count);
  return CUDA_SUCCESS;
}

template <class Parameters>
CUresult put_into_stream(const SemaphoreList<Parameters>& list, CUstream handle,
                         const char* entry = __builtin_FUNCTION()) noexcept {
  return with_stream(
      handle,
      [&](Stream& stream) -> CUresult {
        SemaphoreAction<Parameters> action;
        const CUresult status = make(list, &action);
        if (status != CUDA_SUCCESS) return status;
        if (stream.in_capture()) return capture(stream, std::move(action));
        enqueue_memory_operations(stream, action.operations);
        return CUDA_SUCCESS;
      },
      entry);
}

}  // namespace

CUresult make_semaphore_action(const SemaphoreList<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>& list,
                               SignalAction* action) {
  return make(list, action);
}

CUresult make_semaphore_action(const SemaphoreList<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>& list,
                               AwaitAction* action) {
  return make(list, action);
}

}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuImportExternalSemaphore(CUexternalSemaphore* extSem_out,
                                   const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC* semHandleDesc) {
  return with_context([&](Context&) -> CUresult {
    if (extSem_out == nullptr || semHandleDesc == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return import(*semHandleDesc, extSem_out);
  });
}

CUresult cuDestroyExternalSemaphore(CUexternalSemaphore extSem) {
  return with_context([&](Context&) -> CUresult {
    ExternalSemaphore* const semaphore = registry.external_semaphores.find(extSem);
    if (semaphore == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    delete semaphore;  // what waits for it ends with a fault
    return CUDA_SUCCESS;
  });
}

CUresult cuSignalExternalSemaphoresAsync(const CUexternalSemaphore* extSemArray,
                                         const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS* paramsArray,
                                         unsigned int numExtSems, CUstream stream) {
  return put_into_stream(SemaphoreList{extSemArray, paramsArray, numExtSems}, stream);
}

CUresult cuWaitExternalSemaphoresAsync(const CUexternalSemaphore* extSemArray,
                                       const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS* paramsArray,
                                       unsigned int numExtSems, CUstream stream) {
  return put_into_stream(SemaphoreList{extSemArray, paramsArray, numExtSems}, stream);
}

}  // extern "C"
