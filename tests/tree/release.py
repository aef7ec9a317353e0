#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""release.py: does `./dev release` refuse every tree that is not ready, and name each reason?  Is its source archive the same
bytes each time?"""
import importlib.util
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "packaging/release.py"
FILES = {
    "include/dataview/version.h": '#define DV_VERSION_MAJOR 0\n#define DV_VERSION_MINOR 7\n#define DV_VERSION_PATCH 0\n#define DV_VERSION_PRE "a1"\n',
    "CITATION.cff": "version: 0.7.0a1\n",
    "CHANGELOG.md": "# Changes\n\n## 0.7.0a1\n\n- all of it\n\n## 0.6.0\n\n- less\n",
    "debian/changelog": "libdataview (0.7.0~a1-0upstream1) UNRELEASED; urgency=medium\n",
    "python/pyproject.toml": '[project]\nname = "x"\n[project.urls]\nSource = "https://example.org/x"\n',
    ".gitignore": "build/\n",
}


def git(root, *words):
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main"]
    return subprocess.run(["git", *identity, *words], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def tree(folder, changes):
    """A committed tree, with a good result of its checks."""
    root = folder / "tree"
    for name, text in {**FILES, **changes}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git(folder, "init", "-q", root)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "all")
    (root / "build").mkdir()
    record(root)
    return root


def record(root, result="ok", tree=None):
    (root / "build/check-full.json").write_text(json.dumps({
        "tree": tree or git(root, "rev-parse", "HEAD^{tree}"), "seconds": 3600, "passed": 1, "failed": int(result != "ok"),
        "steps": [{"step": "tests", "result": result, "seconds": 3600}]}))


def leave(root):
    pass


# Changes to the files, then something done to the tree, and the reason that the program must give; None: it is ready.
CASES = [
    ({}, leave, None),
    ({"CHANGELOG.md": "## 0.7.0a1 (2026-12-01)\n\n- all of it\n"}, leave, None),
    ({}, lambda root: (root / "new").write_text("x"), "uncommitted changes"),
    ({"include/dataview/version.h": FILES["include/dataview/version.h"].replace('"a1"', '".dev0"')}, leave, "version.h says 0.7.0.dev0"),
    ({"include/dataview/version.h": FILES["include/dataview/version.h"].replace("MINOR 7", "MINOR 8")}, leave, "version.h says 0.8.0a1"),
    ({"CITATION.cff": "version: 0.6.0\n"}, leave, "CITATION.cff says 0.6.0"),
    ({"CITATION.cff": "title: x\n"}, leave, "CITATION.cff says no version"),
    ({"debian/changelog": "libdataview (0.6.0-0upstream1) UNRELEASED\n"}, leave, "debian/changelog says 0.6.0"),
    ({"CHANGELOG.md": "## 0.7.0\n\n- all\n"}, leave, 'no section "## 0.7.0a1"'),
    ({"CHANGELOG.md": "## 0.7.0a1\n\n## 0.6.0\n\n- all\n"}, leave, 'no section "## 0.7.0a1"'),
    ({"CHANGELOG.md": "## 0.7.0a12\n\n- all\n"}, leave, 'no section "## 0.7.0a1"'),
    ({"python/pyproject.toml": '[project]\nname = "x"\n'}, leave, "no [project.urls]"),
    ({"python/pyproject.toml": '[project]\nname = "x"\n[project.urls]\n'}, leave, "no [project.urls]"),
    ({}, lambda root: (root / "build/check-full.json").unlink(), "no result of ./dev check --full"),
    ({}, lambda root: record(root, tree="0" * 40), "ran on another tree"),
    ({}, lambda root: record(root, result="FAILED"), "./dev check --full failed: tests"),
    ({}, lambda root: git(root, "tag", "v0.7.0a1"), "the tag v0.7.0a1 is there"),
]


def check_readiness():
    for number, (changes, act, expected) in enumerate(CASES):
        with tempfile.TemporaryDirectory() as folder:
            root = tree(pathlib.Path(folder), changes)
            act(root)
            done = subprocess.run([sys.executable, PROGRAM, "0.7.0a1", "--dry-run", "--root", root], capture_output=True, text=True)
            reasons = [line for line in done.stdout.splitlines() if line.startswith("not ready: ")]
            is_right = not reasons and done.returncode == 0 if expected is None else \
                len(reasons) == 1 and expected in reasons[0] and done.returncode == 1
            if not is_right or "would build into" not in done.stdout or list(root.glob("build/release-*")):
                yield f"case {number}, {expected}: status {done.returncode}: {done.stdout}{done.stderr}"
            if expected is not None:  # nothing is built without --dry-run either
                done = subprocess.run([sys.executable, PROGRAM, "0.7.0a1", "--root", root], capture_output=True, text=True)
                if done.returncode != 1 or list(root.glob("build/release-*")):
                    yield f"case {number}: it is not refused"
    for words in (["0.7"], ["v0.7.0"], ["0.7.0.dev0"], []):
        if subprocess.run([sys.executable, PROGRAM, *words, "--dry-run"], capture_output=True).returncode != 2:
            yield f"{words} is taken for a version"


def check_source_archive():
    spec = importlib.util.spec_from_file_location("release_program", PROGRAM)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        root = tree(folder, {"src/a.c": "int a;\n"})
        made = []
        for name in ("first", "second"):
            (folder / name).mkdir()
            made.append(program.source_archive(root, "0.7.0a1", folder / name))
        if made[0].read_bytes() != made[1].read_bytes():
            yield "two source archives of one tree differ"
        with tarfile.open(made[0]) as archive:
            names = {name for name in archive.getnames() if not archive.getmember(name).isdir()}
            wanted = {f"libdataview-0.7.0a1/{name}" for name in [*FILES, "src/a.c", "VERSION"]}
            if names != wanted or archive.extractfile("libdataview-0.7.0a1/VERSION").read() != b"0.7.0a1\n":
                yield f"the source archive holds {sorted(names)}"


def main():
    sys.dont_write_bytecode = True
    failures = [*check_readiness(), *check_source_archive()]
    print("\n".join(failures) or "trees that are not ready are refused, and archives repeat")
    return len(failures) > 0


if __name__ == "__main__":
    sys.exit(main())
