import pytest
import torch

from lossboard.train.memory.oom import CatchOom

CHANGED = f"torch {torch.__version__} words this error differently; adapt lossboard/train/memory/oom.py"


def test_real_cpu_allocation_failure_is_caught():
    with CatchOom(enabled=True) as oom:
        torch.empty(1 << 55)
    assert oom.message, CHANGED


def test_oom_is_raised_if_catching_is_disabled():
    with pytest.raises(RuntimeError), CatchOom(enabled=False):
        torch.empty(1 << 55)


def test_memory_error_without_a_message_is_named_by_its_type():
    with CatchOom(enabled=True) as oom:
        raise MemoryError
    assert oom.message == "MemoryError"


def test_only_the_first_line_of_an_error_is_kept():
    with CatchOom() as oom:
        raise MemoryError("std::bad_alloc\n1100 lines about a graph")
    assert oom.message == "std::bad_alloc"


def test_other_errors_are_raised():
    with pytest.raises(RuntimeError, match="shapes"), CatchOom(enabled=True):
        raise RuntimeError("shapes do not match")
