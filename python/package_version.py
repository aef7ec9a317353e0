# SPDX-License-Identifier: MIT
"""package_version.py: the version of the package, for the backend that builds it.

The rule is cmake/version.cmake's, which cannot run where an archive is made without CMake: the file VERSION of a source
archive, else include/dataview/version.h and, between releases, the commit.
"""
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE / "core" if (HERE / "core").exists() else HERE.parent  # the tree of C: in a source archive, and in a checkout


def git(root, *words):
    """The output of git; None if it fails, or is not installed."""
    try:
        done = subprocess.run(["git", "-C", str(root), "--no-optional-locks", *words], capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return None if done.returncode else done.stdout


def of_header(root):
    """The version without a commit, such as 0.1.0a1 or 0.1.0.dev0."""
    header = (root / "include/dataview/version.h").read_text()
    found = dict(re.findall(r'^#define DV_VERSION_(\w+) "?([^\s"]*)', header, re.MULTILINE))
    return ".".join(found[part] for part in ("MAJOR", "MINOR", "PATCH")) + found["PRE"]


def version(root=ROOT):
    """Such as 0.1.0a1, or 0.1.0.dev0+g1fb5e88eb."""
    text = of_header(root)
    if (root / "VERSION").exists():
        written = (root / "VERSION").read_text().strip()
        if not written.startswith(text):
            raise ValueError(f"VERSION says {written}, and include/dataview/version.h says {text}")
        return written
    commit = git(root, "rev-parse", "--show-prefix", "--short=9", "HEAD") if "dev" in text else None
    if commit is None or not commit.startswith("\n"):  # another project's repository lies around our files
        return text
    return f"{text}+g{commit.strip()}" + ("" if git(root, "diff", "--quiet", "HEAD") is not None else ".dirty")


def dynamic_metadata(field, settings=None):
    """scikit-build-core asks this function for the field `version` of pyproject.toml."""
    return version()
