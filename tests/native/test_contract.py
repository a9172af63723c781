"""`_core.pyi` and the compiled module declare the same names."""

import ast
from pathlib import Path

import lossboard
from lossboard import _core

STUB = ast.parse(Path(lossboard.__file__).with_name("_core.pyi").read_text("utf-8"))
IMPLICIT = {"__init__", "__new__", "__doc__", "__module__", "__nb_signature__"}


def declared(body: list[ast.stmt]) -> set[str]:
    return {node.name for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)}


def public(names: object) -> set[str]:
    return {name for name in vars(names) if not name.startswith("_")}


def test_functions_and_classes() -> None:
    assert declared(STUB.body) == public(_core)


def test_members_of_classes() -> None:
    classes = [node for node in STUB.body if isinstance(node, ast.ClassDef)]
    for node in classes:
        compiled = getattr(_core, node.name)
        members = declared(node.body)
        assert {name for name in members if not name.startswith("_")} == public(compiled), node.name
        assert all(name in vars(compiled) for name in members - IMPLICIT), node.name


def test_base_classes() -> None:
    for node in (node for node in STUB.body if isinstance(node, ast.ClassDef)):
        declared_bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
        compiled_bases = [base.__name__ for base in getattr(_core, node.name).__bases__ if base is not object]
        assert declared_bases == compiled_bases, node.name


def test_fields_are_read_only() -> None:
    for node in (node for node in STUB.body if isinstance(node, ast.ClassDef)):
        for member in node.body:
            if isinstance(member, ast.FunctionDef) and member.decorator_list:
                descriptor = vars(getattr(_core, node.name))[member.name]
                assert isinstance(descriptor, property) and descriptor.fset is None, f"{node.name}.{member.name}"
