"""The forward pass by ONNX Runtime, where a ``.onnx`` file is named."""

from pathlib import Path
from typing import Any

import numpy as np

from tercet.lab.embedding.bert import Rows
from tercet.metrics.core.arrays import IntArray

_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}


class OnnxEncoder:
    """A session of ONNX Runtime, on the processor."""

    def __init__(self, path: Path, session: Any) -> None:
        self._path = path
        self._session = session
        self._inputs = {each.name for each in session.get_inputs()}

    @classmethod
    def read(cls, path: Path) -> "OnnxEncoder":
        """Load a file; ValueError if it is not one, or wants other inputs than BERT."""
        from onnxruntime import InferenceSession

        try:
            session = InferenceSession(str(path), providers=["CPUExecutionProvider"])
        except Exception as error:  # what the package raises has no common class
            raise ValueError(
                f"{path}: not a model for ONNX Runtime ({error})"
            ) from error

        encoder = cls(path, session)
        if not {"input_ids"} <= encoder._inputs <= _INPUTS:
            raise ValueError(f"{path}: its inputs are not those of BERT")

        return encoder

    def states(self, numbers: IntArray) -> Rows:
        """Return the states (texts, tokens, d) of token numbers (texts, tokens)."""
        given = {
            "input_ids": numbers,
            "attention_mask": np.ones_like(numbers),
            "token_type_ids": np.zeros_like(numbers),
        }
        feed = {name: given[name] for name in self._inputs}
        states: Rows = self._session.run(None, feed)[0]
        if states.ndim != 3 or states.shape[:2] != numbers.shape:
            raise ValueError(f"{self._path}: its first output is not a state per token")

        return states
