# SPDX-License-Identifier: MIT
"""The page of a `Report`: HTML with its own style, without scripts, that needs no other file."""

import linecache
from collections import defaultdict
from html import escape

from pycuda import _report_costs
from pycuda._checks import KernelFault
from pycuda._cxx_names import readable_name
from pycuda._errors import CONTEXT_IS_LOST
from pycuda._report_pictures import picture_of

#: Lines of a file that are shown around those that were executed.
_AROUND = 3

_STYLE = """
:root { color-scheme: light dark; --text: #1c2430; --soft: #5a6676; --back: #ffffff; --card: #f3f5f8; --rule: #d5dbe3;
  --heat: #e8590c; --good: #2b8a3e; --bad: #c92a2a; --lane: #4263eb; --note: #fff3bf; --fault: #ffe3e3; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e8ee; --soft: #a9b5c4; --back: #14181e; --card: #1e242c;
  --rule: #37414d; --heat: #ff922b; --good: #51cf66; --bad: #ff8787; --lane: #91a7ff; --note: #4a3c00;
  --fault: #5c1f1f; } }
* { box-sizing: border-box; }
html { font-size: clamp(16px, 1.05vw, 26px); }
body { margin: 0 auto; padding: .6rem 1rem; max-width: 80rem; background: var(--back); color: var(--text);
  font: 1rem/1.45 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0; } h2 { font-size: 1.1rem; margin: .9rem 0 .3rem; }
h3 { font-size: .95rem; font-weight: 600; margin: .3rem 0; }
h1, h3, .finding, .fault, li { overflow-wrap: anywhere; }
section { margin-top: .8rem; }
section + section { margin-top: 2.5rem; border-top: 2px solid var(--rule); padding-top: 1rem; }
code, .source, .mono { font-family: ui-monospace, "DejaVu Sans Mono", monospace; }
.soft { color: var(--soft); } a { color: inherit; } p.soft { margin: .1rem 0 .4rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(11.5rem, 1fr)); gap: .5rem; margin: .5rem 0; }
.tile { background: var(--card); border-radius: 6px; padding: .3rem .7rem; font-size: .9rem; line-height: 1.3; }
.tile b { display: block; font-size: 1.25rem; }
.bad { color: var(--bad); } .good { color: var(--good); }
p { margin: .3rem 0; }
ol.advice { padding-left: 1.3rem; margin: .2rem 0; } ol.advice li { margin: .35rem 0; }
.source { font-size: .85rem; border: 1px solid var(--rule); border-radius: 6px; overflow-x: auto; padding: .2rem 0; }
.line { display: grid; grid-template-columns: 3em 6em minmax(0, max-content) auto; align-items: center; gap: .6em;
  padding: 0 .6em; min-height: 1.5em; }
.line:hover { background: var(--card); }
.line .number { text-align: right; color: var(--soft); }
.line .text { white-space: pre-wrap; overflow-wrap: anywhere; }
.line .badges { padding-left: 1em; white-space: nowrap; }
.bar { height: .8em; background: var(--card); border-radius: 3px; }
.bar i { display: block; height: 100%; background: var(--heat); border-radius: 3px; }
.badge { display: inline-block; background: var(--card); border-radius: 3px; padding: 0 .4em; margin-right: .4em; }
.finding, .fault { background: var(--note); padding: .25em .8em; border-radius: 4px; white-space: pre-wrap; }
.fault { background: var(--fault); }
.finding { margin: .4rem 0; } .source .finding, .source .fault { margin: .2em .6em .2em 10.8em; }
.top { white-space: normal; padding: .5rem .8rem; margin: .5rem 0; }
details { margin: 0 .6em .2em 10.8em; } summary { cursor: pointer; color: var(--soft); }
details p { margin: .3em 0 0; }
svg.access { display: block; width: 100%; max-width: 44rem; font: 11px system-ui, sans-serif; }
svg.access text { fill: var(--text); }
svg.access .says { font-size: 13px; }
.lane { fill: color-mix(in srgb, var(--lane) 35%, var(--back)); } .idle { fill: var(--card); }
.full { fill: color-mix(in srgb, var(--good) 40%, var(--back)); }
.part { fill: color-mix(in srgb, var(--heat) 45%, var(--back)); }
rect.clashing { fill: color-mix(in srgb, var(--bad) 50%, var(--back)); }
.way { stroke: var(--soft); stroke-width: .8; } .clash { stroke: var(--bad); stroke-width: .8; }
@media (max-width: 56rem) { .line { grid-template-columns: 2.4em 2.6em minmax(0, 1fr); column-gap: .4em; row-gap: 0; }
  .line .badges { grid-column: 3; padding-left: 0; } .line .badges:empty { display: none; }
  details, .source .finding, .source .fault { margin-left: 1em; } }
@media print { details { display: block; } }
"""

_LIMITS = {"regs": "registers", "smem": "shared memory", "device": "blocks", "warps": "warps"}
#: Findings that are shown above the numbers; all are at their lines.
_MOST_ABOVE = 3


def _tile(value, text, style=""):
    return f'<div class="tile"><b class="{style}">{escape(value)}</b>{escape(text)}</div>'


def _grouped(number):
    return f"{number:,}".replace(",", "\u202f")


def _against(actual, ideal, what):
    style = "bad" if actual > ideal else "good"
    return _tile(_grouped(actual), f"{what}; {_grouped(ideal)} would do", style) if actual else ""


def _tiles(kernel, occupancy):
    parts = [
        _against(kernel.global_sectors, kernel.global_sectors_ideal, "sectors of global memory"),
        _against(kernel.shared_wavefronts, kernel.shared_wavefronts_ideal, "wavefronts of shared memory"),
    ]
    if kernel.branches:
        both = f"{_grouped(kernel.divergent_branches)} of {_grouped(kernel.branches)}"
        parts.append(_tile(both, "branches of warps diverge"))
    if kernel.instructions:
        parts.append(_tile(f"{kernel.active_threads:.1f} of 32", "threads active in a warp's instruction"))
    if occupancy is not None:
        blocks = f"{occupancy.tb_per_mp} block{'' if occupancy.tb_per_mp == 1 else 's'}"
        parts.append(
            _tile(
                f"{occupancy.occupancy:.0%}",
                f"occupancy: {blocks} per multiprocessor, limited by {_LIMITS[occupancy.limited_by]}",
            )
        )
    return f'<div class="tiles">{"".join(parts)}</div>'


def _advice(report, kernel, faults, findings):
    if faults:
        return "<p>Fix the fault first: the counts end there.</p>"
    first = "<p>Fix what the checks found first: it may change what follows.</p>" if findings else ""
    changes = report.advice(kernel)
    if not changes:
        return f"{first}<p>Nothing that the counters show would make it much faster.</p>"
    whole = _report_costs.cycles_of(kernel)
    sources = {line.place: line.source for line in kernel.lines}
    # Of one access, so that all else is on the same screen.
    shown = next((one for one in changes if one.access is not None), None)
    rows = []
    for one in changes:
        where, below = (f" <code>{escape(one.place)}</code>", "<br>") if one.place else ("", " ")
        share = min(one.saved / whole, 1) if whole else 0
        picture = _picture(one.access) if one is shown else ""
        rows.append(
            f"<li><b>{escape(one.title)}</b>{where} <span class='soft'>(about {share:.0%} of the time by the model)"
            f"</span>{_quoted(sources.get(one.place, ''))}{below}{escape(one.text)}{picture}</li>"
        )
    return f'{first}<ol class="advice">{"".join(rows)}</ol>'


def _badge(text, style=""):
    return f'<span class="badge {style}">{escape(text)}</span>'


def _badges(line):
    parts = []
    for actual, ideal, what in (
        (line.global_sectors, line.global_sectors_ideal, "sectors"),
        (line.shared_wavefronts, line.shared_wavefronts_ideal, "wavefronts"),
    ):
        if actual:
            parts.append(_badge(f"{_grouped(actual)} {what} ({_grouped(ideal)})", "bad" if actual > ideal else "good"))
    if line.divergent_branches:
        both = f"{_grouped(line.divergent_branches)} of {_grouped(line.branches)}"
        parts.append(_badge(f"{both} branches diverge", "bad"))
    return "".join(parts)


def _picture(access):
    if not (picture := picture_of(access)):
        return ""
    below = "banks" if access.space == "shared" else "sectors"
    at = f"in block {access.sample.block}, warp {access.sample.warp}: lanes above, {below} below"
    return f'<p class="soft"><code>{escape(access.instruction)}</code> {at}</p>{picture}'


def _pictures(line):
    parts = []
    for access in line.accesses:
        if picture := _picture(access):
            unit = "wavefronts" if access.space == "shared" else "sectors"
            each = access.parts / access.requests
            parts.append(f"<p>{_grouped(access.requests)} requests, {each:.1f} {unit} each.</p>{picture}")
    if not parts:
        return ""
    return f"<details><summary>which lane touches what</summary>{''.join(parts)}</details>"


def _row(number, share, text, badges):
    """A line with a bar; none if `share` is None."""
    bar = "<div></div>" if share is None else f'<div class="bar"><i style="width:{100 * share:.1f}%"></i></div>'
    return (
        f'<div class="line"><span class="number">{number}</span>{bar}<span class="text">{text}</span>'
        f'<span class="badges">{badges}</span></div>'
    )


def _line(number, text, line, most):
    if line is None:
        return _row(number, None, escape(text.rstrip()), "")
    share = _report_costs.cycles_of(line) / most if most else 0
    return _row(number or "", share, escape(text.rstrip()), _badges(line))


def _at(place):
    """Which thread did what, as text."""
    where = [f"{name} {at}" for name, at in (("block", place.block), ("thread", place.thread)) if at is not None]
    text = ", ".join(where)
    return f"{text}: {place.access}" if text and place.access else text or place.access


def _note(note):
    """A finding or fault at its line, as text: what is wrong, and who did what; of another line that line."""
    if isinstance(note, KernelFault):
        return f"fault: {note.message}\n{_at(note)}"
    text = f"{note.check}: {note.message}\n{_at(note)}"
    other = note.other
    if other is None:
        return text
    is_here = _is_in_line_of(other, note)
    text += f"\nthe other: {'' if is_here or not other.place else other.place + ', '}{_at(other)}"
    return text if is_here or not other.source else f"{text}\n    {other.source}"


def _notes(notes):
    styles = ("fault" if isinstance(note, KernelFault) else "finding" for note in notes)
    return "".join(f'<div class="{style}">{escape(_note(note))}</div>' for style, note in zip(styles, notes))


def _what_is_wrong(report, faults, findings):
    """What is wrong, before what is slow."""
    parts = []
    for fault in faults:
        lost = f" {CONTEXT_IS_LOST}" if report.error is not None else ""
        parts.append(
            f'<div class="fault top"><b>A fault ended the kernel</b> <code>{escape(fault.place)}</code><br>'
            f"{escape(fault.message)}; {escape(_at(fault))}{_quoted(fault.source)}<br>"
            f"<span class='soft'>The numbers below are what was counted until then.{lost}</span></div>"
        )
    for finding in findings[:_MOST_ABOVE]:
        parts.append(
            f'<div class="finding top"><b>{escape(finding.check)}</b> <code>{escape(finding.place)}</code>'
            f"{_quoted(finding.source)}<br>{escape(finding.message)}<br>{escape(_at(finding))}"
            f"{_other_side(finding)}{_what_to_do(finding)}</div>"
        )
    if len(findings) > _MOST_ABOVE:
        more = len(findings) - _MOST_ABOVE
        parts.append(f"<p class='soft'>The checks found {more} more, which are at their lines.</p>")
    return "".join(parts)


def _what_to_do(finding):
    return f"<br><b>What to do</b>: {escape(finding.remedy)}." if finding.remedy else ""


def _is_in_line_of(other, finding):
    return (other.place, other.line) == (finding.place, finding.line)


def _other_side(finding):
    other = finding.other
    if other is None:
        return ""
    if _is_in_line_of(other, finding):
        return f"<br>the other, in the same line: {escape(_at(other))}"
    return f"<br>the other: {escape(_at(other))} <code>{escape(other.place)}</code>{_quoted(other.source)}"


def _quoted(source):
    return f"<br><span class='mono'>&nbsp;&nbsp;{escape(source)}</span>" if source else ""


def _shown(executed, found):
    """The numbers of the lines of a file that are shown."""
    numbers = sorted(executed | found)
    near = {number + step for number in numbers for step in range(-_AROUND, _AROUND + 1)}
    return sorted(number for number in near if number > 0)


def _text_of(file, kernel, texts):
    """The lines of a file by their numbers, as far as they are known."""
    lines = dict(kernel._sources.get(file, {}))
    lines.update(enumerate(texts.get(file) or (linecache.getlines(file) if file else []), 1))
    return lines


def _has_source(kernel, texts):
    """Whether there is the text of a line."""
    return any(line.source or _text_of(line.file, kernel, texts) for line in kernel.lines)


def _source(kernel, notes, texts):
    if not notes and not _has_source(kernel, texts):
        return (
            "<p>The kernel's source is not known: it is not part of the program, or its code has no line numbers.</p>"
        )
    files = defaultdict(dict)
    for line in kernel.lines:
        files[line.file][line.line] = line
    noted = defaultdict(lambda: defaultdict(list))
    for note in notes:
        file, number = note._counted_at
        noted[file][number].append(note)
    most = max((_report_costs.cycles_of(line) for line in kernel.lines), default=0)
    parts = []
    for file in sorted({*files, *noted}):
        lines, own_notes = files.get(file, {}), noted.get(file, {})
        text = _text_of(file, kernel, texts)
        numbers = _shown({*lines} - {0}, {*own_notes} - {0}) if text else sorted({*lines, *own_notes})
        rows = []
        before = None
        for number in numbers:
            if text and number not in text and number not in lines:
                continue
            if before is not None and number != before + 1:
                rows.append('<div class="line soft"><span></span><span></span><span>\u22ef</span></div>')
            before = number
            line = lines.get(number)
            words = text.get(number) or (line.source if line is not None else "")
            if not words.strip() and number not in text:
                words = "(not known to the compiler)"
            rows.append(_line(number, words, line, most))
            rows.append(_pictures(line) if line is not None else "")
            rows.append(_notes(own_notes.get(number, ())))
        parts.append(f'<h3 class="soft">{escape(file) or "lines that are not known"}</h3>')
        parts.append(f'<div class="source">{"".join(rows)}</div>')
    return "".join(parts)


def _notes_of(report, kernel):
    """The faults and the findings of a kernel."""
    faults = [one for one in report.faults if one.kernel == kernel.kernel]
    return faults, [one for one in report._other_findings() if one.kernel == kernel.kernel]


def _in_order(report):
    """Kernels with faults, with findings, with sources, without: of each those first that cost the most."""

    def rank(kernel):
        faults, findings = _notes_of(report, kernel)
        kind = 0 if faults else 1 if findings else 2 if _has_source(kernel, report._texts) else 3
        return kind, -_report_costs.cycles_of(kernel)

    return sorted(report.kernels, key=rank)


def _contents(report, kernels):
    """A line for each kernel, if there are several."""
    if len(kernels) < 2:
        return ""
    whole = sum(map(_report_costs.cycles_of, kernels)) or 1
    rows = []
    for number, kernel in enumerate(kernels):
        counts = zip(("fault", "finding"), map(len, _notes_of(report, kernel)))
        marks = (f"{count} {what}{'' if count == 1 else 's'}" for what, count in counts if count)
        share = _report_costs.cycles_of(kernel) / whole
        link = f'<a href="#kernel-{number}">{escape(readable_name(kernel.kernel))}</a>'
        rows.append(_row(f"{share:.0%}", share, link, "".join(_badge(mark, "bad") for mark in marks)))
    return f'<h2>Kernels, and their shares of the time by the model</h2><div class="source">{"".join(rows)}</div>'


def _kernel(report, kernel, number):
    occupancy = report.occupancy(kernel)
    faults, findings = _notes_of(report, kernel)
    # A deadlock is in no line of its own.
    notes = [*(fault for fault in faults if fault.line), *findings]
    launch = (
        f"{kernel.launches} launch{'es' if kernel.launches != 1 else ''}; the latest: grid {kernel.grid}, block "
        f"{kernel.block}, {kernel.registers} registers per thread (an estimate), {_grouped(kernel.shared)} bytes of "
        "shared memory per block"
    )
    return (
        f'<section id="kernel-{number}"><h1><code>'
        f"{escape(readable_name(kernel.kernel))}</code></h1><p class='soft'>{escape(launch)}</p>"
        f"{_what_is_wrong(report, faults, findings)}{_tiles(kernel, occupancy)}"
        f"<h2>What would help most</h2>{_advice(report, kernel, faults, findings)}"
        f"<h2>The source, line by line</h2>{_source(kernel, notes, report._texts)}</section>"
    )


def page_of(report):
    """The page as text.

    Parameters
    ----------
    report : Report
    """
    if not report.checks:
        checked = "No checks were made."
    elif report.findings:
        checked = f"Checks made: {report.checks}; what they found stands at its line."
    else:
        checked = f"Checks made: {report.checks}; they found nothing."
    notes = (
        "Sectors, wavefronts and branches are counted on the CPU driver, as a GPU's warps would execute the PTX. The "
        "bars and percentages are a model: cycles of a multiprocessor of an H100 if nothing is cached and nothing "
        f"overlaps. {checked}"
    )
    title = ", ".join(readable_name(kernel.kernel) for kernel in report.kernels) or "no kernels"
    kernels = _in_order(report)
    sections = "".join(_kernel(report, kernel, number) for number, kernel in enumerate(kernels))
    said = [*([report._unchecked] if report._unchecked else []), *report.notes]
    above = "".join(f'<div class="finding top">{escape(one[0].upper() + one[1:])}.</div>' for one in said)
    body = above + _contents(report, kernels) + (sections or "<p>No kernel was launched.</p>")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Report: {escape(title)}</title><style>{_STYLE}</style></head><body>{body}"
        f'<p class="soft">{escape(notes)}</p></body></html>\n'
    )
