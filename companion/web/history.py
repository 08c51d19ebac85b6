"""The addresses of finished games."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from companion.errors import RecordError
from companion.screens.language import translator
from companion.screens.view import T
from companion.web import past
from companion.web.app import Answer, Page, Refused


def history_routes(page: Page, data: Path) -> list[Route]:
    """The addresses of what was played.

    Args:
        page: what all parts share.
        data: folder of the journal and of the finished games.
    """

    async def worked(request: Request, make: Callable[..., Any], *args: Any) -> Any:
        """Work it out beside the streams: replaying a game takes a while on a small machine."""
        words = translator(page.language(request))
        try:
            return await run_in_threadpool(make, *args, words)
        except (RecordError, OSError, IndexError) as error:
            raise Refused(T("There is no such move."), 404) from error

    def game(request: Request) -> past.PastGame:
        path = past.game_files(data).get(request.path_params["game"])
        if path is None:
            raise Refused(T("There is no such game."), 404)
        try:
            return past.load_game(path)
        except (RecordError, OSError) as error:
            raise Refused(T("This game can't be read."), 404) from error

    async def games(request: Request) -> Response:
        return Answer(await worked(request, past.list_json, data))

    async def step(request: Request) -> Response:
        found = await run_in_threadpool(game, request)
        return Answer(await worked(request, past.step_json, found, request.path_params["step"]))

    async def dice(request: Request) -> Response:
        return Answer(await worked(request, past.dice_json, data))

    async def export(request: Request) -> Response:
        found = await run_in_threadpool(game, request)
        kind = request.path_params["kind"]
        makers = {"json": (past.export_json, "application/json"), "csv": (past.export_csv, "text/csv; charset=utf-8")}
        if kind not in makers:
            raise Refused("json or csv", 404)
        make, media_type = makers[kind]
        name = f"{request.path_params['game']}.{kind}"
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(await worked(request, make, found), media_type=media_type, headers=headers)

    return [
        Route("/api/games", games),
        Route("/api/games/{game}/{step:int}", step),
        Route("/api/games/{game}/export.{kind}", export),
        Route("/api/dice", dice),
    ]
