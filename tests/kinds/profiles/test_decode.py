from pathlib import Path

from lossboard.kinds.profiles.decode import traces
from lossboard.kinds.profiles.kind import KIND
from lossboard.store.logdir import Logdir, Root


def test_traces_belong_to_the_run_of_their_folder(tmp_path: Path) -> None:
    names = [
        "gz/worker0.17947.pt.trace.json.gz",
        "node1_12.99.pt.trace.json",
        "r/plugins/profile/2026_01/host.xplane.pb",
    ]
    for name in [*names, "r/notes.json"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"12345")
    logdir = Logdir([Root(tmp_path)], assets=[KIND])
    logdir.poll()
    assert sorted((t.run, t.worker, t.format, t.size_bytes) for t in traces(logdir)) == [
        (".", "node1_12", "torch", 5),
        ("gz", "worker0", "torch", 5),
        ("r", "host", "xplane", 5),
    ]
