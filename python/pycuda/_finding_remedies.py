# SPDX-License-Identifier: MIT
"""What to do about what a check has found, in a sentence."""

import re

# What a message has, and the remedy.
_REMEDIES = (
    (
        "no event or synchronisation",
        "record an event after the first work and let the second stream wait for it, or use one stream",
    ),
    ("no edge of the graph", "add an edge between the two nodes of the graph"),
    ("only one access is atomic or volatile", "make both accesses atomic, or order them"),
    ("nothing that orders the blocks", "use two kernels, other output memory, or atomics for both accesses"),
    ("no __syncwarp() or barrier", "call __syncwarp() between the two accesses: lanes do not run in lockstep"),
    ("no barrier between", "call __syncthreads() between the two accesses, in a loop also at its end"),
    (
        "exited without reaching a barrier",
        "replace if (i >= n) return; by a condition around the work, not around the barrier",
    ),
    ("wait at different barriers", "move __syncthreads() out of the branch"),
    ("lanes that have exited", "compute the mask before threads leave, or let them stay"),
)
_PLACE = r"\*?(?:\w+(?:::\w+)*|\(\*\w+\))(?:(?:\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\])|(?:\.|->)\w+)*"
_COMPOUND = re.compile(rf"(?P<place>{_PLACE})\s*(?P<sign>\+\+|--|<<=|>>=|[-+*/%&|^]=)")
_BEFORE = re.compile(rf"(?P<sign>\+\+|--)\s*(?P<place>{_PLACE})")
_ASSIGNED = re.compile(rf"(?<![\w\]>.])(?P<place>{_PLACE})\s*=(?!=)\s*(?P<value>[^;]*)")
_ATOMICS = {"+": "atomicAdd", "-": "atomicSub", "&": "atomicAnd", "|": "atomicOr", "^": "atomicXor"}
_EXTREMES = {"max": "atomicMax", "fmaxf": "atomicMax", "min": "atomicMin", "fminf": "atomicMin"}


def _name_in(place):
    """The variable that a place in memory begins with."""
    return re.search(r"\w+", place)[0]


def _is_indirect(place):
    return place.startswith(("*", "(*")) or "[" in place or "->" in place


def _statements_of(line):
    """A line without comments, the head of a kernel, and what for (...) counts."""
    code = re.sub(r"//.*|/\*.*?\*/", "", line)
    code = code.partition("{")[2] if re.search(r"__(?:global|device)__", code) and "{" in code else code
    return re.sub(r"\bfor\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", "", code)


def _update_in(line, shared):
    """The place that a line reads, changes and writes, and the atomic function for that ("" if there is none).

    None if there is no such place, several, or if the line has another use for its variable.
    """
    code = _statements_of(line)
    signs = [(one["place"], one["sign"][0]) for pattern in (_COMPOUND, _BEFORE) for one in pattern.finditer(code)]
    found = [(place, _ATOMICS.get(sign, "")) for place, sign in signs]
    assigned = list(_ASSIGNED.finditer(code))
    written = [place for place, _ in found] + [one["place"] for one in assigned]
    has_indirect = any(map(_is_indirect, written))

    def is_memory(place):
        """Of what the line writes, a variable of the kernel's own is not what threads race for."""
        return _name_in(place) == shared if shared else _is_indirect(place) or not has_indirect

    uses = 1
    for one in assigned:
        place, value = one["place"], one["value"].strip()
        if not is_memory(place) or place not in value:
            continue
        uses = 2
        if called := re.match(r"(\w+)\(", value):
            found.append((place, _EXTREMES.get(called[1], "")))
        else:
            sign = re.match(r"\s*([-+&|^])", value[len(place) :]) if value.startswith(place) else None
            sign = sign or re.search(r"([+&|^])\s*$", value[: value.index(place)])
            found.append((place, _ATOMICS[sign[1]] if sign else ""))
    found = [one for one in found if is_memory(one[0])]
    if len(found) != 1:
        return None
    place, atomic = found[0]
    if len(re.findall(rf"\b{_name_in(place)}\b", code)) != uses:
        return None  # such as part[i] += part[i + half], which needs a barrier
    return place, atomic


def remedy_of(finding):
    """What to do about a finding, as a sentence without a capital or a stop; "" if nothing is known.

    Parameters
    ----------
    finding : Finding
    """
    other = finding.other
    if finding.check == "race" and other is not None and not finding.stream:
        is_one_line = (finding.place, finding.source) == (other.place, other.source)
        shared = re.search(r"shared variable '(?:[^']*::)?(\w+)'", finding.message)
        if is_one_line and (update := _update_in(finding.source, shared[1] if shared else "")):
            place, atomic = update
            target = place[1:] if place.startswith("*") else f"&{place}"
            how = f"{atomic}({target}, ...)" if atomic else "a loop with atomicCAS"
            return (
                f"several threads read, change and write {place}, which no barrier puts in order: use {how}, or a "
                "reduction; if each thread is meant to have a place of its own, correct the index"
            )
        if is_one_line and finding.access.startswith("write") and other.access.startswith("write"):
            return (
                "let one thread write this place, or give each thread one of its own; if the writes are in different "
                "turns of a loop, call __syncthreads() between the turns"
            )
    return next((remedy for words, remedy in _REMEDIES if words in finding.message), "")
