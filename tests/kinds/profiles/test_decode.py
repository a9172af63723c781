from pathlib import Path
from types import SimpleNamespace

from lossboard.kinds.profiles.decode import traces


def test_traces_are_listed_with_the_run_they_lie_beside(tmp_path: Path) -> None:
    names = [
        "gz/worker0.17947.pt.trace.json.gz",
        "node1_12.99.pt.trace.json",
        "r/plugins/profile/2026_01/host.xplane.pb",
    ]
    for name in [*names, "r/notes.json"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"12345")
    logdir = SimpleNamespace(roots=[SimpleNamespace(path=tmp_path, name="")])
    assert sorted((t.run, t.worker, t.format, t.size_bytes) for t in traces(logdir)) == [
        (".", "node1_12", "torch", 5),
        ("gz", "worker0", "torch", 5),
        ("r", "host", "xplane", 5),
    ]


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "w.1.pt.trace.json").write_bytes(b"")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    logdir = SimpleNamespace(roots=[SimpleNamespace(path=tmp_path, name="")])
    assert [trace.run for trace in traces(logdir)] == ["a"]
