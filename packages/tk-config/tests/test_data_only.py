"""Reading as data: what is evaluated, and that nothing else can happen."""

from __future__ import annotations

import datetime
import math
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tk_config import Config, ConfigParsingError, UnsafeConfigError


def read(text: str) -> Config:
    return Config.fromstring(text, ".py")


# -- what real configs use ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("[1, 'a', (2,), {3}, b'x', None]", [1, "a", (2,), {3}, b"x", None]),
        ("[True, 1j, ..., -0.5]", [True, 1j, ..., -0.5]),
        ("dict(a=1, b=dict(c=2))", {"a": 1, "b": {"c": 2}}),
        ("{'a b': 1, **{'c': 2}}", {"a b": 1, "c": 2}),
        ("dict({'a': 1}, b=2)", {"a": 1, "b": 2}),
        ("dict(zip('ab', [1, 2]))", {"a": 1, "b": 2}),
        ("1 + 2 * 3 - 4 / 2 // 1 % 3 ** 2", 5.0),
        ("-1 + +2 + ~3", -3),
        ("1 << 4 | 3 & 1 ^ 2", 19),
        ("'a' * 3 + 'b'", "aaab"),
        ("[1, 2] * 2 + [3]", [1, 2, 1, 2, 3]),
        ("(1, 2) + (3,)", (1, 2, 3)),
        ("1 < 2 <= 2 != 3", True),
        ("'a' in 'abc' and 1 not in [2] and None is None", True),
        ("0 or [] or 'x'", "x"),
        ("1 and 0", 0),
        ("not 1", False),
        ("1 if 2 > 3 else 4", 4),
        ("f'{1 + 1:03d}-{3.14159:.2f}-{\"a\"!r}-{[1]}'", "002-3.14-'a'-[1]"),
        ("[i * 2 for i in range(6) if i % 2]", [2, 6, 10]),
        ("[(i, j) for i in range(2) for j in 'ab']", [(0, "a"), (0, "b"), (1, "a"), (1, "b")]),
        ("{k: v for k, v in dict(a=1).items()}", {"a": 1}),
        ("sorted({i % 3 for i in range(9)})", [0, 1, 2]),
        ("sum(i for i in [1, 2, 3])", 6),
        ("[1, 2, 3, 4][1:-1], 'abc'[::-1], (1, 2)[0]", ([2, 3], "cba", 1)),
        ("max(1, 2), min([3, 4]), abs(-5), round(2.567, 1)", (2, 3, 5, 2.6)),
        ("int('7'), float('inf'), str(1), bool([]), len('abc')", (7, math.inf, "1", False, 3)),
        ("list(enumerate('ab')), tuple(reversed([1, 2]))", ([(0, "a"), (1, "b")], (2, 1))),
        ("any([0, 1]), all([]), divmod(7, 2)", (True, True, (3, 1))),
        ("'{}-{a}'.format(1, a=2)", "1-2"),
        ("'%s %d %.2f' % ('a', 1, 2.5)", "a 1 2.50"),
        ("'a,b'.split(','), '-'.join(['a', 'b']), ' a '.strip()", (["a", "b"], "a-b", "a")),
        ("'a.b'.replace('.', '/').upper()", "A/B"),
        ("dict(a=1).get('b', 2), list(dict(a=1).keys())", (2, ["a"])),
        ("{1, 2}.union({3}), {1} | {2}", ({1, 2, 3}, {1, 2})),
        ("{'a': 1} | {'b': 2}", {"a": 1, "b": 2}),
        ("[*[1, 2], *(3,)]", [1, 2, 3]),
        ("complex(1, 2), frozenset([1]), slice(1, 2)", (1 + 2j, frozenset([1]), slice(1, 2))),
        ("list(range(3))", [0, 1, 2]),
    ],
)  # fmt: skip
def test_an_expression_of_real_configs_gives_what_python_gives(expression: str, value: Any) -> None:
    assert read(f"x = {expression}").to_dict() == {"x": value}


def test_statements_of_real_configs_are_evaluated() -> None:
    cfg = read(
        "'''a docstring'''\n"
        "a, (b, c) = 1, (2, 3)\n"
        "d: int = 4\n"
        "d += 1\n"
        "m = dict(x=[1, 2], y=dict(z=1))\n"
        "m['new'] = 5\n"
        "m['x'][0] = 9\n"
        "m['x'] += [3]\n"
        "m.update(y=dict(w=2))\n"
        "m.y.v = 7\n"
        "m['x'].append(4)\n"
        "del m['new']\n"
        "for i in range(2):\n    d += i\n"
        "if d > 5:\n    e = 'big'\nelse:\n    e = 'small'\n"
        "del i\n"
        "pass\n"
    )

    assert cfg == {
        "a": 1, "b": 2, "c": 3, "d": 6, "e": "big",
        "m": {"x": [9, 2, 3, 4], "y": {"w": 2, "v": 7}},
    }  # fmt: skip


def test_a_file_may_inherit_from_below_its_own_folder(write: Any) -> None:
    write(sub__base_py="a = dict(x=1, y=[1, 2])\nz = 3\n")
    path = write(
        child_py="_base_ = ['./sub/base.py']\na = dict(w=_base_.z + {{_base_.z}})\n"
        "b = _base_.a.y[0]\n_base_.a.update(v=5)\n"
    )

    assert Config.fromfile(path, trusted=False) == Config.fromfile(path)
    assert Config.fromfile(path, trusted=False).a == {"x": 1, "y": [1, 2], "w": 6, "v": 5}


def test_the_pure_python_dialect_gives_dotted_names_without_importing(write: Any) -> None:
    write(base_py="from tkc_nowhere import Head\nm = dict(head=dict(type=Head))\n")
    path = write(
        child_py="import torch, numpy as np\nfrom tk_config import read_base\n"
        "from tkc_nowhere.sub import Net as N\n"
        "with read_base():\n    from .base import *\n"
        "m.merge(dict(net=dict(type=N, dtype=torch.float16, f=np.random.rand)))\n"
    )

    before = set(sys.modules)
    cfg = Config.fromfile(path, trusted=False)

    assert cfg == {
        "m": {
            "head": {"type": "tkc_nowhere.Head"},
            "net": {
                "type": "tkc_nowhere.sub.Net",
                "dtype": "torch.float16",
                "f": "numpy.random.rand",
            },
        }
    }
    assert type(cfg.m.net.type) is str
    assert not {"torch", "tkc_nowhere"} & (set(sys.modules) - before)


def test_dates_paths_and_constants_stand_for_themselves() -> None:
    cfg = read(
        "import datetime, pathlib, math\nfrom pathlib import Path\nfrom copy import deepcopy\n"
        "a = datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc)\n"
        "b = pathlib.Path('x/y')\nc = Path('z')\nd = math.pi\ne = deepcopy([1])\n"
    )

    assert cfg == {
        "a": datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc),
        "b": Path("x/y"), "c": Path("z"), "d": math.pi, "e": [1],
    }  # fmt: skip


def test_origins_are_known_as_well(write: Any) -> None:
    path = write(a_py="a = dict(\n    b=1,\n    c=[\n        2,\n        3,\n    ])\na['d'] = 4\n")
    cfg = Config.fromfile(path, trusted=False)

    assert [cfg.origin(p).line for p in ("a.b", "a.c.1", "a.d")] == [2, 5, 7]  # type: ignore[union-attr]


def test_what_a_config_dumps_can_be_read_as_data() -> None:
    cfg = Config({"a": {"b": [1, (2,), float("inf")], "c d": None}, "p": Path("x"), "e-f": {1, 2}})

    assert read(str(cfg.dump())) == cfg


# -- what is refused ---------------------------------------------------------------------

ATTACKS = {
    "attribute chain to subclasses": "x = ().__class__.__bases__[0].__subclasses__()",
    "attribute of a text": "x = 'a'.upper.im_self",
    "class of a dict": "x = dict(a=1).__class__",
    "globals of a method": "x = [].append.__self__",
    "mro": "x = (1).__class__.__mro__",
    "format string attribute": "x = '{0.real}'.format(1)",
    "format string item": "x = '{0[0]}'.format([1])",
    "format string dunder": "x = '{a.__class__}'.format(a=1)",
    "nested format": "x = '{:{}}'.format(1, 99999)",
    "format_map": "x = '{a}'.format_map(dict(a=1))",
    "huge width in format": "x = '{:99999999999}'.format(1)",
    "huge width in an f-string": "x = f'{1:99999999999}'",
    "huge width by nesting": "n = 99999999\nx = f'{1:{n}}'",
    "huge width in percent": "x = '%99999999999d' % 1",
    "star width in percent": "x = '%*d' % (99999999, 1)",
    "huge power": "x = 9 ** 9 ** 9 ** 9",
    "power of a negative": "x = (-3) ** 99999999",
    "huge shift": "x = 1 << 10 ** 12",
    "huge product": "x = 2 ** 9999\ny = x * x",
    "growing product": "x = 3\nfor i in range(100):\n    x *= x\n",
    "huge repeat of a text": "x = 'a' * 10 ** 12",
    "huge repeat of a list": "x = [0] * 10 ** 12",
    "huge repeat from the left": "x = 10 ** 12 * 'a'",
    "repeat of a repeat": "x = [[0] * 1000] * 1000\ny = [x] * 1000",
    "huge range": "x = list(range(10 ** 12))",
    "huge rounding": "x = round(5, -10 ** 9)",
    "seeking in a huge range": "x = 'a' in range(10 ** 12)",
    "growing what is shared": "a = [0]\nb = [a] * 1000\nfor i in range(700):\n"
    "    a.append([0] * 500)\nc = dict(a=b)\n",
    "growing what is shared in a dict": "a = dict()\nb = [a] * 1000\nfor i in range(700):\n"
    "    a[i] = [0] * 500\n",
    "huge loop": "for i in range(10 ** 12):\n    pass\n",
    "nested loops": "x = [1 for a in range(2000) for b in range(2000)]",
    "doubling": "x = [0]\nfor i in range(60):\n    x = [x, x]\n",
    "doubling by append": "x = [0]\nfor i in range(60):\n    y = []\n    y.append(x)\n"
    "    y.append(x)\n    x = y\n",
    "doubling a text": "x = 'ab'\nfor i in range(60):\n    x = x + x\n",
    "doubling by join": "x = 'ab'\nfor i in range(60):\n    x = ''.join([x, x])\n",
    "doubling by f-string": "x = 'ab'\nfor i in range(60):\n    x = f'{x}{x}'\n",
    "doubling by replace": "x = 'aa'\nfor i in range(60):\n    x = x.replace('a', 'aa')\n",
    "doubling by extend": "x = [0]\nfor i in range(60):\n    x.extend(x)\n",
    "hash of a doubled tuple": "x = (0,)\nfor i in range(60):\n    x = (x, x)\ny = {x: 1}\n",
    "text of a doubled list": "x = [0]\ny = []\nfor i in range(25):\n    y = [y, y]\nz = str(y)\n",
    "digits without end": "x = int('9' * 100000)",
    "nesting": "x = " + "[" * 150 + "]" * 150,
    "nested dicts": "x = " + "dict(a=" * 150 + "1" + ")" * 150,
    "lambda": "x = (lambda: 1)()",
    "walrus": "x = (y := 1)",
    "function": "def f():\n    return 1\nx = f()",
    "recursion": "def f():\n    return f()\nf()",
    "class": "class A:\n    x = 1\n",
    "while": "while True:\n    pass\n",
    "try": "try:\n    x = 1\nexcept Exception:\n    x = 2\n",
    "with": "with open('x') as f:\n    x = 1\n",
    "assert": "assert 1",
    "global": "global x\nx = 1",
    "raise": "raise ValueError",
    "yield": "x = [(yield)]",
    "await": "x = await y",
    "match": "match 1:\n    case 1:\n        x = 1\n",
    "matrix product": "x = [1] @ [2]",
    "dunder name": "x = __builtins__",
    "dunder import": "x = __import__('os')",
    "dunder keyword": "x = dict(__class__=1)",
    "dunder alias": "import os as __os",
    "our own helper": "x = __tk_node__(0, {})",
    "open": "x = open('/etc/passwd')",
    "eval": "x = eval('1')",
    "exec": "exec('x = 1')",
    "compile": "x = compile('1', '', 'eval')",
    "getattr": "x = getattr([], 'append')",
    "setattr": "setattr(dict(), 'a', 1)",
    "vars": "x = vars()",
    "globals": "x = globals()",
    "type": "x = type(1)",
    "type of three": "x = type('A', (), {})",
    "object": "x = object()",
    "super": "x = super()",
    "input": "x = input()",
    "print": "print(1)",
    "breakpoint": "breakpoint()",
    "call of an import": "import os\nx = os.system('true')",
    "call of a name from an import": "from subprocess import run\nx = run('true')",
    "call of a renamed import": "import os as o\nx = o.popen('true').read()",
    "call through an attribute": "import logging\nx = logging.os.system('true')",
    "method of a placeholder's class": "import os\nx = os.__class__",
    "call of a call": "x = dict(a=1)()",
    "call of a list item": "x = [len][0]([1])",
    "a function as a value": "x = len",
    "decorator": "@dict\ndef f(): pass",
    "base": "_base_ = 'a.py'",
    "base of a package": "_base_ = 'yaml::a/b.py'",
    "read_base": "from tk_config import read_base\nwith read_base():\n    from .a import b\n",
    "read_base of a package": "from tk_config import read_base\nwith read_base():\n"
    "    from yaml.a import b\n",
    "starred target": "a, *b = [1, 2]",
    "assigning to an attribute of a text": "x = 'a'\nx.y = 1",
    "zfill": "x = 'a'.zfill(10 ** 10)",
    "center": "x = 'a'.center(10 ** 10)",
    "expandtabs": "x = '\\t'.expandtabs(10 ** 10)",
    "encode": "x = 'a'.encode('idna')",
    "bytes of a number": "x = bytes(10 ** 10)",
    "bytearray": "x = bytearray(10 ** 10)",
    "memoryview": "x = memoryview(b'a')",
}  # fmt: skip


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_refused_with_its_place(name: str) -> None:
    start = time.process_time()

    with pytest.raises(UnsafeConfigError, match=r"<text>(:\d+)?: .*(trusted=True|list)"):
        read(ATTACKS[name])
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\ny = nothing", r"<text>:2: the name 'nothing' is neither bound above"),
        ("x = dict(alpha=1)\ny = x.alpa", r"<text>:2: AttributeError: .*did you mean 'alpha'"),
        ("x = 1 / 0", r"<text>:1: ZeroDivisionError"),
        ("x = [1][5]", r"<text>:1: IndexError"),
        ("x = {}['a']", r"<text>:1: KeyError"),
        ("x = 'a' + 1", r"<text>:1: TypeError"),
        ("x = {[]: 1}", r"<text>:1: TypeError"),
        ("a, b = 1, 2, 3", r"<text>:1: ValueError: 3 values for 2 names"),
        ("x = int('q')", r"<text>:1: ValueError"),
        ("x = 1.5 ** 10 ** 6", r"<text>:1: OverflowError"),
        ("from a import *", r"<text>:1: .*by name"),
        ("from . import x", r"<text>:1: a relative import"),
        ("x = [0]\nx.append(x)", "steps and values"),
        ("x = dict()\nx['a'] = x", "steps and values"),
        ("x = [0]\nx.append(x)\ny = x == [x]", "steps and values"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_line(text: str, said: str) -> None:
    with pytest.raises(ConfigParsingError, match=said):
        read(text)


def test_the_environment_is_not_read(monkeypatch: pytest.MonkeyPatch, write: Any) -> None:
    monkeypatch.setenv("TKC_SECRET", "real")
    text = "a = '{{$TKC_SECRET:default}}'\nb = '{{$TKC_SECRET}}'\nc = {{$TKC_SECRET:5}}\n"
    expected = {"a": "default", "b": "{{$TKC_SECRET}}", "c": 5}

    for cfg in (read(text), Config.fromfile(write(a_py=text), trusted=False)):
        assert cfg == expected
        assert cfg.env_variables == {}


def test_custom_imports_are_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tkc_evil.py").write_text("raise RuntimeError('imported')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / "a.py"
    path.write_text("custom_imports = dict(imports=['tkc_evil'])\n")

    assert Config.fromfile(path, trusted=False).custom_imports.imports == ["tkc_evil"]


@pytest.mark.parametrize(
    "name", ["../out.py", "{root}/out.py", "./in/../../out.py", "link.py", "dir/out.py"]
)
def test_no_base_outside_the_folder_is_read(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "conf"
    (folder / "in").mkdir(parents=True)
    (tmp_path / "out.py").write_text("a = 1\n")
    (folder / "link.py").symlink_to(tmp_path / "out.py")
    (folder / "dir").symlink_to(tmp_path)
    for child in ("_base_ = {!r}\n", "_base_ = [{!r}]\n"):
        path = folder / "child.py"
        path.write_text(child.format(name.format(root=tmp_path)))

        with pytest.raises(
            UnsafeConfigError, match=r"child\.py:1: .*only from files below .*conf, .*out\.py"
        ):
            Config.fromfile(path, trusted=False)
        assert Config.fromfile(path).a == 1


def test_a_base_reads_only_below_the_root_of_the_first_file(write: Any) -> None:
    write(top_py="a = 1\n")
    write(sub__base_py="_base_ = '../top.py'\n")
    write(sub__deep__base_py="_base_ = '../../top.py'\n")
    inner, outer = (
        write(sub__deep__child_py="_base_ = './base.py'\n"),
        write(child_py="_base_ = './sub/base.py'\n"),
    )

    assert Config.fromfile(outer, trusted=False) == {"a": 1}
    with pytest.raises(UnsafeConfigError, match=r"base\.py:1: "):
        Config.fromfile(inner, trusted=False)


def test_relative_imports_above_the_folder_are_refused(write: Any) -> None:
    write(up_py="a = 1\n")
    text = "from tk_config import read_base\nwith read_base():\n    from ..up import *\n"
    path = write(sub__child_py=text)

    with pytest.raises(UnsafeConfigError, match=r"child\.py:3: "):
        Config.fromfile(path, trusted=False)


def test_a_base_given_by_a_package_is_refused(write: Any) -> None:
    with pytest.raises(UnsafeConfigError, match=r"a\.py:1: .*a file from no package"):
        Config.fromfile(write(a_py="_base_ = 'yaml::a/b.py'\n"), trusted=False)


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        ("_base_: ./a.yaml", ".yaml"),
        ('{"_base_": "/etc/hostname.json"}', ".json"),
        ('_base_ = "a.toml"', ".toml"),
    ],
)
def test_data_text_reads_no_base_either(text: str, suffix: str) -> None:
    with pytest.raises(UnsafeConfigError, match="inherits from no file"):
        Config.fromstring(text, suffix)


def test_a_text_or_file_that_is_too_long_is_refused(tmp_path: Path) -> None:
    text = "x = 1\n" * 200_000
    path = tmp_path / "a.py"
    path.write_text(text)

    with pytest.raises(UnsafeConfigError, match="too long"):
        read(text)
    with pytest.raises(UnsafeConfigError, match="too long"):
        Config.fromfile(path, trusted=False)


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "base.py").unlink(missing_ok=True)
    os.mkfifo(tmp_path / "base.py")
    path = tmp_path / "child.py"
    path.write_text("_base_ = './base.py'\n")

    with pytest.raises(FileNotFoundError, match=r"base\.py"):
        Config.fromfile(path, trusted=False)


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x, x]\nb: &b [*a, *a]\n" + "".join(
            f"{chr(c)}: &{chr(c)} [{', '.join(['*' + chr(c - 1)] * 9)}]\n" for c in range(99, 112)
        ),
        "a: &a {x: 1}\nb: &b {<<: [*a, *a]}\n" + "".join(
            f"{chr(c)}: &{chr(c)} {{<<: [{', '.join(['*' + chr(c - 1)] * 9)}]}}\n"
            for c in range(99, 112)
        ),
        "a: " + "[" * 5000 + "]" * 5000,
        "a: !!python/object/apply:os.system ['true']",
    ],
    ids=["shared references", "merged references", "nesting", "a tag that calls"],
)  # fmt: skip
def test_an_attack_in_yaml_is_refused(text: str) -> None:
    with pytest.raises(ConfigParsingError, match="<text>"):
        Config.fromstring(text, ".yaml")


def test_an_attack_in_json_is_refused() -> None:
    with pytest.raises(ConfigParsingError, match="<text>"):
        Config.fromstring('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", ".json")


DEEP = {
    "attributes": "x = a" + ".b" * 100_000,
    "calls": "x = a" + "()" * 100_000,
    "items": "x = a" + "[0]" * 100_000,
    "signs": "x = " + "-" * 100_000 + "1",
    "nots": "x = " + "not " * 100_000 + "1",
    "sums": "x = 1" + "+1" * 100_000,
    "powers": "x = 1" + "**1" * 100_000,
    "choices": "x = " + "1 if 1 else " * 50_000 + "1",
    "brackets": "x = " + "(" * 100_000,
    "lambdas": "x = " + "lambda: " * 50_000 + "1",
    "elifs": "if 0:\n    x = 1\n" + "elif 0:\n    x = 1\n" * 20_000,
    "f-strings": "x = " + "f'{" * 100 + "1" + "}'" * 100,
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_syntax_is_refused_without_harm_to_the_process(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(DEEP[name])
    code = (
        "import sys\nfrom tk_config import Config, ConfigParsingError\n"
        "try:\n    Config.fromfile(sys.argv[1], trusted=False)\n"
        "except ConfigParsingError as error:\n    print('refused', str(error)[-300:])\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=60
    )

    assert done.returncode == 0, done.stderr[-2000:]
    assert "refused" in done.stdout


def test_fromstring_leaves_no_file_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for text in ("a = 1", "a = ("):
        try:
            read(text)
        except ConfigParsingError:
            pass

    assert list(tmp_path.iterdir()) == []


def test_trusted_text_may_hold_any_python() -> None:
    cfg = Config.fromstring("import math\na = (lambda x: x + 1)(1)\n", ".py", trusted=True)

    assert cfg.a == 2
    assert cfg.filename is None
