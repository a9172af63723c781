"""Graph of a Hugging Face checkpoint, from its config alone: the model is built and traced without its weights."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

from lossboard.errors import DecodeError
from lossboard.kinds.graphs.encode import GraphNode

_BATCH, _TOKENS = 1, 128


def trace_checkpoint(folder: Path) -> list[GraphNode]:
    """Returns the nodes of the model that `config.json` describes. Raises DecodeError if it cannot be traced."""
    try:
        import torch
        import transformers
    except ImportError:
        raise DecodeError("Opening a checkpoint needs torch and transformers: pip install torch transformers") from None
    from lossboard.kinds.graphs.torch_trace import trace

    try:
        names = json.loads((folder / "config.json").read_text("utf-8")).get("architectures") or ["AutoModel"]
        config: Any = transformers.AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        transformers_class: Any = getattr(transformers, names[0], None) or transformers.AutoModel
        logging.getLogger("transformers").setLevel(logging.ERROR)
        with torch.device("meta"):
            build = getattr(transformers_class, "from_config", transformers_class)
            model = build(config)
            tokens = torch.ones((_BATCH, min(_TOKENS, _positions(config))), dtype=torch.long)
            mask = torch.ones_like(tokens)
        inputs = {"input_ids": tokens, "attention_mask": mask}
        return trace(model, inputs, strict=False)[1]
    except Exception as error:  # a model may raise anything
        reason = str(error).strip().split("\n")[0]
        raise DecodeError(f"Could not trace the model in {folder}: {type(error).__name__}: {reason}") from None


def _positions(config: Any) -> int:
    return int(getattr(config, "max_position_embeddings", None) or _TOKENS)
