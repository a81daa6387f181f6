"""Follow a value through the code, by the imports and calls that the source names.

A *station* is a module that the value enters, a *return* a module that is entered again after it
was left, a *climb* a call into a higher layer. Nothing is run: calls are followed in the order of
the source, each function once for the same parameters. A method is found where its object is a
class, a module or `self`, or where one class only, of this layer or a lower one, has its name:
texts, lists, mappings, matches, processes and frames have no such method.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen

import pandas as pd

LAYERS = ("metrics", "analysis", "lab", "annotation", "config")
"""From the lowest to the highest."""
_EVERYDAY = (str, list, dict, set, Path, re.Match, Popen, pd.Series, pd.DataFrame)
EVERYDAY = {name for kind in _EVERYDAY for name in dir(kind)}
"""Methods that objects have which are none of the package: `append`, `items`, `copy`."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_STEPS = (
    ast.Call,
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.NamedExpr,
    ast.For,
    ast.comprehension,
    ast.withitem,
)
"""What passes a value on: calls, and what gives it a further name."""


@dataclass(frozen=True)
class Door:
    """A function or method of a module."""

    module: str
    node: _Function
    owner: str = ""
    """The class of a method."""


@dataclass
class Walk:
    """The modules that a value enters, in order."""

    entries: list[str] = field(default_factory=list)
    climbs: int = 0

    def enter(self, module: str) -> None:
        if self.entries[-1:] != [module]:
            self.entries.append(module)

    @property
    def stations(self) -> int:
        return len(set(self.entries))

    @property
    def returns(self) -> int:
        return len(self.entries) - self.stations


def _rank(module: str) -> int:
    layer = module.split(".")[1]
    return LAYERS.index(layer) if layer in LAYERS else len(LAYERS)


class House:
    """The modules of a package, with what each of them defines and imports."""

    def __init__(self, package: Path) -> None:
        self.doors: dict[str, dict[str, Door]] = {}
        self.imports: dict[str, dict[str, str]] = {}
        self.methods: defaultdict[str, list[Door]] = defaultdict(list)
        for file in sorted(package.rglob("*.py")):
            if "migrations" not in file.parts:
                self._read(file, package)

    def _read(self, file: Path, package: Path) -> None:
        path = file.relative_to(package.parent).with_suffix("")
        module = ".".join(path.parts).removesuffix(".__init__")
        tree = ast.parse(file.read_text(encoding="utf-8"))
        self.imports[module] = dict(_imported(tree))

        doors = self.doors[module] = {}
        for node in tree.body:
            if isinstance(node, _Function):
                doors[node.name] = Door(module, node)
            elif isinstance(node, ast.ClassDef):
                self._read_class(module, node)

    def _read_class(self, module: str, node: ast.ClassDef) -> None:
        for part in node.body:
            if isinstance(part, _Function):
                door = Door(module, part, node.name)
                self.doors[module][f"{node.name}.{part.name}"] = door
                self.methods[part.name].append(door)

    def door_of(self, call: ast.Call, inside: Door) -> Door | None:
        """Find the function that a call names; None where the source does not tell."""
        function = call.func
        if isinstance(function, ast.Name):
            return self._named(inside.module, function.id)
        if not isinstance(function, ast.Attribute):
            return None

        holder = function.value
        if isinstance(holder, ast.Name):
            if holder.id == "self":
                holder = ast.Name(inside.owner)
            found = self._named(inside.module, f"{holder.id}.{function.attr}")
            if found:
                return found

        known = [] if function.attr in EVERYDAY else self.methods[function.attr]
        alike = [each for each in known if _rank(each.module) <= _rank(inside.module)]
        return alike[0] if len(alike) == 1 else None

    def _named(self, module: str, name: str) -> Door | None:
        """Find a name as a module knows it: its own, or one that it imports."""
        first, _, rest = name.partition(".")
        if first in self.imports[module]:
            full = ".".join(filter(None, (self.imports[module][first], rest)))
            return self._imported_door(full)

        own = self.doors[module]
        return own.get(name) or own.get(f"{name}.__init__")

    def _imported_door(self, full: str) -> Door | None:
        parts = full.split(".")
        for length in range(len(parts) - 1, 0, -1):
            module = ".".join(parts[:length])
            if module in self.doors:
                return self._named(module, ".".join(parts[length:]))
        return None


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names that a module imports, with what each of them stands for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name, alias.name


def walk(house: House, module: str, function: str, parameter: str, layer: str) -> Walk:
    """Follow a parameter of a function; into the modules of one layer, if one is named."""
    walked = Walk()
    start = house.doors[module][function]
    _follow(house, start, frozenset({parameter}), layer, walked, set())
    return walked


def _follow(
    house: House,
    door: Door,
    carriers: frozenset[str],
    layer: str,
    walked: Walk,
    passed: set[tuple[int, frozenset[str]]],
) -> None:
    key = (id(door.node), carriers)
    is_elsewhere = layer and door.module.split(".")[1] != layer
    if key in passed or is_elsewhere:
        return

    passed.add(key)
    walked.enter(door.module)
    known = set(carriers)
    for node in _in_order(door.node):
        if isinstance(node, ast.Call):
            target = house.door_of(node, door)
            received = _received(node, target, known) if target else frozenset()
            if target and received:
                walked.climbs += _rank(target.module) > _rank(door.module)
                _follow(house, target, received, layer, walked, passed)
        else:
            known |= _assigned(node, known)


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """Yield calls and assignments in the order in which they happen: arguments before calls."""
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)
    if isinstance(node, _STEPS):
        yield node


def _received(call: ast.Call, target: Door, known: set[str]) -> frozenset[str]:
    """Return the parameters of a function that a call gives something of the value."""
    arguments = target.node.args
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    received = set()
    if target.owner and names and names[0] in {"self", "cls"}:
        holder = call.func.value if isinstance(call.func, ast.Attribute) else call.func
        if _mentions(holder, known):
            received.add(names[0])
        names = names[1:]

    given = [*zip(names, call.args, strict=False)]
    given += [(each.arg, each.value) for each in call.keywords if each.arg]
    received |= {name for name, value in given if _mentions(value, known)}
    return frozenset(received)


def _assigned(node: ast.AST, known: set[str]) -> set[str]:
    """Return the names that take something of the value in an assignment, loop or block."""
    match node:
        case ast.Assign(targets=targets, value=value):
            pass
        case ast.AnnAssign(target=target, value=value) if value:
            targets = [target]
        case ast.For(target=target, iter=value):
            targets = [target]
        case ast.comprehension(target=target, iter=value):
            targets = [target]
        case ast.NamedExpr(target=target, value=value):
            targets = [target]
        case ast.AugAssign(target=target, value=value):
            targets = [target]
        case ast.withitem(context_expr=value, optional_vars=target) if target:
            targets = [target]
        case _:
            return set()

    if not _mentions(value, known):
        return set()
    names = [each for target in targets for each in ast.walk(target)]
    return {each.id for each in names if isinstance(each, ast.Name)}


def _mentions(node: ast.AST, known: set[str]) -> bool:
    return any(
        isinstance(each, ast.Name) and each.id in known for each in ast.walk(node)
    )
