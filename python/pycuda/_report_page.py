# SPDX-License-Identifier: MIT
"""The page of a `Report`: HTML with its own style, without scripts, that needs no other file."""

import linecache
from collections import defaultdict
from html import escape

from pycuda import _report_costs
from pycuda._cxx_names import readable_name
from pycuda._report_pictures import picture_of

#: Lines of a file that are shown around those that were executed.
_AROUND = 3

_STYLE = """
:root { color-scheme: light dark; --text: #1c2430; --soft: #5a6676; --back: #ffffff; --card: #f3f5f8; --rule: #d5dbe3;
  --heat: #e8590c; --good: #2b8a3e; --bad: #c92a2a; --lane: #4263eb; --note: #fff3bf; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e8ee; --soft: #9aa7b7; --back: #14181e; --card: #1e242c;
  --rule: #37414d; --heat: #ff922b; --good: #51cf66; --bad: #ff6b6b; --lane: #91a7ff; --note: #4a3c00; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 76rem; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .2rem; } h2 { font-size: 1.15rem; margin: 1.6rem 0 .5rem; }
h1, h3 { overflow-wrap: anywhere; }
code, .source { font-family: ui-monospace, monospace; }
.soft { color: var(--soft); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .6rem; margin: .8rem 0; }
.tile { background: var(--card); border-radius: 6px; padding: .5rem .8rem; }
.tile b { display: block; font-size: 1.25rem; }
ol.advice { padding-left: 1.3rem; } ol.advice li { margin: .5rem 0; }
.source { font-size: .85rem; border: 1px solid var(--rule); border-radius: 6px; overflow-x: auto; }
.line { display: grid; grid-template-columns: 3.5em 7em minmax(20em, 1fr) auto; align-items: center; gap: .6em;
  padding: 0 .6em; min-height: 1.6em; }
.line:hover { background: var(--card); }
.line .number { text-align: right; color: var(--soft); }
.line .text { white-space: pre; }
.bar { height: .8em; background: var(--card); border-radius: 3px; }
.bar i { display: block; height: 100%; background: var(--heat); border-radius: 3px; }
.badge { display: inline-block; background: var(--card); border-radius: 3px; padding: 0 .4em; margin-left: .4em; }
.badge.bad { color: var(--bad); } .badge.good { color: var(--good); }
.finding { background: var(--note); padding: .3em .8em; margin: .2em 0 .2em 4em; border-radius: 4px;
  white-space: pre-wrap; }
details { margin: 0 .6em .3em 4.1em; } summary { cursor: pointer; color: var(--soft); }
svg.access { display: block; width: 100%; max-width: 52rem; font: 10px system-ui, sans-serif; }
svg.access text { fill: var(--text); }
.lane { fill: color-mix(in srgb, var(--lane) 35%, var(--back)); } .idle { fill: var(--card); }
.full { fill: color-mix(in srgb, var(--good) 40%, var(--back)); }
.part { fill: color-mix(in srgb, var(--heat) 45%, var(--back)); }
.bad rect, rect.bad { fill: color-mix(in srgb, var(--bad) 50%, var(--back)); }
.way { stroke: var(--soft); stroke-width: .8; } .clash { stroke: var(--bad); stroke-width: .8; }
@media (max-width: 46rem) { .line { grid-template-columns: 2.6em 3em minmax(14em, 1fr); }
  .line .badges { grid-column: 3; } details, .finding { margin-left: .6em; } }
@media print { details { display: block; } }
"""

_LIMITS = {
    "regs": "registers",
    "smem": "shared memory",
    "device": "the number of blocks a multiprocessor holds",
    "warps": "the number of warps a multiprocessor holds",
}


def _tile(value, text):
    return f'<div class="tile"><b>{escape(value)}</b>{escape(text)}</div>'


def _grouped(number):
    return f"{number:,}".replace(",", "\u2009")


def _tiles(kernel, occupancy):
    parts = []
    if kernel.global_sectors:
        parts.append(
            _tile(
                _grouped(kernel.global_sectors),
                f"sectors of global memory; {_grouped(kernel.global_sectors_ideal)} would do",
            )
        )
    if kernel.shared_wavefronts:
        parts.append(
            _tile(
                _grouped(kernel.shared_wavefronts),
                f"wavefronts of shared memory; {_grouped(kernel.shared_wavefronts_ideal)} would do",
            )
        )
    if kernel.branches:
        parts.append(
            _tile(
                f"{_grouped(kernel.divergent_branches)} of {_grouped(kernel.branches)}",
                "branches at which a warp's threads part",
            )
        )
    parts.append(_tile(f"{kernel.active_threads:.1f} of 32", "threads active in a warp's instruction"))
    if occupancy is not None:
        parts.append(
            _tile(
                f"{occupancy.occupancy:.0%}",
                f"occupancy: {occupancy.tb_per_mp} blocks per multiprocessor, limited by "
                f"{_LIMITS[occupancy.limited_by]}",
            )
        )
    return f'<div class="tiles">{"".join(parts)}</div>'


def _advice(report, kernel):
    changes = report.advice(kernel)
    if not changes:
        return "<p>Nothing that the counters show would make it much faster.</p>"
    whole = _report_costs.cycles_of(kernel)
    rows = []
    for one in changes:
        where = f" <code>{escape(one.place)}</code>" if one.place else ""
        share = min(one.saved / whole, 1) if whole else 0
        rows.append(
            f"<li><b>{escape(one.title)}</b>{where} <span class='soft'>(about {share:.0%} of the time by the model)"
            f"</span><br>{escape(one.text)}</li>"
        )
    return f'<ol class="advice">{"".join(rows)}</ol>'


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


def _pictures(line):
    parts = []
    for access in line.accesses:
        if picture := picture_of(access):
            unit = "wavefronts" if access.space == "shared" else "sectors"
            each = access.parts / access.requests
            parts.append(
                f"<p><code>{escape(access.instruction)}</code>: {_grouped(access.requests)} requests, "
                f"{each:.1f} {unit} each. Of block {access.sample.block}, warp {access.sample.warp}:</p>{picture}"
            )
    if not parts:
        return ""
    return f"<details><summary>which lane touches what</summary>{''.join(parts)}</details>"


def _line(number, text, line, most):
    share = _report_costs.cycles_of(line) / most if line is not None and most else 0
    bar = f'<div class="bar"><i style="width:{100 * share:.1f}%"></i></div>' if line is not None else "<div></div>"
    badges = _badges(line) if line is not None else ""
    return (
        f'<div class="line"><span class="number">{number or ""}</span>{bar}'
        f'<span class="text">{escape(text.rstrip())}</span><span class="badges">{badges}</span></div>'
    )


def _findings(findings):
    return "".join(f'<div class="finding">{escape(str(finding))}</div>' for finding in findings)


def _shown(executed, found):
    """The numbers of the lines of a file that are shown."""
    numbers = sorted(executed | found)
    near = {number + step for number in numbers for step in range(-_AROUND, _AROUND + 1)}
    return sorted(number for number in near if number > 0)


def _source(kernel, findings, texts):
    files = defaultdict(dict)
    for line in kernel.lines:
        files[line.file][line.line] = line
    noted = defaultdict(lambda: defaultdict(list))
    for finding in findings:
        file, number = finding._counted_at
        noted[file][number].append(finding)
    most = max((_report_costs.cycles_of(line) for line in kernel.lines), default=0)
    parts = []
    for file in sorted({*files, *noted}):
        lines, notes = files.get(file, {}), noted.get(file, {})
        text = texts.get(file) or (linecache.getlines(file) if file else [])
        numbers = _shown({*lines} - {0}, {*notes} - {0}) if text else sorted({*lines, *notes})
        rows = []
        before = None
        for number in numbers:
            if text and number > len(text):
                break
            if before is not None and number != before + 1 and text:
                rows.append('<div class="line soft"><span></span><span></span><span>\u22ef</span></div>')
            before = number
            line = lines.get(number)
            words = text[number - 1] if text and number else line.source if line is not None else ""
            rows.append(_line(number, words or "(not known to the compiler)", line, most))
            rows.append(_pictures(line) if line is not None else "")
            rows.append(_findings(notes.get(number, ())))
        parts.append(f'<h3 class="soft">{escape(file) or "lines that are not known"}</h3>')
        parts.append(f'<div class="source">{"".join(rows)}</div>')
    return "".join(parts)


def _kernel(report, kernel):
    occupancy = report.occupancy(kernel)
    findings = [one for one in report.findings if one.kernel == kernel.kernel]
    launch = (
        f"{kernel.launches} launch{'es' if kernel.launches != 1 else ''}; the latest: grid {kernel.grid}, block "
        f"{kernel.block}, {kernel.registers} registers per thread (an estimate), {_grouped(kernel.shared)} bytes of "
        "shared memory per block"
    )
    return (
        f"<section><h1><code>{escape(readable_name(kernel.kernel))}</code></h1><p class='soft'>{escape(launch)}</p>"
        f"{_tiles(kernel, occupancy)}<h2>What would help most</h2>{_advice(report, kernel)}"
        f"<h2>The source, line by line</h2>{_source(kernel, findings, report._texts)}</section>"
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
    body = "".join(_kernel(report, kernel) for kernel in report.kernels) or "<p>No kernel was launched.</p>"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Report: {escape(title)}</title><style>{_STYLE}</style></head><body>{body}"
        f'<p class="soft">{escape(notes)}</p></body></html>\n'
    )
