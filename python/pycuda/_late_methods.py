# SPDX-License-Identifier: MIT
"""Methods of the extension's classes that are written in Python, loaded when a program first asks for one.

Importing `pycuda.driver` loads none of the modules below. Each defines the methods listed for it, which then take the
place of what stands for them here.
"""

from __future__ import annotations

from pycuda import _driver

__all__ = ["MODULES", "NAMES"]

# What the modules add to pycuda.driver itself.
NAMES = {
    "_array_parts": "SparseProperties map_array_async",
    "_batches": "mem_decompress_batch_async memcpy_3d_batch_async",
    "_checkpoints": "CheckpointProcess",
    "_core_dumps": "get_coredump_attribute set_coredump_attribute",
    "_driver_states": "flush_gpu_direct_rdma_writes get_module_loading_mode gl_get_devices",
    "_external_semaphores": "ExternalSemaphore signal_external_semaphores wait_external_semaphores",
    "_graph_shapes": "UserObject",
    "_libraries": "Kernel Library",
    "_memory_facts": "mem_get_dma_buffer pointer_get_attributes pointer_set_attribute",
    "_memory_notices": "MemoryBudgetCallback",
    "_multicast": "MulticastObject",
}
NAMES = {name: module for module, names in NAMES.items() for name in names.split()}

_METHODS = {
    "_array_parts": {
        "Array": "get_plane get_sparse_properties",
        "ExternalMemory": "map_mipmapped_array",
        "MipmappedArray": "get_sparse_properties",
        "RegisteredMapping": "mipmapped_array",
    },
    "_cluster_occupancy": {"Function": "max_active_clusters max_cluster_size"},
    "_driver_states": {
        "Context": "get_exec_affinity get_flags get_stream_priority_range record set_flags wait_for_event",
        "Device": (
            "get_graph_mem_attribute get_primary_context_state has_exec_affinity reset_primary_context"
            " set_graph_mem_attribute set_primary_context_flags trim_graph_memory"
        ),
        "Function": "is_loaded load module",
        "Stream": "flags priority",
    },
    "_external_semaphores": {"Graph": "add_semaphore_signal_node add_semaphore_wait_node"},
    "_graph_nodes": {
        "GraphExec": "set_params",
        "GraphNode": "copy_attributes_from get_attribute get_params let_kernels_change set_attribute set_params",
    },
    "_graph_shapes": {
        "Graph": "add_edges release remove_edges retain root_nodes",
        "GraphExec": "flags",
        "Stream": "get_capture_info update_capture_dependencies",
    },
    "_launch_attributes": {"Stream": "copy_attributes_from get_attribute set_attribute"},
    "_memory_facts": {
        "Array": "get_memory_requirements",
        "MipmappedArray": "get_memory_requirements",
        "SurfaceObject": "get_resource",
        "TextureObject": "get_resource get_settings get_view",
    },
}


MODULES = (*_METHODS,)


class _Late:
    """Stands for an attribute of a class until its module is loaded."""

    def __init__(self, module, owner, name):
        self._module, self._owner, self._name = module, owner, name

    def __get__(self, instance, owner=None):
        __import__(f"pycuda.{self._module}")
        if vars(self._owner)[self._name] is self:
            raise AttributeError(f"pycuda.{self._module} does not define {self._owner.__name__}.{self._name}")
        return getattr(owner if instance is None else instance, self._name)


def _not_of_graphs(self, name):
    remedy = ": graph.instantiate() returns what has it" if hasattr(_driver.GraphExec, name) else ""
    raise AttributeError(f"'Graph' object has no attribute {name!r}{remedy}", name=name, obj=self)


_driver.Graph.__getattr__ = _not_of_graphs

for _module, _classes in _METHODS.items():
    for _class, _names in _classes.items():
        for _name in _names.split():
            setattr(getattr(_driver, _class), _name, _Late(_module, getattr(_driver, _class), _name))
