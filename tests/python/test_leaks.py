# SPDX-License-Identifier: MIT
"""Nothing stays behind: launches, failed launches, allocations, streams, pools and modules."""

import textwrap

import pytest
from programs import run_program
from test_kernel_arguments import PRELUDE

ACTIONS = {
    "launches": "f(memory, memory, block=block); f.prepared_call((1,), (1,), memory, memory)",
    "handlers": "f(cuda.InOut(host), cuda.In(host), block=block)",
    "refused arguments": """
        for bad in (lambda: f(memory, block=block), lambda: f(memory, "x", block=block), lambda: f(1, 2)):
            try:
                bad()
            except (TypeError, ValueError):
                pass
    """,
    "device memory": "cuda.mem_alloc(100); cuda.mem_alloc(100).free()",
    "streams and events": "cuda.Stream(); cuda.Event().record()",
    "host memory": 'cuda.pagelocked_empty(64, "f4"); cuda.managed_empty(64, "f4"); cuda.aligned_empty(64, "f4")',
    "pool blocks": "pool.allocate(1000)",
    "modules": 'cuda.module_from_buffer("g 8").get_function("g").prepare("P")',
    "timed launches": "f.prepared_timed_call((1,), (1,), memory, memory)()",
}


@pytest.mark.parametrize("what", ACTIONS)
def test_nothing_stays_behind(fake_driver, what):
    body = textwrap.indent(textwrap.dedent(ACTIONS[what]).strip(), "        ")
    run_program(
        PRELUDE
        + f"""
import gc
def resident_kibibytes():
    gc.collect()
    with open("/proc/self/statm") as pages:
        return 4 * int(pages.read().split()[1])
def repeat(count):
    for _ in range(count):
{body}
f = kernel(8, 8).prepare("PP")
memory, host, pool = cuda.mem_alloc(64), np.zeros(8), cuda.DeviceMemoryPool()
repeat(1000)
before = resident_kibibytes()
repeat(20000)
growth = resident_kibibytes() - before
assert growth < 700, f"{{growth}} KiB more after 20000 repetitions"
""",
        PYCUDA_DRIVER=fake_driver,
    )
