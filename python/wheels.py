# SPDX-License-Identifier: MIT
"""wheels.py: builds wheels for other machines, with the libraries that they link, and checks them.

One compiler builds all of them: the clang of PyPI's ziglang, which brings the headers and the C libraries of each target.
libraries/libraries.toml lists the libraries; they come from the Debian mirror that apt knows here, with Debian's patches.

    build/wheels/archives         the sources of the libraries as they were fetched
    build/wheels/sources          the same unpacked, with Debian's patches
    build/wheels/TARGET/prefix    built for the target: made again when something changes on which they depend
    build/wheels/TARGET/objects   the wheel's own objects: removed together with the prefix
"""
import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import urllib.parse
import zipfile

import package_version
from package_tools import BUILD, DIST, PYTHON, ROOT, build_wheel, checkers, environment, run, say

WHEELS = ROOT / "build/wheels"
ARCHIVES, SOURCES = WHEELS / "archives", WHEELS / "sources"
LIBRARIES = PYTHON / "libraries"


@dataclasses.dataclass
class Target:
    """A kind of machine: its tag in the names of wheels, and what zig and CMake call it."""
    tag: str
    zig: str
    system: str
    processor: str

    @property
    def folder(self):
        return WHEELS / self.tag


TARGETS = {target.tag: target for target in (
    Target("manylinux_2_28_x86_64", "x86_64-linux-gnu.2.28", "Linux", "x86_64"),
    Target("manylinux_2_28_aarch64", "aarch64-linux-gnu.2.28", "Linux", "aarch64"),
    Target("musllinux_1_2_x86_64", "x86_64-linux-musl", "Linux", "x86_64"),
    Target("musllinux_1_2_aarch64", "aarch64-linux-musl", "Linux", "aarch64"),
    Target("macosx_11_0_arm64", "aarch64-macos.11.0", "Darwin", "arm64"))}
# Presets of CMake that build for another system, for its tests or to see whether it links.
PRESETS = {"glibc_2_28": TARGETS["manylinux_2_28_x86_64"], "musl": TARGETS["musllinux_1_2_x86_64"],
           "aarch64": TARGETS["manylinux_2_28_aarch64"], "macos": TARGETS["macosx_11_0_arm64"],
           "freebsd": Target("freebsd_14_x86_64", "x86_64-freebsd.14.0", "FreeBSD", "x86_64")}


def for_this_machine():
    """The target that this machine can try whole."""
    tag = f"manylinux_2_28_{platform.machine()}"
    if tag not in TARGETS:
        sys.exit(f"dev: no wheel is built for {platform.machine()}; name one of {', '.join(TARGETS)}")
    return TARGETS[tag]


# --- The libraries --------------------------------------------------------------------------------


def libraries(tests=False):
    """The libraries that a wheel links; with `tests`, also those that only the tests of C need."""
    table = tomllib.loads((LIBRARIES / "libraries.toml").read_text())["library"]
    return [library for library in table if tests or not library.get("tests")]


def sum_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


def fetch(library):
    """Fetch its archives from the mirror that apt uses here, without touching what apt has on its lists."""
    lacking = [name for name, wanted in library["files"].items() if sum_of(ARCHIVES / name) != wanted]
    if not lacking:
        return
    say(f"fetching {library['name']}")
    ARCHIVES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        options = apt_options("deb-src")
        said = run("apt-get", *options, "source", "--download-only", f"{library['package']}={library['version']}", cwd=folder)
        for name in lacking:
            found = sum_of(folder / name)
            if found != library["files"][name]:
                sys.exit(f"{said}dev: {name} has the sum {found}, and libraries.toml says {library['files'][name]}")
            shutil.copy(folder / name, ARCHIVES)


@functools.cache
def apt_options(kind, architecture=None):
    """Options with which apt-get asks the mirrors of this machine for packages of a kind, and keeps lists of its own."""
    more = [f"APT::Architecture={architecture}", f"APT::Architectures={architecture}"] if architecture else []
    if not shutil.which("apt-get"):
        names = "\n".join(name for library in libraries(tests=True) for name in library["files"])
        sys.exit(f"dev: apt-get is missing.  Copy these files of Debian 12 into {ARCHIVES.relative_to(ROOT)}:\n{names}")
    kept = WHEELS / "apt" / "-".join(filter(None, [kind, architecture]))
    (kept / "sources").mkdir(parents=True, exist_ok=True)
    for path in [pathlib.Path("/etc/apt/sources.list"), *pathlib.Path("/etc/apt/sources.list.d").glob("*")]:
        if path.suffix in (".list", ".sources") and path.exists():
            text = re.sub("^deb ", f"{kind} ", path.read_text(), flags=re.MULTILINE)
            (kept / "sources" / path.name).write_text(re.sub("^Types:.*", f"Types: {kind}", text, flags=re.MULTILINE))
    (kept / "status").touch()
    options = [word for setting in ("Dir::Etc::SourceList=/dev/null", f"Dir::Etc::SourceParts={kept}/sources",
                                    f"Dir::State={kept}", f"Dir::Cache={kept}", f"Dir::State::status={kept}/status",
                                    "APT::Sandbox::User=root", *more) for word in ("-o", setting)]
    run("apt-get", *options, "-q", "update")
    return options


def unpacked(library):
    """The folder of its sources, with Debian's patches."""
    folder, stamp = SOURCES / library["name"], SOURCES / f"{library['name']}.txt"
    wanted = json.dumps(library["files"])
    if not stamp.exists() or stamp.read_text() != wanted:
        fetch(library)
        shutil.rmtree(folder, ignore_errors=True)
        with tempfile.TemporaryDirectory() as scratch:
            for name in library["files"]:
                run("tar", "-xf", ARCHIVES / name, "-C", scratch)
            patches = pathlib.Path(scratch) / "debian/patches"
            upstream, = (path for path in pathlib.Path(scratch).iterdir() if path.name != "debian")
            series = (patches / "series").read_text().splitlines() if (patches / "series").exists() else []
            for line in series:
                if line.strip() and not line.startswith("#"):
                    run("patch", "-p1", "-i", patches / line.split()[0], cwd=upstream)
            shutil.move(upstream, folder)
        stamp.write_text(wanted)
    return folder


# zig has a stub of the C library of macOS alone.
LIBICONV = """\
--- !tapi-tbd
tbd-version: 4
targets: [ arm64-macos ]
install-name: '/usr/lib/libiconv.2.dylib'
current-version: 7
exports:
  - targets: [ arm64-macos ]
    symbols: [ _iconv, _iconv_open, _iconv_close ]
...
"""
# What CMake asks macOS for elsewhere: its age, for run paths.  And zig makes no bundles, but Python loads a library too.
RULES = """\
set(CMAKE_SHARED_LIBRARY_RUNTIME_C_FLAG -Wl,-rpath,)
set(CMAKE_SHARED_MODULE_CREATE_C_FLAGS -dynamiclib)
"""


def toolchain(target):
    """The file by which CMake compiles for the target."""
    site = environment(WHEELS / "zig", requirements=LIBRARIES / "requirements.txt").parents[1]
    zig, = site.glob("lib/python*/site-packages/ziglang/zig")
    programs = target.folder / "programs"
    programs.mkdir(parents=True, exist_ok=True)
    for name, words in (("clang", f"cc -target {target.zig}"), ("ar", "ar"), ("ranlib", "ranlib")):
        text = f'#!/bin/sh\nexport ZIG_GLOBAL_CACHE_DIR="{WHEELS}/cache" ZIG_LOCAL_CACHE_DIR="{WHEELS}/cache"\n' \
               f'exec "{zig}" {words} "$@"\n'
        write_if_new(programs / name, text)
        (programs / name).chmod(0o755)
    # zig's runtime has an exp of its own, with other bits: it wins over the C library's wherever anything of it is linked.
    linking, linking_modules, macos = "-s -rtlib=none -Wl,-z,relro,-z,now", "", ""
    stubs = target.folder / "stubs"
    stubs.mkdir(exist_ok=True)
    if "musl" in target.zig:
        linking += f" -Wl,--as-needed {musl_of_alpine(target, programs / 'clang', zig.parent, stubs)}"
    if target.system == "Darwin":
        write_if_new(stubs / "libiconv.tbd", LIBICONV)
        write_if_new(stubs / "rules.cmake", RULES)
        linking, linking_modules = f"-s -rtlib=none -L{stubs}", "-undefined dynamic_lookup"
        macos = f"set(CMAKE_USER_MAKE_RULES_OVERRIDE {stubs}/rules.cmake)\n"
    # zig would check for undefined behaviour where nothing is optimised, with a runtime that it builds first.
    write_if_new(target.folder / "toolchain.cmake", f"""\
set(CMAKE_SYSTEM_NAME {target.system})
set(CMAKE_SYSTEM_PROCESSOR {target.processor})
set(CMAKE_C_COMPILER {programs}/clang)
set(CMAKE_AR {programs}/ar)
set(CMAKE_RANLIB {programs}/ranlib)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_FLAGS_INIT "-fno-sanitize=undefined -ffile-prefix-map={ROOT}=.")
set(CMAKE_EXE_LINKER_FLAGS_INIT "{linking} -pie")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "{linking}")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "{linking} {linking_modules}")
set(CMAKE_INCLUDE_PATH {target.folder}/prefix/include)
set(ENV{{PKG_CONFIG_LIBDIR}} {target.folder}/prefix/lib/pkgconfig)
set(ENV{{PKG_CONFIG_PATH}} "")
{macos}""")
    return target.folder / "toolchain.cmake"


def musl_of_alpine(target, clang, zig, folder):
    """A stub of musl by Alpine's name, which auditwheel knows: zig's is libc.so.  Every loader of musl takes both for itself."""
    stub = folder / f"libc.musl-{target.processor}.so.1"
    if not stub.exists():
        family = "x86" if target.processor == "x86_64" else target.processor
        run(clang, "-shared", "-nostdlib", "-DPTR64", f"-DARCH_{target.processor}", f"-DFAMILY_{family}",
            f"-Wl,-soname,{stub.name}", zig / "lib/libc/musl/libc.S", "-o", stub)
    return stub


def write_if_new(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def prefix(target):
    """The folder of the libraries for the target, as pkg-config knows them."""
    made = target.folder / "prefix"
    tools = toolchain(target)
    inputs = [tools, *sorted(path for path in LIBRARIES.iterdir() if path.is_file())]
    wanted = hashlib.sha256(b"".join(path.read_bytes() for path in inputs)).hexdigest()
    stamp = made / "made.txt"
    if stamp.exists() and stamp.read_text() == wanted:
        return made
    # CMake reads the flags of a toolchain only once.
    built = [target.folder / name for name in ("prefix", "libraries", "libjpeg-turbo", "objects")]
    for folder in built + [ROOT / "build" / preset for preset, of in PRESETS.items() if of == target]:
        shutil.rmtree(folder, ignore_errors=True)
    sources = {library["name"]: unpacked(library) for library in libraries(tests=True)}
    say(f"building the libraries for {target.tag}")
    common = ["-GNinja", f"-DCMAKE_TOOLCHAIN_FILE={tools}", "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_INSTALL_PREFIX={made}"]
    run("cmake", "-S", LIBRARIES, "-B", target.folder / "libraries", *common, f"-DSOURCES={SOURCES}")
    run("cmake", "--build", target.folder / "libraries", "--target", "install")
    if target.processor == "x86_64" and not shutil.which("nasm"):
        sys.exit("dev: nasm is missing, with which libjpeg-turbo builds its kernels for x86-64")
    folder = target.folder / "libjpeg-turbo"
    run("cmake", "-S", sources["libturbojpeg"], "-B", folder, *common, "-DENABLE_SHARED=OFF", "-DWITH_TURBOJPEG=ON",
        "-DREQUIRE_SIMD=ON", "-DCMAKE_C_FLAGS=-fno-sanitize=undefined -fvisibility=hidden -w")
    run("cmake", "--build", folder, "--target", "turbojpeg-static")
    shutil.copy(folder / "libturbojpeg.a", made / "lib")
    shutil.copy(sources["libturbojpeg"] / "turbojpeg.h", made / "include")
    (made / "lib/pkgconfig").mkdir()
    for library in libraries(tests=True):
        if "link" in library:
            version = library["version"].partition(":")[2] or library["version"]
            (made / f"lib/pkgconfig/{library['name']}.pc").write_text(
                f"Name: {library['name']}\nDescription: {library['home']}\nVersion: {version.partition('-')[0]}\n"
                f"Cflags: -I{made}/include\nLibs: -L{made}/lib -l{library['link']}\n")
    stamp.write_text(wanted)
    return made


# --- The wheel ------------------------------------------------------------------------------------


def python_headers():
    """A copy of Python's headers, for all targets: the limited API depends only on the sizes of types, and all targets have
    64 bits.  It is a copy because Debian's pyconfig.h includes another one, in a folder of this machine."""
    here = pathlib.Path(sysconfig.get_paths()["include"])
    there = WHEELS / "headers" / here.name
    shutil.copytree(here, there, dirs_exist_ok=True)
    real = here.parent / (sysconfig.get_config_var("MULTIARCH") or "") / here.name / "pyconfig.h"
    shutil.copy(real if real.exists() else here / "pyconfig.h", there)
    return there


def sbom(target):
    """Write the list of the libraries in the wheel, as CycloneDX: PEP 770 has a place for it."""
    version = package_version.version()
    parts = [{
        "type": "library", "bom-ref": library["name"], "name": library["name"], "version": library["version"],
        "licenses": [{"expression": library["licence"]}],
        "purl": f"pkg:deb/debian/{library['package']}@{urllib.parse.quote(library['version'], safe='')}"
                "?arch=source&distro=bookworm",
        "externalReferences": [{"type": "website", "url": library["home"]}] + [
            {"type": "source-distribution", "url": urllib.parse.quote(name),
             "hashes": [{"alg": "SHA-256", "content": content}]} for name, content in library["files"].items()],
    } for library in libraries()]
    path = target.folder / "libdataview.cdx.json"
    path.write_text(json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {"component": {
            "type": "library", "bom-ref": "libdataview", "name": "libdataview", "version": version,
            "licenses": [{"license": {"id": "MIT"}}], "purl": f"pkg:pypi/libdataview@{urllib.parse.quote(version, safe='')}"}},
        "components": parts,
        "dependencies": [{"ref": "libdataview", "dependsOn": [part["bom-ref"] for part in parts]},
                         *({"ref": part["bom-ref"]} for part in parts)]}, indent=1) + "\n")
    return path


def time_of_sources():
    """The time that files in the wheel get, so that the same sources make the same wheel."""
    return (package_version.git(ROOT, "log", "-1", "--format=%ct") or "1600000000").strip()


def check_licences():
    """Check that pyproject.toml and NOTICE name the licence of each library."""
    with open(PYTHON / "pyproject.toml", "rb") as project:
        named = tomllib.load(project)["project"]["license"].split(" AND ")
    notice = (PYTHON / "NOTICE").read_text()
    for library in libraries():
        lacking = set(library["licence"].split(" AND ")) - set(named)
        if lacking:
            sys.exit(f"dev: {library['name']} is under {' and '.join(sorted(lacking))}, and `license` of pyproject.toml lacks it")
        if library["home"] not in notice:
            sys.exit(f"dev: python/NOTICE does not mention {library['name']}, {library['home']}")


def build(target, source):
    """A wheel for the target, of the folder python/ or of a source archive, after every check that the index makes."""
    check_licences()
    prefix(target)
    headers = python_headers()
    say(f"building the wheel for {target.tag}")
    settings = {"CMAKE_TOOLCHAIN_FILE": toolchain(target), "DV_SBOM": sbom(target), "Python_INCLUDE_DIR": headers}
    env = {"SOURCE_DATE_EPOCH": time_of_sources()}
    DIST.mkdir(parents=True, exist_ok=True)
    for old in DIST.glob(f"*-{target.tag}.whl"):
        old.unlink()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        wheel = build_wheel(source, folder, f"build-dir={target.folder / 'objects'}", "install.strip=false",
                            *(f"cmake.define.{name}={value}" for name, value in settings.items()), env=env)
        wheel = checked(target, tagged(target, wheel, env))
        return pathlib.Path(shutil.move(wheel, DIST / wheel.name))


def tagged(target, wheel, env):
    """The wheel under the tag of the target."""
    run(checkers() / "wheel", "tags", "--platform-tag", target.tag, "--remove", wheel, env={**os.environ, **env})
    return next(wheel.parent.glob("*.whl"))


def covers(tag, wanted):
    """Whether a wheel for `tag` runs wherever one for `wanted` does: it needs the same C library, and none that is newer."""
    (library, *version), (wanted_library, *wanted_version) = (name.split("_", 3) for name in (tag, wanted))
    return library == wanted_library and version[2:] == wanted_version[2:] and \
        [int(part) for part in version[:2]] <= [int(part) for part in wanted_version[:2]]


def checked(target, wheel):
    tools = checkers()
    if target.system == "Linux":  # in a folder without libraries: this machine has other ones
        said = " ".join(run(tools / "auditwheel", "show", "--ldpaths", target.folder, wheel).split())
        named = re.search(r'following platform tag: "(\w+)"', said)
        if not named or not covers(named[1], target.tag):
            sys.exit(f"{said}\ndev: the wheel is not for {target.tag}")
    run(tools / "abi3audit", "--strict", wheel)
    run(tools / "twine", "check", "--strict", wheel)
    run(tools / "check-wheel-contents", wheel)
    return wheel


# --- Trials ---------------------------------------------------------------------------------------

# The step for pictures makes these pixels of a JPEG and a PNG file, on each machine.
PICTURES = ["jgray.jpg", "pcolor.png"]
STEP = "image X:File width=2 height=2; drop File"
PIXELS = ["[80,193,55,172,80,193,55,172,80,193,55,172]", "[72,172,47,146,90,119,158,190,227,232,170,170]"]


def lay_out_trial(folder):
    shutil.copy(ROOT / "examples/sample.idv", folder)
    for name in PICTURES:
        shutil.copy(ROOT / "tests/golden/image" / name, folder)
    (folder / "pictures.csv").write_text("File,N\n" + "".join(f"{name},{i}\n" for i, name in enumerate(PICTURES)))


def try_command(command, version, steps=(STEP,), **options):
    """A command of a wheel, by the words that start it, opens the sample and decodes pictures by steps."""
    for words, wanted in ((["--version"], [f"dataview {version}\n"]), (["info", "sample.idv"], ["rows     600"]),
                          *((["head", "pictures.csv", "--pipe", step, "--json"], PIXELS) for step in steps)):
        said = run(*command, *words, **options)
        if not all(text in said for text in wanted):
            sys.exit(f"{said}dev: {' '.join(map(str, [*command, *words]))} did not say {wanted}")


def tried_foreign(target, wheel):
    """Run the command of a wheel for another processor or C library; says how."""
    emulator = f"qemu-{target.processor}"
    if target.system != "Linux":
        return "untested: nothing here runs it"
    if not shutil.which(emulator) or not shutil.which("apt-get"):
        return f"untested: {emulator} (package qemu-user) or apt-get is missing"
    root = root_of(target)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        lay_out_trial(folder)
        with zipfile.ZipFile(wheel) as files:
            files.extractall(folder)
        command = folder / "libdataview/bin/dataview"
        command.chmod(0o755)
        try_command([emulator, "-L", root, command], wheel.name.split("-")[1], cwd=folder)
    return f"its command ran under {emulator}"


def root_of(target):
    """A folder with the C library of the target, and the archive of gcc's runtime, as Debian has them; None if Debian has no
    such system."""
    if target.system != "Linux":
        return None
    packages = ["musl"] if "musl" in target.zig else ["libc6", "libgcc-12-dev"]
    debian = {"x86_64": "amd64", "aarch64": "arm64"}[target.processor]
    root = target.folder / "root"
    for package in packages:
        if os.path.lexists(root / "usr/share/doc" / package):
            continue
        options = apt_options("deb", debian)
        with tempfile.TemporaryDirectory() as folder:
            run("apt-get", *options, "download", f"{package}:{debian}", cwd=folder)
            root.mkdir(parents=True, exist_ok=True)
            run("dpkg-deb", "-x", next(pathlib.Path(folder).glob("*.deb")), root)
    return root
