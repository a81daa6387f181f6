"""Print how the code is built, in figures, and exit with status 1 where a target is missed.

    python scripts/structure.py

For each layer: files, functions, the median length of a function, syntax nodes on a line of code,
blank lines inside functions, long functions, and functions with many parameters. Then the imports
between the packages of a layer. Docstrings are not counted; tests, migrations, and benchmarks are
left out.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import grimp

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("metrics", "analysis", "annotation", "config")

# The packages of a layer, from top to bottom; those side by side do not import one another.
PACKAGES = {
    "analysis": (
        ("report",),
        ("findings",),
        ("figures",),
        ("evaluation", "leaderboard"),
        ("scoring",),
        ("stats",),
        ("distractors",),
        ("dataset",),
        ("formats",),
        ("tables",),
    ),
    "annotation": (
        ("web",),
        ("operations",),
        ("webhooks",),
        ("challenges",),
        ("results",),
        ("datasets", "quality", "accounts"),
        ("studies",),
        ("participation",),
        ("judging",),
        ("models",),
    ),
}

MAX_NODES = 11
MIN_BLANK = 0.06
MAX_LINES = 40
MAX_KERNEL_LINES = 60
MAX_PARAMETERS = 7

COMPILERS = {"jit", "jit_step", "njit"}
COLUMNS = "{:<11}{:>6}{:>11}{:>8}{:>8}{:>8}{:>7}{:>11}"


@dataclass(frozen=True)
class Function:
    """What is measured of a function."""

    place: str
    lines: int
    blank_lines: int
    nodes_per_line: float
    parameters: int
    is_kernel: bool

    @property
    def is_long(self) -> bool:
        return self.lines > (MAX_KERNEL_LINES if self.is_kernel else MAX_LINES)


def main() -> int:
    print(
        COLUMNS.format(
            "", "files", "functions", "lines", "nodes", "blank", "long", "parameters"
        )
    )
    problems = [problem for layer in LAYERS for problem in layer_problems(layer)]

    for layer in PACKAGES:
        problems += import_problems(layer)

    print(
        f"\n{len(problems)} targets missed." if problems else "\nAll targets are met."
    )
    for problem in problems:
        print(f"  {problem}")

    return 1 if problems else 0


def layer_problems(layer: str) -> list[str]:
    """Print the figures of a layer, and return the targets that it misses."""
    files = [
        f for f in sorted((ROOT / layer).rglob("*.py")) if "migrations" not in f.parts
    ]
    functions = [function for file in files for function in functions_of(file)]

    nodes = median(function.nodes_per_line for function in functions)
    blank = sum(f.blank_lines for f in functions) / sum(f.lines for f in functions)
    long = [function for function in functions if function.is_long]
    wide = [function for function in functions if function.parameters > MAX_PARAMETERS]

    lines = median(function.lines for function in functions)
    figures = (f"{lines:g}", f"{nodes:.2f}", f"{blank:.1%}", len(long), len(wide))
    print(COLUMNS.format(layer, len(files), len(functions), *figures))

    problems = []
    if nodes > MAX_NODES:
        problems.append(
            f"{layer}: {nodes:.2f} syntax nodes per line, at most {MAX_NODES} wanted"
        )
    if blank < MIN_BLANK:
        problems.append(
            f"{layer}: {blank:.1%} blank lines, at least {MIN_BLANK:.0%} wanted"
        )

    problems += [f"{function.place}: {function.lines} lines" for function in long]
    problems += [
        f"{function.place}: {function.parameters} parameters" for function in wide
    ]
    return problems


def functions_of(file: Path) -> Iterator[Function]:
    """Measure the functions of a file, inner functions too."""
    text = file.read_text(encoding="utf-8")
    lines = text.splitlines()

    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            place = f"{file.relative_to(ROOT)}:{node.lineno} {node.name}"
            yield measure(node, lines, place)


def measure(
    node: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str], place: str
) -> Function:
    """Measure one function, without its docstring."""
    body = (
        node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    )

    header = lines[node.lineno - 1 : node.body[0].lineno - 1]
    code = lines[body[0].lineno - 1 : node.end_lineno] if body else []
    blank_lines = sum(not line.strip() for line in code)
    nodes = sum(1 for statement in body for _ in ast.walk(statement))

    return Function(
        place=place,
        lines=len(header) + len(code),
        blank_lines=blank_lines,
        nodes_per_line=nodes / max(1, len(code) - blank_lines),
        parameters=count_parameters(node.args),
        is_kernel=any(
            name_of(decorator) in COMPILERS for decorator in node.decorator_list
        ),
    )


def count_parameters(arguments: ast.arguments) -> int:
    """Count the parameters of a function, without `self` and `cls`."""
    positional = [*arguments.posonlyargs, *arguments.args]
    if positional and positional[0].arg in ("self", "cls"):
        positional = positional[1:]

    rest = [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
    return len(positional) + len(arguments.kwonlyargs) + len(rest)


def name_of(decorator: ast.expr) -> str:
    """Return the last name of a decorator: `njit` of `@numba.njit(cache=True)`."""
    if isinstance(decorator, ast.Call):
        decorator = decorator.func

    if isinstance(decorator, ast.Attribute):
        return decorator.attr
    return decorator.id if isinstance(decorator, ast.Name) else ""


def import_problems(layer: str) -> list[str]:
    """Print the imports between the packages of a layer, and return those that do not go down."""
    level = {name: n for n, names in enumerate(PACKAGES[layer]) for name in names}
    imports = imports_between_packages(layer)
    arrows = {
        (importer.split(".")[1], imported.split(".")[1])
        for importer, imported in imports
    }
    upward = {(a, b) for a, b in arrows if level.get(a, 0) >= level.get(b, len(level))}

    print(
        f"\n{layer}: {len(arrows)} arrows between packages, {len(upward)} of them upward"
    )
    counts = Counter((a.split(".")[1], b.split(".")[1]) for a, b in imports)
    for importer in level:
        targets = [f"{b} {counts[a, b]}" for a, b in sorted(arrows) if a == importer]
        if targets:
            print(f"  {importer:<11}-> {', '.join(targets)}")

    return [
        f"{importer} imports {imported}, which is above it or beside it"
        for importer, imported in sorted(imports)
        if (importer.split(".")[1], imported.split(".")[1]) in upward
    ]


def imports_between_packages(layer: str) -> set[tuple[str, str]]:
    """Return the modules of a layer's packages that import a module of another of them."""
    packages = {name for names in PACKAGES[layer] for name in names}
    graph = grimp.build_graph("tercet", cache_dir=None)

    pairs = set()
    for importer in graph.find_matching_modules(f"tercet.{layer}.**"):
        for imported in graph.find_modules_directly_imported_by(importer):
            modules = [name.removeprefix("tercet.") for name in (importer, imported)]
            rooms = [name.split(".")[:2] for name in modules]
            known = all(room[0] == layer and room[-1] in packages for room in rooms)
            if known and rooms[0] != rooms[1]:
                pairs.add((modules[0], modules[1]))
    return pairs


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
