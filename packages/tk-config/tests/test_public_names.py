from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import tk_config

PUBLIC = [
    "Config", "ConfigDict", "ConfigError", "ConfigFormatError", "ConfigParsingError",
    "ConfigSyntaxError", "ConfigWarning", "CustomImportError", "DictAction", "DumpError",
    "DuplicateKeyError", "EnvironmentKeyError", "FrozenConfigError", "LazyAttr", "LazyObject",
    "MergeError", "MissingAttributeError", "MissingBaseError", "MissingKeyError",
    "MissingPackageError", "MisspeltKeyError", "Origin", "ReservedKeyError", "Secret",
    "UnsafeConfigError", "masked", "names_a_secret", "read_base", "secrets_of",
]  # fmt: skip


def test_the_public_names_are_exactly_these() -> None:
    shown = {
        name
        for name, value in vars(tk_config).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }

    assert shown == set(tk_config.__all__)
    assert tk_config.__all__ == PUBLIC


def test_nothing_heavy_is_imported_also_after_use() -> None:
    code = (
        "import sys\n"
        "for name in ('torch', 'numpy', 'rich', 'yapf'): sys.modules[name] = None\n"
        "from tk_config import Config\n"
        "cfg = Config.fromstring('a = dict(b=[1, 2])', '.py'); cfg.merge_from_dict({'a.b.0': 5})\n"
        "assert cfg.dump() == 'a = dict(b=[5, 2])\\n'; cfg.dump_text('.json')\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
