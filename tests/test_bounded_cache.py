"""Bounded cache, and a check that no module holds a cache."""

import ast
from pathlib import Path

import pytest

import lossboard
from lossboard.bounded_cache import BoundedCache

PACKAGE = Path(lossboard.__file__).parent
CACHES_OF_CONSTANTS = {"kinds/__init__.py", "series_math/student_t.py"}
# Holds the Arrow streams that C code reads, until it releases them.
OPEN_STREAMS = {"export/arrow_stream.py"}


def test_least_recently_used_values_are_dropped_first():
    cache = BoundedCache(10)
    cache.put("a", 1, size=4)
    cache.put("b", 2, size=4)
    assert cache.get("a") == 1
    cache.put("c", 3, size=4)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]


def test_size_never_exceeds_the_limit():
    cache = BoundedCache(100)
    for i in range(1000):
        cache.put(i % 60, i, size=i % 37)
        assert cache.size <= 100
    assert cache.size == sum(value % 37 for key in range(60) if (value := cache.get(key)) is not None)


def test_replacing_a_value_counts_it_once():
    cache = BoundedCache(10)
    cache.put("a", 1, size=6)
    cache.put("a", 2, size=3)
    assert (cache.get("a"), cache.size, len(cache)) == (2, 3, 1)


def test_values_larger_than_the_limit_are_not_stored():
    cache = BoundedCache(10)
    cache.put("small", 1, size=10)
    cache.put("large", 2, size=11)
    assert (cache.get("small"), cache.get("large")) == (1, None)


@pytest.mark.parametrize("part", ["store", "series_math", "kinds", "select", "export", "server", "cli"])
def test_modules_hold_no_caches(part):
    for file in (PACKAGE / part).rglob("*.py"):
        if file.relative_to(PACKAGE).as_posix() in CACHES_OF_CONSTANTS | OPEN_STREAMS:
            continue
        tree = ast.parse(file.read_text())
        decorators = [ast.unparse(one) for node in ast.walk(tree) for one in getattr(node, "decorator_list", [])]
        assert not [one for one in decorators if one.split("(")[0] in ("cache", "lru_cache", "functools.cache")], file
        values = [node.value for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign) and node.value]
        made = [ast.unparse(value.func) for value in values if isinstance(value, ast.Call)]
        assert not [one for one in made if one.endswith(("Cache", "Dict", "dict"))], file
        assert not [value for value in values if isinstance(value, ast.Dict) and not value.keys], file
