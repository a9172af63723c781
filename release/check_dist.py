"""Checks what is inside a wheel and an sdist, before they are published.

    python release/check_dist.py dist/*

Uses only the standard library.
"""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

MAX_WHEEL_BYTES = 1_500_000
MAX_SDIST_BYTES = 1_000_000

_DIST_INFO = r"lossboard-[^/]+\.dist-info/"
REQUIRED = {
    "the web UI": r"lossboard/web/index\.html",
    "the native core": r"lossboard/_core\.[^/]*(so|pyd)",
    "the core's types": r"lossboard/_core\.pyi",
    "the marker for type checkers": r"lossboard/py\.typed",
    "the commit": r"lossboard/_commit\.txt",
    "the license": _DIST_INFO + "licenses/LICENSE",
    "the licenses of bundled code": _DIST_INFO + "licenses/THIRD_PARTY_LICENSES",
    "the command `lossboard`": _DIST_INFO + r"entry_points\.txt",
}
# Python files are compared with the source tree instead.
ALLOWED = [
    *REQUIRED.values(),
    r"lossboard/web/(favicon\.svg|theme\.js)",
    r"lossboard/web/assets/[\w.-]+\.(js|css|woff2|svg|png)",
    _DIST_INFO + r"(METADATA|WHEEL|RECORD)",
]


def problems_of_wheel(wheel: Path, source: Path = ROOT) -> Iterator[str]:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
        index = archive.read("lossboard/web/index.html").decode() if "lossboard/web/index.html" in names else ""
    yield from _problems_of_size(wheel, MAX_WHEEL_BYTES)
    for what, pattern in REQUIRED.items():
        if not any(re.fullmatch(pattern, name) for name in names):
            yield f"{what} is missing ({pattern})"
    modules = {name for name in names if name.endswith(".py")}
    expected = {path.relative_to(source).as_posix() for path in (source / "lossboard").rglob("*.py")}
    yield from (f"{name} is missing" for name in sorted(expected - modules))
    yield from (f"{name} is not in the source tree" for name in sorted(modules - expected))
    for name in sorted(names - modules):
        if not any(re.fullmatch(pattern, name) for pattern in ALLOWED):
            yield f"{name} is unexpected"
    for target in re.findall(r'(?:src|href)="\.?/?([^"#:]+)"', index):
        if f"lossboard/web/{target}" not in names:
            yield f"index.html needs {target}, which is missing"
    if re.search(r"-linux_\w+\.whl$", wheel.name):
        yield "the platform tag is not manylinux, so no index accepts it. Run auditwheel repair"


def problems_of_sdist(sdist: Path) -> Iterator[str]:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    yield from _problems_of_size(sdist, MAX_SDIST_BYTES)
    needed = ["PKG-INFO", "LICENSE", "THIRD_PARTY_LICENSES", "README.md", "native/CMakeLists.txt"]
    for name in [*needed, "lossboard/version.py", "lossboard/web/index.html", "lossboard/_commit.txt"]:
        if name not in names:
            yield f"{name} is missing"
    for name in sorted(names):
        if re.match(r"(tests|ui|bench|build|dist|\.)", name) or re.search(r"__pycache__|\.(so|pyc)$", name):
            yield f"{name} is unexpected"


def _problems_of_size(file: Path, max_bytes: int) -> Iterator[str]:
    if file.stat().st_size > max_bytes:
        yield f"{file.stat().st_size:,} bytes, more than the limit of {max_bytes:,}"


def main(files: list[Path]) -> int:
    found = 0
    for file in files:
        problems = list(problems_of_wheel(file) if file.suffix == ".whl" else problems_of_sdist(file))
        found += len(problems)
        print(f"{file.name}: {file.stat().st_size / 1000:.0f} kB, {len(problems) or 'no'} problems")
        for problem in problems:
            print(f"  {problem}")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main([Path(word) for word in sys.argv[1:]]))
