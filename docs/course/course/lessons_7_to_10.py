# SPDX-License-Identifier: MIT
"""The exercises of the lessons about speed, streams and finding bugs."""

import numpy as np
import pycuda
import pycuda.driver as cuda

from .checks import NotTried, NotYet, answer, compare, counted, exercise
from .own_context import ToDevice, names_in, run_checked
from .photos import night_sky
from .plans import on_cpu_driver
from .traffic import require_coalesced

answer(
    "lines",
    3,
    "32 stars take 32 * 12 = 384 bytes, that is 3 lines, of which a third is used.",
    "how many bytes do 32 stars take, one behind the other?",
)


@exercise("columns", "loop over y; the element is in[y * width + x]")
def _columns(sums_of_columns):
    picture = night_sky(256, 512)
    run = run_checked(sums_of_columns, picture, count=True)
    compare(run.result, picture.sum(axis=0), tolerance=1e-3)
    require_coalesced(run.counted, "Let all threads add the same row at a time.")


@exercise("transpose", "swap the two indices of the tile")
def _transpose(transposed):
    picture = night_sky(256, 512)
    run = run_checked(transposed, picture, count=True)
    compare(run.result, picture.T)
    require_coalesced(run.counted, "Read from the tile.")


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


def _waits_for(run, streams):
    """Whether the host waits for so many streams behind the last copy, or asks until they are done."""
    last = max(place for place, one in enumerate(run.work) if one.kind == "copy")
    waits = [one.name for one in run.work[last + 1 :] if one.kind == "wait"]
    asked = {which for moment, which in run.polled if moment > run.work[last].returned}
    return "Context.synchronize" in waits or len(waits) + len(asked) >= streams


def _refuse_waits_between(run, function):
    """Raise NotYet if the host waits between the first copy to the device and the last one."""
    begun = [place for place, one in enumerate(run.work) if one.kind == "copy" and one.name == "host to device"]
    waits = [one.name for one in run.work[begun[0] : begun[-1]] if one.kind == "wait"]
    if not waits:
        return
    if set(waits) == {"Context.synchronize"} and "Context" not in names_in(function.__code__):
        raise NotYet(
            "The host waits between the pictures, because an array on the device is dropped there: its name gets the "
            "next picture's array, and freeing the memory waits for the device. Keep the arrays in a list."
        )
    raise NotYet(f"The host waits between the pictures, in {waits[0]}: wait when all of the work is in its streams.")


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
        if {"pagelocked_empty", "pagelocked_zeros", "register_host_memory"} & set(names_in(enhance_all.__code__)):
            raise NotYet("The function returns a copy of the page-locked array: return `host` itself.")
        raise NotYet("The host's array is not page-locked, so that the copies are not asynchronous.")
    if not _waits_for(run, streams=4):
        raise NotYet("The function returns before every stream is done: the host may read the array too early.")
    _refuse_waits_between(run, enhance_all)


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
def _graph(enhance_ten_times):
    picture = night_sky(240, 360, seed=1)
    run = run_checked(enhance_ten_times, ToDevice(picture))
    compare(run.result, _enhanced(picture, times=10))
    launches = [one.kind for one in run.work]
    if "kernel" in launches or launches.count("graph") != 2:
        raise NotYet(
            f"The result is right, but the function launches {counted(launches.count('graph'), 'graph')} and, outside "
            f"of it, {counted(launches.count('kernel'), 'kernel')}: launch only the graph, twice."
        )


answer(
    "thread",
    232,
    "Index 1000 is 3 * 256 + 232.",
    "the elements have the indices 0 to 999, and block 3 begins with index 3 * 256",
)


@exercise("shift", "what should thread n - 1 store?", needs_cpu_driver=True)
def _shift(shifted_left):
    numbers = 300 - 2 * np.arange(1, 101, dtype=np.float32)  # in[i + 1] is not in[i] + 1
    compare(run_checked(shifted_left, numbers).result, [*numbers[1:], 0])


@exercise(
    "race",
    "float x = ... (only where i + 1 < n) before __syncthreads(), a[i] = x after it; no barrier inside of an if",
    needs_cpu_driver=True,
)
def _race(shifted):
    # The last element has none on its right: it stays.
    numbers = 1000 - 2 * np.arange(256, dtype=np.float32)
    compare(run_checked(shifted, numbers).result, [*numbers[1:], numbers[-1]])


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
    run = run_checked(contrasted, photo, count=True)
    compare(run.result, photo / (photo + 0.2))
    if not run.counted and on_cpu_driver():
        raise NotYet("The result is right, but no kernel was launched: the check cannot tell how memory is used.")
    require_coalesced(run.counted, "Let threadIdx.x run along the row.")
    for height, width in ((501, 744), (744, 501)):  # the last blocks of both axes are not full
        photo = night_sky(height, width)
        try:
            compare(run_checked(contrasted, photo).result, photo / (photo + 0.2))
        except NotYet as problem:
            raise NotYet(f"Right for a square picture, but not for one of {width} x {height}. {problem}") from problem


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
