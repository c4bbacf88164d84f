# SPDX-License-Identifier: MIT
"""What the lines of a kernel cost, by a model, and which changes would help most, in words."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, replace

from pycuda._counter_records import Access

#: Cycles of a multiprocessor, if nothing is cached and nothing overlaps: of an H100, about. Four warps issue an
#: instruction in each cycle; device memory gives half a sector; the banks of shared memory serve one wavefront.
PER_INSTRUCTION, PER_SECTOR, PER_WAVEFRONT = 0.25, 2.0, 1.0
#: An atomic operation that waits for another one at the same address.
PER_TURN = 4.0
WARP = 32
#: Multiprocessors of that GPU. Fewer blocks than `FEW_BLOCKS` leave nearly all of them without work.
MULTIPROCESSORS, FEW_BLOCKS = 132, 9
#: A thread works for long if it comes to an access so often, or executes so many instructions.
MANY_TURNS, MANY_INSTRUCTIONS = 4, 1000
#: So few threads of a warp count as lone ones, if so many instructions of a block are theirs.
FEW_THREADS, LONE_INSTRUCTIONS = 2, 100


@dataclass(frozen=True)
class Advice:
    """A change that would help.

    Attributes
    ----------
    title : str
    text : str
        Why, with the numbers, and what to do.
    place : str
        The line that it is about, as "program.py:12"; "" if it is about the launch.
    saved : float
        The cycles of the model that it would save.
    access : Access or None
        The access that it is about, of several the worst.
    """

    title: str
    text: str
    place: str
    saved: float
    access: Access | None = field(default=None, repr=False, compare=False)


def cycles_of(counted):
    """The cost of a kernel or line in cycles of the model.

    Parameters
    ----------
    counted : KernelCounters or LineCounters
    """
    sectors = sum(value for name, value in counted.metrics.items() if name.startswith("l1tex__t_sectors_"))
    return counted.instructions * PER_INSTRUCTION + sectors * PER_SECTOR + counted.shared_wavefronts * PER_WAVEFRONT


def stride_of(access, row=None):
    """The distance in bytes between neighbouring lanes of the sample, if it is the same for all; None otherwise.

    Parameters
    ----------
    access : Access
    row : int, optional
        The threads in a row of the block: only lanes of one row are neighbours then.
    """
    sample = access.sample
    if sample is None or len(sample.lanes) < 2:
        return None
    pairs = list(zip(sample.lanes, sample.addresses))
    steps = {
        divmod(b - a, m - n)
        for (n, a), (m, b) in zip(pairs, pairs[1:])
        if row is None or (sample.warp * WARP + n) // row == (sample.warp * WARP + m) // row
    }
    step, rest = steps.pop() if len(steps) == 1 else (None, 0)
    return step if rest == 0 else None


def _is_one_of_each_row(access, kernel):
    """Whether no two lanes of the sample are in one row of the block, whose rows have more."""
    sample, row = access.sample, kernel.block[0]
    if sample is None or row == 1 or len(sample.lanes) < 2:
        return False
    return len({(sample.warp * WARP + lane) // row for lane in sample.lanes}) == len(sample.lanes)


def _apart(access, step):
    """How far apart the places of lanes are: "Neighbouring threads access places 64 bytes apart"."""
    lanes = access.sample.lanes
    gap = min(m - n for n, m in zip(lanes, lanes[1:]))
    who = "Neighbouring threads" if gap == 1 else "The threads that take part"
    return f"{who} access places {_number(abs(step) * gap)} bytes apart"


def _strides(access, kernel):
    """The stride of all lanes, else None, and that within the rows of the block."""
    return stride_of(access), stride_of(access, kernel.block[0])


def _number(value):
    return f"{value:,.0f}".replace(",", " ")


def _each(value):
    return f"{value:.1f}".removesuffix(".0")


def _percent(part, whole):
    return f"{100 * part / whole:.0f} %"


def _together(accesses):
    """Accesses of a line as one: the worst, with the sums of all."""
    worst = max(accesses, key=lambda one: one.excess)
    sums = {name: sum(getattr(one, name) for one in accesses) for name in ("requests", "parts", "ideal", "threads")}
    return replace(worst, **sums)


def _uncoalesced(line, accesses, kernel):
    access = _together(accesses)
    verbs = {"load": "reads", "store": "writes"}
    does = " and ".join(dict.fromkeys(verbs[one.op] for one in accesses))
    per, least = access.parts / access.requests, access.ideal / access.requests
    stride, in_row = _strides(access, kernel)
    start = access.sample.addresses[0] % 32 if access.sample else 0
    if _is_one_of_each_row(access, kernel):
        how = (
            f"Only {len(access.sample.lanes)} of 32 lanes take part, each in a row of the block of its own: no "
            "neighbour shares its sector."
        )
        change = (
            "At the edge of a tile that is usual, and larger tiles have less of an edge; elsewhere let neighbouring "
            "threads of a row do this work for elements that are neighbours."
        )
    elif stride is not None and abs(stride) == access.bytes:
        lanes = access.sample.lanes
        if lanes[-1] - lanes[0] >= len(lanes):
            how = (
                f"Neighbouring threads access neighbouring elements, but of the lanes {lanes[0]} to {lanes[-1]} only "
                f"{len(lanes)} take part: a branch has divided the warp, and each part moves the others' elements, too."
            )
            change = (
                "Let all threads of a warp go the same way (a condition on i / 32 instead of i % 2), or let the branch "
                "only choose a value, and access the memory before or behind it."
            )
        else:
            how = "The warp's addresses are neighbours but " + (
                f"start {start} bytes behind a multiple of 32." if start else "most do not start at a multiple of 32."
            )
            change = "Let each row or slice start at a multiple of 32 bytes: pad rows, or shift the index."
    elif stride is None and in_row in (0, access.bytes, -access.bytes):
        what = "the same place" if in_row == 0 else "neighbouring places"
        how = f"The {kernel.block[0]} threads of a row of the block access {what}, but each row others."
        change = "Make the block wider, best with blockDim.x a multiple of 32, or bring a tile to shared memory."
    elif (step := in_row if stride is None else stride) is not None:
        how = _apart(access, step) + "."
        change = (
            "Let neighbouring threads (threadIdx.x) access neighbouring elements: swap the indices, transpose a tile "
            "through shared memory, or store a structure's members in arrays of their own."
        )
    else:
        how = "The addresses of a warp are scattered."
        change = "Sort the work by address, or bring the data to shared memory in order and look it up there."
    return Advice(
        "Coalesce the accesses to global memory",
        f"The line {does} {_each(per)} sectors of 32 bytes for each request of a warp where "
        f"{_each(least)} would do: {_percent(access.excess, access.parts)} of its "
        f"{_number(access.parts)} sectors are moved for nothing. {how} {change}",
        line.place,
        access.excess * PER_SECTOR,
        access,
    )


def _conflicts(line, accesses, kernel):
    access = _together(accesses)
    per, least = access.parts / access.requests, access.ideal / access.requests
    stride, in_row = _strides(access, kernel)
    stride = in_row if stride is None else stride
    change = "Arrange the data so that the lanes of a warp access words in different banks (word address mod 32)."
    if stride and stride % 8 == 0:
        change = (
            f"{_apart(access, stride)}, in few banks: make each row one element longer, as in tile[32][33] instead of "
            "tile[32][32]."
        )
    return Advice(
        "Avoid bank conflicts in shared memory",
        f"Lanes of a warp meet in the same bank: each request takes {_each(per)} passes where {_each(least)} would do, "
        f"{_number(access.excess)} of {_number(access.parts)} passes too many. {change}",
        line.place,
        access.excess * PER_WAVEFRONT,
        access,
    )


def _same_address(line, access):
    sample = access.sample
    if sample is None:
        return None
    turns = max(Counter(sample.addresses).values()) - 1
    if turns < 1:
        return None
    return Advice(
        "Combine atomic updates first",
        f"Up to {turns + 1} lanes of a warp update the same address and are served one after the other, in "
        f"{_number(access.requests)} requests. Add up in registers with warp shuffles, or in shared memory, and make "
        "one atomic operation for the warp or block.",
        line.place,
        access.requests * turns * PER_TURN,
        access,
    )


def _divergence(line, kernel):
    if not line.divergent_branches:
        return None
    idle = 1 - kernel.active_threads / WARP
    share = line.divergent_branches / kernel.divergent_branches
    return Advice(
        "Let the threads of a warp go the same way",
        f"At {_number(line.divergent_branches)} of {_number(line.branches)} executions of this branch, threads of one "
        "warp go different ways, and both ways are executed one after the other: on average "
        f"{kernel.active_threads:.1f} of 32 threads work. Decide by warp (threadIdx.x / 32) rather than by "
        "thread, or sort the work so that neighbours do the same.",
        line.place,
        kernel.instructions * PER_INSTRUCTION * idle * share,
    )


def _one_thread(kernel):
    if math.prod(kernel.block) * math.prod(kernel.grid) != 1:
        return None
    return Advice(
        "One thread does all the work",
        "The launch has one block of one thread: 31 of the 32 lanes of its warp and all other multiprocessors have "
        "nothing to do. Give each thread one element: in place of the loop over elements, int i = blockIdx.x * "
        "blockDim.x + threadIdx.x; if (i < n) ..., launched with block=(256, 1, 1) and grid=((n + 255) // 256, 1). "
        "More threads without this change would all do the same work and race.",
        "",
        cycles_of(kernel) * (WARP - 1) / WARP,
    )


def _lone_threads(kernel):
    """Nearly all is done by one or two threads of each warp, whatever condition the source has for that."""
    lines = [one for one in kernel.lines if one.instructions and one.active_threads <= FEW_THREADS]
    lone = sum(one.instructions for one in lines)
    blocks = kernel.launches * math.prod(kernel.grid)
    if math.prod(kernel.block) <= FEW_THREADS or lone < max(kernel.instructions / 2, LONE_INSTRUCTIONS * blocks):
        return None
    most = max(lines, key=lambda one: one.instructions)
    active = sum(one.instructions * one.active_threads for one in lines) / lone
    who = "one thread" if active < 1.5 else "one or two threads"
    return Advice(
        "Share the work among all threads",
        f"{_percent(lone, kernel.instructions)} of the instructions of warps are executed by {who} of 32, most of them "
        "in this line; the others wait. Let each thread of the block do a part, as in for (int i = threadIdx.x; i < n; "
        "i += blockDim.x), and put the parts together, with a reduction in shared memory or an atomic operation.",
        most.place,
        lone * PER_INSTRUCTION * (1 - active / WARP),
    )


def _few_blocks(kernel, occupancy):
    blocks = math.prod(kernel.grid)
    threads = kernel.launches * blocks * math.prod(kernel.block)
    if blocks >= FEW_BLOCKS or not threads:
        return None
    accesses = (one.threads for line in kernel.lines for one in line.accesses if one.space == "global")
    turns = max(accesses, default=0) / threads
    instructions = kernel.instructions * kernel.active_threads / threads if kernel.instructions else 0
    if turns < MANY_TURNS and instructions < MANY_INSTRUCTIONS:
        return None
    subject = "One block keeps one multiprocessor" if blocks == 1 else f"{blocks} blocks keep {blocks} multiprocessors"
    here = "" if occupancy is None else f" (this device has {occupancy._multiprocessors})"
    does = f"loops about {turns:.0f} times" if turns >= MANY_TURNS else "computes for long"
    return Advice(
        "Launch more blocks",
        f"{subject} busy, of a GPU's 100 or so{here}. Each thread {does}: share that among more blocks, from "
        "blockIdx.x * blockDim.x + threadIdx.x in steps of blockDim.x * gridDim.x.",
        "",
        cycles_of(kernel) * (1 - blocks / MULTIPROCESSORS),
    )


def _partial_warps(kernel):
    threads = math.prod(kernel.block)
    rest = -threads % WARP
    if not rest:
        return None
    warps = (threads + rest) // WARP
    return Advice(
        "Use blocks of whole warps",
        f"A block of {threads} thread{'s' if threads > 1 else ''} takes {warps} warp{'s' if warps > 1 else ''}, in "
        f"which {rest} of {warps * WARP} lanes never work. Choose a multiple of 32, and let each thread have an "
        "element of its own: the index is blockIdx.x * blockDim.x + threadIdx.x.",
        "",
        cycles_of(kernel) * rest / (warps * WARP) / 2,
    )


def _low_occupancy(kernel, occupancy):
    if occupancy is None or occupancy.occupancy >= 0.5:
        return None
    what = {
        "regs": f"its registers ({kernel.registers} per thread, an estimate): use fewer, with __launch_bounds__ or "
        "smaller loop bodies",
        "smem": f"its shared memory ({_number(kernel.shared)} bytes per block): use smaller tiles",
        "device": "the number of blocks: use larger ones",
        "warps": "the block's size: use smaller blocks that divide the multiprocessor's threads",
    }[occupancy.limited_by]
    return Advice(
        "Let more warps be resident",
        f"Only {occupancy.occupancy:.0%} of the warps that a multiprocessor can hold fit, so there is less work while "
        f"others wait for memory. The limit is {what}.",
        "",
        cycles_of(kernel) * 0.1 * (0.5 - occupancy.occupancy),
    )


def advice_for(kernel, occupancy=None, most=3):
    """The changes to a kernel that would save the most by the model, the best first.

    Parameters
    ----------
    kernel : KernelCounters
    occupancy : OccupancyRecord, optional
    most : int

    Returns
    -------
    list of Advice
    """
    if alone := _one_thread(kernel):
        return [alone]
    lone = _lone_threads(kernel)
    found = [lone, _partial_warps(kernel), _low_occupancy(kernel, occupancy)]
    if not lone:  # else few blocks, and the branch to the lone threads, are not what keeps the others from working
        found.append(_few_blocks(kernel, occupancy))
        found += [_divergence(line, kernel) for line in kernel.lines]
    for line in kernel.lines:
        is_atomic = [one.op in ("atomic", "reduction") for one in line.accesses]
        found += [_same_address(line, one) for one, atomic in zip(line.accesses, is_atomic) if atomic]
        for space, advise in (("global", _uncoalesced), ("shared", _conflicts)):
            wasteful = [
                one for one, atomic in zip(line.accesses, is_atomic) if one.space == space and one.excess and not atomic
            ]
            if wasteful:
                found.append(advise(line, wasteful, kernel))
    whole = cycles_of(kernel)
    worth = [one for one in _told_once(found) if one.saved >= 0.01 * whole]
    return sorted(worth, key=lambda one: -one.saved)[:most]


def _told_once(found):
    """One advice of a kind for a line, which often has several like accesses: the most useful, with what all save."""
    by_line = {}
    for one in filter(None, found):
        by_line.setdefault((one.title, one.place), []).append(one)
    for like in by_line.values():
        best = max(like, key=lambda one: one.saved)
        more = len(like) - 1
        also = f" The line has {more} more such access{'es' if more > 1 else ''}." if more else ""
        yield replace(best, text=best.text + also, saved=sum(one.saved for one in like))
