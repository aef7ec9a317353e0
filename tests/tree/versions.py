#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""versions.py CMAKE: do CMake and the Python package find the same version, in a checkout, in an archive and in between?"""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
sys.dont_write_bytecode = True
import package_version  # noqa: E402

HEADER = "".join(f'#define DV_VERSION_{part}\n' for part in ("MAJOR 0", "MINOR 7", "PATCH 2", 'PRE "{}"'))


def of_cmake(cmake, root):
    """The version that cmake/version.cmake writes; None if it refuses."""
    out = root.parent / "version_text.c"
    done = subprocess.run([cmake, f"-DROOT={root}", f"-DOUT={out}", "-P", ROOT / "cmake/version.cmake"], capture_output=True, text=True)
    return None if done.returncode else out.read_text().split('"')[3]


def of_python(root):
    try:
        return package_version.version(root)
    except ValueError:
        return None


def git(root, *words):
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main"]
    return subprocess.run(["git", *identity, *words], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def tree(folder, name, pre, written=None):
    root = folder / name / "tree"
    (root / "include/dataview").mkdir(parents=True)
    (root / "include/dataview/version.h").write_text(HEADER.format(pre))
    if written:
        (root / "VERSION").write_text(written + "\n")
    return root


def commit(root):
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "all")
    return git(root, "rev-parse", "--short=9", "HEAD")


def cases(folder):
    """Trees, and the version of each."""
    for name, pre, written, wanted in (
            ("final", "", None, "0.7.2"), ("alpha", "a1", None, "0.7.2a1"), ("no git", ".dev0", None, "0.7.2.dev0"),
            ("archive", ".dev0", "0.7.2.dev0+gabc", "0.7.2.dev0+gabc"), ("released archive", "a1", "0.7.2a1", "0.7.2a1"),
            ("another version", "a1", "0.7.3a1", None)):
        yield tree(folder, name, pre, written), wanted
    for name, pre in (("checkout", ".dev0"), ("tag", "a1")):
        root = tree(folder, name, pre)
        hashed = f"+g{commit(root)}" if pre == ".dev0" else ""
        yield root, f"0.7.2{pre}{hashed}"
        (root / "new").write_text("a file that git does not know\n")
        yield root, f"0.7.2{pre}{hashed}"
        with open(root / "include/dataview/version.h", "a") as header:
            header.write("\n")
        yield root, f"0.7.2{pre}{hashed}" + (".dirty" if hashed else "")
    root = tree(folder, "below", ".dev0")
    commit(root.parent)  # the repository of a project that embeds the tree
    yield root, "0.7.2.dev0"
    git(root, "init", "-q")  # no commit yet
    yield root, "0.7.2.dev0"


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for root, wanted in cases(pathlib.Path(folder)):
            found = of_cmake(sys.argv[1], root), of_python(root)
            if found != (wanted, wanted):
                print(f"{root.parent.name}: CMake finds {found[0]}, Python finds {found[1]}, and {wanted} is right")
                failures += 1
    print("CMake and Python find the same versions" if not failures else f"{failures} trees have another version")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
