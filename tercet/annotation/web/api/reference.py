"""The description of the API for one study, read from its OpenAPI schema, with examples."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from shlex import quote
from typing import Any

from tercet.annotation.models import Study
from tercet.annotation.web.api.studies import MAX_KEY, api

_STUDIES = "/api/studies/{name}/"
_SAMPLES = {
    "caption": "a dog on the grass",
    "author": "1",
    "pair": "new-1",
    "candidate_b": "a dog",
    "candidate_c": "a cat",
    "category": "HI",
    "source_b": "human",
    "source_c": "human",
    "winner": "B",
}
"""What stands in an example for the columns that a program sends."""
_NOTHING = {"integer": 0, "number": 0.5, "boolean": True, "null": None}
"""What stands in an example for a value of each type but text."""
_PYTHON = """\
import json
import os
from urllib.request import Request, urlopen

token = os.environ["TERCET_TOKEN"]
headers = {{"Authorization": f"Bearer {{token}}"{more}}}{data}
request = Request("{address}", {body}headers=headers)
with urlopen(request) as response:
    print(json.load(response))
"""


@dataclass(frozen=True)
class _Operation:
    """What a program can ask for.

    Attributes
    ----------
    name, method, description : str
    address : str
        The whole address, for the study.
    parameters : list of (str, str)
        The parameters of the address, each with its limits in words.
    content : object
        An example of what is sent; None where nothing is.
    answers : list of (str, str)
        The status of each answer, and an example of it as JSON.
    """

    name: str
    method: str
    description: str
    address: str
    parameters: list[tuple[str, str]]
    content: Any
    answers: list[tuple[str, str]]

    @property
    def body(self) -> str:
        """What is sent, as JSON; empty where nothing is."""
        return json.dumps(self.content, ensure_ascii=False) if self.content else ""

    @property
    def curl(self) -> str:
        """A command that sends the request, with the token in a variable."""
        lines = ['curl -H "Authorization: Bearer $TERCET_TOKEN"']
        if self.content:
            lines.append('-H "Content-Type: application/json"')
            lines.append(f"-d {quote(self.body)}")

        return " \\\n  ".join([*lines, self.address])

    @property
    def python(self) -> str:
        """A program that sends the request, with the token in the environment."""
        if not self.content:
            return _PYTHON.format(address=self.address, more="", body="", data="")

        more = ', "Content-Type": "application/json"'
        data = f"\nbody = json.dumps({self.content!r}).encode()"
        return _PYTHON.format(address=self.address, more=more, body="body, ", data=data)


def operations(study: Study, site: str) -> list[_Operation]:
    """Return what the API can do with a study.

    Parameters
    ----------
    study : Study
    site : str
        The address of the site, such as https://tercet.example.org.
    """
    schema: Any = api.get_openapi_schema()
    image = study.dataset.images.order_by("pk").first()
    samples = _SAMPLES | {"image": image.name if image else "dog"}
    examples = _Examples(schema["components"]["schemas"], samples)

    found = []
    for path, methods in schema["paths"].items():
        if path.startswith(_STUDIES):
            address = site + path.replace("{name}", study.name)
            for method, entry in methods.items():
                name = path.removeprefix(_STUDIES)
                found.append(_operation(name, method, address, entry, examples))

    return found


@dataclass(frozen=True)
class _Examples:
    """Examples of the schemas of a description, with samples of texts by their names."""

    schemas: Mapping[str, Any]
    samples: Mapping[str, str]

    def of(self, content: Mapping[str, Any]) -> Any:
        """Return an example of a request or an answer."""
        return self._value(content["content"]["application/json"]["schema"], "")

    def _value(self, schema: Mapping[str, Any], name: str) -> Any:
        if reference := schema.get("$ref"):
            return self._value(self.schemas[reference.rpartition("/")[2]], name)
        if choices := schema.get("anyOf"):
            return self._value(choices[0], name)
        if properties := schema.get("properties"):
            return {key: self._value(each, key) for key, each in properties.items()}
        if schema.get("type") == "array":
            return [self._value(schema["items"], name)]
        if schema.get("type") in _NOTHING:
            return _NOTHING[schema["type"]]

        return self.samples.get(name, "…")


def _operation(
    name: str, method: str, address: str, entry: Mapping[str, Any], examples: _Examples
) -> _Operation:
    queries = [each for each in entry["parameters"] if each["in"] == "query"]
    body = entry.get("requestBody")
    answers = sorted(entry["responses"].items())

    return _Operation(
        name,
        method.upper(),
        entry["description"],
        address,
        [(each["name"], _limits(each["schema"])) for each in queries],
        examples.of(body) if body else None,
        [_answer(status, answer, examples) for status, answer in answers],
    )


def _answer(
    status: str, answer: Mapping[str, Any], examples: _Examples
) -> tuple[str, str]:
    text = json.dumps(examples.of(answer), ensure_ascii=False, indent=1)
    return f"{status} {answer['description']}", text


def _limits(schema: Mapping[str, Any]) -> str:
    limits = f"from {schema['minimum']}"
    if schema["maximum"] < MAX_KEY:
        limits += f" to {schema['maximum']}"
    return f"{schema['type']} {limits}, default {schema['default']}"
