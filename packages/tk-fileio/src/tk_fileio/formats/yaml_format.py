"""YAML as data: the safe loader, stricter about what hides mistakes.

``1e-3`` is a float, as everywhere else. A key given twice is an error, and so is
a tag that would build an object or call something.
"""

from __future__ import annotations

import functools
import io
import re
from typing import IO, TYPE_CHECKING, Any

from ..errors import ParseError, SerializeError
from ..optional import require
from .builtin_values import builtin_value, culprit
from .format import BaseFileHandler

if TYPE_CHECKING:
    import yaml

# PyYAML follows YAML 1.1, where a float needs a dot and its exponent a sign.
_FLOAT_WHOLE = re.compile(r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9]*)?)[eE][-+]?[0-9]+$")
_BUILTINS: tuple[Any, ...] = (int, float, str, bytes, list, tuple, dict)
_NUMBER_TAGS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
_MOST_COLONS = 20  # of a number such as 1:30:00; the time to read one grows with their square
_FLOAT_STARTS = list("-+.0123456789")


class YamlHandler(BaseFileHandler):
    """Text; keyword arguments of the dump methods go to ``yaml.dump``."""

    def load_from_fileobj(self, file: IO[Any], **kwargs: Any) -> Any:
        """The value in an open text or binary file that holds one document."""
        loader = _loader()
        import yaml  # is there: the loader was made from it

        try:
            return yaml.load(file, Loader=loader, **kwargs)  # noqa: S506  # a SafeLoader
        except yaml.YAMLError as error:
            raise _parse_error(error) from error
        except RecursionError:
            raise ParseError("nested too deeply to be read") from None
        except UnicodeDecodeError:
            raise  # told by load(), with the place
        except (ValueError, OverflowError, AttributeError) as error:
            # PyYAML lets errors of the types through, such as a date with 99 months.
            raise ParseError(f"not YAML: a value is not of its type: {error}") from error

    def dump_to_fileobj(self, obj: Any, file: IO[Any], **kwargs: Any) -> None:
        """Write a value to an open text file."""
        dumper = _dumper()
        import yaml  # is there: the dumper was made from it

        kwargs.setdefault("allow_unicode", True)
        try:
            yaml.dump(obj, file, Dumper=dumper, **kwargs)
        except (yaml.YAMLError, TypeError, RecursionError) as error:
            raise _explained(obj, error) from error

    def dump_to_str(self, obj: Any, **kwargs: Any) -> str:
        """The value as YAML text."""
        text = io.StringIO()
        self.dump_to_fileobj(obj, text, **kwargs)
        return text.getvalue()


@functools.cache
def _loader() -> type[yaml.SafeLoader]:
    require("yaml", install="tk-fileio[yaml]", purpose="reading YAML")
    import yaml  # by name, for the types

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class StrictLoader(base):  # type: ignore[misc]  # the base is found at run time
        """The safe loader, which also refuses a key that is given twice."""

        def __init__(self, stream: object) -> None:
            super().__init__(stream)
            self._checked: set[int] = set()

        def construct_scalar(self, node: yaml.Node) -> Any:
            value = super().construct_scalar(node)
            is_number = node.tag in _NUMBER_TAGS
            if is_number and isinstance(value, str) and value.count(":") > _MOST_COLONS:
                raise yaml.constructor.ConstructorError(
                    None,
                    None,
                    f"a number in base 60 of more than {_MOST_COLONS} parts; write it as text",
                    node.start_mark,
                )
            return value

        def flatten_mapping(self, node: yaml.MappingNode) -> None:
            # Called for each mapping before merge keys are put in, which may
            # well repeat a key; an anchored one comes by several times.
            if id(node) not in self._checked:
                self._checked.add(id(node))
                self._refuse_repeated_keys(node)
            super().flatten_mapping(node)

        def _refuse_repeated_keys(self, node: yaml.MappingNode) -> None:
            seen: dict[object, int] = {}
            for key_node, _ in node.value:
                if not isinstance(key_node, yaml.ScalarNode) or key_node.value == "<<":
                    continue  # not hashable, which is refused elsewhere; or a merge
                key = self.construct_object(key_node)
                line = key_node.start_mark.line + 1
                if key in seen:
                    raise yaml.constructor.ConstructorError(
                        None,
                        None,
                        f"the key {key!r} is given twice, first in line {seen[key]}",
                        key_node.start_mark,
                    )
                seen[key] = line

    StrictLoader.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT_WHOLE, _FLOAT_STARTS)
    return StrictLoader


@functools.cache
def _dumper() -> type[yaml.SafeDumper]:
    require("yaml", install="tk-fileio[yaml]", purpose="writing YAML")
    import yaml  # by name, for the types

    base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

    class BuiltinDumper(base):  # type: ignore[misc]  # the base is found at run time
        """The safe dumper, for subclasses and look-alikes of builtin types too."""

    def represent(dumper: Any, value: Any) -> Any:
        for builtin in _BUILTINS:
            if isinstance(value, builtin):
                # str() of an Enum would be its name
                plain = str.__str__(value) if builtin is str else builtin(value)
                return dumper.represent_data(plain)
        return dumper.represent_data(builtin_value(value))

    BuiltinDumper.add_multi_representer(object, represent)
    # A str that the loader would take for a float must be quoted.
    BuiltinDumper.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT_WHOLE, _FLOAT_STARTS)
    return BuiltinDumper


def _parse_error(error: yaml.YAMLError) -> ParseError:
    mark = getattr(error, "problem_mark", None)
    reason = getattr(error, "problem", None) or str(error)
    if "could not determine a constructor" in reason:
        reason += " (YAML is read as data: tags that build objects or run code are refused)"
    if mark is None:
        return ParseError(f"not YAML: {reason}")
    return ParseError(f"not YAML: {reason}", line=mark.line + 1, column=mark.column + 1)


def _explained(obj: Any, error: Exception) -> SerializeError:
    import yaml

    def works(part: Any) -> bool:
        try:
            yaml.dump(part, Dumper=_dumper())
        except (yaml.YAMLError, TypeError, RecursionError):
            return False
        return True

    path, part = culprit(obj, works)
    return SerializeError(
        f"the value at obj{path} cannot be written as YAML ({type(part).__name__}): {error}; "
        "turn it into numbers, strings, lists and dicts"
    )
