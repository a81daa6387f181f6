"""Print how the code is built, in figures, and exit with status 1 where a figure gets worse.

    python scripts/structure.py
    python scripts/structure.py --walk MODULE:FUNCTION:PARAMETER [LAYER]

For each layer: files, lines, functions, the median length of a function, the median number of
syntax nodes of a simple statement (one without statements inside it, in functions, without
docstrings and imports), blank lines inside functions, long functions, and functions with many
parameters. Then what splitting cannot fake: lines of the product and of `lab`, functions that are
used once, class names that stand in several files, imports that no contract sees; then folders
with many files, long lines of templates, public names that only their own module uses, and the
imports between the packages of a layer. A figure has a target; one that is not reached yet is held
at what it is. Migrations are left out. `--walk` prints the modules that a value enters
(`scripts/walks.py`).
"""

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import grimp

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from scripts.walks import House, walk

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "tercet"
LAYERS = ("metrics", "analysis", "annotation", "config", "tests")
PRODUCT = ("metrics", "analysis", "annotation")
OUTSIDE = ("tests", "scripts", "benchmarks", "examples")
"""Folders beside the package."""

# The packages of a layer, from top to bottom; those side by side do not import one another.
PACKAGES = {
    "analysis": (
        ("report",),
        ("findings",),
        ("figures",),
        ("evaluation", "leaderboard"),
        ("scoring",),
        ("stats",),
        ("dataset",),
        ("layouts",),
        ("roles",),
        ("tables",),
    ),
    "annotation": (
        ("apps", "urls", "admin"),
        ("management",),
        ("pages",),
        ("operations",),
        ("tasks", "templatetags"),
        ("challenges",),
        ("results",),
        ("datasets", "quality", "accounts"),
        ("responses",),
        ("permissions",),
        ("studies",),
        ("participation",),
        ("judging", "jobs"),
        ("models",),
        ("enabled_metrics", "formats", "money", "names", "requests", "sql", "zipfiles"),
    ),
}

PAGE = re.compile(
    r"annotation\.(api|documentation)(\.\w+)*"
    r"|annotation(\.\w+)*\.(api|checklist|(\w+_)?(urls|views|forms?))"
)
"""Modules of pages: they stand above all that they show, whichever their subject is."""

TASK = re.compile(r"annotation\.\w+\.tasks")
"""Modules of the worker's tasks: they stand above the subjects whose work they do."""

NODES = {
    "metrics": (13, 14),
    "analysis": (12, 13),
    "annotation": (11, 12),
    "tests": (12, 13),
}
"""Syntax nodes of a simple statement: the target, and what it is held at until then.

A sentence as an f-string has a node for each of its parts, which a template with named values had
not: since sentences are plain strings, the medians are higher by one.
"""
LINES = (64_500, 89_292)
LAB_LINES = (7_500, 7_500)
USED_ONCE = (0.15, 0.242)
"""Functions that are used once in the whole product, decorated ones apart, as a share of all."""
ALIKE_CLASSES = (10, 10)
HIDDEN_IMPORTS = (0, 0)
ORDINARY = {"Meta", "Command", "Media"}
"""Class names that Django asks for."""
LONG_TEMPLATE_LINES = (0.01, 0.001)
NAMES_AT_HOME = (0, 0)
MAX_FILES = 24
FLAT = ("migrations", "commands", "__pycache__")
"""Folders that Django, or Python, wants flat."""
TEMPLATE_WIDTH = 160
MIN_BLANK = 0.06
MAX_LINES = 40
MAX_KERNEL_LINES = 60
MAX_PARAMETERS = 7
OPTIONS_OF_USERS = {"score", "curves"}
"""Functions whose further parameters are options that users name."""

REGISTERING = ("register", "receiver", "task", "api", "router", "admin")
REGISTERING_BASES = {"Schema", "BaseModel", "DatabaseStore"}
"""Classes whose names the API's description shows, and the one that Django finds by its name."""
OPEN_DOORS = {"__init__.py", "apps.py", "wsgi.py"}
"""Files that import by name: the lazy names of packages, and what Django starts."""
WORD = re.compile(r"\w+")
HIDDEN = re.compile(r"import_module\(\s*[\"']tercet")
EXEMPT = {"commands", "apps.py", "admin.py", "urls.py"}
"""Files whose names Django looks up."""

COMPILERS = {"jit", "jit_step", "njit"}
COLUMNS = "{:<11}{:>6}{:>8}{:>11}{:>8}{:>8}{:>8}{:>6}{:>11}"


@dataclass(frozen=True)
class Function:
    """What is measured of a function."""

    place: str
    lines: int
    blank_lines: int
    nodes: tuple[int, ...]
    """Of each simple statement."""
    parameters: int
    is_kernel: bool

    @property
    def name(self) -> str:
        return self.place.rpartition(" ")[2]

    @property
    def is_long(self) -> bool:
        return self.lines > (MAX_KERNEL_LINES if self.is_kernel else MAX_LINES)


def main() -> int:
    header = ("", "files", "lines", "functions", "length", "nodes", "blank", "long")
    print(COLUMNS.format(*header, "parameters"))
    problems = [problem for layer in LAYERS for problem in layer_problems(layer)]

    print()
    lines = sum(count_lines(file) for layer in PRODUCT for file in files_of(layer))
    problems += hold("lines of the product", lines, LINES)
    lab = sum(count_lines(file) for file in files_of("lab"))
    problems += hold("lines of lab", lab, LAB_LINES)
    problems += whole_problems()
    problems += hold(
        "template lines over 160 characters", long_template_lines(), LONG_TEMPLATE_LINES
    )
    names = names_at_home()
    problems += hold("public names used only at home", len(names), NAMES_AT_HOME)
    problems += wide_folders()

    for layer in PACKAGES:
        problems += import_problems(layer)

    print(f"\n{len(problems)} figures are worse than they may be.")
    for problem in problems:
        print(f"  {problem}")

    return 1 if problems else 0


def whole_problems() -> list[str]:
    """Print what splitting cannot fake of the whole product, and return where it is worse."""
    used: Counter[str] = Counter()
    functions: defaultdict[str, list[bool]] = defaultdict(list)
    classes: defaultdict[str, set[Path]] = defaultdict(set)
    hidden = 0
    for file in product_files():
        text = file.read_text(encoding="utf-8")
        if file.name not in OPEN_DOORS:
            hidden += len(HIDDEN.findall(text))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Name):
                used[node.id] += 1
            elif isinstance(node, ast.Attribute):
                used[node.attr] += 1
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                functions[node.name].append(bool(node.decorator_list))
            elif isinstance(node, ast.ClassDef):
                classes[node.name].add(file)

    once = [
        name
        for name, decorated in functions.items()
        if decorated == [False] and used[name] == 1 and not name.startswith("__")
    ]
    alike = [name for name, files in classes.items() if len(files) > 1]
    share = len(once) / sum(map(len, functions.values()))
    return [
        *hold("functions used once", share, USED_ONCE),
        *hold("class names alike", len(set(alike) - ORDINARY), ALIKE_CLASSES),
        *hold("imports that no contract sees", hidden, HIDDEN_IMPORTS),
    ]


def product_files() -> list[Path]:
    return [each for each in PACKAGE.rglob("*.py") if "migrations" not in each.parts]


def print_walk(start: str, layer: str = "") -> None:
    """Print the modules that a parameter of a function enters."""
    module, function, parameter = start.split(":")
    walked = walk(House(PACKAGE), module, function, parameter, layer)
    for entry in walked.entries:
        print(f"  {entry}")
    print(
        f"{walked.stations} stations, {walked.returns} returns, {walked.climbs} climbs"
    )


def hold(name: str, value: float, limits: tuple[float, float]) -> list[str]:
    """Print a figure beside its target; return a problem where it exceeds what it is held at."""
    target, held = limits
    print(f"{name}: {value:,.4g} (target {target:,g}, held at {held:,g})")
    return [f"{name}: {value:,.4g}, at most {held:,g}"] if value > held else []


def files_of(layer: str) -> list[Path]:
    top = ROOT if layer in OUTSIDE else PACKAGE
    files = sorted((top / layer).rglob("*.py"))
    return [file for file in files if "migrations" not in file.parts]


def count_lines(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines())


def layer_problems(layer: str) -> list[str]:
    """Print the figures of a layer, and return where they are worse than they may be."""
    files = files_of(layer)
    functions = [function for file in files for function in functions_of(file)]

    nodes = median(count for function in functions for count in function.nodes)
    total = sum(function.lines for function in functions)
    blank = sum(function.blank_lines for function in functions) / total
    long = [function for function in functions if function.is_long]
    wide = [
        each
        for each in functions
        if each.parameters > MAX_PARAMETERS and each.name not in OPTIONS_OF_USERS
    ]
    length = median(function.lines for function in functions)

    lines = sum(count_lines(file) for file in files)
    figures = (f"{length:g}", f"{nodes:g}", f"{blank:.1%}", len(long), len(wide))
    print(COLUMNS.format(layer, len(files), lines, len(functions), *figures))

    problems = []
    _target, held = NODES.get(layer, (nodes, nodes))
    if nodes > held:
        problems.append(f"{layer}: {nodes:g} nodes a simple statement, at most {held}")
    if blank < MIN_BLANK:
        problems.append(f"{layer}: {blank:.1%} blank lines, at least {MIN_BLANK:.0%}")
    problems += [f"{each.place}: {each.lines} lines" for each in long]
    problems += [f"{each.place}: {each.parameters} parameters" for each in wide]
    return problems


def wide_folders() -> list[str]:
    """Return the folders with more files than a reader takes in at once."""
    tops = (PACKAGE, ROOT / "tests", ROOT / "templates")
    folders = [each for top in tops for each in top.rglob("*") if each.is_dir()]

    problems = []
    for folder in (*tops, *folders):
        files = [each for each in folder.iterdir() if each.is_file()]
        counted = [each for each in files if each.name != "__init__.py"]
        if len(counted) > MAX_FILES and folder.name not in FLAT:
            name = folder.relative_to(ROOT)
            problems.append(f"{name}: {len(counted)} files, at most {MAX_FILES}")
    return problems


def long_template_lines() -> float:
    """Return the share of the lines of templates that are too long to read."""
    files = [
        each for top in ("templates", "tercet") for each in (ROOT / top).rglob("*.html")
    ]
    texts = [file.read_text(encoding="utf-8") for file in files]
    lines = [line for text in texts for line in text.splitlines()]
    return sum(len(line) > TEMPLATE_WIDTH for line in lines) / len(lines)


def names_at_home() -> list[str]:
    """Return the public names of modules that no other file mentions."""
    files = product_files()
    files += [
        file for top in ("docs", "templates") for file in (ROOT / top).rglob("*.*")
    ]
    tops = ("scripts", "benchmarks", "examples", "tests")
    files += [file for top in tops for file in files_of(top)]
    files += [ROOT / "pyproject.toml", ROOT / "manage.py"]
    files += (PACKAGE / "annotation" / "migrations").glob("*.py")
    files += (PACKAGE / "analysis").rglob("*.html")
    kinds = {".py", ".md", ".html", ".toml", ".txt"}

    mentions: Counter[str] = Counter()
    for file in files:
        if file.suffix in kinds:
            mentions.update(set(WORD.findall(file.read_text(encoding="utf-8"))))

    return [
        f"{file.relative_to(ROOT)} {name}"
        for layer in PRODUCT
        for file in files_of(layer)
        if not set(file.parts) & EXEMPT
        for name in public_names(file)
        if mentions[name] < 2
    ]


def is_registered(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Tell whether a decorator or a base class hands it to Django or to the API."""
    bases = node.bases if isinstance(node, ast.ClassDef) else []
    if any(ast.unparse(each) in REGISTERING_BASES for each in bases):
        return True

    return any(
        ast.unparse(each).startswith(REGISTERING) for each in node.decorator_list
    )


def public_names(file: Path) -> Iterator[str]:
    """Yield the functions, classes and constants of a module that begin without an underscore."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        names = []
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names = [] if is_registered(node) else [node.name]
        elif isinstance(node, ast.Assign):
            names = [each.id for each in node.targets if isinstance(each, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names = [node.target.id]
        yield from (name for name in names if not name.startswith("_"))


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
    inside = [each for statement in body for each in ast.walk(statement)]
    nodes = tuple(count_nodes(each) for each in inside if is_simple(each))

    return Function(
        place=place,
        lines=len(header) + len(code),
        blank_lines=blank_lines,
        nodes=nodes,
        parameters=count_parameters(node.args),
        is_kernel=any(
            name_of(decorator) in COMPILERS for decorator in node.decorator_list
        ),
    )


def is_simple(node: ast.AST) -> bool:
    """Tell whether a node is a statement without statements inside it, and does something."""
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    is_import = isinstance(node, ast.Import | ast.ImportFrom)
    is_compound = hasattr(node, "body")
    return isinstance(node, ast.stmt) and not (is_text or is_import or is_compound)


def count_nodes(node: ast.AST) -> int:
    return sum(1 for _ in ast.walk(node))


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
    arrows = {(room_of(importer), room_of(imported)) for importer, imported in imports}
    upward = {(a, b) for a, b in arrows if level.get(a, 0) >= level.get(b, len(level))}

    print(
        f"\n{layer}: {len(arrows)} arrows between packages, {len(upward)} of them upward"
    )
    counts = Counter((room_of(a), room_of(b)) for a, b in imports)
    for importer in level:
        targets = [f"{b} {counts[a, b]}" for a, b in sorted(arrows) if a == importer]
        if targets:
            print(f"  {importer:<11}-> {', '.join(targets)}")

    problems = [
        f"{importer} imports {imported}, which is above it or beside it"
        for importer, imported in sorted(imports)
        if (room_of(importer), room_of(imported)) in upward
    ]
    if layer == "annotation":  # contracts of import-linter know all modules of analysis
        problems += [
            f"{room} has no place in PACKAGES" for room in rooms_without(level)
        ]
    return problems


def rooms_without(places: Collection[str]) -> list[str]:
    """Return the rooms of annotation that have no place among some."""
    files = files_of("annotation")
    modules = (".".join(file.relative_to(PACKAGE).parts) for file in files)
    rooms = {room_of(module.removesuffix(".py")) for module in modules}
    return sorted(rooms - {*places, "__init__"})


def imports_between_packages(layer: str) -> set[tuple[str, str]]:
    """Return the modules of a layer's packages that import a module of another of them."""
    packages = {name for names in PACKAGES[layer] for name in names}
    graph = grimp.build_graph("tercet", cache_dir=None)

    pairs = set()
    for importer in graph.find_matching_modules(f"tercet.{layer}.**"):
        for imported in graph.find_modules_directly_imported_by(importer):
            modules = [name.removeprefix("tercet.") for name in (importer, imported)]
            rooms = [room_of(name) for name in modules]
            if packages.issuperset(rooms) and rooms[0] != rooms[1]:
                pairs.add((modules[0], modules[1]))
    return pairs


def room_of(module: str) -> str:
    """Return the package of a layer that a module is in, "" for a module of another layer."""
    parts = module.split(".")
    if TASK.fullmatch(module):
        return "tasks"
    if module == "annotation.urls" or not PAGE.fullmatch(module):
        return parts[1] if len(parts) > 1 else ""
    return "pages"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--walk"]:
        print_walk(*sys.argv[2:])
    else:
        sys.exit(main())
