// SPDX-License-Identifier: MIT
#include "cpu/jit/link.h"

#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Support/MemoryBuffer.h>

#include <atomic>

#include "cpu/kernel_abi/runtime_calls.h"

namespace pycuda::cpu::jit {
namespace {

llvm::orc::ExecutorSymbolDef definition(void* address) {
  return {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
}

/// LLVM's linking session. There is one in the process and it is never destroyed: modules may be
/// unloaded by static destructors of programs, after any that would end the session.
class Session {
 public:
  static Session& instance() {
    static Session* session = new Session;
    return *session;
  }

  llvm::orc::ExecutionSession& execution() { return execution_; }
  llvm::orc::ObjectLinkingLayer& layer() { return layer_; }
  llvm::orc::JITDylib& runtime() { return runtime_; }

 private:
  Session()
      : execution_(llvm::cantFail(llvm::orc::SelfExecutorProcessControl::Create())),
        layer_(execution_),
        runtime_(execution_.createBareJITDylib("runtime")) {
    // Failures are returned to the caller of lookup; the session must not print them as well.
    execution_.setErrorReporter([](llvm::Error error) { llvm::consumeError(std::move(error)); });
    llvm::orc::SymbolMap symbols;
    for (const RuntimeSymbol& symbol : runtime_symbols())
      symbols[execution_.intern(symbol.name)] = definition(symbol.address);
    llvm::cantFail(runtime_.define(llvm::orc::absoluteSymbols(std::move(symbols))));
  }

  llvm::orc::ExecutionSession execution_;
  llvm::orc::ObjectLinkingLayer layer_;
  llvm::orc::JITDylib& runtime_;
};

}  // namespace

struct LinkedObject::State {
  llvm::orc::JITDylib* library = nullptr;
};

LinkedObject::LinkedObject(std::unique_ptr<State> state) : state_(std::move(state)) {}

LinkedObject::~LinkedObject() {
  if (state_->library != nullptr)
    llvm::consumeError(Session::instance().execution().removeJITDylib(*state_->library));
}

base::Result<std::unique_ptr<LinkedObject>> LinkedObject::link(
    const std::string& object, const std::vector<std::pair<std::string, void*>>& symbols) {
  static std::atomic<std::uint64_t> count{0};
  Session& session = Session::instance();
  auto state = std::make_unique<State>();
  state->library = &session.execution().createBareJITDylib("module" + std::to_string(count++));
  std::unique_ptr<LinkedObject> linked(new LinkedObject(std::move(state)));
  llvm::orc::JITDylib& library = *linked->state_->library;
  library.addToLinkOrder(session.runtime());

  llvm::orc::SymbolMap definitions;
  for (const auto& [name, address] : symbols)
    definitions[session.execution().intern(name)] = definition(address);
  llvm::Error error = library.define(llvm::orc::absoluteSymbols(std::move(definitions)));
  if (!error)
    error = session.layer().add(library, llvm::MemoryBuffer::getMemBufferCopy(object, "kernel"));
  if (error) return base::Failure{llvm::toString(std::move(error))};
  return linked;
}

void* LinkedObject::find(std::string_view name) const {
  Session& session = Session::instance();
  auto symbol = session.execution().lookup({state_->library},
                                           session.execution().intern(llvm::StringRef(name)));
  if (!symbol) {
    llvm::consumeError(symbol.takeError());
    return nullptr;
  }
  return symbol->getAddress().toPtr<void*>();
}

}  // namespace pycuda::cpu::jit
