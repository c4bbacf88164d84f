// SPDX-License-Identifier: MIT
// The tables of all live handles of the process, one for each type.
#pragma once

#include "cpu/api/cuda_abi.h"
#include "cpu/api/handle_table.h"

namespace pycuda::cpu::api {

class Context;
class Event;
class ExternalMemory;
class ExternalSemaphore;
class Function;
class Graph;
class GraphExec;
class GraphicsResource;
class GraphNode;
class GreenContext;
class KernelHandle;
class Library;
class LinkState;
class MemoryHandle;
class MemoryPool;
class Module;
class ResourceDescription;
class Stream;
class UserObject;

struct MemoryHandleSlot;

struct Registry {
  HandleTable<Context, CUcontext> contexts{1u << 20};
  HandleTable<Module, CUmodule> modules{1u << 20};
  HandleTable<Function, CUfunction> functions{1u << 22};
  HandleTable<Stream, CUstream> streams{1u << 20};
  HandleTable<Event, CUevent> events{1u << 22};
  HandleTable<Library, CUlibrary> libraries{1u << 20};
  HandleTable<KernelHandle, CUkernel> kernels{1u << 22};
  HandleTable<LinkState, CUlinkState> links{1u << 18};
  HandleTable<MemoryPool, CUmemoryPool> pools{1u << 18};
  /// CUmemGenericAllocationHandle is a number that stands for such a pointer.
  HandleTable<MemoryHandle, MemoryHandleSlot*> memory_handles{1u << 20};
  HandleTable<Graph, CUgraph> graphs{1u << 20};
  HandleTable<GraphNode, CUgraphNode> graph_nodes{1u << 24};
  HandleTable<GraphExec, CUgraphExec> graph_execs{1u << 20};
  HandleTable<ExternalMemory, CUexternalMemory> external_memories{1u << 18};
  HandleTable<ExternalSemaphore, CUexternalSemaphore> external_semaphores{1u << 18};
  HandleTable<GreenContext, CUgreenCtx> green_contexts{1u << 18};
  HandleTable<ResourceDescription, CUdevResourceDesc> resource_descriptions{1u << 18};
  HandleTable<GraphicsResource, CUgraphicsResource> graphics{1u << 18};
  HandleTable<UserObject, CUuserObject> user_objects{1u << 20};
};

/// Never destroyed: callers may come as late as their own static destructors.
extern Registry& registry;

}  // namespace pycuda::cpu::api
