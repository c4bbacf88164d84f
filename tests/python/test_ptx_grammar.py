# SPDX-License-Identifier: MIT
"""The tables of tests/ptx/grammar say what NVIDIA's assembler does with each case."""

import re
import subprocess
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

TABLES = sorted((Path(__file__).parents[1] / "ptx" / "grammar").glob("*.txt"))
REGISTERS = (
    ".reg .pred %p<9>; .reg .b16 %h<17>; .reg .b32 %r<33>; .reg .b64 %d<17>; .reg .b128 %q<5>; "
    ".reg .f32 %f<33>; .reg .f64 %e<9>;"
)


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
        self.is_accepted = self.verdict in ("accept", "unsupported")

    def names_its_kernel(self):
        return re.search(r"\bk\b", self.body) is not None

    def definition(self, kernel):
        if self.is_module:
            return self.body + "\n"
        return f".visible .entry {kernel}(.param .u64 out)\n{{\n{REGISTERS}\n{self.body}\nret;\n}}\n"


def cases_of(table):
    lines = enumerate(table.read_text().splitlines(), 1)
    return [Case(number, line) for number, line in lines if line and not line.startswith("#")]


def groups_of(cases):
    """The cases, with those together that can be one module: a module is accepted if each of its kernels is."""
    groups = {}
    for case in cases:
        alone = case.is_module or case.names_its_kernel() or not case.is_accepted
        groups.setdefault((case.target, case.version, case.number if alone else None), []).append(case)
    return list(groups.values())


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_the_assembler_agrees_with_the_table(table, tmp_path):
    ptxas = find_ptxas()
    if ptxas is None:
        pytest.skip("needs ptxas (pip install --no-deps -r requirements-alone.txt)")

    def complaints(group):
        first = group[0]
        source = tmp_path / f"{first.number}-{len(group)}.ptx"
        head = f".version {first.version}\n.target {first.target}\n.address_size 64\n"
        kernels = [f"k{case.number}" for case in group] if len(group) > 1 else ["k"]
        source.write_text(head + "".join(case.definition(kernel) for case, kernel in zip(group, kernels)))
        command = [ptxas, f"-arch={first.target}", "-o", str(source.with_suffix(".cubin")), str(source)]
        run = subprocess.run(command, capture_output=True, text=True)
        accepted = run.returncode == 0
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
