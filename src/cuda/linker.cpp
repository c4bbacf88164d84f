// SPDX-License-Identifier: MIT
// The driver's linker.
#include "cuda/linker.h"

namespace pycuda::cuda {

Linker::Linker(const JitOptions& options)
    : call_(std::make_unique<JitCall>(options)), linker_(require_context()) {
  check(linker_.driver().cuLinkCreate.status(call_->count(), call_->keys(), call_->values(),
                                             linker_.out()),
        linker_.driver().cuLinkCreate.name());
}

void Linker::check(CUresult code, const char* routine, const std::string& why) const {
  if (code == CUDA_SUCCESS) return;
  const std::string words = log().errors;
  throw driver::DriverError(linker_.driver(), routine, code, words.empty() ? why : words);
}

void Linker::check_addition(CUresult code, const char* routine, CUjitInputType type,
                            const std::string& name) const {
  std::string why = driver::unknown_member(driver::given_member(type), code);
  if (why.empty()) why = "'" + name + "'";
  check(code, routine, why);
}

void Linker::add_data(std::string_view data, CUjitInputType type, const std::string& name) {
  const ContextScope scope(linker_.context());
  // Text is read up to a NUL, which a view need not have; the driver only reads what it is given.
  std::string copy(data);
  const auto& add = linker_.driver().cuLinkAddData;
  const std::size_t bytes = copy.size() + (type == CU_JIT_INPUT_PTX ? 1 : 0);
  check_addition(
      add.status(linker_.get(), type, copy.data(), bytes, name.c_str(), 0, nullptr, nullptr),
      add.name(), type, name);
}

void Linker::add_file(const std::string& path, CUjitInputType type) {
  const ContextScope scope(linker_.context());
  const auto& add = linker_.driver().cuLinkAddFile;
  check_addition(add.status(linker_.get(), type, path.c_str(), 0, nullptr, nullptr), add.name(),
                 type, path);
}

std::string_view Linker::complete() {
  const ContextScope scope(linker_.context());
  const auto& complete = linker_.driver().cuLinkComplete;
  void* image = nullptr;
  std::size_t bytes = 0;
  check(complete.status(linker_.get(), &image, &bytes), complete.name());
  return {static_cast<const char*>(image), bytes};
}

ModulePtr Linker::link_module() {
  const std::string_view image = complete();
  const ContextScope scope(linker_.context());
  return Module::from_image(image);
}

}  // namespace pycuda::cuda
