# SPDX-License-Identifier: MIT
"""The tables of tests/ptx/grammar say what NVIDIA's assembler does with each case."""

import copy
import re
import subprocess
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

TABLES = sorted((Path(__file__).parents[1] / "ptx" / "grammar").glob("*.txt"))
REGISTERS = ".reg .pred %p<9>; .reg .b16 %h<17>; .reg .b32 %r<33>; .reg .b64 %d<17>; .reg .f32 %f<33>; .reg .f64 %e<9>;"
WIDE_REGISTERS = " .reg .b128 %q<5>;"

# The targets that the assembler knows with their least versions of PTX, times ten, as in grammar_cases.h.
TARGETS = {
    30: 30,
    32: 40,
    35: 31,
    50: 40,
    52: 41,
    53: 42,
    60: 50,
    61: 50,
    70: 60,
    72: 61,
    75: 63,
    80: 70,
    86: 71,
    87: 74,
    89: 78,
    90: 78,
    100: 86,
}
VERSIONS = [30, 31, *range(40, 44), 50, *range(60, 66), *range(70, 79)] + [*range(80, 87), 87, 88, 90, 91]
LEAST_ARCHITECTURE = 75  # that the assembler compiles for


def find_ptxas():
    """The wheel's, which has the version that the verdicts are of."""
    wheel = sorted(Path(sysconfig.get_paths()["purelib"]).glob("nvidia/cu13/bin/ptxas"))
    return str(wheel[0]) if wheel else None


class Case:
    """A line of a table: a module of its own, or the body of a kernel."""

    def __init__(self, number, line):
        head, self.body = line.split(" | ", 1)
        self.verdict, *words = head.split()
        self.number = number
        self.target = next((word for word in words if word.startswith("sm_")), "sm_80")
        self.version = next((word for word in words if word[0].isdigit()), "9.0")
        self.is_module = "module" in words

    @property
    def is_accepted(self):
        return self.verdict in ("accept", "unsupported")

    def variant(self, verdict, target, version):
        made = copy.copy(self)
        made.verdict, made.target, made.version = verdict, f"sm_{target}", f"{version // 10}.{version % 10}"
        return made

    def boundary(self):
        """What a line `least` says: taken from its target and version on, and not before."""
        target, version = int(self.target[3:]), int(self.version.replace(".", ""))
        recent, targets = max(version, 90), list(TARGETS)
        for accepted in {recent, max(version, TARGETS[target])}:
            yield self.variant("accept", target, accepted)
        if target != targets[0]:
            yield self.variant("reject", targets[targets.index(target) - 1], recent)
        if version > TARGETS[target]:
            yield self.variant("reject", target, VERSIONS[VERSIONS.index(version) - 1])

    def names_its_kernel(self):
        return re.search(r"\bk\b", self.body) is not None

    def definition(self, kernel):
        if self.is_module:
            return self.body + "\n"
        registers = REGISTERS + (WIDE_REGISTERS if "%q" in self.body else "")
        return f".visible .entry {kernel}(.param .u64 out)\n{{\n{registers}\n{self.body}\nret;\n}}\n"


def cases_of(table):
    lines = enumerate(table.read_text().splitlines(), 1)
    cases = [Case(number, line) for number, line in lines if line and not line.startswith("#")]
    return [made for case in cases for made in (case.boundary() if case.verdict == "least" else [case])]


def groups_of(cases):
    """The cases, with those together that can be one module: a module is accepted if each of its kernels is, and
    what is refused is named with its line."""
    groups = {}
    for case in cases:
        alone = case.is_module or case.names_its_kernel()
        key = (case.target, case.version, case.verdict, case.number if alone else None)
        groups.setdefault(key, []).append(case)
    return list(groups.values())


def refused_lines(said):
    return {int(line) for line in re.findall(r"line (\d+); (?:error|fatal)", said)}


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_the_assembler_agrees_with_the_table(table, tmp_path):
    ptxas = find_ptxas()
    if ptxas is None:
        pytest.skip("needs ptxas (pip install --no-deps -r requirements-alone.txt)")

    def complaints(group):
        first = group[0]
        source = tmp_path / f"{first.number}-{len(group)}-{first.verdict}-{first.target}-{first.version}.ptx"
        head = f".version {first.version}\n.target {first.target}\n.address_size 64\n"
        kernels = [f"k{case.number}" for case in group] if len(group) > 1 else ["k"]
        source.write_text(head + "".join(case.definition(kernel) for case, kernel in zip(group, kernels)))
        old = re.fullmatch(r"sm_\d+", first.target) and int(first.target[3:]) < LEAST_ARCHITECTURE
        architecture = f"sm_{LEAST_ARCHITECTURE}" if old else first.target
        command = [ptxas, f"-arch={architecture}", "-o", str(source) + ".cubin", str(source)]
        run = subprocess.run(command, capture_output=True, text=True)
        accepted = run.returncode == 0
        if len(group) > 1 and not first.is_accepted:
            lines = refused_lines(run.stdout + run.stderr)
            text = source.read_text().splitlines()
            rest = [case for case in group if not any(text[line - 1] == case.body for line in lines)]
            # The assembler reads no further than to the first line whose syntax is wrong.
            rest_groups = [rest] if rest and len(rest) < len(group) else [[case] for case in rest]
            return [text for group in rest_groups for text in complaints(group)]
        if accepted == first.is_accepted:
            return []
        if len(group) > 1:
            return [text for case in group for text in complaints([case])] or [f"{source.name}: refused together"]
        said = "accepts it" if accepted else (run.stdout + run.stderr).strip()
        return [f"{table.name}:{first.number}: {first.verdict}, and ptxas {said}"]

    cases = cases_of(table)
    with ThreadPoolExecutor() as pool:
        wrong = [text for texts in pool.map(complaints, groups_of(cases)) for text in texts]
    assert cases
    assert wrong == []
