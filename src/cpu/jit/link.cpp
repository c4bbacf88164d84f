// SPDX-License-Identifier: MIT
#include "cpu/jit/link.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/Support/Error.h>

#include <string>
#include <utility>

#include "cpu/jit/announced_code.h"
#include "cpu/kernel_abi/runtime_calls.h"
#include "cpu/target/object_linker.h"

namespace pycuda::cpu::jit {
namespace {

namespace jitlink = llvm::jitlink;

/// There is one in the process and it is never destroyed: modules may be unloaded by static
/// destructors of programs, after any that would end it.
jitlink::InProcessMemoryManager& memory_of_code() {
  static auto* const manager = llvm::cantFail(jitlink::InProcessMemoryManager::Create()).release();
  return *manager;
}

void* find_runtime_call(llvm::StringRef name) {
  static const auto* const calls = [] {
    auto* const map = new llvm::StringMap<void*>;
    for (const RuntimeSymbol& symbol : runtime_symbols()) (*map)[symbol.name] = symbol.address;
    return map;
  }();
  return calls->lookup(name);
}

}  // namespace

struct LinkedObject::State {
  jitlink::JITLinkMemoryManager::FinalizedAlloc memory;
  llvm::StringMap<void*> defined;
  /// Where debuggers and profilers are to know it.
  llvm::StringMap<std::uint64_t> sections;
  std::vector<PlacedFunction> functions;
  std::unique_ptr<AnnouncedCode> announced;
  std::string failure;
};

namespace {

/// What the linker asks for and reports, for one object. It reports all before it returns: the
/// memory manager is one of this process.
class LinkContext final : public jitlink::JITLinkContext {
 public:
  LinkContext(LinkedObject::State& state, const llvm::StringMap<void*>& symbols)
      : JITLinkContext(nullptr), state_(state), symbols_(symbols) {}

  jitlink::JITLinkMemoryManager& getMemoryManager() override { return memory_of_code(); }

  void notifyFailed(llvm::Error error) override { state_.failure = toString(std::move(error)); }

  void lookup(const LookupMap& wanted,
              std::unique_ptr<jitlink::JITLinkAsyncLookupContinuation> resume) override {
    jitlink::AsyncLookupResult found;
    for (const auto& [name, flags] : wanted) {
      void* address = symbols_.lookup(name);
      if (address == nullptr) address = find_runtime_call(name);
      if (address == nullptr && flags == jitlink::SymbolLookupFlags::RequiredSymbol) {
        resume->run(llvm::createStringError("nothing defines the symbol '" + name + "'"));
        return;
      }
      found[name] = {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
    }
    resume->run(std::move(found));
  }

  llvm::Error notifyResolved(jitlink::LinkGraph& graph) override {
    for (const jitlink::Symbol* symbol : graph.defined_symbols()) {
      if (symbol->hasName() && symbol->getScope() != jitlink::Scope::Local)
        state_.defined[symbol->getName()] = symbol->getAddress().toPtr<void*>();
    }
    if (symbols_wanted()) note_places(graph);
    return llvm::Error::success();
  }

  void notifyFinalized(jitlink::JITLinkMemoryManager::FinalizedAlloc memory) override {
    state_.memory = std::move(memory);
  }

 private:
  void note_places(jitlink::LinkGraph& graph) {
    for (const jitlink::Section& section : graph.sections())
      state_.sections[section.getName()] = jitlink::SectionRange(section).getStart().getValue();
    for (const jitlink::Symbol* symbol : graph.defined_symbols()) {
      if (!symbol->hasName() || !symbol->isCallable()) continue;
      state_.functions.push_back(
          {symbol->getName().str(), symbol->getAddress().getValue(), symbol->getSize()});
    }
  }

  LinkedObject::State& state_;
  const llvm::StringMap<void*>& symbols_;
};

}  // namespace

LinkedObject::LinkedObject(std::unique_ptr<State> state) : state_(std::move(state)) {}

LinkedObject::~LinkedObject() {
  state_->announced.reset();
  if (state_->memory) llvm::consumeError(memory_of_code().deallocate(std::move(state_->memory)));
}

base::Result<std::unique_ptr<LinkedObject>> LinkedObject::link(
    const std::string& object, const std::vector<std::pair<std::string, void*>>& symbols) {
  auto graph = target::link_graph_of({object, "kernel"});
  if (!graph) return base::Failure{llvm::toString(graph.takeError())};
  llvm::StringMap<void*> definitions;
  for (const auto& [name, address] : symbols) definitions[name] = address;
  std::unique_ptr<LinkedObject> linked(new LinkedObject(std::make_unique<State>()));
  State& state = *linked->state_;
  target::link(std::move(*graph), std::make_unique<LinkContext>(state, definitions));
  if (!state.failure.empty()) return base::Failure{state.failure};
  if (symbols_wanted()) {
    state.announced = std::make_unique<AnnouncedCode>(
        object, [&](std::string_view section) { return state.sections.lookup(section); },
        state.functions);
  }
  return linked;
}

void* LinkedObject::find(std::string_view name) const {
  return state_->defined.lookup(llvm::StringRef(name));
}

}  // namespace pycuda::cpu::jit
