# SPDX-License-Identifier: MIT
"""PTX for debugging made into PTX whose chosen thread writes down where it is and what its variables hold.

The recording is part of the program's own code, so the driver compiles and runs it like any other: blocks, barriers and
faults are those of a usual launch, and kernels that are not walked are as they were.
"""

import re
from collections import Counter
from dataclasses import dataclass, field

from pycuda._stepping.code import STATE_DECLARATION, RecordCode, prologue
from pycuda._stepping.declarations import Declarations, is_of_function, names_of, type_of_bytes
from pycuda._stepping.sections import split_sections
from pycuda._stepping.sites import (
    MOST_BYTES,
    Site,
    Slot,
    access_of,
    accessed_element,
    dtype_of,
    operation_of,
    registers_declared,
    written_by,
)
from pycuda._stepping.types import Type
from pycuda._stepping.variables import DebugInformation, Location

_HEADER = re.compile(r"^(?:\.(?:visible|weak|extern|common)\s+)*\.(entry|func)\b")
_NAME = re.compile(r"\.(?:entry\s+|func\s+(?:\([^)]*\)\s*)?)([$\w.]+)")
_LABEL = re.compile(r"^([$\w.]+):")
_LOC = re.compile(r"^\.loc\s+(\d+)\s+(\d+)\s+(\d+)")
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"', re.M)
_MEMORY = re.compile(r"\.(shared|local|global|const)\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+([$\w.]+)\s*(\[[^\]]*\])?")
_RESULT = re.compile(r"\[func_retval0(?:\+0)?\]\s*,\s*(%[\w$]+)\s*;")
_GUARD = re.compile(r"^@(!?)(%[\w$.]+)\s+(.*)$")
_PARAMETER = re.compile(
    r"\.param\s+(?:\.align\s+(\d+)\s+)?\.(\w+)(?:\s+\.ptr[^,)\[]*?)?\s+([$\w.]+)\s*(\[\d+\])?\s*[,)\n]"
)
_WORD = re.compile(r"[$A-Za-z_][$\w.]*")
_OUTLIVING = ("global", "const")  # besides shared memory
_DIRECTIVES = (".reg", ".local", ".shared", ".param", ".pragma", ".max", ".min", ".req", ".branchtargets", "//", "#")


@dataclass
class Memory:
    """A variable of the PTX."""

    space: str
    symbol: str
    size: int
    alignment: int
    kind: str = ""  # of one number: "u32"


@dataclass
class Program:
    """Instrumented PTX and what its records mean.

    Attributes
    ----------
    text : str
    sites : list of Site
        By number, from 1 on; the first is None.
    files : dict
        Names of files by number.
    information : DebugInformation
    """

    text: str
    sites: list
    files: dict
    information: DebugInformation
    variables: list = field(default_factory=list)  # Memory of the module that something refers to
    shown: set = field(default_factory=set)  # numbers of the files whose lines are shown
    kernels: set = field(default_factory=set)  # their symbols
    names: dict = field(default_factory=dict)  # what is in variables, by symbol: see Regions.describe


def _memory_of(line):
    found = _MEMORY.search(line)
    if found is None:
        return None
    space, alignment, kind, symbol, size = found.groups()
    width = int("".join(filter(str.isdigit, kind)) or 8) // 8
    inside = size.strip("[]").strip() if size else "1"
    count = int(inside) if inside.isdigit() else 0
    return Memory(space, symbol, width * count, int(alignment or width), "" if size else kind)


def instrument(ptx, source, shown_files, shared_bytes=0):
    """Let the thread that the state's variable names record what it does.

    Parameters
    ----------
    ptx : str
        Compiled with debug information.
    source : bytes
        Of the module.
    shown_files : callable
        Whether lines of the file of this name are shown.
    shared_bytes : int
        Dynamic shared memory of the launch.

    Returns
    -------
    Program
    """
    code, sections = split_sections(ptx)
    information = DebugInformation(sections)
    files = {int(number): name for number, name in _FILE.findall(code)}
    program = Program("", [None], files, information)
    shown = program.shown = {number for number, name in files.items() if shown_files(name)}
    declared = Declarations(source, information.types)
    for variable in information.globals:
        for _, _, location in variable.places:
            size = variable.type.dtype.itemsize or shared_bytes
            program.names[location.symbol] = [(0, variable.name, variable.type, size)]
    # Headers declare hundreds of variables that no code has.
    words = Counter(_WORD.findall(code))
    result, body, header = [], None, []
    for line in code.splitlines():
        word = line.strip()
        if body is not None:
            body.append(line)
            if line.startswith("}"):
                function = _Function(program, header, body, shown, declared, shared_bytes)
                result += function.lines()
                body, header = None, []
        elif header:
            header.append(line)
            if word.endswith(";"):
                result += header
                header = []
            elif line.startswith("{"):
                body = []
        elif _HEADER.match(word):
            header = [line]
        else:
            if word.startswith(".address_size"):
                line += f"\n{STATE_DECLARATION}"
            elif word.startswith(".target"):
                line = line.replace(", debug", "")
            elif word.startswith((".visible", ".weak", ".extern", ".shared", ".global", ".const", ".common")):
                memory = _memory_of(line)
                if memory is not None and words[memory.symbol] > 1:
                    program.variables.append(memory)
            result.append(line)
    program.text = "\n".join(result) + "\n"
    return program


class _Function:
    """One function while its code is gone through."""

    def __init__(self, program, header, body, shown, declared, shared_bytes):
        self.program, self.header, self.body, self.shown = program, header, body, shown
        self.declared, self.shared_bytes = declared, shared_bytes
        self.own_file = next((number for number, name in program.files.items() if name.endswith("kernel.cu")), 1)
        text = "\n".join(header)
        self.symbol = _NAME.search(text)[1]
        self.is_entry = ".entry" in text
        if self.is_entry:
            program.kernels.add(self.symbol)
        self.scope = program.information.functions.get(self.symbol)
        self.registers, self.prefixes = {}, {}
        self.labels, self.memory = {}, {one.symbol: one for one in program.variables}
        self.lines_with_code, self.stores, self.first_line = set(), set(), 0
        if self.is_entry:
            for alignment, kind, symbol, size in _PARAMETER.findall(text + "\n"):
                width = int("".join(filter(str.isdigit, kind)) or 8) // 8
                count = int(size.strip("[]")) if size else 1
                self.memory[symbol] = Memory("param", symbol, width * count, int(alignment or width))
        for position, line in enumerate(body):
            self._survey(position, line.strip())
        self.outliving = self._declared_variables()
        self.result = ""  # the register that holds what the function returns
        self.latest = None  # the last site whose code goes on
        self.moves = {}  # (variable, place) by the label behind which it is so
        for variable in _all_variables(self.scope):
            for _, _, location in variable.places:
                if location.symbol:
                    named = program.names.setdefault(location.symbol, [])
                    of = variable.type
                    named.append((location.offset, variable.name, of, of.dtype.itemsize))
            for begin, _, location in variable.places:
                if begin:
                    self.moves.setdefault(begin, []).append(
                        ((variable.name, variable.file, variable.line), str(location))
                    )

    def _survey(self, position, line):
        if label := _LABEL.match(line):
            self.labels[label[1]] = position
        for name, kind, count in registers_declared(line):
            (self.registers if count is None else self.prefixes)[name] = kind
        if line.startswith((".local", ".shared")) and (memory := _memory_of(line)):
            self.memory[memory.symbol] = memory
        self.stores.update(one for one in written_by(line) if one.startswith("%SP+"))
        if place := _LOC.match(line):
            if place[3] != "0":  # else the function's head
                self.lines_with_code.add((int(place[1]), int(place[2])))
            self.first_line = self.first_line or int(place[2])

    def _kind(self, register):
        return self.registers.get(register) or self.prefixes.get(register.rstrip("0123456789"))

    def _declared_variables(self):
        """Variables that outlive the function and that debug information does not have: shared ones, and its own.

        Returns
        -------
        list of (str, Type, Memory, Declaration)
        """
        found = []
        known = {
            location.symbol
            for variable in [*self.program.information.globals, *_all_variables(self.scope)]
            for _, _, location in variable.places
        }
        text = None
        for memory in self.memory.values():
            is_wanted = memory.space == "shared" or (memory.space in _OUTLIVING and is_of_function(memory.symbol))
            if not is_wanted or memory.symbol in known or memory.size == 0:
                continue
            if memory in self.program.variables:  # the module's: those that this function names
                text = "\n".join(self.body) if text is None else text
                if re.search(rf"(?<![$\w.]){re.escape(memory.symbol)}(?![$\w.])", text) is None:
                    continue
            declaration = self.declared.of(memory.symbol, self.first_line)
            element = declaration.type
            element = declaration.type or accessed_element(self.body, memory, declaration.shape)
            of = type_of_bytes(element, declaration.shape, memory.size) if element else None
            name = names_of(memory.symbol)[0][-1]
            self.program.names[memory.symbol] = [(0, name, of, memory.size)]
            if of is not None:
                found.append((name, of, memory, declaration))
        return sorted(found, key=lambda one: one[3].line)

    # --- what can be seen where ---

    def _covers(self, begin, end, position):
        return self.labels.get(begin, 0) <= position < self.labels.get(end, len(self.body))

    def _scopes_at(self, position):
        """The scopes around a position, from the function inwards."""
        chain, scope = [], self.scope
        while scope is not None:
            chain.append(scope)
            scope = next((inner for inner in scope.scopes if self._covers(inner.begin, inner.end, position)), None)
        return chain

    def _call_at(self, position):
        """Of a position in code that is not shown, the scope of the inlined call in a shown line that leads there."""
        calls = (one for one in self._scopes_at(position) if one.call[0] in self.shown and one.file not in self.shown)
        return next(calls, None)

    def _visible(self, position, call):
        """Inlined calls around a position, and the variables of the innermost function from the outermost block on.

        `call`: the scope that what is not seen any more begins with, or None.
        """
        calls, seen = (), []
        for scope in self._scopes_at(position):
            if scope is call:
                break
            if scope.name and not scope.symbol:
                calls += ((scope.name, scope.begin),)
                seen = []
            seen += scope.variables
        return calls, seen

    def _slots(self, code, position, file, line, call):
        calls, seen = self._visible(position, call)
        slots, names = [], {variable.name for variable in seen}
        for variable in seen:
            since, writes = self._since(variable)
            for location in dict.fromkeys(location for _, _, location in variable.places):
                placed = self._place(code, location, variable.type)
                if placed is not None:
                    place = str(location) if since == "placed" else ""
                    memory = self.memory.get(location.symbol)
                    is_shared = memory is not None and memory.space == "shared"
                    slots.append(
                        Slot(variable.name, *placed, variable.line, variable.file, since, writes, place, is_shared)
                    )
        for name, of, memory, declaration in self._outliving_at(file, line):
            if name not in names and memory.size <= MOST_BYTES:
                at, size = code.memory(memory.space, memory.symbol, 0, memory.size, memory.alignment)
                slots.append(Slot(name, of, at, size, declaration.line, self.own_file, "declared", is_shared=True))
        for variable in self.program.information.globals:
            location = variable.places[0][2] if variable.places else Location()
            memory = self.memory.get(location.symbol)
            if memory is None or memory.space != "shared" or variable.name in names:
                continue
            of, size = variable.type, memory.size
            if size == 0:
                if of.target is None or self.shared_bytes < of.target.dtype.itemsize:
                    continue
                size = self.shared_bytes // of.target.dtype.itemsize * of.target.dtype.itemsize
                of = type_of_bytes(of.target, (), size)
            if size > MOST_BYTES:
                continue
            at, size = code.memory("shared", memory.symbol, 0, size, memory.alignment)
            slots.append(Slot(variable.name, of, at, size, is_shared=True))
        return calls, slots

    def _outliving_at(self, file, line):
        """Of those variables what a line of the source names: of several that are called alike the innermost."""
        known = [one for one in self.outliving if file != self.own_file or one[3].line <= line <= one[3].last_line]
        return {one[0]: one for one in known}.values()

    def _since(self, variable):
        """From where on a variable has a value, and what is written then (see `Slot`)."""
        if any(begin for begin, _, _ in variable.places):
            return "placed", frozenset()
        if variable.is_parameter:
            return "always", frozenset()
        location = variable.places[0][2]
        if location.register:
            return "written", frozenset({location.register})
        end = location.offset + variable.type.dtype.itemsize
        stores = {f"%SP+{offset}" for offset in range(location.offset, end)} & self.stores
        if stores and location.symbol.startswith("__local_depot"):
            return "written", frozenset(stores)
        return "set" if (variable.file, variable.line) in self.lines_with_code else "declared", frozenset()

    def _place(self, code, location, of):
        """Record a variable: its type, offset and size in the record; None where its place is not one that can be."""
        if location.register:
            kind = self._kind(location.register)
            return None if kind is None else (of, *code.register(location.register, kind))
        memory = self.memory.get(location.symbol)
        if memory is None:
            return None
        size = of.dtype.itemsize
        if not 0 < size <= min(MOST_BYTES, memory.size - location.offset):
            return None
        return (of, *code.memory(memory.space, memory.symbol, location.offset, size, memory.alignment))

    # --- the code ---

    def _site(self, kind, position, **more):
        site = Site(len(self.program.sites), kind, self.symbol, position, **more)
        if kind in ("enter", "line", "leave"):
            self.latest = site
        self.program.sites.append(site)
        return site, RecordCode(site.number)

    def _record_line(self, position, file, line, call=None, kind="line"):
        site, code = self._site(kind, position, file=file, line=line)
        site.calls, site.slots = self._slots(code, position, file, line, call)
        of = self.scope.returns if self.scope is not None else None
        if kind == "leave" and of is not None and self._kind(self.result):
            site.result = Slot("", of, *code.register(self.result, self._kind(self.result)))
        return self._finish(site, code)

    @staticmethod
    def _finish(site, code, guard=""):
        site.bytes = code.size
        return code.text(guard).rstrip("\n")

    def _enter(self, position):
        site, code = self._site("enter", position)
        for memory in self.memory.values():
            is_own = memory not in self.program.variables
            if memory.space != "param" and (is_own or self.is_entry):
                at, size = code.address(memory.space, memory.symbol)
                size_now = memory.size or (self.shared_bytes if memory.space == "shared" else 0)
                site.slots.append(Slot(memory.symbol, Type(("u1", (max(size_now, 1),))), at, size))
        return self._finish(site, code)

    def lines(self):
        """The function with the code that records."""
        result = list(self.header)
        is_started, depth, is_call, pending, is_passing, moved = False, 0, False, None, False, []
        file = line = 0
        shown_line = shown_call = None
        has_shown = any(number in self.shown for number, _ in self.lines_with_code)
        for position, text in enumerate(self.body):
            word = text.strip()
            place = _LOC.match(word)
            opens = word.startswith("{")
            if place:
                file, line, column = (int(part) for part in place.groups())
                # Not the line of the function's own head, and no line of no source.
                is_line = file in self.shown and line != 0 and (is_started or column != 0)
                call = None if file in self.shown else self._call_at(position)
                if is_line:
                    pending, is_passing = (file, line), False
                    shown_line, shown_call = (file, line), None
                elif call and (pending == call.call or (call is not shown_call and call.call != shown_line)):
                    pending, is_passing = (*call.call, call), False
                    shown_line, shown_call = call.call, call
                elif pending is not None and self.latest is None:
                    pending, is_passing = (0, 0), True
                else:
                    pending = None
            elif label := _LABEL.match(word):
                if self.latest is not None:
                    self.latest.places += self.moves.get(label[1], ())
                else:
                    moved += self.moves.get(label[1], ())
                if not label[1].startswith(("$L__tmp", "$L__func")):
                    self.latest = None  # the code is come to from elsewhere
                    if is_started and has_shown:
                        is_shown = file in self.shown and line != 0
                        pending = (file, line) if is_shown else (0, 0)
                        is_passing = not is_shown or self._is_passing(position)
            elif opens or (word and word[0] != "}" and not word.startswith(_DIRECTIVES)):
                if not is_started:
                    result.append(prologue().rstrip("\n"))
                    if has_shown:
                        result.append(self._enter(position))
                        self.latest.places += moved
                    is_started = True
                # Nothing may stand between what prepares a call and the call.
                if pending and depth == 0:
                    result.append(self._record_line(position, *pending))
                    self.latest.is_passing = is_passing
                    pending = None
                if depth == 0 and not opens:
                    result += self._instruction(position, word, text, has_shown, file, line)
                    continue
            result.append(text)
            if is_started:
                is_call = is_call or (depth == 0 and "callseq" in word)
                before, code = depth, word.split("//")[0]
                depth += code.count("{") - code.count("}")
                if self.latest is not None:
                    self.latest.writes.update(written_by(word))
                if before > 0 and depth == 0:
                    if is_call and file in self.shown and line != 0:
                        result.append(self._record_line(position + 1, file, line))
                    is_call = False
        return result

    def _is_passing(self, position):
        """Whether the code behind a label only moves registers and leaves, up to the next line or label."""
        for line in self.body[position + 1 :]:
            word = line.strip()
            if not word or word.startswith(("$L__tmp", "//", "mov.", "st.param")):
                continue
            return word.startswith((".loc", "$L__", "ret;", "bra", "}"))
        return True

    def _instruction(self, position, word, text, is_shown, file, line):
        """An instruction outside of calls, with what is recorded before and after it."""
        guarded = _GUARD.match(word)
        guard = f"{guarded[1]}{guarded[2]}" if guarded else ""
        bare = guarded[3] if guarded else word
        if self.latest is not None:
            self.latest.writes.update(written_by(bare))
        if bare.startswith("bra") and not guard:
            self.latest = None
        if bare.startswith("st.param") and (stored := _RESULT.search(bare)):
            self.result = stored[1]
        if bare in ("ret;", "exit;") and is_shown and not guard:
            return [self._record_line(position, file, line, kind="leave"), text]
        if name := operation_of(bare):
            site, code = self._site("operation", position, file=file, line=line, text=name)
            return [self._finish(site, code, guard), text]
        access = access_of(bare)
        if access is None or access.base in ("%SP", "%SPL"):
            return [text]
        before, after = self._record_access(position, access, bare, guard, file, line)
        return [*before, text, after]

    def _record_access(self, position, access, bare, guard, file, line):
        site, code = self._site("access", position, file=file, line=line, text=bare.split()[0])
        site.operation, site.element, site.count = access.operation, access.element, len(access.registers)
        kind = self._kind(access.base)
        before = []
        if kind and kind.endswith("32"):
            before.append(f"\tcvt.u64.u32 \t%pst_d, {access.base};")
        else:
            before.append(f"\tmov.u64 \t%pst_d, {access.base};")
        if access.offset != "0":
            before.append(f"\tadd.s64 \t%pst_d, %pst_d, {access.offset};")
        if access.space:
            before.append(f"\tcvta.{access.space.partition('::')[0]}.u64 \t%pst_d, %pst_d;")
        code.add(f"st.global.b64 \t[%pst_at+{code._room(8)}], %pst_d;")
        for register in access.registers:
            kind = self._kind(register)
            if kind:
                at, size = code.register(register, kind)
            elif register[:1].isdigit() or register.startswith("-"):
                at, size = code.immediate(register, access.width)
            else:
                at, size = 0, 0
            site.slots.append(Slot(register, Type(dtype_of(access.element)), at, size))
        return before, self._finish(site, code, guard)


def _all_variables(scope):
    if scope is None:
        return
    yield from scope.variables
    for inner in scope.scopes:
        yield from _all_variables(inner)
