# SPDX-License-Identifier: MIT
"""Pictures of accesses: which lane of a warp touches which sector or bank, as SVG."""

from collections import Counter, defaultdict

_WIDTH, _STEP, _HEIGHT = 680, 21, 150
_TOP, _BOTTOM = 26, 96
_WARP, _BANKS, _SECTOR, _WORD = 32, 32, 32, 4


def _box(x, y, width, text, style):
    return (
        f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="18" rx="2" class="{style}"/>'
        f'<text x="{x + width / 2:.1f}" y="{y + 13}" text-anchor="middle">{text}</text>'
    )


def _lane_center(lane):
    return 4 + _STEP * lane + _STEP / 2


def _lanes(sample):
    active = set(sample.lanes)
    return "".join(
        _box(4 + _STEP * lane, _TOP - 18, _STEP - 2, lane, "lane" if lane in active else "idle")
        for lane in range(_WARP)
    )


def _svg(parts, description):
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{description}" class="access">'
        f"<title>{description}</title>{''.join(parts)}</svg>"
    )


def _says(text):
    return f'<text x="4" y="{_HEIGHT - 10}" class="says">{text}</text>'


def _line(lane, x, style):
    return f'<line x1="{_lane_center(lane):.1f}" y1="{_TOP + 1}" x2="{x:.1f}" y2="{_BOTTOM - 1}" class="{style}"/>'


def _picture_of_sectors(access):
    sample = access.sample
    touched, places = defaultdict(list), defaultdict(set)
    turns = Counter(sample.addresses)
    is_atomic = access.op in ("atomic", "reduction")
    for lane, address in zip(sample.lanes, sample.addresses):
        for place in range(address, address + access.bytes):
            places[place // _SECTOR].add(place)
        for sector in range(address // _SECTOR, (address + access.bytes - 1) // _SECTOR + 1):
            touched[sector].append((lane, "clash" if is_atomic and turns[address] > 1 else "way"))
    sectors = sorted(touched)
    step = min(60, (_WIDTH - 8) / max(len(sectors), 1))
    parts = [_lanes(sample)]
    base = sectors[0] * _SECTOR
    for i, sector in enumerate(sectors):
        x = 4 + step * i
        used = len(places[sector])
        parts += [_line(lane, x + step / 2, style) for lane, style in touched[sector]]
        parts.append(_box(x, _BOTTOM, step - 2, "" if step < 18 else f"{used}", "full" if used == _SECTOR else "part"))
    span = sectors[-1] * _SECTOR + _SECTOR - base
    plural = "" if len(sectors) == 1 else "s"
    description = f"{len(sample.lanes)} lanes touch {len(sectors)} sector{plural} of 32 bytes within {span} bytes"
    more = "; in the boxes: bytes used of each"
    if is_atomic and max(turns.values()) > 1:
        more = f"; up to {max(turns.values())} lanes update one address, in turns"
    return _svg([*parts, _says(description + more)], description)


def _picture_of_banks(access):
    sample = access.sample
    words = defaultdict(set)
    parts = [_lanes(sample)]
    ways = []
    for lane, address in zip(sample.lanes, sample.addresses):
        for word in range(address // _WORD, (address + max(access.bytes, _WORD) - 1) // _WORD + 1):
            words[word % _BANKS].add(word)
            ways.append((lane, word % _BANKS))
    for lane, bank in ways:
        parts.append(_line(lane, _lane_center(bank), "way" if len(words[bank]) == 1 else "clash"))
    for bank in range(_BANKS):
        count = len(words.get(bank, ()))
        style = "idle" if count == 0 else "full" if count == 1 else "clashing"
        parts.append(_box(4 + _STEP * bank, _BOTTOM, _STEP - 2, bank, style))
    most = max(map(len, words.values()))
    description = (
        f"{len(sample.lanes)} lanes access {sum(map(len, words.values()))} words in {len(words)} of 32 banks, up to "
        f"{most} in one"
    )
    return _svg([*parts, _says(description)], description)


def picture_of(access):
    """The sample of an access as SVG text: lanes above, sectors or banks below. "" where there is no sample.

    Parameters
    ----------
    access : Access
    """
    if access.sample is None or not access.sample.lanes:
        return ""
    if access.space == "shared":
        return _picture_of_banks(access)
    return _picture_of_sectors(access) if access.space == "global" else ""
