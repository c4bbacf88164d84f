# SPDX-License-Identifier: MIT
"""Semaphores of other libraries and processes: streams and graphs signal them and wait for them."""

from __future__ import annotations

import os
import struct
import warnings

import numpy as np

from pycuda import _driver
from pycuda._driver import Graph, external_semaphore_handle_type
from pycuda._driver_calls import call, method_of, number

__all__ = ["ExternalSemaphore", "signal_external_semaphores", "wait_external_semaphores"]

_DESCRIPTION = "i4xi12xI68x"  # CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC
_PARAMETERS_BYTES = 144  # of a signal or a wait; the value is at the beginning


class ExternalSemaphore:
    """A semaphore that another library or process shares by a file descriptor.

    On a GPU it is one of Vulkan's. On the CPU driver the descriptor is that of any file that can be mapped, such as
    those of `os.memfd_create`, and the semaphore's value is the file's first 64 bits.

    Parameters
    ----------
    descriptor : int
        It can be closed afterwards.
    handle_type : external_semaphore_handle_type
        TIMELINE_SEMAPHORE_FD for a value that grows, OPAQUE_FD for one that is signalled or not: a wait takes the
        signal.

    Raises
    ------
    LogicError
        When the descriptor is none of such a semaphore.

    Examples
    --------
    ::

        progress = driver.ExternalSemaphore(descriptor)
        progress.wait(1, stream)  # until the other process has signalled 1
        kernel(array, block=(256, 1, 1), grid=(100, 1), stream=stream)
        progress.signal(2, stream)
    """

    def __init__(self, descriptor, handle_type=external_semaphore_handle_type.TIMELINE_SEMAPHORE_FD):
        given, kind = number(descriptor, "descriptor"), number(handle_type, "handle_type")
        try:
            own = os.dup(given)  # the driver keeps what it takes
        except (OSError, OverflowError):
            own = -1
        try:
            self._handle = call("cuImportExternalSemaphore", "P", struct.pack(_DESCRIPTION, kind, own, 0))
        except BaseException:
            if own >= 0:
                os.close(own)
            raise

    @property
    def handle(self):
        """The driver's handle, a number."""
        return self._handle

    def signal(self, value=1, stream=None):
        """Set its value when the stream's work before is done; OPAQUE_FD has no value, but is signalled."""
        signal_external_semaphores([(self, value)], stream)

    def wait(self, value=1, stream=None):
        """Let the stream wait until its value is at least this one, or until it is signalled."""
        wait_external_semaphores([(self, value)], stream)

    def __del__(self):
        handle = self.__dict__.pop("_handle", None)
        if handle is None or call is None:  # the interpreter ends
            return
        try:
            call("cuDestroyExternalSemaphore", handle)
        except _driver.Error as error:
            warnings.warn(f"an external semaphore was not released: {error}", RuntimeWarning, stacklevel=2)


def _lists(pairs):
    """The semaphores of pairs, an array of their handles, and one of the parameters."""
    semaphores, parameters = [], bytearray()
    for semaphore, value in pairs:
        if not isinstance(semaphore, ExternalSemaphore):
            raise TypeError(f"a semaphore must be an ExternalSemaphore, not {type(semaphore).__name__}")
        semaphores.append(semaphore)
        try:
            parameters += struct.pack(f"Q{_PARAMETERS_BYTES - 8}x", number(value, "value"))
        except struct.error:
            raise OverflowError(f"value is out of range: {value}") from None
    return semaphores, np.array([one.handle for one in semaphores], np.uintp), parameters


def signal_external_semaphores(pairs, stream=None):
    """Signal several semaphores by one call, when the stream's work before is done.

    Parameters
    ----------
    pairs : iterable of (ExternalSemaphore, int)
        Each with its new value.
    stream : Stream, optional
    """
    semaphores, handles, parameters = _lists(pairs)
    if semaphores:
        call("cuSignalExternalSemaphoresAsync", handles, parameters, len(semaphores), stream)


def wait_external_semaphores(pairs, stream=None):
    """Let a stream wait for several semaphores, as `signal_external_semaphores` takes them."""
    semaphores, handles, parameters = _lists(pairs)
    if semaphores:
        call("cuWaitExternalSemaphoresAsync", handles, parameters, len(semaphores), stream)


def node_parameters(pairs):
    """The structure for a graph's node, and what must live as long as the call and the graph."""
    semaphores, handles, parameters = _lists(pairs)
    if not semaphores:
        raise ValueError("a node needs at least one semaphore")
    parameters = np.frombuffer(parameters, np.uint8)
    return ("PPI", handles.ctypes.data, parameters.ctypes.data, len(semaphores)), (handles, parameters), semaphores


def _add(name, graph, pairs, dependencies):
    if not isinstance(dependencies, (list, tuple)):
        dependencies = () if dependencies is None else (dependencies,)
    handles = np.array([node.handle for node in dependencies], np.uintp)
    values, buffers, semaphores = node_parameters(pairs)
    made = call(name, "P", graph.handle, handles if handles.size else None, handles.size, struct.pack(*values))
    del buffers
    graph._keep(*semaphores)
    return graph._node(made)


@method_of(Graph)
def add_semaphore_signal_node(self, pairs, dependencies=None):
    """Add a node that signals external semaphores: pairs of an `ExternalSemaphore` and its new value."""
    return _add("cuGraphAddExternalSemaphoresSignalNode", self, pairs, dependencies)


@method_of(Graph)
def add_semaphore_wait_node(self, pairs, dependencies=None):
    """Add a node that waits for external semaphores: pairs of an `ExternalSemaphore` and the value."""
    return _add("cuGraphAddExternalSemaphoresWaitNode", self, pairs, dependencies)
