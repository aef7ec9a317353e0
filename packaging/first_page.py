#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""first_page.py: are the artefacts enough?   first_page.py [FOLDER]

Runs the first page of README.md, its Python and its shell, from the wheels and Debian packages of FOLDER (build/python/dist) alone,
where nothing else of this project is: in a bare Debian 12 made by debootstrap, in a root with musl and without glibc, and under
qemu for aarch64.  It needs root, and the packages debootstrap and qemu-user.  The roots stay in build/roots.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROOTS = ROOT / "build/roots"
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "python"))
import wheels  # noqa: E402
from package_tools import run, say  # noqa: E402

PEERS = ["numpy", "pandas", "pyarrow"]  # the page shows to_numpy() and to_pandas()
PIP = ["-q", "--disable-pip-version-check", "--root-user-action=ignore"]
DOCTEST = "import doctest, sys; found = doctest.testfile('page.txt', False); sys.exit(found.failed > 0 or found.attempted == 0)"


# --- The page -------------------------------------------------------------------------------------


def lay_out(folder):
    """Write the page as programs: its blocks of Python as page.txt, its lines of the command as page.sh; and copy the examples."""
    text = (ROOT / "README.md").read_text()
    folder.mkdir()
    shutil.copytree(ROOT / "examples", folder / "examples")
    (folder / "build").mkdir()
    sessions = re.findall(r"^```python\n(>>> .*?)^```$", text, re.M | re.S)
    (folder / "page.txt").write_text("\n".join(sessions))
    lines = re.findall(r"^dataview .*", "\n".join(re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S)), re.M)
    shown, = re.findall(r"^\$ \./dev run\n(.*?)^```$", text, re.M | re.S)
    (folder / "shown.txt").write_text(shown)
    run_here = "{ dataview info examples/sample.idv; echo; dataview head examples/sample.idv; } > said.txt"
    (folder / "page.sh").write_text("\n".join(["set -e", run_here, "cmp said.txt shown.txt", *lines, ""]))
    if not sessions or len(lines) < 8:
        sys.exit("dev: the blocks of README.md are not where first_page.py looks for them")


# --- Roots ----------------------------------------------------------------------------------------


def debian():
    """A bare Debian 12 with pip and the peers.  A trial works in a copy."""
    root = ROOTS / "debian"
    if not root.exists():
        say("making a bare Debian 12")
        shutil.rmtree(ROOTS / "new", ignore_errors=True)
        run("debootstrap", "--variant=minbase", "--include=ca-certificates,python3-venv", "bookworm", ROOTS / "new")
        shutil.copy("/etc/ssl/certs/ca-certificates.crt", ROOTS / "new/etc/ssl/certs")
        within(ROOTS / "new", "python3", "-m", "venv", "/peers")
        within(ROOTS / "new", "/peers/bin/pip", "install", *PIP, *PEERS)
        (ROOTS / "new").rename(root)
    return root


def unpacked(name, architecture, *packages):
    """A folder with Debian's packages, and all that they depend on, unpacked and not set up."""
    root = ROOTS / name
    if not root.exists():
        options = wheels.apt_options("deb", architecture)
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "partial").mkdir()
            run("apt-get", *options, "-o", f"Dir::Cache::archives={folder}", "install", "-y", "--no-install-recommends",
                "--download-only", *packages)
            for package in pathlib.Path(folder).glob("*.deb"):
                run("dpkg-deb", "-x", package, ROOTS / "new")
        (ROOTS / "new").rename(root)
    return root


def musl():
    return unpacked("musl-amd64", "amd64", "musl", "busybox-static")


def within(root, *command, folder="/", path="/usr/bin:/bin:/usr/sbin:/sbin", **more):
    """Run a command in a root; /proc is there as long as it runs."""
    (root / "proc").mkdir(exist_ok=True)
    script = 'mount -t proc proc "$1/proc" && exec /usr/sbin/chroot "$@"'
    env = {"PATH": path, "HOME": "/root", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive",
           "PIP_CERT": "/etc/ssl/certs/ca-certificates.crt", **more}
    return run("unshare", "--mount", "/bin/sh", "-c", script, "sh", root, "/bin/sh", "-c", 'cd "$0" && exec "$@"', folder, *command,
               env=env)


# --- Trials ---------------------------------------------------------------------------------------


def try_wheel_on_debian(wheel, root):
    shutil.copy(wheel, root)
    within(root, "/peers/bin/pip", "install", *PIP, "--no-index", f"/{wheel.name}")
    within(root, "sh", "page.sh", folder="/page", path="/peers/bin:/usr/bin:/bin")
    within(root, "/peers/bin/python", "-c", DOCTEST, folder="/page")


def try_debian_packages(packages, root):
    (root / "packages").mkdir()
    for package in packages:
        shutil.copy(package, root / "packages")
    within(root, "apt-get", "update", "-q")
    within(root, "apt-get", "install", "-y", "-q", "--no-install-recommends", *(f"/packages/{p.name}" for p in packages),
           "gcc", "g++", "libc6-dev", "cmake", "ninja-build", "pkg-config")
    within(root, "sh", "page.sh", folder="/page")
    peers, = root.glob("peers/lib/python3*/site-packages")
    within(root, "python3", "-c", DOCTEST, folder="/page", PYTHONPATH="/" + str(peers.relative_to(root)))
    for name in ("debian/tests", "tests/install"):
        shutil.copytree(ROOT / name, root / "page" / name)
    within(root, "sh", "debian/tests/installed", folder="/page")


def command_of(wheel, folder):
    """Unpack a wheel; the path of its command."""
    with zipfile.ZipFile(wheel) as files:
        files.extractall(folder)
    (folder / "libdataview/bin/dataview").chmod(0o755)
    return folder / "libdataview/bin/dataview"


def try_musl(wheel, root):
    command_of(wheel, root / "wheel")
    (root / "bin/sh").symlink_to("busybox")
    (root / "bin/cmp").symlink_to("busybox")
    within(root, "/bin/sh", "page.sh", folder="/page", path="/wheel/libdataview/bin:/bin")


def try_emulated(root, page, programs):
    """Run the page here, with programs that run under qemu; Python too if it is among them."""
    (page / "bin").mkdir()
    for name, words in programs.items():
        (page / "bin" / name).write_text(f'#!/bin/sh\nexec qemu-aarch64 -L "{root}" {words} "$@"\n')
        (page / "bin" / name).chmod(0o755)
    env = {"PATH": f"{page}/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONPATH": f"{page}/site"}
    run("sh", "page.sh", cwd=page, env=env)
    if "python3" in programs:
        run(page / "bin/python3", "-c", DOCTEST, cwd=page, env=env)


def artefacts(folder):
    """Find the artefacts: (name, where it is tried, a function that tries it in a scratch folder)."""
    def one(pattern):
        return next(iter(sorted(folder.glob(pattern))), None)

    def in_copy(root, trial, what):
        def act(scratch):
            run("cp", "-a", root(), scratch / "root")
            if (scratch / "root/etc").exists():
                shutil.copy("/etc/resolv.conf", scratch / "root/etc/resolv.conf")
            lay_out(scratch / "root/page")
            trial(what, scratch / "root")
        return act

    def emulated(wheel, with_python):
        def act(scratch):
            lay_out(scratch / "page")
            command = command_of(wheel, scratch / "wheel")
            programs = {"dataview": f'"{command}"'}
            root = unpacked("musl-arm64", "arm64", "musl")
            if with_python:
                root = unpacked("python-arm64", "arm64", "python3", "libstdc++6")
                run(sys.executable, "-m", "venv", scratch / "venv")
                run(scratch / "venv/bin/pip", "install", *PIP, "--target", scratch / "page/site", "--platform", "manylinux_2_28_aarch64",
                    "--platform", "manylinux2014_aarch64", "--python-version", "3.11", "--only-binary", ":all:", wheel, *PEERS)
                programs["python3"] = f'"{root}/usr/bin/python3.11"'
            try_emulated(root, scratch / "page", programs)
        return act

    if wheel := one("*-manylinux_*_x86_64.whl"):
        yield wheel.name, "bare Debian 12", in_copy(debian, try_wheel_on_debian, wheel)
    if packages := sorted(folder.glob("*_amd64.deb")):
        yield f"{len(packages)} Debian packages", "bare Debian 12", in_copy(debian, try_debian_packages, packages)
    if wheel := one("*-musllinux_*_x86_64.whl"):
        yield wheel.name, "its command in a root with musl", in_copy(musl, try_musl, wheel)
    if wheel := one("*-manylinux_*_aarch64.whl"):
        yield wheel.name, "Debian's Python for arm64 under qemu", emulated(wheel, with_python=True)
    if wheel := one("*-musllinux_*_aarch64.whl"):
        yield wheel.name, "its command with musl under qemu", emulated(wheel, with_python=False)


def main():
    folder = pathlib.Path(sys.argv[1]) if sys.argv[1:] else ROOT / "build/python/dist"
    if os.getuid() != 0 or not shutil.which("debootstrap") or not shutil.which("qemu-aarch64"):
        sys.exit("dev: this needs root, and the packages debootstrap and qemu-user")
    ROOTS.mkdir(parents=True, exist_ok=True)
    tried = 0
    for name, where, trial in artefacts(folder):
        with tempfile.TemporaryDirectory(dir=ROOTS) as scratch:
            trial(pathlib.Path(scratch))
        print(f"{name}: the first page of README.md works: {where}", flush=True)
        tried += 1
    if not tried:
        sys.exit(f"dev: {folder} has neither wheels nor Debian packages")


if __name__ == "__main__":
    main()
