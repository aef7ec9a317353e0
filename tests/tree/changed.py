# SPDX-License-Identifier: MIT
"""changed.py: the files that changed since BASE.  Move BASE forward when a cycle of work begins."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BASE = "9f78a06d1870888c3cbdcb4cfe1d8f4d055eb0a2"


def git(root, *words):
    """The output of git, or None if there is no git, no repository or no such object."""
    try:
        done = subprocess.run(["git", "-C", root, *words], capture_output=True, check=False)
    except FileNotFoundError:
        return None
    return None if done.returncode else done.stdout.decode("utf-8", "replace")


def has_base(root=ROOT, base=BASE):
    return git(root, "cat-file", "-e", base + "^{commit}") is not None


def changed_files(root=ROOT, base=BASE):
    """Each file that changed: its name, its name at BASE (None if new), and how many lines were added."""
    were = set(git(root, "ls-tree", "-r", "-z", "--name-only", base).split("\0"))
    words = iter(git(root, "diff", "--numstat", "-B", "-M", "-z", base, "--").split("\0"))
    for word in words:
        if not word:
            continue
        added, _, name = word.split("\t")
        old = name
        if not name:  # renamed, perhaps from a file that was written anew (-B): both names follow
            old, name = next(words), next(words)
        if added != "-" and (root / name).is_file():
            yield name, old if old in were else None, int(added)
    for name in git(root, "ls-files", "-z", "--others", "--exclude-standard").split("\0"):
        if name and (root / name).is_file():
            yield name, None, 0
