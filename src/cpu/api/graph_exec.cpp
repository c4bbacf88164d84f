// SPDX-License-Identifier: MIT
// From a graph to one sequence of steps, and launching that.
#include "cpu/api/graph_exec.h"

#include <algorithm>

#include "cpu/api/entry_guard.h"
#include "cpu/exec/check_settings.h"
#include "cpu/exec/graph_condition.h"
#include "cpu/exec/signal_handlers.h"
#include "cpu/exec/updatable_launch.h"

namespace pycuda::cpu::api {
namespace {

void collect(const Graph& graph, std::vector<SharedAllocation>* allocated,
             std::vector<SharedAllocation>* freed) {
  for (const auto& node : graph.nodes()) {
    if (const auto* child = std::get_if<ChildAction>(&node->action)) {
      collect(*child->graph, allocated, freed);
    } else if (const auto* alloc = std::get_if<AllocAction>(&node->action)) {
      allocated->push_back(alloc->allocation);
    } else if (const auto* free = std::get_if<FreeAction>(&node->action)) {
      freed->push_back(free->allocation);
    }
  }
}

void collect_conditions(const Graph& graph,
                        std::vector<std::shared_ptr<exec::GraphCondition>>* conditions) {
  for (const auto& node : graph.nodes()) {
    if (const auto* conditional = std::get_if<ConditionalAction>(&node->action))
      conditions->push_back(conditional->condition);
    for (const auto& inside : graphs_in(node->action)) collect_conditions(*inside, conditions);
  }
}

MemoryEffects effects_of(const Graph& graph) {
  MemoryEffects effects;
  std::vector<SharedAllocation> allocated;
  std::vector<SharedAllocation> freed;
  collect(graph, &allocated, &freed);
  const std::set<SharedAllocation> all_allocated(allocated.begin(), allocated.end());
  const std::set<SharedAllocation> all_freed(freed.begin(), freed.end());
  for (const auto& block : allocated)
    (all_freed.contains(block) ? effects.passing : effects.kept).push_back(block);
  for (const auto& block : freed) {
    if (!all_allocated.contains(block)) effects.freed.push_back(block);
  }
  return effects;
}

/// What kernels can change of a node; null: nothing.
exec::UpdatableLaunch* updates_of(const GraphNode& node) {
  const auto* const kernel = std::get_if<KernelAction>(&node.action);
  return kernel != nullptr ? kernel->request.updates.get() : nullptr;
}

/// From what the host says the node does.
void begin_updates(const GraphNode& node) {
  if (exec::UpdatableLaunch* const updates = updates_of(node))
    updates->reset(std::get<KernelAction>(node.action).request);
}

bool can_be_disabled(const GraphNode& node) {
  return std::holds_alternative<KernelAction>(node.action) ||
         std::holds_alternative<CopyAction>(node.action) ||
         std::holds_alternative<FillAction>(node.action);
}

/// Whether each step comes after the one before it.
bool is_chain(const std::vector<std::vector<std::size_t>>& after) {
  for (std::size_t step = 1; step < after.size(); ++step) {
    if (std::ranges::find(after[step], step - 1) == after[step].end()) return false;
  }
  return true;
}

/// Calls `visit` for the nodes that are at the same place in two graphs of one shape.
template <class Visit>
void for_pairs(const Graph& left, const Graph& right, const Visit& visit) {
  for (std::size_t i = 0; i < left.nodes().size(); ++i) {
    GraphNode& first = *left.nodes()[i];
    GraphNode& second = *right.nodes()[i];
    visit(first, second);
    const auto inside = graphs_in(first.action);
    const auto others = graphs_in(second.action);
    for (std::size_t j = 0; j < inside.size(); ++j) for_pairs(*inside[j], *others[j], visit);
  }
}

// Kernels work with what their context has, memory above all.
CUresult check(const std::set<CUcontext>& contexts) {
  for (CUcontext handle : contexts) {
    ObjectPin pin;
    pin.is_of(handle);
    const Context* context = registry.contexts.find(handle);
    if (context == nullptr) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (context->status() != CUDA_SUCCESS) return context->status();
  }
  return CUDA_SUCCESS;
}

}  // namespace

GraphExec::GraphExec(const Graph& graph, cuuint64_t flags)
    : flags_(flags),
      instantiated_(graph.instantiated),
      graph_(graph.clone(Graph::Kind::Hidden)),
      effects_(effects_of(graph)),
      is_only_one_(!effects_.none() || graph.has_conditional_nodes() ||
                   graph.has_updatable_nodes()) {
  enter_nodes(*graph_);
  for (const auto& [original, node] : nodes_) {
    begin_updates(*node);
    if (exec::UpdatableLaunch* const updates = updates_of(*node)) updates->set_enabled(true);
  }
  build();
  handle_ = registry.graph_execs.insert(this);
  if (is_for_kernels()) sequence_.reset();  // it is to have the handle
  if ((flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) != 0) renew_upload();
  if (is_only_one_) *instantiated_ = true;
}

GraphExec::~GraphExec() {
  registry.graph_execs.erase(handle_);
  if (is_only_one_) *instantiated_ = false;
}

void GraphExec::enter_nodes(const Graph& graph) {
  for (const auto& node : graph.nodes()) {
    nodes_[node->original()] = node.get();
    for (const auto& inside : graphs_in(node->action)) enter_nodes(*inside);
  }
}

GraphExec::Ends GraphExec::append(const Graph& graph, const Ends& before,
                                  exec::Sequence* sequence) const {
  std::unordered_map<const GraphNode*, Ends> ends;
  std::set<std::size_t> last(before.begin(), before.end());
  for (const GraphNode* node : graph.in_order()) {
    std::set<std::size_t> first;
    if (node->dependencies().empty()) first.insert(before.begin(), before.end());
    for (const GraphNode::Link& link : node->dependencies())
      first.insert(ends[link.node].begin(), ends[link.node].end());
    Ends& own = ends[node];
    own.assign(first.begin(), first.end());
    if (!disabled_.contains(node)) {
      if (const auto* child = std::get_if<ChildAction>(&node->action)) {
        own = append(*child->graph, own, sequence);
      } else if (const auto* conditional = std::get_if<ConditionalAction>(&node->action)) {
        append(*conditional, sequence);
      } else {
        append_step(node->action, sequence);
        while (sequence->after.size() < sequence->steps.size()) {
          sequence->after.push_back(std::move(own));
          own = {sequence->after.size() - 1};
        }
      }
    }
    for (const std::size_t step : first) last.erase(step);
    last.insert(own.begin(), own.end());
  }
  return {last.begin(), last.end()};
}

void GraphExec::append(const ConditionalAction& node, exec::Sequence* sequence) const {
  std::vector<exec::Sequence::Step>& steps = sequence->steps;
  const std::size_t choice = steps.size();
  steps.emplace_back(exec::Sequence::Choice{});
  std::vector<std::size_t> begins;
  std::vector<std::size_t> jumps;
  for (const auto& body : node.bodies) {
    begins.push_back(steps.size());
    append(*body, {}, sequence);
    jumps.push_back(steps.size());
    steps.emplace_back(exec::Sequence::Jump{choice});
  }
  const std::size_t end = steps.size();
  if (node.type != CU_GRAPH_COND_TYPE_WHILE) {
    for (const std::size_t jump : jumps) steps[jump] = exec::Sequence::Jump{end};
  }
  exec::Sequence::Choice made{node.condition, {}, end, end};
  if (node.type == CU_GRAPH_COND_TYPE_SWITCH) {
    made.targets = std::move(begins);
  } else {
    made.targets = {begins.size() > 1 ? begins[1] : end};
    made.otherwise = begins[0];
  }
  steps[choice] = std::move(made);
}

void GraphExec::build() {
  auto sequence = std::make_shared<exec::Sequence>();
  if (graph_->has_conditional_nodes()) {
    std::vector<std::shared_ptr<exec::GraphCondition>> conditions;
    collect_conditions(*graph_, &conditions);
    sequence->steps.emplace_back(exec::Sequence::Task{[conditions](exec::FaultSink&) {
      for (const auto& condition : conditions) condition->begin();
    }});
  }
  append(*graph_, {}, sequence.get());
  if (graph_->has_conditional_nodes() || is_chain(sequence->after)) sequence->after.clear();
  sequence->keep_alive = graph_;
  if (is_for_kernels()) sequence->graph = reinterpret_cast<std::uintptr_t>(handle_);
  sequence_ = std::move(sequence);
  contexts_.clear();
  for (const auto& [original, node] : nodes_) {
    if (const auto* kernel = std::get_if<KernelAction>(&node->action))
      contexts_.insert(kernel->context);
  }
}

CUresult GraphExec::launch(Stream& stream) {
  const std::lock_guard lock(mutex_);
  CUresult status = check(contexts_);
  if (status != CUDA_SUCCESS) return status;
  status = renew_checks();
  if (status != CUDA_SUCCESS) return status;
  status = begin_memory_effects(effects_,
                                (flags_ & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0);
  if (status != CUDA_SUCCESS) return status;
  if (sequence_ == nullptr) build();
  renew_upload();
  last_run_ = stream.ordered().launch(sequence_, last_run_);
  note_run(effects_, last_run_);
  return CUDA_SUCCESS;
}

/// Checks and counters are those of the launch, not of the time at which the graph was made.
CUresult GraphExec::renew_checks() {
  const Checks wanted = exec::wanted_checks();
  if (checks_ == wanted && sequence_ != nullptr) return CUDA_SUCCESS;
  const exec::NoSignalHandlers none;  // they might launch the graph, which waits for the lock
  for (const auto& [original, node] : nodes_) {
    auto* const kernel = std::get_if<KernelAction>(&node->action);
    if (kernel == nullptr || kernel->request.checks == wanted) continue;
    bool is_other = false;
    const CUresult status = renew_code(kernel, &is_other);
    if (status != CUDA_SUCCESS) return status;
    if (is_other) sequence_.reset();
  }
  checks_ = wanted;
  return CUDA_SUCCESS;
}

CUresult GraphExec::upload() {
  const std::lock_guard lock(mutex_);
  const CUresult status = renew_checks();
  if (status == CUDA_SUCCESS) renew_upload();
  return status;
}

void GraphExec::renew_upload() {
  if (!is_for_kernels()) return;
  if (sequence_ == nullptr) build();
  const std::lock_guard lock(uploaded_mutex_);
  if (uploaded_ != nullptr && uploaded_->graph.sequence == sequence_) return;
  auto in_flight = uploaded_ != nullptr ? uploaded_->graph.in_flight
                                        : std::make_shared<std::atomic<bool>>(false);
  const exec::LaunchableGraph graph{reinterpret_cast<std::uintptr_t>(handle_), sequence_,
                                    std::move(in_flight)};
  uploaded_ = std::make_shared<const Uploaded>(Uploaded{graph, contexts_});
}

exec::DeviceError GraphExec::find(exec::LaunchableGraph* found) const {
  std::shared_ptr<const Uploaded> uploaded;
  {
    const std::lock_guard lock(uploaded_mutex_);
    uploaded = uploaded_;
  }
  if (uploaded == nullptr || check(uploaded->contexts) != CUDA_SUCCESS)
    return exec::DeviceError::InvalidValue;
  *found = uploaded->graph;
  return exec::DeviceError::Success;
}

GraphNode* GraphExec::find(CUgraphNode handle) const {
  const GraphNode* original = registry.graph_nodes.find(handle);
  if (original == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = nodes_.find(original->id());
  return found != nodes_.end() ? found->second : nullptr;
}

CUresult GraphExec::replace(GraphNode* node, NodeAction action) {
  const std::lock_guard lock(mutex_);
  if (compare_actions(node->action, action) != CU_GRAPH_EXEC_UPDATE_SUCCESS)
    return CUDA_ERROR_INVALID_VALUE;
  node->action = std::move(action);
  begin_updates(*node);
  sequence_.reset();
  return CUDA_SUCCESS;
}

CUresult GraphExec::enable(GraphNode* node, bool enabled) {
  const std::lock_guard lock(mutex_);
  if (!can_be_disabled(*node)) return CUDA_ERROR_INVALID_VALUE;
  if (exec::UpdatableLaunch* const updates = updates_of(*node)) {
    updates->set_enabled(enabled);
    return CUDA_SUCCESS;
  }
  const bool changed = enabled ? disabled_.erase(node) != 0 : disabled_.insert(node).second;
  if (changed) sequence_.reset();
  return CUDA_SUCCESS;
}

CUresult GraphExec::is_enabled(GraphNode* node, bool* enabled) const {
  const std::lock_guard lock(mutex_);
  if (!can_be_disabled(*node)) return CUDA_ERROR_INVALID_VALUE;
  const exec::UpdatableLaunch* const updates = updates_of(*node);
  *enabled = updates != nullptr ? updates->is_enabled() : !disabled_.contains(node);
  return CUDA_SUCCESS;
}

CUresult GraphExec::update(const Graph& graph, CUgraphExecUpdateResultInfo* info) {
  const std::lock_guard lock(mutex_);
  if (graph_->has_updatable_nodes() || graph.has_updatable_nodes()) {
    info->result = CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  }
  if (compare_for_update(*graph_, graph, info) != CU_GRAPH_EXEC_UPDATE_SUCCESS)
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  // A new copy: what runs now goes on with the old one, and with the program's objects that it
  // keeps alive.
  std::shared_ptr<Graph> copy = graph.clone(Graph::Kind::Hidden);
  std::unordered_map<std::uint64_t, GraphNode*> nodes;
  std::set<const GraphNode*> disabled;
  std::unordered_map<const GraphNode*, std::uint64_t> originals;
  for (const auto& [original, node] : nodes_) originals[node] = original;
  for_pairs(*graph_, *copy, [&](const GraphNode& before, GraphNode& after) {
    nodes[originals.at(&before)] = &after;
    if (disabled_.contains(&before)) disabled.insert(&after);
  });
  graph_ = std::move(copy);
  nodes_ = std::move(nodes);
  disabled_ = std::move(disabled);
  sequence_.reset();
  return CUDA_SUCCESS;
}

CUresult GraphExec::update_child(GraphNode* node, const Graph& graph) {
  const std::lock_guard lock(mutex_);
  auto* child = std::get_if<ChildAction>(&node->action);
  CUgraphExecUpdateResultInfo info{};
  if (child == nullptr ||
      compare_for_update(*child->graph, graph, &info) != CU_GRAPH_EXEC_UPDATE_SUCCESS) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const std::unique_ptr<Graph> copy = graph.clone(Graph::Kind::Hidden);
  for_pairs(*child->graph, *copy, [](GraphNode& before, GraphNode& after) {
    if (graphs_in(before.action).empty()) before.action = after.action;
  });
  sequence_.reset();
  return CUDA_SUCCESS;
}

}  // namespace pycuda::cpu::api
