"""How often cards are read right: on the drawn table, and on photographs if a folder of them is given.

    python benchmarks/cards.py [--tables 50] [--tricks 10] [--first 1000] [--photos DIR]

Drawn: each table (a seed: cloth or wood, lamp, camera up to 35 degrees off) enrols the deck by the real calibration,
then shows tricks of three to six cards, each covered up to a half, beside a stock with the turned card. Counted are the
cards of the tricks and the turned card. Photographs (labels.jsonl with "table" and "players" for each picture, and a
second picture "..._row.jpg" of the table's row alone): each is read with what the others enrol; a card that no other
shows has to be left open.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from calibration.cards import Labelled, enrol, load_cards
from companion.errors import CalibrationError
from companion.simulator import deck
from companion.simulator.cards import CardTable, CardTruth
from companion.simulator.cards import enrol as enrol_table
from companion.simulator.scene import Card, Hand, Scene
from companion.vision.cards import Found, find_cards

SIZE = (1280, 960)
LEAST_SEEN = 0.5
LEAST_SHARED = 0.5  # of the boxes around what is seen of a card and what is read
QUALITY = 88
SUITS = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}


def trick(rng: np.random.Generator, table: CardTable) -> tuple[Scene, tuple[CardTruth, ...]]:
    """A trick as people lay it: each from his side, no card covered by more than a half; now and then a hand."""
    while True:
        count = int(rng.integers(3, 7))
        names = [str(name) for name in rng.permutation(deck.DECK)[: count + 1]]
        reach, start = rng.uniform(18, 55), rng.uniform(0, 2 * math.pi)
        cards = []
        for i in range(count):
            a = start + i * 2 * math.pi / count
            x, y = reach * math.cos(a) + rng.normal(0, 8), reach * math.sin(a) * 0.8 + rng.normal(0, 8)
            cards.append(Card(names[i], float(x), float(y), math.degrees(a) + 90 + float(rng.normal(0, 25))))
        turned = float(rng.normal(0, 10))
        stock = (Card("b1", -175, 50, turned, False), Card(names[-1], -172, 54, turned + float(rng.normal(0, 4))))
        hands = (Hand(150, -120, float(rng.uniform(-60, 0)), int(rng.integers(6))),) if rng.random() < 0.2 else ()
        scene = Scene(cards=(*stock, *cards), hands=hands)
        truth = table.truth(scene)
        if len(truth) == count + 2 and all(t.visible >= LEAST_SEEN for t in truth if t.value):
            return scene, truth


def as_jpeg(picture: np.ndarray) -> tuple[np.ndarray, bytes]:
    data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes()
    return cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), data


def score(found: list[Found], truth: tuple[CardTruth, ...]) -> Counter[str]:
    """Each card against what was read where it is seen; values that are left over were read where no such card lies."""
    counts: Counter[str] = Counter()
    left = list(found)
    for card in truth:
        near = [f for f in left if shared(f.box, card.box) > LEAST_SHARED]
        near.sort(key=lambda f: (f.value != card.value, f.value is None, -shared(f.box, card.box)))
        if card.value is None:
            continue
        if near:
            left = [f for f in left if f is not near[0]]
        said = near[0].value if near else None
        counts["right" if said == card.value else "wrong" if said else "null" if near else "missed"] += 1
    counts["phantom"] += sum(f.value is not None for f in left)
    counts["phantom null"] += sum(f.value is None for f in left)
    return counts


def shared(a: Sequence[int], b: Sequence[int]) -> float:
    """Share of two boxes (x, y, width, height) together that they have in common."""
    w = max(0, min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0]))
    h = max(0, min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1]))
    return w * h / (a[2] * a[3] + b[2] * b[3] - w * h)


def drawn(first: int, tables: int, tricks: int, verbose: bool) -> None:
    """Reads tricks on drawn tables; interrupted, it reports those that were read."""
    total: Counter[str] = Counter()
    ratios: list[float] = []
    try:
        for seed in range(first, first + tables):
            one_table(seed, tricks, verbose, total, ratios)
    except KeyboardInterrupt:
        pass
    cards = sum(total[k] for k in ("right", "wrong", "null", "missed"))
    said = {
        "drawn": dict(total),
        "cards": cards,
        "right": round(total["right"] / max(cards, 1), 4),
        "silent": round((total["wrong"] + total["phantom"]) / max(cards, 1), 5),
        "time in decodings": round(float(np.median(ratios)), 1) if ratios else None,
    }
    print(json.dumps(said))


def one_table(seed: int, tricks: int, verbose: bool, total: Counter[str], ratios: list[float]) -> None:
    table = CardTable(seed, SIZE)
    with tempfile.TemporaryDirectory() as folder:
        try:
            enrol_table(table, Path(folder), deck.PAGES)
        except CalibrationError as error:
            total["tables not enrolled"] += 1
            print(f"table {seed} ({table.look.surface}): not enrolled: {error}", file=sys.stderr)
            return
        model = load_cards(folder).model
    for k in range(tricks):
        scene, truth = trick(np.random.default_rng([seed, k]), table)
        picture, data = as_jpeg(table.draw(scene, k * 40))
        start = time.process_time()
        for _ in range(3):
            cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        decoding = (time.process_time() - start) / 3
        start = time.process_time()
        found = find_cards(picture, model)
        if k:  # the first one prepares the deck
            ratios.append((time.process_time() - start) / decoding)
        counts = score(found, truth)
        total.update(counts)
        total["tricks"] += 1
        if verbose and counts["right"] < sum(t.value is not None for t in truth):
            print(f"table {seed} ({table.look.surface}) trick {k}: {dict(counts)}", file=sys.stderr)


def photographs(folder: Path) -> None:
    labels = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]
    rows = {e["file"]: e for e in labels if "table" in e and e["file"].endswith("_row.jpg")}
    enrolled = {}
    for name, entry in rows.items():
        picture = cv2.imread(str(folder / name))
        values = tuple(entry["table"])
        for file in (name, name.replace("_row", "_full")):
            try:
                picture = cv2.imread(str(folder / file))
                labelled = Labelled(picture, values, _lowest(picture, len(values)), file)
                enrol([labelled], (63.0, 88.0))
            except (CalibrationError, ValueError) as error:
                print(f"{file}: {error}", file=sys.stderr)
                continue
            enrolled[name] = labelled
            break
    total: Counter[str] = Counter()
    for name, entry in rows.items():
        others = [labelled for other, labelled in enrolled.items() if other != name]
        model = enrol(others, (63.0, 88.0)).model
        known = set(model.deck.values)
        full = next(e for e in labels if e["file"] == name.replace("_row", "_full"))
        true = Counter([*entry["table"], *(c for hand in full["players"].values() for c in hand if c != "null")])
        found = find_cards(cv2.imread(str(folder / full["file"])), model)
        said = Counter(f.value for f in found if f.value is not None)
        whole = [card for card in entry["table"] if card in known]
        total["whole"] += len(whole)
        total["whole right"] += sum(said[card] > 0 for card in whole)
        total["not enrolled"] += sum(true.values()) - sum(true[c] for c in true if c in known)
        total["half covered, enrolled"] += sum(true[c] for c in true if c in known) - len(whole)
        total["said"] += sum(said.values())
        total["wrong"] += sum((said - true).values())
        missing, wrong = [c for c in whole if not said[c]], list((said - true).elements())
        print(f"{full['file']}: whole cards missing {missing}, wrong {wrong}", file=sys.stderr)
    print(json.dumps({"photographs": dict(total)}))


def _lowest(picture: np.ndarray, count: int) -> np.ndarray:
    """Boxes of the lowest row of whole cards: the row of table cards."""
    from companion.vision.cards_whole import find_whole, in_rows

    quads = find_whole(picture)
    row = next((row for row in reversed(in_rows(quads)) if len(row) == count), None)
    if row is None:
        raise ValueError(f"no row of {count} whole cards")
    boxes = [(*quads[k].min(axis=0), *np.ptp(quads[k], axis=0)) for k in row]
    return np.array(boxes, np.float64)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--tricks", type=int, default=10)
    parser.add_argument("--first", type=int, default=1000, help="the first table's seed")
    parser.add_argument("--photos", type=Path, metavar="DIR")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    if args.tables:
        drawn(args.first, args.tables, args.tricks, args.verbose)
    if args.photos is not None:
        photographs(args.photos)


if __name__ == "__main__":
    main()
