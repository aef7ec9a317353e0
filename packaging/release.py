#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""release.py: builds everything that a release publishes.   release.py VERSION [--dry-run]

Refuses, with all reasons at once, a tree that is not ready: uncommitted changes, another version in the files that name it, no
section of CHANGELOG.md, no whole run of `./dev check --full` on this very tree.  Then it builds the source archive, the wheels,
the Python source archive and Debian packages into build/release-VERSION, with their checksums and bills of materials, and says what to upload
where.  Where it can, it tries what it built (first_page.py).  It uploads nothing.  With --dry-run it builds nothing, and says what it would build.
"""
import argparse
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "python"))
import package_version  # noqa: E402

VERSION = re.compile(r"(\d+\.\d+\.\d+)((?:a|b|rc)\d+)?")


def say(text):
    print(f"dev: {text}", file=sys.stderr, flush=True)


def git(root, *words):
    return subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True, text=True).stdout.strip()


# --- Is the tree ready? ---------------------------------------------------------------------------


def debian_version(version):
    """A pre-release sorts before its release there: 0.1.0~a1."""
    return "~".join(filter(None, VERSION.fullmatch(version).groups()))


def section(root, version):
    """The lines of the version in CHANGELOG.md; empty if there are none."""
    text = (root / "CHANGELOG.md").read_text()
    found = re.search(rf"^## {re.escape(version)}(?: [^\n]*)?\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1].strip() if found else ""


def faults_of_check(root):
    """Reasons not to trust the last whole run of the checks."""
    path = root / "build/check-full.json"
    if not path.exists():
        return ["there is no result of ./dev check --full: run it (an hour on two cores)"]
    result = json.loads(path.read_text())
    faults = []
    if result["tree"] != git(root, "rev-parse", "HEAD^{tree}"):
        faults.append("the last ./dev check --full ran on another tree: run it again")
    failed = [step["step"] for step in result["steps"] if step["result"] != "ok"]
    if failed or result["failed"]:
        faults.append(f"./dev check --full failed: {'; '.join(failed)}")
    return faults


def faults(root, version):
    """Everything that has to be mended before this tree can be released as `version`."""
    found = []
    if git(root, "status", "--porcelain"):
        found.append("there are uncommitted changes: commit them, or put them aside")
    named = package_version.of_header(root)
    if named != version:
        found.append(f"include/dataview/version.h says {named}: set DV_VERSION_PRE, and the numbers, to {version}")
    cited = re.search(r"^version: (.*)$", (root / "CITATION.cff").read_text(), re.MULTILINE)
    if not cited or cited[1] != version:
        found.append(f"CITATION.cff says {cited[1] if cited else 'no version'}: set it to {version}")
    packaged = re.match(r"libdataview \(([^-]*)-", (root / "debian/changelog").read_text())
    if not packaged or packaged[1] != debian_version(version):
        found.append(f"debian/changelog says {packaged[1] if packaged else 'no version'}: add an entry for {debian_version(version)}-0upstream1")
    if not section(root, version):
        found.append(f"CHANGELOG.md has no section \"## {version}\": write what a user has to know")
    if not tomllib.loads((root / "python/pyproject.toml").read_text())["project"].get("urls"):
        found.append("python/pyproject.toml has no [project.urls], which the index shows: add the section, "
                     "with Homepage, Source, Issues and Changelog = \"https://...\"")
    if (tag := f"v{version}") in git(root, "tag", "--list").split():
        found.append(f"the tag {tag} is there already: choose another version")
    return found + faults_of_check(root)


# --- What is published ----------------------------------------------------------------------------


def source_archive(root, version, folder):
    """The tree of HEAD with a file VERSION, for builds without git.  The same tree gives the same bytes."""
    name = f"libdataview-{version}"
    packed = subprocess.run(["git", "-C", str(root), "archive", "--format=tar", f"--prefix={name}/",
                             f"--add-virtual-file={name}/VERSION:{version}\n", "HEAD"], check=True, stdout=subprocess.PIPE).stdout
    path = folder / f"{name}-source.tar.gz"
    path.write_bytes(gzip.compress(packed, 9, mtime=0))
    return path


def python_archives(root, folder):
    """The wheels of every target, and the source archive of the Python package."""
    dist = root / "build/python/dist"
    for old in [*dist.glob("*.whl"), *dist.glob("*.tar.gz")]:
        old.unlink()
    for what in ("wheels", "sdist"):
        say(f"./dev python {what}")
        subprocess.run([sys.executable, root / "python/package.py", what], check=True, cwd=root)
    for path in sorted([*dist.glob("*.whl"), *dist.glob("*.tar.gz")]):
        shutil.copy(path, folder)
        if path.suffix == ".whl":
            bills_of_materials(path, folder)


def bills_of_materials(wheel, folder):
    """Copy the SBOM out of the wheel, so that it can be read without unpacking."""
    with zipfile.ZipFile(wheel) as files:
        for name in files.namelist():
            if "/sboms/" in name and not name.endswith("/"):
                (folder / f"{wheel.stem}.{pathlib.PurePath(name).name}").write_bytes(files.read(name))


def debian_packages(root, version, archive, folder):
    """The packages of this machine's architecture, and their sources."""
    if not shutil.which("dpkg-buildpackage"):
        say("skipped: Debian packages, since dpkg-buildpackage is not installed")
        return
    say("dpkg-buildpackage")
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        shutil.copy(archive, work / f"libdataview_{debian_version(version)}.orig.tar.gz")
        subprocess.run(["tar", "xf", archive, "-C", work], check=True)
        tree = work / f"libdataview-{version}"
        shutil.copytree(root / "debian", tree / "debian")
        subprocess.run(["dpkg-buildpackage", "-us", "-uc"], cwd=tree, check=True, stdout=sys.stderr)
        for path in [path for path in work.iterdir() if path.is_file()]:
            shutil.copy(path, folder)


def checksums(folder):
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
             for path in sorted(folder.iterdir()) if path.name != "SHA256SUMS"]
    (folder / "SHA256SUMS").write_text("".join(lines))


def instructions(version, folder):
    return f"""
To publish {version}, from {folder}:

git tag -s v{version} -m "libdataview {version}" && git push origin v{version}
    then attach *-source.tar.gz, *.deb and SHA256SUMS to the release of that tag, with its section of CHANGELOG.md as text
twine upload *.whl libdataview-{version}.tar.gz
    the Python package: the wheels and their source archive; it asks for the key of the index

After that set DV_VERSION_PRE to ".dev0" and the numbers to the next version, and commit."""


def main():
    parser = argparse.ArgumentParser(prog="./dev release", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", help="such as 0.1.0a1")
    parser.add_argument("--dry-run", action="store_true", help="say what is missing and what would be built; build nothing")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help=argparse.SUPPRESS)  # for the test
    options = parser.parse_args()
    if not VERSION.fullmatch(options.version):
        parser.error(f"{options.version} is not a version such as 0.1.0, 0.1.0a1 or 0.1.0rc2")
    root, folder = options.root, options.root / f"build/release-{options.version}"
    found = faults(root, options.version)
    for fault in found:
        print(f"not ready: {fault}")
    if options.dry_run:
        print(f"would build into {folder}: the source archive, ./dev python wheels, ./dev python sdist, Debian packages, SHA256SUMS")
        print(instructions(options.version, folder))
    if found or options.dry_run:
        return len(found) > 0
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    archive = source_archive(root, options.version, folder)
    python_archives(root, folder)
    debian_packages(root, options.version, archive, folder)
    checksums(folder)
    for path in sorted(folder.iterdir()):
        print(f"{path.stat().st_size:>12,}  {path.name}")
    if os.getuid() == 0 and shutil.which("debootstrap") and shutil.which("qemu-aarch64"):
        subprocess.run([sys.executable, root / "packaging/first_page.py", folder], check=True)
    else:
        say("skipped: packaging/first_page.py, which needs root, debootstrap and qemu-user")
    print(instructions(options.version, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
