# SPDX-License-Identifier: MIT
"""Edges of graphs and of captures, and user objects, which graphs keep alive."""

from __future__ import annotations

import ctypes
import warnings

import numpy as np

from pycuda import _driver
from pycuda._driver import Graph, GraphExec, GraphNode, Stream
from pycuda._driver_calls import call, method_of, number, property_of

__all__ = ["UserObject"]


def _handles(graph, nodes):
    """An array of the handles of nodes of a graph."""
    if isinstance(nodes, GraphNode):
        nodes = (nodes,)
    handles = []
    for node in nodes:
        if not isinstance(node, GraphNode):
            raise TypeError(f"a node must be a GraphNode, not {type(node).__name__}")
        if node._graph().handle != graph.handle:
            raise ValueError("the node is of another graph")
        handles.append(node.handle)
    return np.array(handles, np.uintp)


def _change_edges(function, graph, edges):
    pairs = [tuple(edge) for edge in edges]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError("an edge is a pair of nodes: the second waits for the first")
    before, after = (_handles(graph, [pair[side] for pair in pairs]) for side in (0, 1))
    if pairs:
        call(function, graph.handle, before, after, None, len(pairs))


@property_of(Graph)
def root_nodes(self):
    """The nodes without dependencies, as a list."""
    count = call("cuGraphGetRootNodes", self.handle, None, "N")
    handles, room = np.zeros(max(count, 1), np.uintp), np.array([count], np.uintp)
    call("cuGraphGetRootNodes", self.handle, handles, room)
    return [self._node(int(handle)) for handle in handles[:count]]


@method_of(Graph)
def add_edges(self, edges):
    """Add dependencies. In each pair of nodes, as `edges` lists them, the second waits for the first.

    Requires CUDA 12.3.

    Examples
    --------
    >>> graph = driver.Graph()
    >>> first, second = graph.add_empty_node(), graph.add_empty_node()
    >>> graph.add_edges([(first, second)])
    >>> second.dependencies == [first]
    True
    """
    _change_edges("cuGraphAddDependencies", self, edges)


@method_of(Graph)
def remove_edges(self, edges):
    """Remove dependencies, given as pairs of nodes; LogicError if one does not exist. Requires CUDA 12.3."""
    _change_edges("cuGraphRemoveDependencies", self, edges)


@property_of(GraphExec)
def flags(self):
    """The `graph_instantiate_flags` that it was made with."""
    return call("cuGraphExecGetFlags", self.handle, "Q")


@method_of(Stream)
def get_capture_info(self):
    """The state of the stream's capture. Requires CUDA 12.3.

    Returns
    -------
    tuple
        The capture's number, which is unique in the process, the graph so far, and the list of nodes that the next
        node will wait for; None if the stream is not captured.

    Raises
    ------
    LogicError
        If an operation that cannot be captured has ended the capture.
    """
    status, number_of_capture, handle, nodes, _, count = call(
        "cuStreamGetCaptureInfo", self, "i", "Q", "P", "P", "P", "N"
    )
    if status == 0:
        return None
    if status != 1:
        raise _driver.LogicError("Stream.get_capture_info failed: what was captured before has ended the capture")
    graph = _driver._graph_of_capture(self, handle)
    found = (ctypes.c_void_p * count).from_address(nodes) if count else ()
    return number_of_capture, graph, [graph._node(node) for node in found]


@method_of(Stream)
def update_capture_dependencies(self, nodes, replace=False):
    """Add nodes that the next captured operation waits for; with `replace`, it waits for them alone.

    The nodes belong to the graph that `get_capture_info` returns, to which you can add some. Requires CUDA 12.3.
    """
    info = self.get_capture_info()
    if info is None:
        raise _driver.LogicError("Stream.update_capture_dependencies failed: the stream is not captured")
    handles = _handles(info[1], nodes)
    call("cuStreamUpdateCaptureDependencies", self, handles, None, handles.size, 1 if replace else 0)


class UserObject:
    """Keeps a Python object alive as long as a graph uses it; graphs of other libraries and copies count.

    The object is released some time after the last graph, executable graph and UserObject that refers to it.

    Parameters
    ----------
    value
        Any object.

    Examples
    --------
    >>> table = np.arange(4)
    >>> graph = driver.Graph()
    >>> graph.retain(driver.UserObject(table))
    """

    def __init__(self, value):
        self._handle = _driver._make_user_object(value)

    @property
    def handle(self):
        """The driver's handle, a number."""
        return self._handle

    def retain(self, count=1):
        """Add references, for code that releases them by the handle."""
        call("cuUserObjectRetain", self._handle, number(count, "count"))

    def release(self, count=1):
        """Drop references that `retain` added."""
        call("cuUserObjectRelease", self._handle, number(count, "count"))

    def __del__(self):
        handle = self.__dict__.pop("_handle", None)
        if handle is None or call is None:  # the interpreter ends
            return
        try:
            call("cuUserObjectRelease", handle, 1)
        except _driver.Error as error:
            warnings.warn(f"a user object was not released: {error}", RuntimeWarning, stacklevel=2)


def _user_object(value):
    if not isinstance(value, UserObject):
        raise TypeError(f"user_object must be a UserObject, not {type(value).__name__}")
    return value.handle


@method_of(Graph)
def retain(self, user_object, count=1):
    """Add references to a `UserObject`, for the graph, its copies and their executable graphs."""
    call("cuGraphRetainUserObject", self.handle, _user_object(user_object), number(count, "count"), 0)


@method_of(Graph)
def release(self, user_object, count=1):
    """Drop references that `retain` added; LogicError if there are fewer."""
    call("cuGraphReleaseUserObject", self.handle, _user_object(user_object), number(count, "count"))
