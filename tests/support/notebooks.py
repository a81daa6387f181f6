"""Run the cells of a notebook as Jupyter does, without Jupyter.

`python -m tests.support.notebooks docs/notebook.ipynb` writes the outputs into the notebook.
"""

import ast
import base64
import json
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

Output = dict[str, Any]


def run(notebook: dict[str, Any]) -> list[list[Output]]:
    """Return the outputs of each code cell."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [each for each in notebook["cells"] if each["cell_type"] == "code"]
    return [list(_outputs("".join(cell["source"]), names)) for cell in cells]


def _outputs(source: str, names: dict[str, Any]) -> Iterator[Output]:
    """Run a cell; yield what it prints, then the value of its last expression."""
    lines = [line for line in source.splitlines() if not line.startswith("%")]
    body = ast.parse("\n".join(lines)).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    value = None

    with redirect_stdout(StringIO()) as printed:
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            expression = ast.Expression(last.value)
            value = eval(compile(expression, "cell", "eval"), names)

    if text := printed.getvalue():
        stream = {"output_type": "stream", "name": "stdout"}
        yield stream | {"text": text.splitlines(keepends=True)}
    if value is not None:
        result = {"output_type": "execute_result", "metadata": {}}
        yield result | {"execution_count": None, "data": _data(value)}


def _data(value: Any) -> Output:
    data: Output = {"text/plain": [repr(value)]}
    if isinstance(value, Figure):
        buffer = BytesIO()
        value.savefig(buffer, dpi=64)
        data["image/png"] = base64.b64encode(buffer.getvalue()).decode()
    elif hasattr(value, "_repr_html_"):
        data["text/html"] = value._repr_html_().splitlines(keepends=True)

    return data


def _write(path: Path) -> None:
    """Replace the outputs in a notebook."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    made = iter(run(notebook))

    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = next(made)

    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    _write(Path(sys.argv[1]))
