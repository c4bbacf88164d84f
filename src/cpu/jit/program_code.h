// SPDX-License-Identifier: MIT
// What a Program holds: the code of each part of it, made when that is first asked for.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cpu/jit/deadline_compile.h"
#include "cpu/jit/object_cache.h"
#include "cpu/jit/program.h"
#include "cpu/ptx/cluster_directives.h"
#include "cpu/ptx/diagnostic.h"
#include "cpu/ptx/module.h"

namespace pycuda::cpu::jit {

class Program::Implementation {
 public:
  /// `digest` is that of the text. `parsed`, if there is one, is kept until all parts are compiled.
  Implementation(std::string_view ptx_text, std::string digest, const Options& options,
                 std::shared_ptr<const CompiledProgram> module, bool from_cache,
                 std::shared_ptr<const ptx::Module> parsed);

  /// Facts and variables, and the code if there are no parts.
  const CompiledProgram& module() const { return *module_; }
  const std::vector<GlobalVariable>& variables() const { return variables_; }
  bool from_cache() const { return from_cache_; }
  const std::string& ptx_text() const { return ptx_text_; }
  /// What the kernel's header says of its clusters.
  ptx::ClusterDirectives clusters_of(std::string_view kernel) const {
    const auto found = clusters_.find(kernel);
    return found != clusters_.end() ? found->second : ptx::ClusterDirectives();
  }
  const std::string& digest() const { return digest_; }
  const Options& options() const { return options_; }

  /// At least one.
  std::size_t part_count() const { return states_.size(); }
  bool is_at_once(std::size_t part) const;
  std::size_t part_of(std::string_view kernel) const;
  /// The options that a part is compiled with.
  Options part_options(std::size_t part) const;
  /// The code of a part, compiled or read from the disk cache if it was not yet. Blocking; any
  /// thread: who asks for a part that is being compiled waits for it.
  Code part(std::size_t part) const;
  /// What is compiled in place of this part's makeshift, because its deadline has passed; null
  /// otherwise.
  std::shared_ptr<const LateCode> late(std::size_t part) const;
  /// Whether there is such code of a kernel's part.
  bool is_being_compiled(std::string_view kernel) const { return late(part_of(kernel)) != nullptr; }
  /// Of a program without parts, before anyone has it.
  void set_late(std::shared_ptr<const LateCode> late) { states_.front().late = std::move(late); }
  /// Code of a kernel alone, compiled or read from the disk cache if it was not yet. Blocking, for
  /// seconds; any thread: who asks for what is being compiled waits for it. (The kernel's first
  /// code, which it may share with others, is its part's.)
  Code code(const std::string& kernel, variants::Variant variant) const;
  /// To its end, where `code` has given a makeshift (KernelFacts::is_makeshift): from then on it
  /// gives what was compiled in its place. Blocking; any thread.
  void finish(const std::string& kernel, variants::Variant variant) const;
  /// The same if there is no need to compile it, else null.
  std::shared_ptr<const CompiledProgram> code_at_hand(const std::string& kernel,
                                                      variants::Variant variant) const;
  /// Whether there may be more than one copy of its code: not where functions have addresses.
  bool may_be_copied(std::string_view kernel) const {
    const std::vector<Part>& parts = module_->parts;
    return !options_.by_parts ||
           (parts.empty() ? module_->on_demand : !parts[part_of(kernel)].whole);
  }

 private:
  struct State {
    std::mutex mutex;  ///< held while the part is compiled; protects the rest
    std::shared_ptr<const CompiledProgram> code;
    std::shared_ptr<const LateCode> late;
    std::optional<ptx::Diagnostics> failure;
  };

  Code code_of(State& state, const Options& options) const;
  CodeByDeadline make(const Options& options) const;
  State& state_of(const std::string& kernel, variants::Variant variant) const;
  /// The options that a variant is compiled with.
  Options options_of(const std::string& kernel, variants::Variant variant) const;
  /// Parses again if the first compilation was another process's.
  base::Result<std::shared_ptr<const ptx::Module>, ptx::Diagnostics> parsed() const;
  void forget_parsed_if_done() const;

  std::string ptx_text_;
  std::map<std::string, ptx::ClusterDirectives, std::less<>> clusters_;
  std::string digest_;
  Options options_;
  std::shared_ptr<const CompiledProgram> module_;
  std::vector<GlobalVariable> variables_;
  bool from_cache_;
  mutable std::vector<State> states_;
  mutable std::mutex mutex_;  ///< protects what follows
  mutable std::shared_ptr<const ptx::Module> parsed_;
  mutable std::size_t parts_left_;  ///< without code
  mutable std::map<std::pair<std::string, variants::Variant>, State> variants_;
};

}  // namespace pycuda::cpu::jit
