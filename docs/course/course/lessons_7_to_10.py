# SPDX-License-Identifier: MIT
"""The exercises of the lessons about speed, streams and finding bugs."""

import numpy as np
import pycuda
import pycuda.driver as cuda

from .checks import NotTried, NotYet, answer, compare, counted, exercise
from .own_context import ToDevice, run_checked
from .photos import night_sky
from .plans import accesses, on_cpu_driver

answer(
    "lines",
    3,
    "32 stars take 32 * 12 = 384 bytes, that is 3 lines, of which a third is used.",
    "how many bytes do 32 stars take, one behind the other?",
)


@exercise("columns", "loop over y; the element is in[y * width + x]")
def _columns(sums_of_columns):
    picture = night_sky(256, 512)
    compare(run_checked(sums_of_columns, picture).result, picture.sum(axis=0), tolerance=1e-3)


@exercise("transpose", "swap the two indices of the tile")
def _transpose(transposed):
    picture = night_sky(256, 512)
    run = run_checked(transposed, picture, look=lambda kernels: accesses(kernels["transpose_tiled"], (32, 32, 1)))
    compare(run.result, picture.T)
    if any(".global." in instruction and "contiguous" not in form for instruction, form in run.seen or ()):
        raise NotYet("The result is right, but not every access of global memory is contiguous: read from the tile.")


answer(
    "conflict",
    2,
    "34 * t % 32 takes every even value twice: a 2-way conflict.",
    "thread t reads element 34 * t, which is in bank 34 * t % 32",
)


def _enhanced(x, times=1):
    for _ in range(20 * times):
        x = x + np.float32(0.05) * x * (1 - x)
    return x


def _waits_behind(work, place):
    """The waits of the host behind the work of this index, by function."""
    return [one.name for one in work[place + 1 :] if one.kind == "wait"]


@exercise("streams", "three calls in the loop, each with the stream; the launch needs **launch too")
def _streams(enhance_all):
    pictures = [night_sky(240, 360, seed=seed) for seed in range(4)]
    run = run_checked(enhance_all, pictures)
    compare(run.result, np.stack([_enhanced(picture.ravel()) for picture in pictures]))
    done = [one for one in run.work if one.kind != "wait"]
    for what, kind in (("copies", "copy"), ("kernels", "kernel")):
        streams = [one.stream for one in done if one.kind == kind]
        if 0 in streams:
            raise NotYet(f"{streams.count(0)} of {len(streams)} {what} are in the default stream: pass the stream.")
    if len({one.stream for one in done}) != 4:
        raise NotYet(
            f"The work is in {counted(len({one.stream for one in done}), 'stream')}, expected are 4, one a picture."
        )
    if not run.page_locked:
        raise NotYet("The host's array is not page-locked, so that the copies are not asynchronous.")
    last = max(place for place, one in enumerate(run.work) if one.kind == "copy")
    waits = _waits_behind(run.work, last)
    if len(waits) < 4 and "Context.synchronize" not in waits:
        raise NotYet("The function returns before every stream is done: the host may read the array too early.")
    begun = [place for place, one in enumerate(run.work) if one.kind == "copy" and one.name == "host to device"]
    if any(one.kind == "wait" for one in run.work[begun[0] : begun[-1]]):
        raise NotYet("The host waits between the pictures: wait when all of the work is in its streams.")


@exercise("events", "start.record(); ...; end.record(); end.synchronize(); return start.time_till(end)")
def _events(time_of_ten_launches):
    start, end = cuda.Event(), cuda.Event()
    with pycuda.profile() as profile:
        returned = time_of_ten_launches(start, end)
    if returned is ...:
        raise NotTried("Replace the ... in the cell above.")
    try:
        end.synchronize()
        milliseconds = start.time_till(end)
    except cuda.Error as error:
        raise NotYet("The function has not recorded both `start` and `end`, in this order.") from error
    if milliseconds <= 0:
        raise NotYet("The function records `end` before `start`.")
    if not isinstance(returned, (int, float, np.number)) or abs(returned - milliseconds) > 0.01 * milliseconds:
        raise NotYet(f"The function returns {returned!r}, but from `start` to `end` it took {milliseconds:.3f} ms.")
    launches = [one for one in profile.work if one.kind == "kernel"]
    if len(launches) != 10:
        raise NotYet(f"The function launches {counted(len(launches), 'kernel')}, expected are 10.")
    spent = 1e3 * sum(one.duration for one in launches)
    if spent > 2 * milliseconds:
        raise NotYet(
            f"The kernels ran for {spent:.3f} ms, but from `start` to `end` it took {milliseconds:.3f} ms: record "
            "`start` before the first launch and `end` after the last."
        )
    return f"{milliseconds / 10:.3f} ms for each launch"


@exercise(
    "graph",
    "enhance(c, np.int32(n), stream=stream, **launch) in the capture; step.launch(stream) twice after it",
)
def _graph(c):
    expected = night_sky(240, 360, seed=1)
    try:
        result = c.get()
    except cuda.Error as error:
        raise NotYet(f"{error}\nRun the cells above again, from the one that makes the array.") from error
    compare(result, _enhanced(expected, times=10))


answer(
    "thread",
    232,
    "Index 1000 is 3 * 256 + 232.",
    "the elements have the indices 0 to 999, and block 3 begins with index 3 * 256",
)


@exercise("shift", "what should thread n - 1 store?", needs_cpu_driver=True)
def _shift(shifted_left):
    numbers = np.arange(1, 101, dtype=np.float32)
    compare(run_checked(shifted_left, numbers).result, [*range(2, 101), 0])


@exercise(
    "race",
    "float x = ... (only where i + 1 < n) before __syncthreads(), a[i] = x after it; no barrier inside of an if",
    needs_cpu_driver=True,
)
def _race(shifted):
    # The last element has none on its right: it stays.
    compare(run_checked(shifted, 256).result, np.minimum(np.arange(1, 257), 255))


answer(
    "deadlock",
    "AD",
    "A: 16 threads wait at the barrier for the others, which wait for the flag. "
    "D: the first thread keeps the lock. C breaks the rule that all threads reach a barrier; current GPUs and the CPU "
    "driver do not count threads that have returned, so that it computes wrong data instead of waiting.",
    "ask of each: which thread waits, for what, and can the thread that would end the wait get there?",
)

answer(
    "limit",
    6,
    "3 arrays of 200 MB are 0.6 GB; 0.6 / 100 s = 6 ms.",
    "divide the bytes of all three arrays by the bytes a second; a float has 4 bytes",
)


@exercise(
    "contrast",
    "x comes from blockIdx.x, blockDim.x and threadIdx.x, y from the others",
    needs_cpu_driver=True,
)
def _contrast(contrasted):
    photo = np.tile(night_sky(256, 256), (4, 4))
    run = run_checked(contrasted, photo, look=lambda kernels: accesses(kernels["contrast_fast"], (32, 8, 1)))
    compare(run.result, photo / (photo + 0.2))
    if run.seen is None and on_cpu_driver():
        raise NotYet("The result is right, but the plan shows no accesses: the check cannot tell how memory is used.")
    if not all("contiguous" in form for _, form in run.seen or ()):
        raise NotYet("The result is right, but the plan still shows accesses that are not contiguous.")


@exercise("fuse", "y[i] = sqrtf(x[i]) * 1.5f - 0.1f")
def _fuse(one_pass):
    photo = night_sky(256, 256)
    run = run_checked(one_pass, ToDevice(photo))
    compare(run.result, np.sqrt(photo) * np.float32(1.5) - np.float32(0.1))
    kernels = sum(one.kind == "kernel" for one in run.work)
    if kernels != 1:
        raise NotYet(f"The result is right, but it takes {counted(kernels, 'kernel')}, expected is one.")


answer(
    "divergence",
    (40, 10),
    "A divergent warp executes both sides, however few threads take one of them.",
    "a warp executes each side that at least one of its threads takes, one after the other",
)
