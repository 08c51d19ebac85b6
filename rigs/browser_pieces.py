"""Parts of the rig ``browser``: dice, cards, sticks and hidden spaces, seen and set on the phone's picture."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from frame import TREE, expect

DICE = (1, 2, 3, 4, 5, 6, 2)


def labels(page: Any, what: str) -> list[str]:
    """What things drawn over the picture are called."""
    return [thing.get_attribute("aria-label") for thing in page.locator(f".overlay {what}").all()]


def commit(living: Any, *events: dict[str, Any]) -> None:
    """Let something have happened in the game."""
    from companion.arbiter.flow import Commit

    for event in events:
        parsed = living.daemon.arbiter.game.rules.parse_event(event)
        living.hub.ask(lambda daemon, t_ms, parsed=parsed: daemon.arbiter.answer(Commit(parsed), t_ms)).result(30)


def tap_at(page: Any, living: Any, x_mm: float, y_mm: float) -> None:
    """Tap the picture where something lies on the table."""
    ((x, y),) = living.table.renderer.camera.project([(x_mm, y_mm, 4.0)])
    box = page.locator(".overlay").bounding_box()
    scale = box["width"] / 960
    page.locator(".overlay").tap(position={"x": x * scale, "y": y * scale})


def sticks_and_hidden_spaces(phone: Any, living: Any) -> None:
    """A stick that is not seen is said to lie there; spaces under a sheet of paper are hatched."""
    page, arbiter = phone.page, living.daemon.arbiter
    page.locator(".cutter.bare .hit").first.tap()
    expect(page.locator("#sheet .pick:disabled").count() == 6, "a line is asked for only when the colour is said")
    page.locator("#sheet .pick.red").tap()
    page.locator("#sheet .picks").last.locator(".pick").nth(3).tap()
    phone.until("document.querySelector('.cutter.red text')?.textContent === '4'")
    sticks = arbiter.scene(0).reading.cutters
    expect([(s.number, s.colour) for s in sticks] == [(4, "red")], f"the stick lies there for the game, too {sticks}")
    phone.shot("stick")
    picture = living.picture.copy()
    ((x, y),) = living.table.renderer.camera.project([(*_middle(living, "d4"), 0.0)])
    size = 44
    picture[round(y) - size : round(y) + size, round(x) - size : round(x) + size] = (205, 210, 214)
    living.picture = picture
    phone.until("document.querySelectorAll('.overlay .space.unsure').length > 0")
    expect(page.locator(".cutter.red").count() == 0, "a stick that is not seen is forgotten when the table is touched")
    hidden = labels(page, ".space.unsure")
    expect(any(label.startswith("d4") for label in hidden), f"what lies under the paper is not known {hidden}")
    phone.shot("hidden")
    living.picture = living.draw()
    phone.until("document.querySelector('.overlay:not(.stale) .space.unsure') === null")


def _middle(living: Any, space: str) -> tuple[float, float]:
    place = living.table.state.setup.board.layout.spaces[space]
    return place.x_mm, place.y_mm


def drag(phone: Any, camera: Any, layout: Any) -> None:
    """Drag each corner space away and onto its place in the picture, 960 px wide."""
    page = phone.page
    for handle in page.locator(".handle").all():
        space = layout.spaces[handle.get_attribute("data-space")]
        ((x, y),) = camera.project([(space.x_mm, space.y_mm, 3.0)])
        for at in ((x + 90, y - 60), (x + 2, y - 1)):
            handle.scroll_into_view_if_needed()
            box, frame = handle.locator(".centre").bounding_box(), page.locator(".drag").bounding_box()
            scale = frame["width"] / 960
            page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            page.mouse.down()
            page.mouse.move(frame["x"] + at[0] * scale, frame["y"] + at[1] * scale, steps=4)
            if space.id == "d1":
                phone.shot("drag", whole=False)
            expect(page.locator(".loupe").is_visible(), f"{space.id}: the loupe shows while dragging")
            page.mouse.up()


def another_board(phone: Any, living: Any, folder: Path) -> None:
    """A board of 19 spaces: its file is added and chosen, it is calibrated, and the next game is played on it."""
    from companion.games import simulated_game
    from companion.simulator.scene import Scene

    page, path = phone.page, folder / "board19.json"
    make = [
        sys.executable,
        str(TREE / "scripts" / "make_layout.py"),
        "--side",
        "3",
        "--pitch",
        "42",
        "--diameter",
        "250",
    ]
    path.write_bytes(subprocess.run(make, capture_output=True, check=True).stdout)
    table: Any = simulated_game("pizza")(2, 3, layout=str(path), size=(960, 720))
    living.picture = table.renderer.draw(Scene(), 0)
    phone.goes_to("calibrate")
    page.set_input_files("#layout-file", path)
    phone.until("document.getElementById('layout')?.value === 'hex19'")
    page.wait_for_selector(".advice.good")
    page.get_by_role("button", name="Take the picture").tap()
    page.get_by_role("button", name="Drag the corners").tap()
    page.wait_for_selector(".handle")
    drag(phone, table.renderer.camera, table.state.setup.board.layout)
    page.get_by_role("button", name="Measure").tap()
    page.wait_for_selector("circle.found")
    page.get_by_role("button", name="Yes, save it").tap()
    page.wait_for_selector("#main .oled")
    phone.goes_to("settings")
    page.get_by_role("button", name="New game").tap()
    page.select_option("#new-seat-1", "1")
    page.select_option("#new-colour-1", "1")
    page.locator("#sheet button[type=submit]").tap()
    page.get_by_role("button", name="Yes, new game").tap()
    phone.until("document.querySelectorAll('.overlay:not(.stale) .space').length === 19")
    expect(page.locator(".board .mark").count() == 19, "the game is played on the board of 19 spaces")
    phone.shot("board19", whole=True)


def enrolling_is_led(phone: Any) -> None:
    """Dice are enrolled by display and buttons, both on the page; held back leaves it."""
    page = phone.page
    phone.goes_to("calibrate")
    page.get_by_role("button", name="dice").tap()
    phone.until("document.getElementById('status').textContent === 'A calibration is on'")
    phone.until("document.querySelector('.screen-words').textContent.includes('empty table')")
    expect(page.locator(".overlay .piece").count() == 0, "nothing old is drawn over the picture")
    phone.shot("enrol")
    page.locator('[data-button="back"]').tap()
    phone.until("document.getElementById('status').textContent !== 'A calibration is on'")


def enrol_cards(phone: Any, living: Any) -> None:
    """A deck is enrolled on the page to its end: five pages of cards laid, each taken with a press, then saved."""
    from calibration.cards import load_cards
    from companion.guides.cards import PAGES
    from companion.simulator import deck
    from companion.simulator.cards import lay_grid
    from companion.simulator.scene import Scene

    page, begun = phone.page, time.monotonic()
    (living.profile / "cards" / "cards.json").unlink()  # nothing of it is known before
    words = "document.querySelector('.screen-words')?.textContent"
    living.picture = living.drawn(Scene())
    phone.goes_to("calibrate")
    page.get_by_role("button", name="cards").tap()
    phone.until(f"{words}?.includes('Size of a card?')")
    page.locator('[data-button="ok"]').tap()
    for asked, names in zip(PAGES, deck.PAGES, strict=True):
        phone.until(f"{words}?.includes('{asked.said.id}')")
        if asked.optional:
            page.locator('[data-button="down"]').tap()  # this deck has no special cards
            break
        living.picture = living.drawn(Scene(cards=lay_grid(names, asked.across)))
        phone.until(f"{words}?.includes('press ok')")
        if asked == PAGES[0]:
            phone.shot("enrol-cards", whole=True)
        page.locator('[data-button="ok"]').tap()
    phone.until(f"{words}?.includes('60 cards')")
    phone.shot("enrol-cards-judged")
    page.locator('[data-button="ok"]').tap()
    phone.until("document.getElementById('status').textContent !== 'A calibration is on'")
    counts = load_cards(living.profile).counts
    expect(sum(counts.values()) == 60, f"60 cards are enrolled on the page, in {time.monotonic() - begun:.0f} s")
    living.picture = living.drawn(Scene())
    phone.goes_to("table")


def dice(phone: Any, living: Any) -> None:
    """Seven dice, one not seen at first: set on the picture; a roll that was taken over is mended with a tap."""
    from companion.simulator.scene import Scene

    page, arbiter, table = phone.page, living.daemon.arbiter, living.table
    seer = living.header["first_seer"]
    commit(
        living,
        {"event": "bid", "player": seer, "colour": "red", "number": 2},
        {"event": "bid", "player": 1 - seer, "colour": "blue", "number": 3},
        {"event": "wizard_colour", "colour": "red"},
    )
    cup, lying = table.stage.scene.cup, tuple(table.stage.places(DICE))
    living.picture = living.drawn(Scene(dice=lying[:6], cup=cup))
    phone.until("document.querySelectorAll('.overlay:not(.stale) .piece').length === 6")
    missing = page.get_by_role("button", name="Something is missing")
    missing.focus()
    for key in ("Enter", "ArrowLeft", "ArrowUp", "Enter"):  # for those who can't tap, a cross is moved
        page.keyboard.press(key)
    expect(page.locator("#sheet").evaluate("sheet => sheet.open"), "a place can be named by keys alone")
    page.keyboard.press("Escape")
    missing.tap()
    tap_at(page, living, lying[6].x_mm, lying[6].y_mm)
    page.locator("#sheet .pick.red").tap()
    phone.until("document.querySelectorAll('.overlay .piece').length === 7")
    expect("red, as you said" in labels(page, ".piece"), "the seventh die lies where it was tapped")
    phone.shot("dice-seven")
    lying = tuple(table.stage.places(DICE))
    living.picture = living.drawn(Scene(dice=lying, cup=cup))
    phone.until("document.querySelectorAll('.overlay:not(.stale) .piece').length === 7")
    for _ in range(8):
        if arbiter.game.events[-1]["event"] == "roll":
            break
        page.wait_for_timeout(1500)
        page.locator('[data-button="ok"]').tap()
    page.wait_for_timeout(500)
    rolled = list(arbiter.game.events[-1]["faces"])
    phone.until("document.querySelector('.log > li').textContent.includes('Roll')")
    jester = next(i for i, label in enumerate(labels(page, ".piece")) if label.startswith("Die: jester"))
    page.locator(".overlay .piece rect").nth(jester).tap()
    phone.shot("dice-sheet")
    page.locator("#sheet .pick.green").tap()
    phone.until("document.querySelector('.piece.said') !== null")
    mended = sorted([*(face for face in rolled if face != "jester"), "green"])
    expect(sorted(arbiter.game.events[-1]["faces"]) == mended, f"the roll is as was said {arbiter.game.events[-1]}")
    phone.shot("dice", whole=True)
    enrolling_is_led(phone)


def cards(phone: Any, living: Any) -> None:
    """A card that was misread and taken over is mended with a tap; the next one is taken over as it lies."""
    from companion.simulator.scene import Scene

    enrol_cards(phone, living)
    page, arbiter, table = phone.page, living.daemon.arbiter, living.table
    commit(living, {"event": "trump", "card": "g7"})
    for _ in range(3):
        commit(living, {"event": "bid", "player": arbiter.game.state.to_act, "tricks": 0})
    lying = tuple(table.stage.lying(arbiter.game.state.to_act + i, card) for i, card in enumerate(("b13", "r5")))
    living.picture = living.drawn(Scene(cards=lying[:1]))
    phone.until("document.querySelector('.log > li').textContent.includes('blue 13')")
    expect(labels(page, ".piece")[0].startswith("Card: blue 13"), f"cards bear their names {labels(page, '.piece')}")
    page.locator(".overlay .piece rect").first.tap()
    phone.shot("card-sheet")
    page.locator("#sheet .pick", has_text="blue 4").tap()
    phone.until("document.querySelector('.log > li').textContent.includes('blue 4')")
    living.picture = living.drawn(Scene(cards=lying))
    phone.until("document.querySelector('.log > li').textContent.includes('red 5')")
    played = [event["card"] for event in arbiter.game.events if event["event"] == "play"]
    expect(played == ["b4", "r5"], f"both cards are in the game as they are {played}")
    phone.shot("cards", whole=True)
