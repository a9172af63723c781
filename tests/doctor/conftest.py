"""Logdirs with the recorded runs, and what the doctor says about them."""

from __future__ import annotations

from pathlib import Path

import pytest

from doctor.recorded import Judged, Recorded, load
from lossboard.board import open_logdir
from lossboard.doctor.diagnose import create_doctor


def judge(runs: list[Recorded], folder: Path) -> Judged:
    for run in runs:
        run.write(folder)
    found = {one.subject.name: one.diagnoses for one in create_doctor(open_logdir(folder)).check()}
    return [(run, [one.finding for one in found[run.name]]) for run in runs]


@pytest.fixture(scope="session")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    return judge(load("healthy"), tmp_path_factory.mktemp("healthy"))


@pytest.fixture(scope="session")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    return judge(load("faults"), tmp_path_factory.mktemp("faults"))
