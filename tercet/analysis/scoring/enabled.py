"""Metrics from outside that the administrator of a site has enabled, in a file of TOML."""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tercet.metrics import TextMetric
from tercet.metrics.outside.calls import MetricFailed
from tercet.metrics.outside.command import Limits, command
from tercet.metrics.outside.entry_points import package_of
from tercet.metrics.registry import ALL, Named, is_known, text_family, text_metric

__all__ = ["ALL", "EnabledMetric", "MetricFailed", "load_metrics", "read_enabled"]

_LIMITS = Limits()
_VARIABLES = ("PATH", "HOME", "LANG")
"""The variables of the environment that a program is given unless others are listed."""
_OF_PROGRAMS = {"command", "environment", *Limits._fields}
_OF_PACKAGES = {"version", "sha256"}
_DIGEST = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class EnabledMetric:
    """A metric that the users of a site may choose.

    Attributes
    ----------
    name : str
    place : str
        The file that enables it, for messages.
    command : sequence of str
        A program and its arguments; empty for a metric of an installed package.
    environment : sequence of str
        The names of the variables that the program is given.
    start_seconds, batch_seconds, line_bytes
        The limits of the program.
    version, sha256 : str
        Of the package, as they must be installed.
    hidden_references : bool
        Whether it may score the hidden references of challenges.
    higher_is_better : bool
        As the metric itself declares: who chooses metrics knows it without loading them.
    """

    name: str
    place: str
    command: Sequence[str] = ()
    environment: Sequence[str] = _VARIABLES
    start_seconds: float = _LIMITS.start_seconds
    batch_seconds: float = _LIMITS.batch_seconds
    line_bytes: int = _LIMITS.line_bytes
    version: str = ""
    sha256: str = ""
    hidden_references: bool = False
    higher_is_better: bool = True

    def fault(self) -> str:
        """Say why the metric cannot be loaded, as far as that is seen without loading it."""
        if self.command:
            return ""
        if family := text_family(self.name):
            return family.missing()

        try:
            package = package_of(self.name)
        except ValueError as error:
            return str(error)
        if package is None:
            return "no installed package has it: install one, or give its command"

        if (package.version, package.digest) == (self.version, self.sha256):
            return ""
        return (
            f"{package.name} {package.version} is installed, with sha256 {package.digest}: write "
            "this version and this digest if you trust it"
        )

    def load(self) -> TextMetric:
        """Import the metric, or start its program.

        Raises
        ------
        ValueError
            If it is not what is enabled.
        MetricFailed
            If a program cannot be started, or declares no metric.
        """
        fault = self.fault()
        found = None if fault else self._found()
        if found and found.name != self.name:
            fault = f"the metric calls itself {found.name}: give both the same name"
        elif found and found.higher_is_better != self.higher_is_better:
            declared = str(found.higher_is_better).lower()
            fault = f"the metric declares higher_is_better = {declared}: write this here, too"
        if fault or not found:
            raise ValueError(f"{self.place}, [{self.name}]: {fault}")

        return found

    def _found(self) -> TextMetric | None:
        if not self.command:
            return text_metric(self.name)

        limits = Limits(self.start_seconds, self.batch_seconds, self.line_bytes)
        return command(self.command, limits=limits, environment=self.environment)


def read_enabled(path: Path) -> dict[str, EnabledMetric]:
    """Read which metrics are enabled, by name.

    Parameters
    ----------
    path : Path
        A file of TOML with a table for each metric (docs/deploying.md).

    Raises
    ------
    ValueError
        If it cannot be read, or a value is none that it may have.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{path} is no TOML: {error}") from error

    return {name: _enabled(name, values, path) for name, values in content.items()}


def load_metrics(
    enabled: Mapping[str, EnabledMetric], names: Iterable[str]
) -> tuple[Named, ...]:
    """Load the metrics from outside that people chose; others stay names.

    Raises
    ------
    ValueError
        If one is not among the enabled ones; and as `EnabledMetric.load` does.
    """
    loaded: list[Named] = []
    for name in names:
        if name in enabled:
            loaded.append(enabled[name].load())
        elif name == ALL or is_known(name):
            loaded.append(name)
        else:
            raise ValueError(
                f"the metric {name} is not enabled for these captions, or no longer: choose "
                "others, or ask an administrator"
            )

    return tuple(loaded)


def _enabled(name: str, values: Any, path: Path) -> EnabledMetric:
    """Read the table of a metric."""
    for fault in _faults(name, values):
        raise ValueError(f"{path}, [{name}]: {fault}")

    return EnabledMetric(name, str(path), **values)


def _faults(name: str, values: Any) -> Iterator[str]:
    """Say what is wrong with the table of a metric."""
    if not isinstance(values, Mapping):
        yield f"write a table of keys, not {values!r:.60}"
        return

    needed: set[str] = set()
    allowed = {"hidden_references", "higher_is_better"}
    is_optional = text_family(name) is not None
    if is_known(name) and not is_optional:
        yield "every site has this metric: remove the table"
    elif "command" in values:
        allowed |= _OF_PROGRAMS
    elif not is_optional:
        needed |= _OF_PACKAGES
        allowed |= _OF_PACKAGES

    keys = values.keys()
    for key in sorted(keys - allowed):
        known = ", ".join(sorted(allowed))
        yield f"{key} is no key here: the keys are {known}"
    for key in sorted(needed - keys):
        yield f"{key} is missing: give a version and a sha256, or the command of a program"
    for key, value in values.items():
        is_valid, described = _VALUES[key]
        if not is_valid(value):
            yield f"{key} must be {described}, not {value!r:.60}"


def _is_command(value: object) -> bool:
    return bool(value) and _are_texts(value)


def _are_texts(value: object) -> bool:
    if not isinstance(value, list):
        return False

    return all(isinstance(each, str) for each in value)


def _is_positive(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False

    return value > 0


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and _is_positive(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_digest(value: object) -> bool:
    if not isinstance(value, str):
        return False

    return bool(_DIGEST.fullmatch(value))


def _is_switch(value: object) -> bool:
    return isinstance(value, bool)


_Checked = tuple[Callable[[object], bool], str]
_SECONDS: _Checked = (_is_positive, "a number of seconds above 0")
_VALUES: dict[str, _Checked] = {
    "command": (_is_command, "a list of texts: the program and its arguments"),
    "environment": (_are_texts, "a list of the names of variables"),
    "start_seconds": _SECONDS,
    "batch_seconds": _SECONDS,
    "line_bytes": (_is_whole, "a number of bytes above 0"),
    "version": (_is_text, "a text, such as '1.2'"),
    "sha256": (_is_digest, "64 hexadecimal digits"),
    "hidden_references": (_is_switch, "true or false"),
    "higher_is_better": (_is_switch, "true or false"),
}
"""What each key may have."""
