from __future__ import annotations

import sys
import time
from typing import Any

import pytest

from tk_config import Config, ConfigParsingError, UnsafeConfigError


def read(text: str) -> Config:
    return Config.fromstring(text, ".py")


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


def test_origins_are_known_as_well(write: Any) -> None:
    path = write(a_py="a = dict(\n    b=1,\n    c=[\n        2,\n        3,\n    ])\na['d'] = 4\n")
    cfg = Config.fromfile(path, trusted=False)

    assert [cfg.origin(p).line for p in ("a.b", "a.c.1", "a.d")] == [2, 5, 7]  # type: ignore[union-attr]


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
