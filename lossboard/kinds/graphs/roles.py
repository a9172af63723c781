"""Roles of operations, by their names: computing, reshaping, bookkeeping, or holding a parameter or a constant.

The names of torch (`aten::`, `prim::`), ONNX, TensorFlow and OpenVINO hardly overlap, so one table serves all of them.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

Role: TypeAlias = Literal["compute", "reshape", "bookkeeping", "constant", "size", "parameter", "input", "output"]
Detail: TypeAlias = Literal["compute", "reshape", "all"]
"""How much is drawn: operations that compute, also those that only reshape, or everything."""

_PARAMETERS = "getattr get_attr variable variablev2 varhandleop parameter initializer"
_INPUTS = "placeholder placeholderwithdefault arg iteratorgetnext oneshotiterator iteratorv2 inputlayer input io_node"
_OUTPUTS = "retval output result"
_CONSTANTS = (
    "constant const range arange zeros ones full empty fill zeros_like ones_like full_like constantofshape new_ones "
    "new_zeros new_full"
)
_SIZES = "size shape rank numel dim shapeof shapen shape_as_tensor"
_BOOKKEEPING = (
    "listconstruct tupleconstruct dictconstruct listunpack tupleunpack numtotensor int float bool scalarimplicit "
    "contiguous detach clone alias identity identityn noop stopgradient preventgradient dropout "
    "feature_dropout alpha_dropout readvariableop assign assignadd assignsub assignvariableop varisinitializedop "
    "isvariableinitialized restorev2 savev2 restore save shardedfilename mergev2checkpoints checknumerics "
    "scalarsummary histogramsummary imagesummary mergesummary stringjoin print assert raiseexception "
    "broadcastgradientargs refresh enter exit controltrigger lookup_constant"
)
_RESHAPES = (
    "view reshape transpose t permute unsqueeze expand expand_as slice squeeze flatten select to type_as cast "
    "unflatten expanddims stridedslice split splitv unbind chunk narrow broadcastto broadcast_to tile repeat pack "
    "unpack stack swapaxes movedim view_as reshape_as permute_copy expand_copy castlike convert"
)
_NAMES: tuple[tuple[Role, str], ...] = (
    ("parameter", _PARAMETERS),
    ("input", _INPUTS),
    ("output", _OUTPUTS),
    ("constant", _CONSTANTS),
    ("size", _SIZES),
    ("bookkeeping", _BOOKKEEPING),
    ("reshape", _RESHAPES),
)
_ROLES = {name: role for role, names in _NAMES for name in names.split()}
_DRAWN: dict[Detail, frozenset[Role]] = {
    "compute": frozenset({"compute", "input", "output"}),
    "reshape": frozenset({"compute", "input", "output", "reshape"}),
    "all": frozenset({"compute", "input", "output", "reshape", "bookkeeping", "constant", "size"}),
}


def short_name(op: str) -> str:
    """Returns `linear` for `aten::linear`, and `and` for `aten::__and__`."""
    return op.rsplit("::", 1)[-1].strip("_") or op


def role_of(op: str) -> Role:
    return _ROLES.get(short_name(op).replace(" ", "_").lower(), "compute")


def is_drawn(role: Role, detail: Detail) -> bool:
    return role in _DRAWN[detail]
