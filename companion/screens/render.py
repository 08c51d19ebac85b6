"""A view as a picture for a small monochrome display: one big thing, legible from a metre, and little around it."""

from __future__ import annotations

from dataclasses import replace

from PIL import Image, ImageDraw

from companion.screens import glyphs
from companion.screens.glyphs import CELL_WIDTH
from companion.screens.language import ELLIPSIS, Translator
from companion.screens.pictures import (
    DIE,
    Area,
    camera_size,
    draw_board,
    draw_camera,
    draw_dice,
    draw_grid,
    draw_plot,
    draw_qr,
    grid_width,
)
from companion.screens.view import BoardPicture, Button, CameraPicture, GridPicture, PlotPicture, QrPicture, Text, View

SMALL = 12
# A capital of the 16 px strike is 10 px: 1.7 mm on a 0.96 inch display, 6 minutes of arc from one metre.
LEGIBLE = 16
BIG_SIZES = (64, 48, 32, 28, 24, 22, 20, 18, 16, 14, 12)  # 64 and 48 are doubled strikes
NAME_LENGTHS = (None, 12, 10, 8, 6)
TITLE_RULE = 1
BESIDE = (BoardPicture, CameraPicture, QrPicture)  # pictures that texts stand beside


def render(view: View, size: tuple[int, int], translator: Translator, t_ms: int = 0) -> Image.Image:
    """Draw a view.

    Args:
        view: what to say.
        size: width and height of the display, px; laid out for 128x64, 256x64 and 128x128.
        translator: the players' language.
        t_ms: moves blinking things, half a second on and half a second off.

    Returns:
        A picture of mode "1" and of that size. Equal arguments give equal pictures.

    >>> from companion.screens.view import View, verbatim
    >>> render(View("x", big=verbatim("c3")), (128, 64), Translator()).size
    (128, 64)
    """
    return _compose(view, size, translator, t_ms).image


def fits(view: View, size: tuple[int, int], translator: Translator) -> list[str]:
    """What does not fit its place when a view is drawn: texts cut or too small to read from a metre.

    Returns:
        One line a problem, empty when all is well.
    """
    return _compose(view, size, translator, 0).problems


class _Page:
    """A picture under way, and what went wrong on it."""

    def __init__(self, size: tuple[int, int], translator: Translator) -> None:
        self.image = Image.new("1", size)
        self.draw = ImageDraw.Draw(self.image)
        self.translator = translator
        self.problems: list[str] = []
        self.shortened = 0  # rows with a name cut short

    def words(self, text: Text, longest: int | None = None) -> str:
        return glyphs.printable(self.translator.translate(text, longest))

    def line(self, text: Text, width: int, sizes: tuple[int, ...] = (SMALL,)) -> tuple[str, int]:
        """The words and font height of a text on one line: whole if it can be, then with shorter names."""
        for longest in NAME_LENGTHS:
            for size in sizes:
                words = self.words(text, longest)
                if glyphs.text_width(words, size) <= width:
                    return words, size
        self.problems.append(f"cut: {self.words(text)!r}")
        return self.words(text)[: max(0, width // CELL_WIDTH[SMALL] - 1)] + ELLIPSIS, SMALL

    def write(self, area: Area, words: str, size: int, *, bold: bool = False, ink: int = 1) -> None:
        """Write one line centred across the area, its top at the area's."""
        self.shortened += ELLIPSIS in words
        strike, factor = (size // 2, 2) if size > 32 else (size, 1)
        # Half a blank column at the right of each letter: the ink is centred, not the cells.
        x = area.x + (area.width - glyphs.text_width(words, strike) * factor + 1) // 2
        if factor == 1:
            glyphs.draw_text(self.image, (x, area.y), words, size, bold=bold, ink=ink)
            return
        small = Image.new("1", (glyphs.text_width(words, strike), strike))
        glyphs.draw_text(small, (0, 0), words, strike, bold=bold)
        self.image.paste(small.resize((small.width * 2, small.height * 2), Image.Resampling.NEAREST), (x, area.y))


def _compose(view: View, size: tuple[int, int], translator: Translator, t_ms: int) -> _Page:
    """The page, with the small lines under the whole of it where texts or names don't fit beside a board."""
    page = _draw(view, size, translator, t_ms, lines_below=False)
    if (page.problems or page.shortened) and view.lines and isinstance(view.picture, BoardPicture | CameraPicture):
        other = _draw(view, size, translator, t_ms, lines_below=True)
        return min(page, other, key=lambda p: (len(p.problems), p.shortened))
    return page


def _draw(view: View, size: tuple[int, int], translator: Translator, t_ms: int, *, lines_below: bool) -> _Page:
    page = _Page(size, translator)
    area = Area(0, 0, *size)
    tall, wide = size[1] >= 96, size[0] >= 3 * size[1]
    if view.tone == "win":
        page.draw.rectangle((0, 0, size[0] - 1, size[1] - 1), outline=1)
        area = Area(2, 1, size[0] - 4, size[1] - 2)
    board = isinstance(view.picture, BESIDE)
    if board and wide:
        area = _picture_left(page, area, view, t_ms)
    if view.title is not None:
        area = _title(page, area, view.title, inverted=view.tone == "wrong", tall=tall)
    elif view.tone == "wrong":
        page.problems.append("a wrong screen needs a title")
    if lines_below:
        if view.keys:
            area = _footer(page, area, view.keys)
        area = _lines_below(page, area, view.lines)
        view = replace(view, keys=(), lines=())
    if board and not wide and not tall:
        area = _picture_left(page, area, view, t_ms)
    if view.keys:
        area = _footer(page, area, view.keys)
    if isinstance(view.picture, GridPicture):
        left, area = area.split_left(grid_width(view.picture), gap=3)
        page.problems += draw_grid(page.image, left, view.picture, page.translator, t_ms)
    elif isinstance(view.picture, PlotPicture):
        plot, area = area.split_top(area.height - SMALL * len(view.lines))
        page.problems += draw_plot(page.image, plot, view.picture)
    elif view.picture is not None and not (board and not tall):
        area = _picture_above(page, area, view, t_ms)
    _body(page, area, view)
    return page


def _title(page: _Page, area: Area, title: Text, *, inverted: bool, tall: bool) -> Area:
    words, size = page.line(title, area.width, (16, 14, SMALL) if tall else (SMALL,))
    bar, rest = area.split_top(size + TITLE_RULE, gap=0)
    if inverted:
        page.draw.rectangle((bar.x, bar.y, bar.x + bar.width - 1, bar.y + bar.height - 1), fill=1)
    else:
        page.draw.line((bar.x, bar.y + size, bar.x + bar.width - 1, bar.y + size), fill=1)
    page.write(bar, words, size, bold=inverted, ink=int(not inverted))
    return rest


def _picture_left(page: _Page, area: Area, view: View, t_ms: int) -> Area:
    """A board, or the camera's picture, as high as the area, texts right of it; in the middle when there are none."""
    assert isinstance(view.picture, BESIDE)
    texts = view.big or view.lines or view.choices or view.keys or (view.title and area.y < SMALL)
    width = camera_size(area, view.picture)[0] if isinstance(view.picture, CameraPicture) else area.height
    side, rest = area.split_left(width if texts else area.width, gap=2)
    page.problems += _picture_in(page, side, view.picture, t_ms)
    return rest


def _picture_in(page: _Page, area: Area, picture: BoardPicture | CameraPicture | QrPicture, t_ms: int) -> list[str]:
    if isinstance(picture, CameraPicture):
        return draw_camera(page.image, area, picture)
    if isinstance(picture, QrPicture):
        return draw_qr(page.image, area, picture)
    return draw_board(page.image, area, picture, t_ms)


def _picture_above(page: _Page, area: Area, view: View, t_ms: int) -> Area:
    """A board or dice above the texts, or a die or two left of them where that is larger."""
    assert view.picture is not None
    big = 0 if view.big is None else LEGIBLE if area.height < 48 else 2 * LEGIBLE
    choice = SMALL if len(view.choices) > 2 else LEGIBLE
    texts = big + SMALL * len(view.lines) + choice * min(3, len(view.choices))
    if isinstance(view.picture, BESIDE):
        upper, rest = area.split_top(max(area.height // 2, area.height - texts), gap=2)
        page.problems += _picture_in(page, upper, view.picture, t_ms)
        return rest
    assert not isinstance(view.picture, (GridPicture, PlotPicture))
    row = len(view.picture.values) * min(area.height, DIE)
    if texts and row <= area.width // 2:
        upper, rest = area.split_left(row, gap=2)
    else:
        upper, rest = area.split_top(max(area.height - texts, min(SMALL, area.height)))
    page.problems += draw_dice(page.image, upper, view.picture, page.translator, t_ms)
    return rest


def _lines_below(page: _Page, area: Area, lines: tuple[Text, ...]) -> Area:
    below, rest = area.split_bottom(min(SMALL * len(lines), area.height))
    for row, line in enumerate(lines):
        words, size = page.line(line, area.width)
        page.write(Area(below.x, below.y + SMALL * row, below.width, SMALL), words, size)
    return rest


def _footer(page: _Page, area: Area, keys: tuple[tuple[Button, Text], ...]) -> Area:
    """Button signs and what they do, in as many rows as needed; up and down share one text."""
    items: list[tuple[list[Button], Text]] = []
    for button, text in keys:
        if items and items[-1][1] == text:
            items[-1][0].append(button)
        else:
            items.append(([button], text))
    labels = []
    for signs, text in items:
        words, _ = page.line(text, area.width - _signs_width(signs))
        labels.append((signs, words, _signs_width(signs) + glyphs.text_width(words, SMALL)))
    rows: list[list[tuple[list[Button], str, int]]] = [[]]
    for label in labels:
        if rows[-1] and sum(w + 4 for _, _, w in rows[-1]) + label[2] > area.width:
            rows.append([])
        rows[-1].append(label)
    if area.height - SMALL * len(rows) < SMALL:
        page.problems.append(f"no room for the keys in {area.width}x{area.height}")
        return area
    foot, rest = area.split_bottom(SMALL * len(rows))
    for y, row in enumerate(rows):
        free = area.width - sum(width for _, _, width in row)
        x = foot.x
        for signs, words, width in row:
            at = x
            for sign in signs:
                rows_of_sign = glyphs.SIGNS[sign]
                glyphs.draw_rows(page.image, (at, foot.y + SMALL * y + 4 + (6 - len(rows_of_sign)) // 2), rows_of_sign)
                at += glyphs.SIGN_WIDTH + 1
            glyphs.draw_text(page.image, (at + 2, foot.y + SMALL * y), words, SMALL, bold=False)
            x += width + (free // (len(row) - 1) if len(row) > 1 else 0)
    return rest


def _signs_width(signs: list[Button]) -> int:
    return (glyphs.SIGN_WIDTH + 1) * len(signs) + 2


def _body(page: _Page, area: Area, view: View) -> None:
    if view.choices:
        lead = (SMALL * len(view.lines)) + (LEGIBLE if view.big else 0)
        texts, rest = area.split_top(min(lead, max(0, area.height - SMALL)))
        _texts(page, texts, view.big, view.lines)
        _choices(page, rest, view)
    else:
        _texts(page, area, view.big, view.lines)


def _texts(
    page: _Page, area: Area, big: Text | None, lines: tuple[Text, ...], names: tuple[int | None, ...] = NAME_LENGTHS
) -> None:
    """The big text in the largest font that leaves room for the small lines, all centred in the area."""
    lines = tuple(line for line in lines if page.words(line).strip())
    if big is not None and not page.words(big).strip():
        big = None
    if big is None and not lines:
        return
    found = _arrange(page, area, big, lines, names)
    if big is not None and len(lines) > 1 and (found is None or found[0][1] < 20):
        columns = _columns(page, area, big, lines)
        if columns is not None:
            left, right, longest = columns
            _texts(page, left, big, ())
            _texts(page, right, None, lines, (longest,))
            return
    if found is None:
        said = [page.words(text) for text in ((big,) if big else ()) + lines]
        page.problems.append(f"too much for {area.width}x{area.height}: {' / '.join(said)!r}")
        rows = [row for words in said for row in wrap(words, max(1, area.width // 6), force=True)]
        found = [(row, SMALL) for row in rows[: max(1, area.height // SMALL)]]
    elif big is not None and found[0][1] < LEGIBLE:
        page.problems.append(f"too small ({found[0][1]} px): {page.words(big)!r}")
    spare = area.height - sum(size for _, size in found)
    gap = min(3, spare // len(found))
    y = area.y + (spare - gap * (len(found) - 1)) // 2
    for words, size in found:
        page.write(Area(area.x, y, area.width, size), words, size, bold=size > SMALL)
        y += size + gap


def _columns(page: _Page, area: Area, big: Text, lines: tuple[Text, ...]) -> tuple[Area, Area, int | None] | None:
    """The big text's area, the lines' right of it, and how long names may be; None when that is no way to set them."""
    if len(lines) * SMALL > area.height:
        return None
    for rows in (1, 2):
        for longest in NAME_LENGTHS:
            width = max(glyphs.text_width(page.words(line, longest), SMALL) for line in lines)
            left, right = area.split_left(area.width - width - 4, gap=4)
            found = _arrange(page, left, big, ()) if left.width > 0 else None
            if found is not None and found[0][1] >= LEGIBLE and len(found) <= rows:
                return left, right, longest
    return None


def _arrange(
    page: _Page, area: Area, big: Text | None, lines: tuple[Text, ...], names: tuple[int | None, ...] = NAME_LENGTHS
) -> list[tuple[str, int]] | None:
    """The rows of a text block with their font heights, or None when it can't be set."""
    texts = ((big,) if big is not None else ()) + lines
    said: dict[tuple[str, ...], None] = {}  # in order of the names' lengths, each wording once
    for longest in names:
        said[tuple(page.words(text, longest) for text in texts)] = None
    if big is None:
        sizes = [(size,) * len(lines) for size in (16, 14, SMALL)]
        attempts = [(words, size) for words in said for size in sizes]
    else:
        small_sizes = (16, 14, SMALL) if area.height >= 48 else (SMALL,)
        sizes = [(b, *[s] * len(lines)) for b in BIG_SIZES for s in small_sizes if s <= b]
        attempts = [(words, size) for words in said for size in sizes if size[0] >= LEGIBLE]
        attempts += [(words, (size, *[SMALL] * len(lines))) for size in (14, SMALL) for words in said]
    for words, heights in attempts:
        rows = _set(area, words, heights)
        if rows is not None:
            return rows
    return None


def _set(area: Area, words: tuple[str, ...], sizes: tuple[int, ...]) -> list[tuple[str, int]] | None:
    """Texts in rows of given font heights, or None when they don't fit the area."""
    letters = [area.width // (CELL_WIDTH[size] if size in CELL_WIDTH else 2 * CELL_WIDTH[size // 2]) for size in sizes]
    if sum(sizes) > area.height or min(letters) < 1:
        return None
    rows: list[tuple[str, int]] = []
    for text, size, width in zip(words, sizes, letters, strict=True):
        wrapped = wrap(text, width) if len(text) <= width * area.height // size else []
        if not wrapped or len(wrapped) > max(2, area.height // 32):
            return None
        rows += [(row, size) for row in wrapped]
    return rows if sum(size for _, size in rows) <= area.height else None


def wrap(words: str, letters: int, *, force: bool = False) -> list[str]:
    """Break words into evenly filled rows of at most so many letters.

    Args:
        force: cut words that are longer than a row; without it they give an empty list.

    >>> wrap("too close to an own one", 12)
    ['too close to', 'an own one']
    >>> wrap("three even rows", 12)
    ['three', 'even rows']
    >>> wrap("Zutat", 4)
    []
    """
    plain = [part for part in words.split(" ") if part]  # a space that does not break stays within its part
    parts = [part[i : i + letters] for part in plain for i in range(0, len(part), max(1, letters))]
    if letters < 1 or (not force and len(parts) > len(plain)):
        return []
    rows = _fill(parts, letters)
    narrower = letters
    while narrower > 1 and all(len(part) < narrower for part in parts):
        tighter = _fill(parts, narrower - 1)
        if len(tighter) > len(rows):
            break
        rows, narrower = tighter, narrower - 1
    return rows


def _fill(parts: list[str], letters: int) -> list[str]:
    rows: list[str] = []
    for part in parts:
        if rows and len(rows[-1]) + 1 + len(part) <= letters:
            rows[-1] += " " + part
        else:
            rows.append(part)
    return rows


def _choices(page: _Page, area: Area, view: View) -> None:
    """A list with the chosen row inverted; longer lists scroll, and a bar at the right says where."""
    choices, chosen = view.choices, view.chosen
    if area.height < SMALL or area.width < LEGIBLE:
        page.problems.append("no room for the choices")
        return
    sizes = [s for s in (20, 18, 16, 14) if all(glyphs.text_width(page.words(c), s) + 6 <= area.width for c in choices)]
    sizes.append(SMALL)
    # Three in sight if possible, else two, else one at a time; then as large as can be.
    visible = max(1, min(len(choices), 3, area.height // SMALL))
    size = next((s for s in sizes if s * visible <= area.height), SMALL)
    visible = max(1, min(len(choices), area.height // size))
    height = min(area.height // visible, size + 4)
    first = max(0, min(chosen - visible // 2, len(choices) - visible))
    width = area.width - (4 if visible < len(choices) else 0)
    for row, choice in enumerate(choices[first : first + visible]):
        words, _ = page.line(choice, width - 2, (size,))
        y = area.y + (area.height - visible * height) // 2 + row * height
        here = first + row == chosen
        if here:
            page.draw.rectangle((area.x, y, area.x + width - 1, y + height - 1), fill=1)
        glyphs.draw_text(
            page.image,
            (area.x + 2, y + (height - size) // 2),
            words,
            size,
            bold=(here or size > SMALL) and first + row not in view.barred,
            ink=int(not here),
        )
    if visible < len(choices):
        track = visible * height
        bar = max(4, track * visible // len(choices))
        top = area.y + (area.height - track) // 2 + (track - bar) * first // (len(choices) - visible)
        x = area.x + area.width - 2
        page.draw.rectangle((x, top, x + 1, top + bar - 1), fill=1)
