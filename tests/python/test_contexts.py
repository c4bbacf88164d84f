# SPDX-License-Identifier: MIT
"""Contexts: each thread's stack, release from any thread, and ends that are not clean."""

import textwrap
import threading

import numpy as np
import pycuda.driver as cuda
import pytest
from own_memory import own_bytes
from programs import is_cpu, run_program


def in_thread(action):
    """The result of `action` in a new thread; its exception is raised here."""
    outcome = []

    def run():
        try:
            outcome.append((action(), None))
        except Exception as error:
            outcome.append((None, error))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    result, error = outcome[0]
    if error is not None:
        raise error
    return result


def test_make_context_makes_it_current(context):
    assert cuda.Context.get_current() == context
    assert context.handle != 0
    assert cuda.Context.get_device() == cuda.Device(0)
    assert context.get_api_version() > 0


def test_contexts_compare_and_hash_by_handle(context):
    other = cuda.Context.get_current()
    assert other == context and not other != context
    assert hash(other) == hash(context)
    assert context != 5 and context is not None
    for other in (None, 5, "context", object()):
        assert context != other and not context == other
        assert cuda.Device(0) != other and not cuda.Device(0) == other
    second = cuda.Device(0).make_context()
    assert second != context
    second.pop()
    second.detach()


def test_pop_brings_the_one_below_back(context):
    second = cuda.Device(0).make_context()
    assert cuda.Context.get_current() == second
    cuda.Context.pop()
    assert cuda.Context.get_current() == context
    second.detach()


def test_pop_of_an_empty_stack_is_an_error(context):
    context.pop()
    with pytest.raises(cuda.LogicError, match="context::pop failed.*cannot pop non-current context"):
        cuda.Context.pop()
    assert cuda.Context.get_current() is None


def test_detach_brings_the_one_below_back(context):
    second = cuda.Device(0).make_context()
    second.detach()
    assert cuda.Context.get_current() == context
    with pytest.raises(cuda.LogicError, match="cannot detach from invalid context"):
        second.detach()


def test_nothing_can_be_made_without_a_context(driver):
    run_program(
        """
        import pycuda.driver as cuda
        cuda.init()
        context = cuda.Device(0).make_context()
        context.detach()
        assert cuda.Context.get_current() is None
        makers = [lambda: cuda.mem_alloc(4), cuda.Stream, cuda.Event, cuda.Context.synchronize,
                  lambda: cuda.pagelocked_empty(4, "f4"), lambda: cuda.module_from_buffer(b"")]
        for make in makers:
            try:
                make()
            except cuda.LogicError as error:
                assert "explicit_context_dependent failed" in str(error), error
                assert "no currently active context?" in str(error), error
            else:
                raise AssertionError("nothing was raised")
        """
    )


def test_a_with_block_pushes_and_pops(context):
    context.pop()
    with context as entered:
        assert entered == context == cuda.Context.get_current()
    assert cuda.Context.get_current() is None
    with pytest.raises(ZeroDivisionError):
        with context:
            1 / 0  # noqa: B018
    assert cuda.Context.get_current() is None


def test_a_thread_without_a_context_uses_the_process_s(context):
    host = np.arange(100, dtype=np.float32)

    def work():
        assert cuda.Context.get_current() is None
        memory = cuda.to_device(host)
        return cuda.from_device(memory, host.shape, host.dtype)

    assert (in_thread(work) == host).all()


def test_the_context_that_a_thread_has_made_serves_others_after_its_end(driver):
    run_program("""
        import threading
        from pycuda import gpuarray
        def work():
            import pycuda.autoinit
            assert gpuarray.arange(3).get().tolist() == [0, 1, 2]
        for _ in range(3):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        assert gpuarray.arange(3).get().tolist() == [0, 1, 2]
        """)


def test_any_thread_releases_anything(context, capfd):
    made = [cuda.mem_alloc(100), cuda.Stream(), cuda.Event(), cuda.pagelocked_empty(10, np.int8)]
    in_thread(made.clear)
    memory = cuda.mem_alloc(100)
    in_thread(memory.free)
    with pytest.raises(cuda.LogicError):
        memory.free()
    assert capfd.readouterr().err == ""


def test_objects_of_a_dead_context_go_quietly(driver, capfd):
    context = cuda.Device(0).make_context()
    made = [cuda.mem_alloc(100), cuda.Stream(), cuda.Event(), cuda.pagelocked_empty(10, np.int8)]
    context.detach()
    made.clear()
    assert capfd.readouterr().err == ""


def test_memory_is_freed_under_its_own_context(context):
    before = own_bytes()
    memory = cuda.mem_alloc(1 << 20)
    second = cuda.Device(0).make_context()
    memory.free()
    assert cuda.Context.get_current() == second
    second.pop()
    second.detach()
    assert own_bytes() == before


def test_the_primary_context_is_not_pushed_by_retaining_it(driver):
    primary = cuda.Device(0).retain_primary_context()
    assert cuda.Context.get_current() is None
    primary.push()
    assert cuda.Context.get_current() == primary
    memory = cuda.mem_alloc(4)
    memory.free()
    primary.pop()
    primary.detach()


def test_autoprimaryctx_makes_the_primary_context_current(driver):
    run_program(
        """
        import pycuda.autoprimaryctx as auto, pycuda.driver as cuda
        primary = cuda.Device(0).retain_primary_context()
        assert auto.context == primary == cuda.Context.get_current()
        assert auto.device == cuda.Device(0)
        """
    )


def test_limits_and_settings_can_be_read_and_set(context):
    limit = cuda.limit.PRINTF_FIFO_SIZE
    cuda.Context.set_limit(limit, np.int64(1 << 20))
    assert cuda.Context.get_limit(limit) >= 1 << 20
    assert isinstance(cuda.Context.get_cache_config(), cuda.func_cache)


ENDS = {
    "with a pushed context": "",
    "after an exception between push and pop": """
        try:
            raise ValueError("between push and pop")
        except ValueError:
            pass
    """,
    "with a context pushed twice": "context.push()",
    "with a thread that keeps a context": """
        import threading
        def work():
            mine = cuda.Device(0).make_context()
            cuda.mem_alloc(100)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    """,
    "with memory, streams and events alive": """
        alive = [cuda.mem_alloc(100), cuda.Stream(), cuda.Event(), cuda.pagelocked_empty(3, "f4")]
        import builtins
        builtins.alive = alive
    """,
    "with work pending": """
        memory = cuda.mem_alloc(1 << 20)
        cuda.memset_d8_async(memory, 1, 1 << 20, cuda.Stream())
    """,
}


@pytest.mark.parametrize("how", ENDS)
def test_a_program_may_end(driver, how):
    code = "import pycuda.driver as cuda\ncuda.init()\ncontext = cuda.Device(0).make_context()\n"
    _, errors = run_program(code + textwrap.dedent(ENDS[how]))
    assert "abort" not in errors.lower()


def test_an_exception_that_nobody_catches_ends_the_program_as_any_other(driver):
    _, errors = run_program(
        """
        import pycuda.driver as cuda
        cuda.init()
        context = cuda.Device(0).make_context()
        memory = cuda.mem_alloc(10)
        raise ValueError("between push and pop")
        """,
        expect=1,
    )
    assert errors.rstrip().endswith("ValueError: between push and pop")


def test_autoinit_ends_quietly(driver):
    output, errors = run_program(
        """
        import pycuda.autoinit, pycuda.driver as cuda
        memory = cuda.mem_alloc(100)
        print(pycuda.autoinit.device == cuda.Context.get_device())
        """
    )
    assert output.strip() == "True" and errors == ""


def test_arrays_over_memory_of_a_dead_context_stay_readable(driver):
    output, errors = run_program(
        """
        import gc
        import numpy as np
        import pycuda.driver as cuda
        from pycuda.tools import PageLockedMemoryPool

        cuda.init()
        device = cuda.Device(0)
        other = device.make_context()
        pool = PageLockedMemoryPool()

        def free():
            with other:
                return cuda.mem_get_info()[0]

        before = free()
        cuda.Context.pop()
        context = device.make_context()
        page_locked = cuda.pagelocked_zeros(1 << 20, np.uint8)
        managed = cuda.managed_zeros(1 << 24, np.uint8, mem_flags=cuda.mem_attach_flags.GLOBAL)
        pooled = pool.allocate((1000,), np.float32)
        back_in_the_pool = pool.allocate((5000,), np.float32)
        del back_in_the_pool
        on_device = cuda.mem_alloc(1 << 22)
        cuda.Context.pop()
        context.detach()
        for array in (page_locked, managed, pooled):
            array[:] = 3
            assert array.sum() == 3 * array.size
        del array, page_locked, managed, pooled
        gc.collect()
        other.push()
        if device.name().startswith("CPU"):  # others share a GPU's memory
            assert free() == before, (free(), before)
        # What the pool held of the dead context is gone.
        again = pool.allocate((5000,), np.float32)
        again[:] = 1
        assert again.base.get_device_pointer() != 0
        del again
        other.pop()
        other.detach()
        """
    )
    assert output == "" and errors == ""


def test_a_thousand_threads_allocate_copy_and_free(driver):
    run_program(
        """
        import threading
        import numpy as np
        import pycuda.autoinit, pycuda.driver as cuda
        failures = []
        def work(number):
            try:
                host = np.full(64, number, np.int32)
                memory = cuda.to_device(host)
                stream = cuda.Stream()
                back = np.empty_like(host)
                cuda.memcpy_dtoh_async(back, memory, stream)
                stream.synchronize()
                assert (back == host).all()
            except BaseException as error:
                failures.append(error)
        threads = [threading.Thread(target=work, args=(number,)) for number in range(1000)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures, failures[:3]
        """
    )


def test_a_forked_child_is_told_so_instead_of_hanging(driver):
    run_program(
        """
        import os
        import pycuda.autoinit, pycuda.driver as cuda
        memory = cuda.mem_alloc(100)
        child = os.fork()
        if child == 0:
            try:
                cuda.mem_alloc(100)
            except cuda.Error as error:
                os._exit(0 if "failed" in str(error) else 2)
            os._exit(3)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0, status
        cuda.mem_alloc(100).free()
        """
    )


def test_a_context_that_is_gone_equals_itself_alone(driver):
    gone = []
    for _ in range(20):
        context = cuda.Device(0).make_context()
        assert all(context != other for other in gone)
        assert context == cuda.Context.get_current()
        context.detach()
        gone.append(context)
    assert all(context == context for context in gone)  # noqa: PLR0124


@pytest.mark.parametrize(
    "work",
    [
        "gpuarray.zeros(1000, np.float32) + 1",
        "kernel(x, block=(256, 1, 1), grid=(4, 1)), cuda.Context.synchronize()",
        "compile('__global__ void other() {}', cache_dir=False)",
    ],
)
def test_a_program_ends_while_a_thread_works(driver, work):
    _, errors = run_program(
        f"""
        import threading, time
        import numpy as np
        import pycuda.autoinit
        import pycuda.driver as cuda
        from pycuda import gpuarray
        from pycuda.compiler import SourceModule, compile

        kernel = SourceModule("__global__ void k(float *x) {{ x[threadIdx.x] += 1; }}").get_function("k")
        x = gpuarray.zeros(256, np.float32)
        begun = threading.Event()

        def loop():
            while True:
                {work}
                begun.set()

        for _ in range(3):
            threading.Thread(target=loop, daemon=True).start()
        begun.wait()
        """
    )
    assert "terminate" not in errors


def test_caches_are_cleared_while_other_threads_compute(driver):
    output, _ = run_program(
        """
        import threading
        import numpy as np
        import pycuda.autoinit
        from pycuda import gpuarray
        from pycuda.tools import clear_context_caches

        done = []

        def work(number):
            a = gpuarray.to_gpu(np.arange(1000, dtype=np.float32))
            for _ in range(40):
                assert float(gpuarray.sum((a + number) * 2).get()) == (499500 + 1000 * number) * 2
                assert float(gpuarray.cumsum(a)[-1].get()) == 499500
                assert a[gpuarray.to_gpu(np.array([5, 7]))].get().tolist() == [5, 7]
            done.append(number)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            clear_context_caches()
        print(sorted(done))
        """
    )
    assert output == "[0, 1, 2]\n"


def test_a_context_is_detached_while_other_threads_work_in_it(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver: CUDA leaves it to programs that no thread does")
    output, _ = run_program(
        """
        import threading
        import numpy as np
        import pycuda.driver as cuda
        from pycuda import gpuarray

        cuda.init()
        for turn in range(6):
            context = cuda.Device(0).make_context()
            begun = threading.Event()

            def work():
                try:
                    context.push()
                    a = gpuarray.to_gpu(np.arange(1000, dtype=np.float32))
                    while True:
                        gpuarray.sum((a + 1) * 2).get()
                        begun.set()
                except cuda.LogicError:
                    begun.set()

            threads = [threading.Thread(target=work) for _ in range(3)]
            for thread in threads:
                thread.start()
            begun.wait()
            cuda.Context.pop()
            context.detach()
            for thread in threads:
                thread.join()
            print("ended")
        """
    )
    assert output.split() == ["ended"] * 6
