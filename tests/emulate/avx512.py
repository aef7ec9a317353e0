#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""avx512.py: run a program on an emulated CPU that has AVX-512.

avx512.py [--limit SECONDS] EXECUTABLE [ARGUMENT...]

Shows what the program writes and exits as it did (128 + n after signal n); 125 when the emulation
itself failed, which includes the limit.  The CPU is an Ice Lake of Bochs; on it runs Debian's
kernel for virtual machines, which is not installed but unpacked into build/emulate; and in that the
program, as the only file besides the libraries it needs.  Variables of the environment that begin
with DV_ or DATAVIEW_ go along.  Linux starts in 10 s; a program then runs at about 80 million
instructions per second, or 8 million of AVX-512.

Where Bochs 2.7 is wrong (a right program may fail for it): vpcompressb and vpcompressw of 512 bits
take a mask of ones only for an empty one; vpexpandb and vpexpandw give wrong bytes; loads that
expand, or that widen under a mask, fault on bytes that the mask leaves out; vcvtudq2ps,
vcvtuqq2pd, vcvtusi2ss and vcvtusi2sd lose the lowest bit of numbers that have the highest, so the
preset skips the kernels that are nothing but these (DV_SKIP_KERNELS).

Debian packages: bochs bochs-term binutils gcc libc6-dev; the kernel is fetched with apt-get.
"""
import argparse
import ctypes
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
KERNEL = HERE.parents[1] / "build" / "emulate" / "vmlinuz"
FAILED = 125

MEMORY = 512 << 20
KERNEL_ADDRESS = 0x100000
FILES_ADDRESS = 0x4800000  # after the memory that the kernel needs to unpack itself

# Parameters of the kernel: Bochs 2.7 counts the size of XSAVEC's area wrongly and has no area
# for protection keys; FSRM without ERMS, as the ROM leaves it, breaks the kernel's memmove; and
# only the PIT keeps the time that the emulated CPU keeps.  The rest saves a minute.
COMMAND_LINE = ("console=ttyS0,115200 quiet rdinit=/init panic=-1 "
                "clearcpuid=pku,xsavec,xsaves,fsrm tsc=unstable clocksource=jiffies "
                "acpi=off pci=off noapic nolapic nosmp nokaslr nopti mitigations=off "
                "cryptomgr.notests initcall_blacklist=load_system_certificate_list")

# Bochs fills and copies byte by byte what `rep` repeats: libc does without where it can.
TUNABLES = ("GLIBC_TUNABLES=glibc.cpu.x86_rep_stosb_threshold=1000000000"
            ":glibc.cpu.x86_rep_movsb_threshold=1000000000")

BOCHSRC = """
plugin_ctrl: unmapped=1, serial=1, biosdev=0, speaker=0, extfpuirq=0, parallel=0, gameport=0
config_interface: textconfig
display_library: term
cpu: model=corei7_icelake_u, count=1, ips=20000000, reset_on_triple_fault=0, ignore_bad_msrs=1
clock: sync=none, time0=1000000000
memory: guest={megabytes}, host={megabytes}
romimage: file={folder}/rom, address=0xffff0000
optramimage1: file={folder}/memory, address={kernel_address}
com1: enabled=1, mode=file, dev={folder}/console
com2: enabled=1, mode=file, dev={folder}/output
log: {folder}/log
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
"""


def fail(sentence):
    print(f"avx512.py: {sentence}", file=sys.stderr)
    sys.exit(FAILED)


def tool(name, package):
    """The path of a tool, by the Debian package that has it."""
    return shutil.which(name) or fail(f"{name} is missing: install the Debian package {package}")


def run(*command, **more):
    """A command that must not fail; what it printed."""
    done = subprocess.run(command, check=False, capture_output=True, text=True, **more)
    if done.returncode:
        fail(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def fetch_kernel():
    """Unpack the kernel's package, of the release that runs here, beside the build."""
    tool("apt-get", "apt")
    KERNEL.parent.mkdir(parents=True, exist_ok=True)
    names = run("apt-cache", "depends", "linux-image-cloud-amd64")
    name = re.search(r"Depends: (linux-image-\S+)", names)
    if not name:
        fail("apt knows no kernel linux-image-cloud-amd64: apt-get update?")
    with tempfile.TemporaryDirectory(dir=KERNEL.parent) as folder:
        run("apt-get", "download", "-q", name[1], cwd=folder)
        run("dpkg-deb", "-x", *pathlib.Path(folder).glob("*.deb"), folder)
        os.replace(next(pathlib.Path(folder, "boot").glob("vmlinuz-*")), KERNEL)


def libraries(program):
    """What a dynamic program loads, at the paths where it looks for it."""
    said = subprocess.run(["ldd", program], check=False, capture_output=True, text=True).stdout
    return sorted(set(re.findall(r"(/\S+) \(0x", said)))


def archive(files):
    """An archive for the kernel to unpack (cpio, `newc`) of (path inside, bytes)."""
    out, folders = bytearray(), set()

    def entry(path, mode, data=b""):
        name = path.lstrip("/").encode() + b"\0"
        fields = (0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0)
        out.extend(b"070701" + b"".join(b"%08x" % field for field in fields) + name)
        out.extend(bytes(-len(out) % 4) + data)
        out.extend(bytes(-len(out) % 4))

    for path, data in files:
        for folder in reversed(pathlib.PurePosixPath(path).parents):
            if folder.name and folder not in folders:
                folders.add(folder)
                entry(str(folder), 0o040755)
        entry(path, 0o100755, data)
    entry("TRAILER!!!", 0)
    return bytes(out)


def zero_page(image, address, files_nbytes):
    """The kernel's boot parameters (Documentation/arch/x86/zero-page.rst), and its command line."""
    page = bytearray(4096)
    end = 0x202 + image[0x201]
    page[0x1F1:end] = image[0x1F1:end]  # the setup header that the image brings
    page[0x210] = 0xFF  # a loader without a number
    struct.pack_into("<II", page, 0x218, FILES_ADDRESS, files_nbytes)
    struct.pack_into("<I", page, 0x228, address + len(page))
    ram = [(0x1000, 0x9E000), (KERNEL_ADDRESS, MEMORY - KERNEL_ADDRESS)]
    page[0x1E8] = len(ram)
    for i, (start, nbytes) in enumerate(ram):
        struct.pack_into("<QQI", page, 0x2D0 + 20 * i, start, nbytes, 1)
    return bytes(page) + COMMAND_LINE.encode() + b"\0"


def write_memory(folder, files):
    """What lies in memory from KERNEL_ADDRESS on; returns where the zero page is."""
    image = KERNEL.read_bytes()
    if image[0x202:0x206] != b"HdrS":
        fail(f"{KERNEL} is no kernel for x86: remove it")
    page_address = (FILES_ADDRESS + len(files) + 0xFFFF) & ~0xFFFF
    with open(folder / "memory", "wb") as memory:
        memory.write(image[512 * (1 + (image[0x1F1] or 4)):])
        memory.seek(FILES_ADDRESS - KERNEL_ADDRESS)
        memory.write(files)
        memory.seek(page_address - KERNEL_ADDRESS)
        memory.write(zero_page(image, page_address, len(files)))
    return page_address


def prepare(folder, program, arguments):
    """All files that Bochs needs."""
    if not KERNEL.exists():
        fetch_kernel()
    cc = os.environ.get("CC", "cc")
    run(tool(cc, "gcc"), "-Os", "-static", "-o", folder / "init", HERE / "init.c")
    passed = [f"{name}={value}" for name, value in os.environ.items()
              if name.startswith(("DV_", "DATAVIEW_"))]
    words = [b"".join(word.encode() + b"\0" for word in words)
             for words in ([program, *arguments], [TUNABLES, *passed])]
    files = [("/init", (folder / "init").read_bytes()), ("/arguments", words[0]),
             ("/environment", words[1]), ("/program", pathlib.Path(program).read_bytes())]
    files += [(path, pathlib.Path(path).read_bytes()) for path in libraries(program)]

    page_address = write_memory(folder, archive(files))
    run(tool("as", "binutils"), "--32", f"--defsym=zero_page={page_address}",
        f"--defsym=memory_end={MEMORY}", "-o", folder / "rom.o", HERE / "start.s")
    run(tool("ld", "binutils"), "-m", "elf_i386", "-e", "start", "-Ttext", "0xffff0000",
        "--oformat", "binary", "-o", folder / "rom", folder / "rom.o")
    (folder / "bochsrc").write_text(BOCHSRC.format(
        folder=folder, megabytes=MEMORY >> 20, kernel_address=KERNEL_ADDRESS), encoding="utf-8")
    (folder / "continue").write_text("continue\n", encoding="utf-8")  # for Bochs's debugger


def die_with_parent():
    """No emulator survives this script, however it ends."""
    os.setsid()
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def emulate(folder, limit):
    """Run Bochs on a terminal of its own; show the program's output as it comes."""
    master, terminal = pty.openpty()
    bochs = subprocess.Popen(
        [tool("bochs-bin", "bochs"), "-q", "-f", folder / "bochsrc", "-rc", folder / "continue"],
        stdin=terminal, stdout=terminal, stderr=terminal, preexec_fn=die_with_parent,
        env={**os.environ, "TERM": "vt100"})
    os.close(terminal)
    (folder / "output").touch()
    screen, end = b"", time.monotonic() + limit
    with open(folder / "output", "rb") as output:
        while (ended := bochs.poll()) is None and time.monotonic() < end:
            if select.select([master], [], [], 0.2)[0]:
                try:
                    screen += os.read(master, 65536)
                except OSError:  # its end
                    time.sleep(0.1)
            sys.stdout.buffer.write(output.read())
            sys.stdout.flush()
        bochs.kill()
        bochs.wait()
        sys.stdout.buffer.write(output.read())
    os.close(master)
    return ended is not None, screen.decode(errors="replace")


def verdict(folder, ended, screen, limit):
    """The exit status that init printed on the console."""
    console = folder / "console"
    said = console.read_text(errors="replace") if console.exists() else ""
    result = re.findall(r"^program: (exit|signal) (\d+)\r?$", said, re.MULTILINE)
    if not result:
        why = "ended without a result" if ended else f"was not done after {limit} s"
        tail = "\n".join((screen + said).splitlines()[-40:])
        fail(f"the emulation {why}; the last that it said:\n{tail}")
    kind, number = result[-1][0], int(result[-1][1])
    if kind == "signal":
        print(f"avx512.py: the program was ended by {signal.Signals(number).name}", file=sys.stderr)
        return 128 + number
    return number


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--limit", type=int, default=1400)
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(FAILED))  # so that the files go
    tool("bochs-bin", "bochs")
    if not os.access(asked.program, os.X_OK):
        fail(f"{asked.program} is no program")
    if not list(pathlib.Path("/usr/lib").glob("*/bochs/plugins/libbx_term_gui.so")):
        fail("Bochs has no terminal display: install the Debian package bochs-term")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(folder, asked.program, asked.arguments)
        ended, screen = emulate(folder, asked.limit)
        return verdict(folder, ended, screen, asked.limit)


if __name__ == "__main__":
    sys.exit(main())
