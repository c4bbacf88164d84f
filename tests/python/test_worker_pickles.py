# SPDX-License-Identifier: MIT
"""Workers of pools that cannot restore what they are sent: the task fails and says why, instead of never ending."""

import pytest
from programs import run_file, run_program

KINDS = {
    "an array": "gpuarray.zeros(5, np.float32)",
    "a view": "gpuarray.zeros(5, np.float32)[::2]",
    "an array that grows": "gpuarray.GrowingArray(2, np.float32, capacity=3)",
    "a device": "cuda.Device(0)",
    "a reduction": "ReductionKernel(np.float32, '0', 'a+b')",
    "a scan": "InclusiveScanKernel(np.int32, 'a+b')",
}
USES = {
    "a method": "lambda thing: thing.get()",
    "a function": "lambda thing: gpuarray.sum(thing)",
    "an operator": "lambda thing: thing + 1",
    "a call": "lambda thing: thing(3)",
    "length": "lambda thing: len(thing)",
    "comparison": "lambda thing: thing == 1",
    "an order": "lambda thing: thing < 1",
    "a key": "lambda thing: {thing: 1}",
    "a condition": "lambda thing: bool(thing)",
    "an attribute less": "lambda thing: delattr(thing, 'note')",
    "a copy to NumPy": "lambda thing: np.asarray(thing)",
    "a test of its class": "lambda thing: isinstance(thing, gpuarray.GPUArray)",
    "a new attribute": "lambda thing: setattr(thing, 'note', 1)",
    "the way back": "lambda thing: thing",
}

PROGRAM = """
import multiprocessing
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

use = {use}

def task(thing):
    return use(thing)

with multiprocessing.get_context("fork").Pool(1) as pool:
    for thing in [{things}]:
        try:
            print("no error:", pool.map(task, [thing]))
        except Exception as error:
            print(error)
"""


def check(use, things):
    output, _ = run_program(PROGRAM.format(use=use, things=", ".join(things)))
    lines = output.splitlines()
    assert len(lines) == len(things), output
    for line in lines:
        assert "this process was forked from one that had used CUDA" in line, output
        assert 'start it by the method "spawn"' in line, output


def test_a_task_with_any_object_of_the_package_fails_with_the_reason():
    check(USES["a method"], list(KINDS.values()))
    check(USES["a condition"], list(KINDS.values()))


@pytest.mark.parametrize("use", USES)
def test_whatever_the_task_does_with_the_array(use):
    check(USES[use], [KINDS["an array"]])


def test_a_worker_without_a_context_says_so(tmp_path):
    program = tmp_path / "pool.py"
    program.write_text("""
import multiprocessing

import numpy as np

def total(array):
    return float(array.get().sum())

if __name__ == "__main__":
    import pycuda.autoinit
    from pycuda import gpuarray
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        try:
            print(pool.map(total, [gpuarray.zeros(5, np.float32)]))
        except Exception as error:
            print(error)
""")
    output, _ = run_file(program)
    assert "no currently active context? `import pycuda.autoinit` makes one" in output, output


def test_a_child_that_was_forked_by_hand_gets_the_error_at_once():
    output, _ = run_program("""
        import os, pickle
        import numpy as np
        import pycuda.autoinit
        import pycuda.driver as cuda
        from pycuda import gpuarray
        sent = pickle.dumps(gpuarray.zeros(5, np.float32))
        if os.fork() == 0:
            try:
                pickle.loads(sent)
            except cuda.LogicError as error:
                print(error, flush=True)
            os._exit(0)
        os.wait()
    """)
    assert 'start it by the method "spawn"' in output
