#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""isa.py: checks that the code of each level uses only the instructions of that level.

isa.py --cc CC LEVEL=OBJECT[;OBJECT...]...    isa.py --cc CC --selftest

There is no table of instructions here.  Each object is disassembled, and what came out is given to
an assembler that knows the level's extensions and no others: what it refuses is of a higher level.
Both tools are those of the compiler CC, for its machine; without them the test fails.  --selftest
proves the check on one sin and one good line of each kind, at each level of CC's machine.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

# How the assembler spells a level.  `ibt` is endbr64, which every CPU of 64 bits accepts: one that
# does not know it sees a long nop.
SCALAR = "generic64+ibt"
LIBRARY = SCALAR + "+xsave"  # asks with xgetbv what the operating system allows
AVX2 = SCALAR + "+sse3+ssse3+sse4.1+sse4.2+avx+avx2+bmi+bmi2+lzcnt+popcnt"
AVX512 = AVX2 + "+avx512f+avx512dq+avx512bw+avx512vl+avx512_vbmi2+avx512_vnni"
MACHINES = {
    "x86_64": {"scalar": SCALAR, "library": LIBRARY, "avx2": AVX2, "avx512": AVX512},
    "aarch64": {"scalar": "armv8-a", "library": "armv8-a", "neon": "armv8-a"},
}

FUNCTION = re.compile(r"[0-9a-f]+ <(.+)>:$")
INSTRUCTION = re.compile(r" *([0-9a-f]+):\t([0-9a-f ]+?) *\t(.+)$")
COMMENT = {"x86_64": re.compile(r"\s+#.*"), "aarch64": re.compile(r"\s+//.*")}
TARGET = re.compile(r"(?:0x)?\b[0-9a-f]+ <.*>")  # of a branch or a reference: any will do
ADDRESS_PREFIX = re.compile(r"(?:(?:26|2e|36|3e|64|65|67) )*")
ENCODING = {"c4": "{vex} ", "c5": "{vex} ", "62": "{evex} "}  # first byte, in 64-bit code
REFUSED = re.compile(r"[^:]*:(\d+): (?:Fatal )?[Ee]rror: (.*)")


def output(*command):
    """What a command prints.  Without its answer nothing can be said: the test fails."""
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except FileNotFoundError:
        sys.exit(f"isa.py needs {command[0]}, which is not there")
    except subprocess.CalledProcessError as failure:
        sys.exit(f"{command[0]} failed:\n{failure.stderr}")


def tool(cc, name):
    """The assembler or disassembler that belongs to a compiler."""
    return output(cc, "-print-prog-name=" + name).strip()


def machine(cc):
    """The compiler's machine, as in MACHINES."""
    return output(cc, "-dumpmachine").split("-")[0]


def source_line(cpu, nbytes, text):
    """The instruction as the assembler reads it back into the same encoding."""
    text = TARGET.sub(".", COMMENT[cpu].sub("", text)).strip()
    if cpu == "x86_64":
        text = re.sub(r"^(data16 )+", "", text)  # compilers pad with more than one
        # `rep bsf` has the bytes of tzcnt, and to a CPU without tzcnt it is bsf: compilers write it
        # where the two agree.
        text = re.sub(r"^tzcnt\b", "rep bsf", text)
        # Encoding matters: what reads alike may need AVX, or AVX-512.
        first = ADDRESS_PREFIX.sub("", nbytes)[:2]
        text = ENCODING.get(first, "") + re.sub(r"^\{e?vex\} ", "", text)
    return text


def instructions(objdump, cpu, file):
    """(where, source line, as disassembled) of each instruction of an object."""
    listing = output(objdump, "-d", "-w", "--insn-width=16", file)
    function, start = "?", 0
    for line in listing.splitlines():
        if label := FUNCTION.match(line):
            function, start = label[1], int(line.split()[0], 16)
        elif part := INSTRUCTION.match(line):
            text = " ".join(part[3].split())
            where = f"{function}+0x{int(part[1], 16) - start:x}"
            yield where, source_line(cpu, part[2], text), text


def refusals(assembler, allowed, lines):
    """What the assembler says about each of the lines that it refuses, by line."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "lines.s")
        source.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        said = subprocess.run([assembler, "-march=" + allowed, "-o", source.with_suffix(".o"),
                               source], check=False, capture_output=True, text=True)
    about = {lines[int(at) - 1]: why for at, why in REFUSED.findall(said.stderr)}
    about = {line: re.sub(r" on `.*", "", why) for line, why in about.items()}
    # A directive is no instruction: bytes that the disassembler could not read, or data in code.
    about |= {line: "not an instruction" for line in lines
              if re.match(r"\.(?!word|xword)", line) or "undefined" in line}
    if said.returncode and not about:
        sys.exit(f"{assembler} -march={allowed}: {said.stderr}")
    return about


def check(cc, level, files):
    """All complaints about the objects of one level, one for each instruction and object."""
    cpu = machine(cc)
    allowed = MACHINES.get(cpu, {}).get(level)
    if not allowed:
        sys.exit(f"isa.py knows no level {level} of {cpu}")
    if not files:
        yield f"{level}: no objects"
    for file in files:
        found = list(instructions(tool(cc, "objdump"), cpu, file))
        if not found:
            yield f"{level}: {file}: no instructions"
            continue
        about = refusals(tool(cc, "as"), allowed, sorted({line for _, line, _ in found}))
        for line, why in about.items():
            places = [(where, text) for where, source, text in found if source == line]
            times = f", {len(places)} times" if len(places) > 1 else ""
            yield f"{level}: {file}: {places[0][0]}: {places[0][1]}{times} ({why})"


# level, one instruction, and what must be said about it ("" for nothing)
SELFTEST = {
    "x86_64": [
        ("scalar", "addps %xmm1, %xmm0", ""),
        ("scalar", "movntdq %xmm0, (%rax)", ""),
        ("scalar", "rep bsf %eax, %eax", ""),
        ("scalar", "endbr64", ""),
        ("scalar", "jmp external", ""),
        ("scalar", "mov external(%rip), %rax", ""),
        ("scalar", ".byte 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 # padding", ""),
        ("scalar", "lddqu (%rax), %xmm0", "lddqu"),
        ("scalar", "pshufb %xmm1, %xmm0", "pshufb"),
        ("scalar", "popcnt %eax, %eax", "popcnt"),
        ("scalar", "lzcnt %eax, %eax", "lzcnt"),
        ("scalar", "vaddps %xmm2, %xmm1, %xmm0", "vaddps"),
        ("scalar", "xgetbv", "xgetbv"),
        ("scalar", ".byte 0x06", "(bad)"),
        ("library", "xgetbv", ""),
        ("library", "pshufb %xmm1, %xmm0", "pshufb"),
        ("avx2", "vpshufb (%rax), %ymm1, %ymm0", ""),
        ("avx2", "pext %rax, %rbx, %rcx", ""),
        ("avx2", "tzcnt %eax, %eax", ""),
        ("avx2", "vfmadd231ps %ymm2, %ymm1, %ymm0", "vfmadd231ps"),
        ("avx2", "vpaddd %ymm2, %ymm1, %ymm16", "vpaddd"),
        ("avx2", "{evex} vpaddd %gs:(%rax), %ymm1, %ymm0", "vpaddd"),
        ("avx2", "vcvtph2ps %xmm1, %ymm0", "vcvtph2ps"),
        ("avx2", "kmovw %k1, %eax", "kmovw"),
        ("avx512", "vpcompressb %zmm0, %zmm1{%k1}{z}", ""),
        ("avx512", "vpermw (%rax), %zmm1, %zmm0", ""),
        ("avx512", "kmovq %k1, %rax", ""),
        ("avx512", "vpaddd %ymm2, %ymm1, %ymm16", ""),
        ("avx512", "vfmadd231ps %ymm2, %ymm1, %ymm0", "vfmadd231ps"),
        ("avx512", "vpermb %zmm2, %zmm1, %zmm0", "vpermb"),
        ("avx512", "vpopcntd %zmm1, %zmm0", "vpopcntd"),
        ("avx512", "vpopcntb %zmm1, %zmm0", "vpopcntb"),
        ("avx512", "vpconflictd %zmm1, %zmm0", "vpconflictd"),
        ("avx512", "vpdpbusd %zmm2, %zmm1, %zmm0", ""),
        ("avx512", "vpmadd52luq %zmm2, %zmm1, %zmm0", "vpmadd52luq"),
        ("avx512", "vgf2p8mulb %zmm2, %zmm1, %zmm0", "vgf2p8mulb"),
    ],
    "aarch64": [
        ("neon", "add v0.4s, v1.4s, v2.4s", ""),
        ("neon", "bl external", ""),
        ("neon", "adrp x0, external", ""),
        ("neon", "tbz w0, #3, .", ""),
        ("neon", ".inst 0xd503245f // bti c: a hint", ""),
        ("neon", "sdot v0.4s, v1.16b, v2.16b", "sdot"),
        ("neon", "crc32x w0, w0, x1", "crc32x"),
        ("neon", "ldadd x0, x1, [x2]", "ldadd"),
        ("neon", "ptrue p0.b", "ptrue"),
        ("neon", "fadd v0.8h, v1.8h, v2.8h", "fadd"),
        ("neon", ".inst 0x00010000", "undefined"),
        ("scalar", "cnt v0.8b, v1.8b", ""),
        ("library", "sdot v0.4s, v1.16b, v2.16b", "sdot"),
    ],
}


def selftest(cc):
    """What the check got wrong about SELFTEST."""
    cpu = machine(cc)
    everything = ["-march=armv8.5-a+sve+fp16"] if cpu == "aarch64" else []
    with tempfile.TemporaryDirectory() as folder:
        source, made = pathlib.Path(folder, "one.s"), pathlib.Path(folder, "one.o")
        for level, line, want in SELFTEST[cpu]:
            source.write_text(f"f:\n{line}\n", encoding="utf-8")
            output(tool(cc, "as"), *everything, "-o", made, source)
            said = list(check(cc, level, [made]))
            if len(said) != bool(want) or not all(want in complaint for complaint in said):
                yield f"{line!r} at {level}: wanted {want!r}, got {said}"
        source.write_text(".data\n.long 0\n", encoding="utf-8")
        output(tool(cc, "as"), "-o", made, source)
        if len(list(check(cc, "scalar", [made]))) != 1 or len(list(check(cc, "scalar", []))) != 1:
            yield "a level without code passes"


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--selftest", action="store_true")
    parser.add_argument("levels", nargs="*")
    asked = parser.parse_args()
    if asked.selftest:
        complaints = list(selftest(asked.cc))
    else:
        levels = [pair.partition("=") for pair in asked.levels]
        complaints = [complaint for level, _, files in levels
                      for complaint in check(asked.cc, level, files.split(";") if files else [])]
        complaints = complaints if levels else ["no level was named"]
    print("\n".join(complaints) if complaints else "every level keeps to its instructions")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
