#!/usr/bin/env python3
"""The page for the phone in a real browser: headless Chromium, driven by Playwright, on a screen 360 px wide.

Pairing refused and accepted, a whole round of two players by taps on the simulated table, calibrating by dragging, a
phone that may only watch. The table is read by the real eyes and kept by the real loop. Pictures of every page, by day
and by night and in four languages, are left in the cache folder (screenshots/) to be looked at.
"""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import browser_pieces
from frame import CACHE, TREE, BuildError, ProofError, expect, locked, main, need_tools

VENV = TREE / ".venv" / "bin" / "python"
SHOTS = CACHE / "screenshots"
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
PHONE = {"width": 360, "height": 740}
PATIENCE_MS = 30_000


def playwright() -> Any:
    """Playwright's Python side, installed into the cache if it is missing; the browser is Debian's."""
    (CACHE / "playwright").mkdir(parents=True, exist_ok=True)  # a folder that is missing now is never looked into
    sys.path[:0] = [str(TREE), str(CACHE / "playwright")]
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        with locked("playwright"):
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(CACHE / "playwright")]
            if subprocess.run([*command, "playwright"], check=False).returncode:
                raise BuildError("pip can't install playwright (no network?)") from None
        importlib.invalidate_caches()
        from playwright.sync_api import sync_playwright
    return sync_playwright


class Phone:
    """A browser window, and the complaints of its scripts."""

    def __init__(self, browser: Any, name: str, scheme: str = "light") -> None:
        self.name, self.scheme = name, scheme
        context = browser.new_context(viewport=PHONE, color_scheme=scheme, has_touch=True, locale="en")
        context.set_default_timeout(PATIENCE_MS)
        self.page = context.new_page()
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda message: self._heard(message.type, message.text))

    def _heard(self, kind: str, text: str) -> None:
        if kind == "error" and "401" not in text and "403" not in text:  # of being asked to pair
            self.complaints.append(text)

    def shot(self, what: str, *, whole: bool = False) -> None:
        """Keep a picture to look at, and see that nothing sticks out at the side."""
        self.page.screenshot(path=SHOTS / f"{what}-{self.scheme}.png", full_page=whole)
        wide = self.page.evaluate("document.documentElement.scrollWidth")
        expect(wide <= PHONE["width"], f"{what}: nothing sticks out at the side ({wide} px)")

    def until(self, holds: str) -> None:
        """Wait until a script says true; Playwright's own way of waiting is what the content policy forbids."""
        for _ in range(PATIENCE_MS // 100):
            if self.page.evaluate(holds):
                return
            self.page.wait_for_timeout(100)
        self.page.screenshot(path=SHOTS / "stuck.png", full_page=True)
        raise ProofError(f"waited in vain for {holds}")

    def goes_to(self, name: str) -> None:
        """Tap a page below."""
        self.page.locator(f'#tabs a[href="#{name}"]').tap()
        self.page.wait_for_selector(f'#tabs a[href="#{name}"][aria-current]')


def pair(phone: Phone, living: Any) -> None:
    """Refused with a wrong code, let in with the right one."""
    page = phone.page
    page.goto(living.page.address)
    page.fill("#code", "000000" if living.page.code() != "000000" else "111111")
    page.locator("button[type=submit]").tap()
    phone.until("document.getElementById('say').textContent.includes('not the code')")
    phone.shot("pair-refused")
    expect(page.locator("#tabs").count() == 0, "a wrong code shows nothing of the table")
    page.fill("#code", living.page.code())
    page.locator("button[type=submit]").tap()
    page.wait_for_selector("#main .oled")
    expect(page.locator("#tabs a").count() == 4, "the right code lets in")


def round_by_taps(phone: Phone, living: Any) -> None:
    """Play one round: every topping by a tap on the picture, numbers and turning by the four buttons."""
    from companion.games.pizza.judge import wanted

    page, arbiter = phone.page, living.daemon.arbiter
    page.wait_for_selector('.overlay:not(.stale) [data-space="d4"]')
    phone.shot("table", whole=True)

    def events() -> list[str]:
        return [event["event"] for event in arbiter.game.events]

    def lay(space: str, colour: str) -> None:
        page.locator(f'.overlay [data-space="{space}"] .hit').tap()
        page.locator(f"#sheet .pick.{colour}").tap()
        phone.until("!document.getElementById('sheet').open")

    def wait(count: int) -> None:
        phone.until(f"document.querySelectorAll('.log > li').length >= {count}")

    def push(*names: str) -> None:
        for name in names:
            page.locator(f'[data-button="{name}"]').tap()
            page.wait_for_timeout(250)

    while arbiter.game.state.phase == "place":
        state = arbiter.game.state
        lay(state.setup.board.names(state.legal)[0], state.setup.player(state.to_act).colour)
        wait(len(state.order) if state.acted else 1)
    phone.shot("log", whole=True)
    expect(events() == ["place", "place"], "two toppings by two taps each")
    push("ok")
    page.wait_for_timeout(400)
    push("up", "up", "up", "ok", "ok")
    wait(3)
    expect(events()[2:] == ["neutral_roll"], "the neutral number by the buttons")
    state = arbiter.game.state
    if state.phase == "neutral_place":
        lay(state.setup.board.names(state.legal)[0], state.setup.neutral.colour)
        wait(4)
    page.wait_for_timeout(500)
    push("ok", "up", "up", "ok", "up", "ok", "ok")
    phone.until("document.querySelector('.log .reasons') !== null")
    phone.shot("cut", whole=True)
    expect(events()[-1] == "cut", "the cut by the buttons")
    for space, colour in wanted(arbiter.game.state).items():
        if arbiter.scene(0).reading.spaces[space] != colour:
            lay(space, colour)
            page.wait_for_timeout(150)
    for _ in range(6):
        if events()[-1] == "rotate":
            break
        page.wait_for_timeout(1200)
        push("ok", "down", "ok")
    expect(events()[-1] == "rotate", "the round is over by taps alone")
    phone.until("document.querySelector('.log > li').textContent.includes('round 2')")


def calibrate_by_dragging(phone: Phone, living: Any) -> None:
    """Aim, take a picture, drag the corners away and onto their spaces, measure, save."""
    page = phone.page
    living.picture = living.draw(empty=True)
    before = (living.profile / "profile.toml").read_bytes()
    phone.goes_to("calibrate")
    page.wait_for_selector(".advice.good")
    phone.shot("aim", whole=True)
    page.get_by_role("button", name="Take the picture").tap()
    page.wait_for_selector("circle.found, details")
    phone.shot("judge", whole=True)
    page.get_by_role("button", name="Drag the corners").tap()
    page.wait_for_selector(".handle")
    browser_pieces.drag(phone, living.table.renderer.camera, living.table.state.setup.board.layout)
    page.get_by_role("button", name="Measure").tap()
    page.wait_for_selector("circle.found")
    advice = page.locator(".advice").text_content()
    print(f"quality: {advice}")
    phone.shot("judge-dragged", whole=True)
    page.get_by_role("button", name="Yes, save it").tap()
    page.wait_for_selector("#main .oled")
    expect((living.profile / "profile.toml").read_bytes() != before, "the calibration is saved")
    living.picture = living.draw()
    page.wait_for_selector('.overlay:not(.stale) [data-space="d4"]')


def note_and_new_game(phone: Phone, living: Any) -> None:
    """Write a note, then set up another game: its rule settings, and the question before the one that is on is left."""
    page, arbiter = phone.page, living.daemon.arbiter
    page.locator(".log > li .tool").last.tap()
    page.fill("#note", "what a move")
    page.locator("#sheet button[type=submit]").tap()
    phone.until("document.querySelector('.log .note') !== null")
    phone.goes_to("settings")
    page.get_by_role("button", name="New game").tap()
    page.select_option("#new-which", label="Wizard cards")
    page.select_option("#new-first", "1")
    page.select_option("#new-rule-0", label="bids: hidden")
    page.locator("label[for=new-rule-1-3]").tap()
    phone.shot("new-game")
    page.select_option("#new-name-1", "0")
    page.locator("#sheet button[type=submit]").tap()
    page.get_by_role("button", name="Yes, new game").tap()
    phone.until("document.querySelector('#sheet .warn')?.textContent.includes('the same name')")
    phone.shot("new-game-refused")
    phone.complaints = [said for said in phone.complaints if "400" not in said]  # the refusal that was wanted
    page.select_option("#new-name-1", "1")
    page.locator("#sheet button[type=submit]").tap()
    page.get_by_role("button", name="No, play on").tap()
    expect(arbiter.game.header["game"] == "pizza", "a game that is on is not left unasked")
    page.get_by_role("button", name="New game").tap()
    page.select_option("#new-which", label="Wizard cards")
    page.select_option("#new-first", "1")
    page.select_option("#new-rule-0", label="bids: hidden")
    page.locator("label[for=new-rule-1-3]").tap()
    page.locator("#sheet button[type=submit]").tap()
    page.get_by_role("button", name="Yes, new game").tap()
    page.wait_for_selector("#main .oled")
    header = arbiter.game.header
    expect(
        (header["game"], header["dealer"], header["settings"])
        == ("wizard_cards", 1, {"bids_shown": "together", "specials": ["dragon"]}),
        f"the game is as the form says {header}",
    )
    phone.until("document.getElementById('troubles').textContent.includes('read this table')")
    phone.shot("troubles", whole=True)


def watch_only(browser: Any, living: Any) -> None:
    """A phone that may only watch sees the table and has nothing to press."""
    phone = Phone(browser, "viewer", "dark")
    from companion.web.phone import link

    phone.page.goto(link(living.page.address, living.page.code("viewer")))  # as the square code says it
    phone.page.wait_for_selector('.overlay [data-space="d4"]')
    expect(phone.page.locator("[data-button], .tool, .overlay [role=button]").count() == 0, "a viewer has no buttons")
    status = phone.page.evaluate(
        "fetch('/api/undo', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{}'})"
        ".then((answer) => answer.status)"
    )
    expect(status == 403, "and can't act otherwise")
    phone.shot("viewer", whole=True)
    expect(not phone.complaints, f"no complaint of the scripts {phone.complaints}")


def every_page(browser: Any, living: Any) -> None:
    """Pictures of every page by night, and in every language."""
    phone = Phone(browser, "night", "dark")
    page = phone.page
    page.goto(living.link)
    for language in ("en", "de", "es", "fr"):
        page.wait_for_selector("#tabs a")
        page.evaluate(f"localStorage.setItem('language', '{language}')")
        page.reload()
        for name in ("table", "games", "calibrate", "settings"):
            page.wait_for_selector("#tabs a")
            phone.goes_to(name)
            page.wait_for_timeout(1500)
            phone.shot(f"{name}-{language}", whole=True)
    expect(page.get_attribute("html", "lang") == "fr", "the page speaks the phone's language")
    expect(not phone.complaints, f"no complaint of the scripts {phone.complaints}")


def by_keyboard(phone: Phone, living: Any) -> None:
    """Everything on the table is reached and chosen by keys alone, and bears a name."""
    page = phone.page
    page.locator('.overlay [tabindex="0"]').focus()
    page.keyboard.press("ArrowRight")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    expect(bool(label) and ":" in label, f"arrows go from thing to thing: {label}")
    page.keyboard.press("Enter")
    page.wait_for_selector("#sheet[open]")
    expect(
        page.evaluate("document.getElementById('sheet').contains(document.activeElement)"), "the sheet has the focus"
    )
    phone.shot("sheet")
    page.keyboard.press("Escape")
    nameless = page.evaluate(
        "[...document.querySelectorAll('button, a, select, input, textarea, [role=button]')].filter((e) =>"
        "!(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length)).length"
    )
    expect(nameless == 0, "whatever can be used bears a name")


def rig() -> str:
    """Serve a table, look at it with browsers."""
    if Path(sys.prefix) != VENV.parent.parent:
        if not VENV.exists():
            raise BuildError("./test.sh makes the environment that this rig runs in")
        os.execv(VENV, [str(VENV), *sys.argv])
    sync_playwright = playwright()
    need_tools(chromium="chromium")
    from tests.web.living import Living

    shutil.rmtree(SHOTS, ignore_errors=True)
    SHOTS.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder, Living(Path(folder)) as living, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        phone = Phone(browser, "player")
        pair(phone, living)
        phone.page.wait_for_selector('.overlay:not(.stale) [data-space="d4"]')
        browser_pieces.sticks_and_hidden_spaces(phone, living)
        round_by_taps(phone, living)
        by_keyboard(phone, living)
        calibrate_by_dragging(phone, living)
        expect(not phone.complaints, f"no complaint of the scripts {phone.complaints}")
        watch_only(browser, living)
        every_page(browser, living)
        phone.goes_to("table")
        note_and_new_game(phone, living)
        browser_pieces.another_board(phone, living, Path(folder))
        expect(not phone.complaints, f"no complaint of the scripts {phone.complaints}")
        for game, played in (("wizard_dice", browser_pieces.dice), ("wizard_cards", browser_pieces.cards)):
            with tempfile.TemporaryDirectory() as other, Living(Path(other), game=game) as table:
                phone = Phone(browser, game, "dark")
                phone.page.goto(table.link)
                phone.page.wait_for_selector("#main .oled")
                played(phone, table)
                expect(not phone.complaints, f"no complaint of the scripts {phone.complaints}")
        browser.close()
    done = (
        "pairing, a round, sticks, dice, cards by taps, calibrating by dragging, a deck enrolled, watching, new games"
    )
    return f"{done}; {len(list(SHOTS.iterdir()))} pictures: {SHOTS}"


main(rig)
