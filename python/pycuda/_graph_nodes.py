# SPDX-License-Identifier: MIT
"""Parameters of the nodes of graphs, read and changed in the graph or in what was instantiated from it."""

from __future__ import annotations

import ctypes
import struct

import numpy as np

from pycuda import _driver
from pycuda._driver import Event, Function, Graph, GraphExec, GraphNode, graph_node_type, memory_type
from pycuda._driver_calls import call, method_of, number
from pycuda._launch_attributes import get_value, set_value

__all__ = []

_PARAMETERS_BYTES = 256  # CUgraphNodeParams: the type, a union and a word
_UNION_OFFSET = 16
_KERNEL = "P7IPPPP"
_MEMSET = "PNIINN"
_SIDE = ("x_in_bytes", "y", "z", "lod", "memory_type", "host", "device", "array", "_", "pitch", "height")
_COPY = "4NiPPPPNN4NiPPPPNN3N"
_COPY_NAMES = (
    *(f"src_{name}" for name in _SIDE),
    *(f"dst_{name}" for name in _SIDE),
    "width_in_bytes",
    "height",
    "depth",
)
_DEVICE_UPDATABLE, _DEVICE_NODE = 13, struct.Struct("iP")  # CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE
_ALLOCATION = "IIiiPNH54xPNNP"  # CUDA_MEM_ALLOC_NODE_PARAMS


def _extents(value, what):
    values = [number(extent, what) for extent in value]
    if not 1 <= len(values) <= 3:
        raise ValueError(f"{what} has 1 to 3 extents, not {len(values)}")
    return tuple(values + [1] * (3 - len(values)))


def _context_handle():
    context = _driver.Context.get_current() or _driver._process_context()
    return 0 if context is None else context.handle


def _layout(function):
    """(offset, bytes) of each parameter of a kernel."""
    found = []
    while True:
        try:
            found.append(call("cuFuncGetParamInfo", function, len(found), "N", "N"))
        except _driver.LogicError as error:
            if error.name != "CUDA_ERROR_INVALID_VALUE":  # else past the last one
                raise
            return found


def _bytes_at(address, size):
    return ctypes.string_at(address, size)


class _Change:
    """The union of the parameters, the buffers that it points to, and what the node then uses."""

    def __init__(self, form, *values, buffers=(), kept=(), kernel=None):
        self.form, self.values, self.buffers, self.kept, self.kernel = form, values, buffers, kept, kernel

    def pack(self, node_type):
        packed = bytearray(_PARAMETERS_BYTES)
        struct.pack_into("i", packed, 0, int(node_type))
        try:
            struct.pack_into(self.form, packed, _UNION_OFFSET, *self.values)
        except struct.error as error:
            raise OverflowError(f"a parameter is out of range: {error}") from None
        return packed


def _kernel_values(node):
    return struct.unpack(_KERNEL, _filled("cuGraphKernelNodeGetParams", node, _KERNEL))


def _filled(function, node, form):
    buffer = bytearray(struct.calcsize(form))
    call(function, node.handle, buffer)
    return buffer


def _read_kernel(node):
    function, *extents, shared, values, extra, kernel, _ = _kernel_values(node)
    if not function and kernel:
        function = call("cuKernelGetFunction", "P", kernel)
    found = {"func": function, "grid": tuple(extents[:3]), "block": tuple(extents[3:]), "shared": shared}
    if values:
        layout = _layout(function)
        places = np.frombuffer(_bytes_at(values, 8 * len(layout)), np.uintp) if layout else ()
        found["args"] = tuple(_bytes_at(int(place), size) for place, (_, size) in zip(places, layout, strict=True))
    return found


def _change_kernel(node, func=None, args=None, grid=None, block=None, shared=None):
    now = _read_kernel(node)
    if func is not None and not isinstance(func, Function):
        raise TypeError(f"func must be a Function, not {type(func).__name__}")
    handle = now["func"] if func is None else func.handle
    layout = _layout(handle)
    if args is not None:
        if func is None:
            raise TypeError("args needs func, the kernel that they are for")
        packed = np.frombuffer(_driver._pack_arguments(func, *args) or b"\0", np.uint8)
    elif func is not None and handle != now["func"]:
        raise TypeError("another func needs its args")
    else:
        pieces = now.get("args", ())
        packed = np.zeros(max((offset + size for offset, size in layout), default=1), np.uint8)
        for (offset, size), piece in zip(layout, pieces, strict=True):
            packed[offset : offset + size] = np.frombuffer(piece, np.uint8)
    places = np.array([packed.ctypes.data + offset for offset, _ in layout] or [0], np.uintp)
    extents = (
        *(now["grid"] if grid is None else _extents(grid, "grid")),
        *(now["block"] if block is None else _extents(block, "block")),
        now["shared"] if shared is None else number(shared, "shared"),
    )
    values = (handle, *extents, places.ctypes.data if layout else 0, 0, 0, 0)
    return _Change(_KERNEL, *values, buffers=(packed, places), kept=tuple(args or ()), kernel=func)


def _read_copy(node):
    values = struct.unpack(_COPY, _filled("cuGraphMemcpyNodeGetParams", node, _COPY))
    found = dict(zip(_COPY_NAMES, values, strict=True))
    for side in ("src", "dst"):
        found.pop(f"{side}__")
        found[f"{side}_memory_type"] = memory_type(found[f"{side}_memory_type"])
    return found


def _place(side, memory, writable):
    """The fields of a side of a copy for device memory, an Array or a host buffer."""
    fields = {f"{side}_{name}": 0 for name in ("host", "device", "array")}
    if isinstance(memory, _driver.Array):
        kind, field, address = memory_type.ARRAY, "array", memory.handle
    elif isinstance(memory, (np.ndarray, bytes, bytearray, memoryview)):
        host = np.frombuffer(memory, np.uint8) if not isinstance(memory, np.ndarray) else memory
        if writable and not host.flags.writeable:
            raise ValueError("the host memory is read-only")
        if not host.flags.forc:
            raise ValueError("the host memory is not contiguous")
        kind, field, address = memory_type.HOST, "host", host.ctypes.data
    else:
        address = number(getattr(memory, "gpudata", memory), side)
        kind, field = memory_type.DEVICE, "device"
    fields[f"{side}_{field}"] = address
    fields[f"{side}_memory_type"] = kind
    return fields


def _change_copy(node, dest=None, src=None, size=None, **fields):
    now = _read_copy(node)
    for name in fields:
        if name not in now:
            raise TypeError(f"a copy node has no parameter {name!r}; it has dest, src, size and {', '.join(now)}")
    if src is not None:
        now.update(_place("src", src, False))
    if dest is not None:
        now.update(_place("dst", dest, True))
    if size is not None:
        now.update(width_in_bytes=number(size, "size"), height=1, depth=1)
    now.update({name: number(value, name) for name, value in fields.items()})
    values = [int(now.get(name, 0)) for name in _COPY_NAMES]
    kept = tuple(memory for memory in (dest, src) if memory is not None)
    return _Change(f"iiP{_COPY}", 0, 0, _context_handle(), *values, kept=kept)


def _read_fill(node):
    dest, pitch, data, element_size, size, height = struct.unpack(
        _MEMSET, _filled("cuGraphMemsetNodeGetParams", node, _MEMSET)
    )
    return {
        "dest": dest,
        "data": data,
        "size": size,
        "element_size": element_size,
        "height": height,
        "pitch": pitch,
    }


def _change_fill(node, dest=None, **changes):
    now = _read_fill(node)
    for name, value in changes.items():
        if name not in now:
            raise TypeError(f"a fill node has no parameter {name!r}; it has {', '.join(now)}")
        now[name] = number(value, name)
    if dest is not None:
        now["dest"] = number(getattr(dest, "gpudata", dest), "dest")
    if now["data"] >= 1 << 8 * now["element_size"]:
        raise OverflowError(f"data is out of range for elements of {now['element_size']} bytes: {now['data']}")
    names = ("dest", "pitch", "data", "element_size", "size", "height")
    values = [now[name] for name in names]
    return _Change(f"{_MEMSET}P", *values, _context_handle(), kept=() if dest is None else (dest,))


def _read_host(node):
    function, data = struct.unpack("PP", _filled("cuGraphHostNodeGetParams", node, "PP"))
    if function != _driver._host_node_function:
        return {"function": function}
    return {"function": ctypes.cast(data, ctypes.py_object).value}


def _change_host(node, function):
    if not callable(function):
        raise TypeError(f"a host node needs a function, not {type(function).__name__}")
    return _Change("PP", _driver._host_node_function, id(function), kept=(function,))


def _read_event(node):
    record = node.type == graph_node_type.EVENT_RECORD
    return {"event": call(f"cuGraphEvent{'Record' if record else 'Wait'}NodeGetEvent", node.handle, "P")}


def _change_event(node, event):
    if not isinstance(event, Event):
        raise TypeError(f"event must be an Event, not {type(event).__name__}")
    return _Change("P", event.handle, kept=(event,))


def _read_child(node):
    return {"graph": node._part(call("cuGraphChildGraphNodeGetGraph", node.handle, "P"))}


def _change_child(node, graph):
    if not isinstance(graph, Graph):
        raise TypeError(f"graph must be a Graph, not {type(graph).__name__}")
    return _Change("Pi", graph.handle, 0, kept=(graph,))


def _read_operations(node):
    form = "PIPI"
    _, count, _, flags = struct.unpack(form, _filled("cuGraphBatchMemOpNodeGetParams", node, form))
    return {"count": count, "flags": flags}


def _read_allocation(node):
    values = struct.unpack(_ALLOCATION, _filled("cuGraphMemAllocNodeGetParams", node, _ALLOCATION))
    return {
        "address": values[-1],
        "size": values[-2],
        "location": _driver.mem_location_type(values[2]),
        "id": values[3],
    }


def _read_free(node):
    return {"address": call("cuGraphMemFreeNodeGetParams", node.handle, "Q")}


_SEMAPHORES = {graph_node_type.EXT_SEMAS_SIGNAL: "Signal", graph_node_type.EXT_SEMAS_WAIT: "Wait"}


def _read_semaphores(node):
    name = f"cuGraphExternalSemaphores{_SEMAPHORES[node.type]}NodeGetParams"
    handles, parameters, count = struct.unpack("PPI", _filled(name, node, "PPI"))
    size = 144  # CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, and those of a wait
    return {
        "pairs": [
            (
                int.from_bytes(_bytes_at(handles + 8 * i, 8), "little"),
                int.from_bytes(_bytes_at(parameters + size * i, 8), "little"),
            )
            for i in range(count)
        ]
    }


def _change_semaphores(node, pairs):
    from pycuda._external_semaphores import node_parameters  # start-up time: few graphs have such nodes

    values, buffers, semaphores = node_parameters(pairs)
    return _Change(*values, buffers=buffers, kept=tuple(semaphores))


_KINDS = {
    graph_node_type.KERNEL: (_read_kernel, _change_kernel),
    graph_node_type.MEMCPY: (_read_copy, _change_copy),
    graph_node_type.MEMSET: (_read_fill, _change_fill),
    graph_node_type.HOST: (_read_host, _change_host),
    graph_node_type.GRAPH: (_read_child, _change_child),
    graph_node_type.EVENT_RECORD: (_read_event, _change_event),
    graph_node_type.WAIT_EVENT: (_read_event, _change_event),
    graph_node_type.BATCH_MEM_OP: (_read_operations, None),
    graph_node_type.MEM_ALLOC: (_read_allocation, None),
    graph_node_type.MEM_FREE: (_read_free, None),
    graph_node_type.EXT_SEMAS_SIGNAL: (_read_semaphores, _change_semaphores),
    graph_node_type.EXT_SEMAS_WAIT: (_read_semaphores, _change_semaphores),
}


def _change(node, changes):
    from pycuda._wrong_keywords import refuse_unknown  # start-up time: few programs change nodes

    kind = node.type
    change = _KINDS.get(kind, (None, None))[1]
    if change is None:
        raise TypeError(f"the parameters of a {kind.name or int(kind)} node are not changed so")
    refuse_unknown(f"set_params() of a {kind.name} node", change, changes)
    return change(node, **changes), kind


@method_of(GraphNode)
def get_params(self):
    """What the node does, a dict.

    Its keys are the parameters of the method of `Graph` that adds such a node. Addresses, kernels and events are
    numbers; the arguments of a kernel are `bytes`; a copy has the attributes of `Memcpy3D`.

    Examples
    --------
    >>> graph, memory = driver.Graph(), driver.mem_alloc(16)
    >>> node = graph.add_memset_node(memory, 7, 4, element_size=4)
    >>> params = node.get_params()
    >>> params['data'], params['size'], params['element_size']
    (7, 4, 4)
    """
    read = _KINDS.get(self.type, (None, None))[0]
    return read(self) if read else {}


@method_of(GraphNode)
def set_params(self, **changes):
    """Change what the node does, for graphs that are instantiated later. Needs CUDA 12.2.

    Parameters
    ----------
    **changes
        Some of the parameters that `get_params` lists; the others stay. A kernel takes its `args`, a sequence, together
        with `func`; a copy takes `dest`, `src` and `size`, too.

    Raises
    ------
    TypeError
        For parameters that such a node does not have.

    Examples
    --------
    >>> graph, memory = driver.Graph(), driver.mem_alloc(16)
    >>> node = graph.add_memset_node(memory, 7, 4, element_size=4)
    >>> node.set_params(data=9)
    >>> graph.instantiate().launch()
    >>> driver.from_device(memory, 4, np.int32)
    array([9, 9, 9, 9], dtype=int32)
    """
    change, kind = _change(self, changes)
    call("cuGraphNodeSetParams", self.handle, change.pack(kind))
    graph = self._graph()
    graph._keep(*change.kept)
    if change.kernel is not None:
        graph._keep_kernel(change.kernel)


@method_of(GraphExec, name="set_params")
def set_params_of_exec(self, node, **changes):
    """Change what a node does from the next launch on; the graph itself stays as it is. Needs CUDA 12.2.

    Parameters
    ----------
    node : GraphNode
        Of the graph that this was instantiated from.
    **changes
        As `GraphNode.set_params` takes them. What is not among them is as in the graph.
    """
    if not isinstance(node, GraphNode):
        raise TypeError(f"node must be a GraphNode, not {type(node).__name__}")
    handle = self._own(node)
    change, kind = _change(node, changes)
    call("cuGraphExecNodeSetParams", self.handle, handle, change.pack(kind))
    self._keep(node, (*change.kept, change.kernel))


@method_of(GraphNode)
def get_attribute(self, attribute):
    """The value of a `launch_attribute` of a kernel node, as `Stream.get_attribute` gives it."""
    return get_value("cuGraphKernelNodeGetAttribute", self.handle, attribute)


@method_of(GraphNode)
def set_attribute(self, attribute, value):
    """Set a `launch_attribute` of a kernel node, as `Stream.set_attribute` takes it."""
    set_value("cuGraphKernelNodeSetAttribute", self.handle, attribute, value)


@method_of(GraphNode)
def let_kernels_change(self):
    """Let kernels change this kernel node in the graph's executable, of which there can be one. Needs CUDA 12.4.

    Returns
    -------
    int
        The node's `cudaGraphDeviceNode_t`: an argument of kernels that call `cudaGraphKernelNodeSetParam`,
        `cudaGraphKernelNodeSetGridDim`, `cudaGraphKernelNodeSetEnabled` or `cudaGraphKernelNodeUpdatesApply`.

    Raises
    ------
    LogicError
        For other nodes than those of kernels.
    """
    union = bytearray(64)  # CUlaunchAttributeValue
    _DEVICE_NODE.pack_into(union, 0, 1, 0)
    call("cuGraphKernelNodeSetAttribute", self.handle, _DEVICE_UPDATABLE, union)
    call("cuGraphKernelNodeGetAttribute", self.handle, _DEVICE_UPDATABLE, union)
    return _DEVICE_NODE.unpack_from(union)[1]


@method_of(GraphNode)
def copy_attributes_from(self, source):
    """Give a kernel node all attributes of the kernel node `source`."""
    if not isinstance(source, GraphNode):
        raise TypeError(f"source must be a GraphNode, not {type(source).__name__}")
    call("cuGraphKernelNodeCopyAttributes", self.handle, source.handle)
