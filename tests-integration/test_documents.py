"""Pages lead where they say, and their examples do what they show."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
from tree import ROOT

SKIPPED = {".venv", ".nox", "node_modules", "changelog.d"}
PAGES = [page for page in sorted(ROOT.rglob("*.md")) if not SKIPPED & set(page.parts)]
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)#\s]+)(?:#[^)]*)?\)|!\[[^\]]*\]\(([^)\s]+)\)")
WITH_EXAMPLES = [
    page
    for page in PAGES
    if ">>>" in page.read_text(encoding="utf-8") and "packages" not in page.parts
]


def label(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=label)
def test_every_relative_link_leads_to_a_file(page: Path) -> None:
    targets = ["".join(found) for found in LINK.findall(page.read_text(encoding="utf-8"))]
    local = [
        target for target in targets if "://" not in target and not target.startswith("mailto:")
    ]
    dead = [target for target in local if not (page.parent / target).exists()]

    assert not dead, f"{label(page)} links to nothing at {dead}"


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=label)
def test_the_examples_of_a_page_give_what_it_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testfile(str(page), module_relative=False, optionflags=flags)

    assert result.failed == 0
