"""``{{...}}`` in config files: predefined names, environment variables, values of bases.

Substitution happens on parsed values, never on source text. A template that stands
bare (not within quotes) is no syntax of any format, so :func:`lift_bare` puts a
token in its place before parsing; the token's value is typed. Within quotes the
result is text, except that a whole ``'{{_base_.x}}'`` is the value itself.
"""

from __future__ import annotations

import ast
import functools
import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import EnvironmentKeyError, MissingKeyError
from ..tree.secret import Secret, names_a_secret

# No two alternatives match the same text, so the time grows with the length and no faster.
TEMPLATE = re.compile(
    r"""\{\{\s*(?:
        (?:(?P<quote>['"])\s*)?\$(?P<env>\w+)(?P<secret>!secret)?
            (?:\s*:(?P<default>(?:\{[^{}\n]*\}|\{(?!\{|[^{}\n]*\})|[^{\n])*?)|\s*)
            (?(quote)(?P=quote)\s*)
      | (?P<base>_base_(?:\.[^\s.{}'"]+)+)\s*
      | (?P<name>fileDirname|fileBasenameNoExtension|fileBasename|fileExtname)\s*
      | '(?P<escape>\{\{)'\s*
    )\}\}""",
    re.VERBOSE,
)
ESCAPED = "{{'{{'}}"

_STRINGS = {
    ".py": r"""\#[^\n]*|'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\"|"""
    r"""'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*\"""",
    ".json": r'"(?:\\.|[^"\\\n])*"',
    ".yaml": r"""(?:(?<=\s)|^)\#[^\n]*|(?<![^\s\[{,:])(?:'(?:''|[^'])*'|"(?:\\.|[^"\\])*")""",
    ".toml": r"""\#[^\n]*|'''.*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\"|'[^'\n]*'|"(?:\\.|[^"\\\n])*\"""",
}
_TOKEN = re.compile(r"__tk_template_(\d+)__")


@functools.cache
def _scanner(suffix: str) -> re.Pattern[str]:
    """Match strings, comments and templates of one format, so that only bare ones are lifted."""
    flags = re.VERBOSE | re.DOTALL | re.MULTILINE
    return re.compile(f"{_STRINGS[suffix]}|(?P<bare>{TEMPLATE.pattern})", flags)


def lift_bare(text: str, suffix: str) -> tuple[str, list[re.Match[str]]]:
    """Put tokens in the place of templates that stand outside quotes and comments.

    Args:
        text: source of a config file.
        suffix: its format, such as ``".py"``.

    Returns:
        The text that the format's own parser can read, and the templates by number.
    """
    if "{{" not in text:
        return text, []
    lifted: list[re.Match[str]] = []
    style = {".py": "__tk_bare__({})", ".yaml": "__tk_template_{}__"}.get(
        suffix, '"__tk_template_{}__"'
    )

    def replace(match: re.Match[str]) -> str:
        if match["bare"] is None:
            return match[0]
        lifted.append(match)
        return style.format(len(lifted) - 1)

    return _scanner(suffix).sub(replace, text), lifted


class Templates:
    """Gives the values of the templates of one file.

    Args:
        path: absolute name of the file, or ``"<text>"``.
        bare: the templates lifted out of its source.
        predefined: whether names such as ``fileDirname`` are replaced.
        environment: where variables come from; None leaves them to their defaults.
        used: filled with the variables that were read.
        secrets: filled with the secrets that were read and their references.
        substitute_environment: whether ``{{$NAME:default}}`` is replaced.
        pay_for: called with each value of a base before it is used; None where the values
            of bases cost nothing.
    """

    def __init__(
        self,
        path: str,
        bare: list[re.Match[str]],
        *,
        predefined: bool,
        environment: Mapping[str, str] | None,
        used: dict[str, str],
        secrets: dict[str, str],
        substitute_environment: bool = True,
        pay_for: Callable[[Any], Any] | None = None,
    ) -> None:
        self._path = path
        self._bare = bare
        self._predefined = predefined
        self._environment = environment
        self._substitute_environment = substitute_environment
        self._used = used
        self._secrets = secrets
        self._pay_for = pay_for
        self.base_value: Callable[[str], Any] | None = None

    def bare(self, number: int, line: int | None = None) -> Any:
        """Give the typed value of a template that stood bare."""
        match = self._bare[number]
        value = self._value(match, line)
        if match["env"] and value.__class__ is str:
            return typed_value(value)
        if value is None and not match["base"]:
            return match[0]
        return value

    def text(self, text: str, line: int | None = None) -> Any:
        """Give a text with its templates replaced."""
        if "{{" not in text:
            return self._tokens(text, line)
        whole = TEMPLATE.fullmatch(text)
        if whole and whole["base"]:
            return self._value(whole, line)
        is_secret = False

        def replace(match: re.Match[str]) -> str:
            nonlocal is_secret
            value = self._value(match, line)
            is_secret |= isinstance(value, Secret)
            return match[0] if value is None and not match["base"] else str(value)

        result = TEMPLATE.sub(replace, text)
        if is_secret:
            self._secrets[result] = text
            return Secret(result, text)
        return self._tokens(result, line)

    def _tokens(self, text: str, line: int | None) -> Any:
        if "__tk_template_" not in text or not self._bare:
            return text
        whole = _TOKEN.fullmatch(text)
        if whole:
            return self._of_token(whole, line)
        return _TOKEN.sub(lambda match: str(self._of_token(match, line)), text)

    def _of_token(self, match: re.Match[str], line: int | None) -> Any:
        number = int(match[1]) if len(match[1]) < 10 else len(self._bare)
        return self.bare(number, line) if number < len(self._bare) else match[0]

    def text_in_f_string(self, text: str, line: int | None = None) -> Any:
        """Give a literal part of an f-string, where the doubled braces are single by now."""
        return self.text(_SINGLE_BRACES.sub(r"{{\1}}", text), line)

    def _value(self, match: re.Match[str], line: int | None) -> Any:
        """Give the value of one template; None when it is to be left as it is."""
        if match["escape"]:
            return "{{"
        if match["name"]:
            return _predefined(self._path, match["name"]) if self._predefined else None
        if match["base"]:
            return self._base(match["base"].partition(".")[2], line)
        if not self._substitute_environment:
            return None
        return self._variable(match, line)

    def _base(self, path: str, line: int | None) -> Any:
        if self.base_value is None:
            raise MissingKeyError(
                f"{self._place(line)}: '{{{{_base_.{path}}}}}' needs a base; "
                "name one with _base_ = '...'"
            )
        try:
            value = self.base_value(path)
        except MissingKeyError as error:
            raise MissingKeyError(
                f"{self._place(line)}: in the bases of this file, {error}"
            ) from None
        return value if self._pay_for is None else self._pay_for(value)

    def _variable(self, match: re.Match[str], line: int | None) -> Any:
        name, default = match["env"], match["default"]
        if self._environment is None:  # read as data: the environment is none of its business
            return default.strip() if default and default.strip() else None
        if name in self._environment:
            value = self._environment[name]
            if value and (match["secret"] or names_a_secret(name)):
                reference = f"{{{{${name}!secret}}}}"
                self._secrets[value] = self._used[name] = reference
                return Secret(value, reference)
            self._used[name] = value
            return value
        if not default or not default.strip():
            raise EnvironmentKeyError(
                f"{self._place(line)}: the environment variable {name!r} is not set and "
                f"{match[0]} gives no default; set it, or write {{{{${name}:default}}}}"
            )
        return default.strip()

    def _place(self, line: int | None) -> str:
        return self._path if line is None else f"{self._path}:{line}"


_SINGLE_BRACES = re.compile(
    r"\{(\s*(?:['\"]?\$\w[^{}]*|(?:_base_\.[\w.]+|fileDirname|fileBasenameNoExtension"
    r"|fileBasename|fileExtname)\s*))\}"
)


def _predefined(path: str, name: str) -> str:
    folder, file_name = os.path.split(path)
    stem, suffix = os.path.splitext(file_name)  # noqa: PTH122  # of a path on any system
    return {
        "fileDirname": folder.replace("\\", "/"),
        "fileBasename": file_name.replace("\\", "/"),
        "fileBasenameNoExtension": stem.replace("\\", "/"),
        "fileExtname": suffix,
    }[name]


def typed_value(text: str) -> Any:
    """Read a Python literal; ``true``, ``false`` and ``null`` too; anything else is text."""
    word = {"true": True, "false": False, "none": None, "null": None}
    if text.lower() in word:
        return word[text.lower()]
    if len(text) > 1000:  # a literal is short; a long text is not parsed
        return text
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
