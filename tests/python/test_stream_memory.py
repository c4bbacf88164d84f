# SPDX-License-Identifier: MIT
"""Words of memory that streams write and wait for."""

import concurrent.futures
import sys
import time

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import is_cpu, run_program

pytestmark = pytest.mark.usefixtures("context")

WAIT = cuda.stream_wait_value_flags


def test_a_stream_writes_words_of_both_sizes():
    stream = cuda.Stream(1)
    memory = cuda.to_device(np.zeros(4, np.uint32))
    cuda.Context.synchronize()  # a copy from pageable memory may return before it has arrived
    stream.write_value32(memory, 7)
    stream.write_value64(int(memory) + 8, 0x200000001)
    stream.synchronize()
    assert cuda.from_device(memory, 4, np.uint32).tolist() == [7, 0, 1, 2]


LOW, HIGH = 0xFFFFFFFF, 0xFFFFFFFF << 32


@pytest.mark.parametrize(
    "bits, flags, value, blocks, lets_go",
    [
        (32, WAIT.GEQ, 5, 4, 6),
        (32, WAIT.EQ, 5, 6, 5),
        (32, WAIT.AND, 6, 9, 4),
        (32, WAIT.NOR, 0x0000FFFF, 0xFFFF0000, 0xFFFE0000),
        (64, WAIT.GEQ, 5 << 32, (5 << 32) - 1, 5 << 32),
        (64, WAIT.EQ, HIGH + 5, 5, HIGH + 5),
        (64, WAIT.AND, 6 << 32, 9 << 32, 4 << 32),
        (64, WAIT.NOR, LOW, HIGH, HIGH - (1 << 40)),
    ],
)
def test_a_stream_waits_for_a_word(bits, flags, value, blocks, lets_go):
    stream, other = cuda.Stream(1), cuda.Stream(1)
    memory = cuda.to_device(np.zeros(2, np.uint64))
    cuda.Context.synchronize()  # a copy from pageable memory may return before it has arrived
    getattr(other, f"write_value{bits}")(memory, blocks)
    other.synchronize()
    getattr(stream, f"wait_value{bits}")(memory, value, flags)
    stream.write_value32(int(memory) + 8, 1)
    time.sleep(0.02)
    assert not stream.is_done()
    getattr(other, f"write_value{bits}")(memory, lets_go)
    stream.synchronize()
    assert cuda.from_device(memory, 2, np.uint64)[1] == 1


def test_a_stream_waits_for_the_host():
    flags = cuda.pagelocked_zeros(2, np.uint32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
    address = flags.base.get_device_pointer()
    stream = cuda.Stream(1)
    stream.wait_value32(address, 1)
    stream.write_value32(address + 4, 2)
    assert flags.tolist() == [0, 0] and not stream.is_done()
    flags[0] = 1
    stream.synchronize()
    assert flags.tolist() == [1, 2]


def test_a_list_of_operations_is_done_in_order():
    words = cuda.to_device(np.zeros(4, np.uint32))
    operations = cuda.MemoryOperations()
    assert operations.write_value32(words, 3).barrier().wait_value32(words, 3, WAIT.EQ) is operations
    operations.write_value64(int(words) + 8, 4).wait_value64(int(words) + 8, 4)
    assert len(operations) == 5
    stream = cuda.Stream(1)
    operations.enqueue(stream)
    operations.enqueue()
    stream.synchronize()
    cuda.Context.synchronize()
    assert cuda.from_device(words, 4, np.uint32).tolist() == [3, 0, 4, 0]


def test_a_graph_has_a_node_of_operations():
    words = cuda.to_device(np.zeros(4, np.uint32))
    graph = cuda.Graph()
    node = graph.add_memory_operations_node(
        cuda.MemoryOperations().wait_value32(words, 1).write_value32(int(words) + 4, 5)
    )
    assert node.type == cuda.graph_node_type.BATCH_MEM_OP
    last = graph.add_memcpy_dtod_node(int(words) + 8, int(words) + 4, 4, dependencies=node)
    assert last.dependencies == [node]
    launched = graph.instantiate()
    stream, other = cuda.Stream(1), cuda.Stream(1)
    launched.launch(stream)
    assert not stream.is_done()
    other.write_value32(words, 1)
    stream.synchronize()
    assert cuda.from_device(words, 4, np.uint32).tolist() == [1, 5, 5, 0]
    launched.set_memory_operations(
        node, cuda.MemoryOperations().wait_value32(words, 1, WAIT.EQ).write_value32(int(words) + 12, 6)
    )
    launched.launch(stream)
    stream.synchronize()
    assert cuda.from_device(words, 4, np.uint32).tolist() == [1, 5, 5, 6]
    with pytest.raises(cuda.LogicError, match="cuGraphExecBatchMemOpNodeSetParams failed: invalid argument"):
        launched.set_memory_operations(node, cuda.MemoryOperations().write_value32(words, 1))


def test_a_graph_keeps_the_memory_of_its_operations():
    graph = cuda.Graph()
    words = cuda.to_device(np.zeros(2, np.uint32))
    graph.add_memory_operations_node(cuda.MemoryOperations().write_value32(words, 5))
    address = int(words)
    before = sys.getrefcount(words)
    del words
    assert before > 2
    graph.instantiate().launch()
    cuda.Context.synchronize()
    assert cuda.from_device(address, 1, np.uint32)[0] == 5


def test_captured_operations_become_nodes():
    words = cuda.to_device(np.zeros(1, np.uint32))
    stream = cuda.Stream(1)
    with stream.capture() as graph:
        stream.write_value32(words, 9)
        stream.wait_value32(words, 9)
    assert [node.type for node in graph.nodes] == [cuda.graph_node_type.BATCH_MEM_OP] * 2
    assert cuda.from_device(words, 1, np.uint32)[0] == 0
    graph.instantiate().launch(stream)
    stream.synchronize()
    assert cuda.from_device(words, 1, np.uint32)[0] == 9


def test_managed_memory_has_no_words():
    words = cuda.managed_zeros(4, np.uint32, mem_flags=cuda.mem_attach_flags.GLOBAL)
    with pytest.raises(cuda.LogicError, match="cuStreamBatchMemOp failed: invalid argument"):
        cuda.Stream(1).write_value32(int(words.base), 8)


@pytest.mark.parametrize(
    "call, error, match",
    [
        (lambda s, m: s.write_value32(int(m) + 2, 1), cuda.LogicError, "cuStreamBatchMemOp failed: invalid argument"),
        (lambda s, m: s.write_value64(int(m) + 4, 1), cuda.LogicError, "cuStreamBatchMemOp failed: invalid argument"),
        (lambda s, m: s.wait_value32(0, 1), cuda.LogicError, "cuStreamBatchMemOp failed: invalid argument"),
        (lambda s, m: s.wait_value32(m, 1, 4), cuda.LogicError, "cuStreamBatchMemOp failed: invalid argument"),
        (lambda s, m: s.write_value32(m, -1), OverflowError, "value"),
        (lambda s, m: s.write_value32(m, 1 << 32), OverflowError, "value"),
        (lambda s, m: s.wait_value32(np.zeros(1, np.uint32), 1), TypeError, "src must be device memory"),
        (lambda s, m: s.wait_value32(m, 1.5), TypeError, "value"),
    ],
)
def test_wrong_operations_are_refused(call, error, match):
    memory = cuda.mem_alloc(64)
    with pytest.raises(error, match=match):
        call(cuda.Stream(1), memory)


def test_an_empty_list_does_nothing():
    cuda.MemoryOperations().enqueue()
    cuda.Context.synchronize()


@pytest.fixture
def cpu_driver():
    if not is_cpu():
        pytest.skip("needs the CPU driver: a GPU's cannot end a wait")


@pytest.mark.usefixtures("cpu_driver")
def test_a_wait_without_an_end_is_interrupted():
    output, _ = run_program(
        """
        import os, signal, threading
        import numpy as np
        import pycuda.autoinit, pycuda.driver as cuda

        answered = threading.Event()

        def interrupted(number, frame):
            if not answered.is_set():
                answered.set()
                raise KeyboardInterrupt

        def press():
            while not answered.wait(0.5):
                os.kill(os.getpid(), signal.SIGINT)

        signal.signal(signal.SIGINT, interrupted)
        memory = cuda.to_device(np.zeros(1, np.uint32))
        stream = cuda.Stream(1)
        stream.wait_value32(memory, 1)
        try:
            threading.Thread(target=press, daemon=True).start()
            stream.synchronize()
        except KeyboardInterrupt:
            print("interrupted")
        try:
            cuda.Context.synchronize()
        except cuda.Error as error:
            print(error)
        """
    )
    assert output.startswith("interrupted\n")
    assert "a stream's wait for the value at address" in output
    assert "stopped by the user's interrupt" in output


@pytest.mark.usefixtures("cpu_driver")
def test_the_time_limit_ends_a_wait():
    output, _ = run_program(
        """
        import numpy as np
        import pycuda.autoinit, pycuda.driver as cuda
        memory = cuda.to_device(np.zeros(1, np.uint32))
        stream = cuda.Stream(1)
        stream.wait_value32(memory, 1)
        try:
            stream.synchronize()
        except cuda.LaunchError as error:
            print(error)
        """,
        PYCUDA_CPU_TIMEOUT="0.2",
    )
    assert "stopped by the time limit (PYCUDA_CPU_TIMEOUT)" in output


WAITS_FOREVER = {
    "a stream": "stream = cuda.Stream(1); stream.wait_value32(memory, 1)",
    "the default stream": "cuda.MemoryOperations().wait_value32(memory, 1).enqueue()",
    "a copy behind it": """
stream = cuda.Stream(1)
stream.wait_value32(memory, 1)
host = cuda.pagelocked_empty(1, np.uint32)
cuda.memcpy_dtoh_async(host, memory, stream)
""",
    "a graph": """
graph = cuda.Graph()
graph.add_memory_operations_node(cuda.MemoryOperations().wait_value32(memory, 1))
launched = graph.instantiate()
launched.launch(cuda.Stream(1))
""",
}


START = """import numpy as np
import pycuda.autoinit, pycuda.driver as cuda
memory = cuda.to_device(np.zeros(1, np.uint32))
"""
GIVEN_UP = "was given up when the program ended: nothing is left that could write the value"


@pytest.mark.usefixtures("cpu_driver")
@pytest.mark.parametrize("way", WAITS_FOREVER)
def test_a_program_ends_whose_stream_waits_forever(way):
    output, errors = run_program(START + WAITS_FOREVER[way] + "\nprint('end')")
    assert output == "end\n"
    assert GIVEN_UP in errors


# The exit status, how the program ends, and whether it has to print the error: a thread that waits gets it, and can do
# no more.
ENDS = {
    "an exception": (1, "raise KeyError('at last')", True),
    "sys.exit": (3, "import sys; sys.exit(3)", True),
    "os._exit": (4, "import os; os._exit(4)", False),
    "a thread": (0, "import threading; threading.Thread(target=stream.synchronize, daemon=True).start()", False),
}


@pytest.mark.usefixtures("cpu_driver")
@pytest.mark.parametrize("way", ENDS)
def test_a_program_with_an_endless_wait_ends_in_any_way(way):
    status, end, prints = ENDS[way]
    _, errors = run_program(START + WAITS_FOREVER["a stream"] + "\n" + end, expect=status)
    assert GIVEN_UP in errors or not prints


@pytest.mark.usefixtures("cpu_driver")
def test_a_wait_that_queued_work_ends_goes_on_at_the_end_of_the_program():
    output, errors = run_program(
        """
        import numpy as np
        import pycuda.autoinit, pycuda.driver as cuda
        from pycuda.compiler import SourceModule

        module = SourceModule('''
        #include <cstdio>
        __global__ void slow(unsigned *a) {
          unsigned x = 1;
          for (unsigned i = 0; i < 100000000; ++i) x = x * 1664525 + a[1];
          a[0] = x | 1;
        }
        __global__ void tell() { printf("went on"); }
        ''')
        slow, tell = module.get_function("slow"), module.get_function("tell")
        memory = cuda.to_device(np.zeros(2, np.uint32))
        waits, writes = cuda.Stream(1), cuda.Stream(1)
        waits.wait_value32(memory, 1, cuda.stream_wait_value_flags.AND)
        tell(block=(1, 1, 1), stream=waits)
        slow(memory, block=(1, 1, 1), stream=writes)
        """
    )
    assert output == "went on"
    assert "given up" not in errors


@pytest.mark.usefixtures("cpu_driver")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux")
def test_a_wait_that_another_process_ends_goes_on_at_the_end_of_the_program():
    program = """
        import sys
        import pycuda.autoinit, pycuda.driver as cuda
        from pycuda.compiler import SourceModule

        tell = SourceModule('''
        #include <cstdio>
        __global__ void tell() { printf("went on"); }
        ''').get_function("tell")
        memory = cuda.IPCMemoryHandle(bytes.fromhex(sys.argv[1]))
        stream, beside = cuda.Stream(1), cuda.Stream(1)
        stream.wait_value32(memory, 1)
        tell(block=(1, 1, 1), stream=stream)
        beside.write_value32(int(memory) + 4, 1)
        beside.synchronize()
        """
    memory, stream = cuda.to_device(np.zeros(2, np.uint32)), cuda.Stream(1)
    handle = bytes(cuda.mem_get_ipc_handle(memory)).hex()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        other = pool.submit(run_program, program, arguments=[handle])
        while cuda.from_device(memory, 2, np.uint32)[1] == 0 and not other.done():
            time.sleep(0.01)
        time.sleep(0.1)  # in which a driver that gives up does so
        stream.write_value32(memory, 1)
        stream.synchronize()
        output, errors = other.result()
    assert output == "went on"
    assert "given up" not in errors
