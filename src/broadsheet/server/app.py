"""Build the application: routes, middleware, start and end of the worker processes."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

import broadsheet
from broadsheet.server.access import AccessControl, Admission
from broadsheet.server.openapi import add_schemas
from broadsheet.server.refusal import Refusal
from broadsheet.server.request_log import RequestLog
from broadsheet.server.requests import describe_errors
from broadsheet.server.routes import extract, front_page, router
from broadsheet.server.service import Service

_EXTRACT = next(route for route in router.routes if getattr(route, "endpoint", None) is extract)


def make_app(service: Service, add_routes: Callable[[FastAPI], None] | None = None) -> FastAPI:
    """Return the ASGI application. With a server that supports lifespan, it starts and stops the worker processes.

    `add_routes` adds the routes of another room, such as the desk, whose `/` replaces the page about the service.
    """

    @contextlib.asynccontextmanager
    async def run_workers(_: FastAPI) -> AsyncIterator[None]:
        try:
            await service.start()
            yield
        finally:
            await service.close()

    app = FastAPI(
        title="Broadsheet",
        description="Extracts articles from news pages.",
        version=broadsheet.__version__,
        docs_url=None,  # its pages load scripts from other hosts; /docs is our own
        redoc_url=None,
        redirect_slashes=False,  # a redirect has no body, and programs do not send a page again
        lifespan=run_workers,
        middleware=_list_middleware(service),
        exception_handlers={
            Refusal: _answer_refusal,
            RequestValidationError: _answer_wrong_request,
            HTTPException: _answer_http_error,
        },
    )
    app.state.service = service
    app.include_router(router)
    if add_routes:
        add_routes(app)
    app.include_router(front_page)
    _add_schemas(app)
    return app


def _list_middleware(service: Service) -> list[Middleware]:
    """Return the layers around the routes, the outermost first."""

    def count_request(path: str, code: int, seconds: float) -> None:
        service.metrics.requests.labels(path, code).inc()
        service.metrics.seconds.labels(path).observe(seconds)

    settings = service.settings
    layers = [Middleware(RequestLog, count_request=count_request)]
    if settings.cors_origins:
        layers.append(
            Middleware(
                CORSMiddleware,
                allow_origins=list(settings.cors_origins),
                allow_methods=["GET", "POST"],
                allow_headers=["Authorization", "Content-Encoding", "Content-Type"],
                expose_headers=["Retry-After", "Server-Timing", "X-Request-Id"],
            )
        )
    layers += [Middleware(AccessControl, settings=settings), Middleware(Admission, gate=service.gate)]
    return [*layers, Middleware(DirectExtract, service=service), Middleware(HeadAsGet)]


def _add_schemas(app: FastAPI) -> None:
    make_document = app.openapi

    def openapi() -> dict[str, Any]:
        return add_schemas(make_document())

    app.openapi = openapi  # type: ignore[method-assign]  # as FastAPI documents it


async def _answer_refusal(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    return error.make_response()


async def _answer_wrong_request(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return Refusal(422, describe_errors(error.errors())).make_response()


async def _answer_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    methods = (error.headers or {}).get("Allow", "another HTTP method")
    lines = {
        404: f"no such address: {request.url.path[:200]}; see /openapi.json",
        405: f"use {methods} for this address",
    }
    return Refusal(
        error.status_code, lines.get(error.status_code, str(error.detail)), headers=error.headers
    ).make_response()


class DirectExtract:
    """ASGI middleware for POST /v1/extract: calls the function of the route itself. FastAPI only describes it.

    Its routing is a quarter of the instructions of the application.
    """

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http" or scope["method"] != "POST" or scope["path"] != "/v1/extract":
            await self._app(scope, receive, send)
            return
        scope["route"] = _EXTRACT  # for the metrics
        try:
            response = await extract(Request(scope, receive, send), self._service)
        except Refusal as refusal:
            response = refusal.make_response()
        await response(scope, receive, send)


class HeadAsGet:
    """ASGI middleware that lets HEAD, which monitors send, be answered as GET. The server sends only the headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        get_scope = {**scope, "method": "GET"}
        try:
            await self._app(get_scope, receive, send)
        finally:
            scope["route"] = get_scope.get("route")  # for the metrics
