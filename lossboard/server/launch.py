"""`lossboard.launch(logdir)`: a board in a thread of this process, for notebooks and scripts."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from types import TracebackType

from lossboard.kinds import asset_kinds
from lossboard.server.app import build_app
from lossboard.server.board import BoardState
from lossboard.server.guard import host_names
from lossboard.server.ports import listen
from lossboard.server.serve import build_server
from lossboard.store.logdir import Logdir

_HOST = "localhost"


class LaunchedBoard:
    """A running board. It ends with `stop()`, with its `with` block, or with the process."""

    def __init__(self, logdir: Logdir, port: int) -> None:
        sockets = listen(_HOST, port, search=False)
        self.url = f"http://{_HOST}:{sockets[0].getsockname()[1]}/"
        board = BoardState.create(logdir)
        app = build_app(board, hosts=host_names(_HOST), any_address=False, token="", prefix="")
        self._close_streams = board.follower.close_subscriptions
        self._server = build_server(app, on_exit=self._close_streams)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": sockets}, name="lossboard-serve", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Stops the server and waits for its end. Further calls have no effect."""
        self._close_streams()
        self._server.should_exit = True
        self._thread.join()

    def __repr__(self) -> str:
        return f"<{'Board' if self._thread.is_alive() else 'Stopped board'} at {self.url}>"

    def __enter__(self) -> LaunchedBoard:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()


def launch(logdir: str | os.PathLike[str] | Sequence[str], *, port: int = 0) -> LaunchedBoard:
    """Serves a board on localhost and returns at once. Port 0 is any free port.

    The result has `url` and `stop()`. Runs that appear later are shown, as on the command line.
    """
    return LaunchedBoard(Logdir.parse(logdir, assets=asset_kinds()), port)
