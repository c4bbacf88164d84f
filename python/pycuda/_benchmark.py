# SPDX-License-Identifier: MIT
"""`pycuda.benchmark`: how long a function takes on the device, with an interval of confidence."""

import dataclasses
import math
import statistics
import time

from pycuda import driver
from pycuda._cxx_names import readable_name

# A sample lasts at least so long: waiting for the device and reading the clock then cost well below 1 % of it.
_SAMPLE_SECONDS = 0.005
_FEWEST_SAMPLES, _MOST_SAMPLES = 10, 500


def _rank(count, confidence):
    """The rank, from 0, of the sample at the lower end of the median's interval of confidence.

    The interval between the samples of ranks r and count - 1 - r holds the median unless at most r of the samples fall
    on one side of it, which is a matter of tossing a coin `count` times (H. A. David, H. N. Nagaraja: Order Statistics,
    section 7.1).
    """
    outside, allowed = 0, (1 - confidence) / 2
    for rank in range(count // 2):
        outside += math.comb(count, rank)
        if outside / 2**count > allowed:
            return max(0, rank - 1)
    return max(0, count // 2 - 1)


def _median_with_interval(values, confidence):
    ordered = sorted(values)
    rank = _rank(len(ordered), confidence)
    return statistics.median(ordered), (ordered[rank], ordered[-1 - rank])


def _as_time(seconds):
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def _name_of(function):
    return getattr(function, "__name__", None) or readable_name(getattr(function, "name", None) or repr(function))


@dataclasses.dataclass(frozen=True)
class Timing:
    """What `pycuda.benchmark` measured of one function. All times are seconds per call.

    Attributes
    ----------
    name : str
    median : float
        From the beginning of a call to the end of its work on the device, where calls follow each other.
    interval : tuple of float
        What holds the median with the probability `confidence`.
    confidence : float
    fastest : float
    host : float
        The median of the time after which the call returned: all of it for functions that wait for the device, what it
        takes to queue the work for others.
    samples, calls : int
        How many samples were taken, of how many calls each.
    nbytes : int or None
        The bytes that a call reads and writes, as the caller said.
    """

    name: str
    median: float
    interval: tuple
    confidence: float
    fastest: float
    host: float
    samples: int
    calls: int
    nbytes: object = None

    @property
    def bandwidth(self):
        """Bytes per second, from `nbytes` and the median; None where the bytes were not given."""
        return None if self.nbytes is None else self.nbytes / self.median

    def __str__(self):
        low, high = self.interval
        moved = "" if self.nbytes is None else f", {self.bandwidth / 1e9:.4g} GB/s"
        return (
            f"{self.name}: {_as_time(self.median)} per call{moved}\n"
            f"  {self.confidence:.0%} confidence: {_as_time(low)} to {_as_time(high)}; "
            f"fastest: {_as_time(self.fastest)}; the call returns after {_as_time(self.host)}\n"
            f"  {self.samples} samples of {self.calls} call{'s' if self.calls != 1 else ''}"
        )


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What `pycuda.benchmark` measured of two functions in turns.

    Attributes
    ----------
    first, second : Timing
    ratio : float
        How many times as fast the first one is: the median of the second one's time divided by the first one's, round
        by round.
    interval : tuple of float
        What holds the ratio with the probability `first.confidence`.
    """

    first: Timing
    second: Timing
    ratio: float
    interval: tuple

    @property
    def differs(self):
        """Whether 1 is outside the interval."""
        low, high = self.interval
        return not low <= 1 <= high

    def __str__(self):
        low, high = self.interval
        verdict = f"{self.first.name} is {self.ratio:.3g} times as fast as {self.second.name}"
        if not self.differs:
            verdict = f"no difference shown between {self.first.name} and {self.second.name}"
        confidence = f"{self.first.confidence:.0%} confidence: {low:.3g} to {high:.3g} times as fast"
        return f"{verdict}\n  {confidence}\n{self.first}\n{self.second}"


class _Measured:
    """A function with its arguments, and the samples taken of it."""

    def __init__(self, function, arguments, options):
        self.function, self.arguments, self.options = function, arguments, options
        self.calls, self.times, self.returns = 1, [], []

    def sample(self):
        """The seconds of `calls` calls: until the last one returned, and until the device had done all work."""
        function, arguments, options = self.function, self.arguments, self.options
        begin = time.perf_counter()
        for _ in range(self.calls):
            function(*arguments, **options)
        returned = time.perf_counter()
        driver.Context.synchronize()
        return returned - begin, time.perf_counter() - begin

    def warm_up(self, times):
        for _ in range(times):
            self.sample()
        while (taken := self.sample()[1]) < _SAMPLE_SECONDS and self.calls < 1 << 20:
            growth = _SAMPLE_SECONDS / max(taken, 1e-6)
            self.calls = math.ceil(self.calls * min(max(growth * 1.1, 1.1), 100))

    def measure(self):
        returned, done = self.sample()
        self.returns.append(returned / self.calls)
        self.times.append(done / self.calls)

    def timing(self, confidence, nbytes):
        median, interval = _median_with_interval(self.times, confidence)
        return Timing(
            name=_name_of(self.function),
            median=median,
            interval=interval,
            confidence=confidence,
            fastest=min(self.times),
            host=statistics.median(self.returns),
            samples=len(self.times),
            calls=self.calls,
            nbytes=nbytes,
        )


def benchmark(function, *args, against=None, seconds=1.0, warmup=2, confidence=0.95, nbytes=None, **kwargs):
    """Measure how long `function(*args, **kwargs)` takes, its work on the device included.

    Calls follow each other without waiting, as in a program, and the device is waited for at the end of each sample. So
    many calls make a sample that it lasts 5 ms. The function is called often: it must not depend on how often.

    Parameters
    ----------
    function : callable
        A kernel, or any function that works on the device of the current context.
    *args, **kwargs
        Its arguments.
    against : callable, optional
        A second function, called with the same arguments. The two are measured in turns, so that what slows the machine
        down for a while hits both.
    seconds : float
        How long to measure; at least 10 samples are taken.
    warmup : int
        How many calls are not measured: the first one compiles.
    confidence : float
        The probability, between 0 and 1, that the reported interval holds the median.
    nbytes : int, optional
        The bytes that one call reads and writes, for the bandwidth.

    Returns
    -------
    Timing, or Comparison with `against`
        Objects with the figures; as text they are the report.

    Raises
    ------
    TypeError, ValueError
        When `function` cannot be called, or an option is not a number in its range.
    LogicError
        When no context is current.
    LaunchError
        When a kernel fails.

    Examples
    --------
    >>> import numpy as np, pycuda, pycuda.autoinit
    >>> from pycuda import gpuarray
    >>> a = gpuarray.zeros(1 << 16, np.float32)
    >>> timing = pycuda.benchmark(lambda: a + 1, seconds=0.1, nbytes=2 * a.nbytes)
    >>> timing.fastest <= timing.median
    True
    """
    if function is None:
        raise TypeError("benchmark() got None: pass a function and its arguments, or a lambda, not a call")
    for one in (function, against):
        if one is not None and not callable(one):
            raise TypeError(f"benchmark() calls a function, which {one!r} is not: pass the work as a lambda")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, such as 0.95: {confidence!r} was given")
    if not 0 <= seconds < math.inf:
        raise ValueError(f"seconds must be a time, such as 1.0: {seconds!r} was given")
    if warmup < 0:
        raise ValueError(f"warmup must be a number of calls, such as 2: {warmup!r} was given")
    driver.Context.synchronize()
    measured = [_Measured(one, args, kwargs) for one in (function, against) if one is not None]
    for one in measured:
        one.warm_up(warmup)
    end = time.perf_counter() + seconds * len(measured)
    rounds = 0
    while rounds < _FEWEST_SAMPLES or (rounds < _MOST_SAMPLES and time.perf_counter() < end):
        for one in measured:
            one.measure()
        rounds += 1
    timings = [one.timing(confidence, nbytes) for one in measured]
    if against is None:
        return timings[0]
    ratios = [second / first for first, second in zip(measured[0].times, measured[1].times)]
    return Comparison(*timings, *_median_with_interval(ratios, confidence))
