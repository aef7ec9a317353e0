#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""prose.py: keeps habits of unidiomatic English from spreading.

    prose.py            compares the tree with the commit BASE; exit status 1 if a file got worse
    prose.py FILE...    prints every hit in these files
    prose.py --selftest

Prose is: comments of C, C++, CMake and shell, comments and docstrings of Python, Markdown outside code.
A hit is a line with one of the HABITS, and the rate of a file is its hits per 1,000 lines of prose.
Compared with BASE, no file may have both more hits and a higher rate.  A new file, and a file of which
more than a third of the lines changed, ends below LIMIT.  In a long page only the added lines count,
and they must stay below LIMIT.  BASE is in changed.py.
"""
import dataclasses
import io
import os
import pathlib
import re
import sys
import tempfile
import tokenize

from changed import BASE, ROOT, changed_files, git, has_base

LIMIT = 10  # hits per 1,000 lines of prose
LONG_PAGE = 150  # lines

HABITS = [(name, re.compile(pattern)) for name, pattern in [
    ("fronted of",
     r"(?:^|[.;:(] )Of (?:a|an|the|all|each|two|several|such|these|those|its|their|any|one|many|\w+s)\b[^.?]*"),
    ("fragment of",
     r"^(?:of|as|that|which|whose) (?:a|an|the|each|all|its|this|that|these|those|such|many|are|is|may|of)\b"),
    ("what/who as subject", r"(?:^|[.;:] )(?:What|Who|Whoever|Whatever) (?!is the\b)[a-z]+[^?]*$"),
    ("what as object",
     r"(?i)\b(?:and|but|than|of|for|as|from|with|by) what "
     r"(?:is|was|are|has|lies|it|they|comes|stands|follows|takes)\b"),
    ("another ... than", r"(?i)\b(?:an|)other \w+(?: \w+){0,2} than\b"),
    ("is no NOUN", r"(?i)(?<!there )\b(?:is|are|was|were|be) (?:no|none)\b(?! longer| such)"),
    ("so many", r"(?i)\bso (?:many|much) (?!as\b|that\b)"),
    ("that of / those of", r"(?i)\b(?:that|those|the one|the ones) of (?:a|an|the|its|their|all|each|this|such)\b"),
    ("takes long", r"(?i)\b(?:takes?|took|taking) (?:so |too )?long\b"),
    ("by lot", r"(?i)\bby lot\b"),
    ("beside", r"(?i)\bbeside\b"),
    ("packed text", r"(?i)\bpacked (?:by|text|file|stream)"),
    ("told/tell", r"(?i)\b(?:is|are|was|were|be) told\b|\btells? (?:how|what|which|whether)\b"),
    ("without a word", r"(?i)\bwithout a word\b|\bsays so\b|\bin silence\b"),
    ("to VERB takes", r"(?:^|[.;:] )To [a-z]+ [^.]{0,60} (?:takes|costs|needs)\b"),
    ("who ... , (relative subject)", r"(?:^|[.;:] )Who \w+"),
    ("belongs behind/into", r"(?i)\bbelongs? (?:behind|before|into)\b"),
    ("do/does without", r"(?i)\bdo(?:es|ne)? without\b"),
    ("meanwhile at end", r"(?i)\bmeanwhile[.;,]"),
    ("all of one / all that", r"(?i)\b(?:it|they|there) (?:is|are|was|were) all (?:that|the same)\b"),
    ("have VERB-ed place", r"(?i)\b(?:lies|lay|stands|stood) (?:in|at|on|beside|before|after|between|there|where)\b"),
    ("nobody/somebody", r"(?i)\b(?:nobody|somebody)\b"),
    ("be it / if at all", r"(?i)\bif only\b|\bno matter (?:how|what)\b|\bas soon as it\b"),
]]


# --- Prose of a file: the number of a line and its text --------------------------------------------


def prose_of_c(text):
    for comment in re.finditer(r"/\*.*?\*/|//[^\n]*", text, re.S):
        number = text.count("\n", 0, comment.start()) + 1
        body = re.sub(r"^/\*+|\*/$|^//+", "", comment.group())
        for at, line in enumerate(body.split("\n")):
            line = line.strip().lstrip("*").strip()
            # Only the first line of a comment can be a fragment: the tab marks the others.
            yield number + at, line if at == 0 or not line else "\t" + line


def prose_of_markdown(text):
    is_code, is_first = False, True
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code and not line.strip():
            is_first = True
        elif not is_code:
            begins = is_first or re.match(r"\s*([-*>#|]|\d+\.)", line)
            is_first = False
            yield number, ("" if begins else "\t") + re.sub(r"^[\s\-*>#|0-9.]+", "", line)


def prose_of_python(text):
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return
    last = None
    for token in tokens:
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")
            continue
        starts_line = last in (None, tokenize.NEWLINE, tokenize.INDENT, tokenize.NL)
        if token.type == tokenize.STRING and starts_line:
            if token.string.lstrip("rRbBuUfF")[:3] in ('"""', "'''"):
                for at, line in enumerate(token.string.split("\n")):
                    yield token.start[0] + at, line.strip().strip("\"'")
        last = token.type


def prose_of_shell(text):
    for number, line in enumerate(text.split("\n"), 1):
        if comment := re.match(r"\s*#+ (.*)", line):
            yield number, comment[1]


def prose_of(path, text):
    name = os.path.basename(path)
    for endings, reader in ((".c .h .cc .cpp .hpp", prose_of_c), (".md", prose_of_markdown),
                            (".py .pyi", prose_of_python), (".cmake .sh", prose_of_shell)):
        if name.endswith(tuple(endings.split())):
            return reader(text)
    return prose_of_shell(text) if name in ("CMakeLists.txt", "dev") else ()


@dataclasses.dataclass
class Measured:
    lines: int
    hits: list  # (line number, habit, text)

    @property
    def rate(self):
        return 1000 * len(self.hits) / max(self.lines, 1)

    def __str__(self):
        return f"{len(self.hits)} in {self.lines} lines of prose, {self.rate:.1f} per 1,000"


def measure(path, text, numbers=None):
    """The hits of a file, or of its lines with these numbers."""
    prose = [(number, line) for number, line in prose_of(path, text)
             if line and (numbers is None or number in numbers)]
    return Measured(len(prose), [(number, name, line.strip()) for number, line in prose
                                 for name, pattern in HABITS if pattern.search(line)])


# --- What changed since BASE -----------------------------------------------------------------------


def added_lines(root, base, name, old):
    """The numbers of the lines of a file that were added since BASE."""
    numbers = set()
    for hunk in re.finditer(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@",
                            git(root, "diff", "-U0", f"{base}:{old}", name), re.M):
        first = int(hunk[1])
        numbers.update(range(first, first + int(hunk[2] or 1)))
    return numbers


def judge(root, base, name, old, added):
    """Why a file fails, and the hits to mend; None if it is good."""
    if not any(prose_of(name, "# a\n// a\n")):
        return None
    try:
        text = (root / name).read_text("utf-8")
    except UnicodeDecodeError:
        return None
    now, lines = measure(name, text), text.count("\n")

    def measure_added():
        return measure(name, text, added_lines(root, base, name, old) if old else None)

    if name.endswith(".md") and lines > LONG_PAGE or os.path.basename(name) == "CHANGELOG.md":
        now = measure_added()
        return None if now.rate < LIMIT else (f"its added lines have {now}; below {LIMIT} is good", now.hits)
    if not now.hits:
        return None
    before = measure(old, git(root, "show", f"{base}:{old}")) if old else Measured(0, [])
    if old and len(now.hits) > len(before.hits) and now.rate > before.rate:
        return f"{now}; it was {before.rate:.1f}", measure_added().hits or now.hits
    if (not old or 3 * added > lines) and now.rate >= LIMIT:
        which = "more than a third of it changed" if old else "it is new"
        return f"{now}; {which}, below {LIMIT} is good", now.hits
    return None


def failures(root, base):
    for name, old, added in sorted(changed_files(root, base)):
        if failure := judge(root, base, name, old, added):
            yield name, *failure


def show_hits(name, hits):
    for number, habit, text in hits:
        print(f"{name}:{number}: {habit}: {text[:140]}")


def compare(root, base):
    if not has_base(root, base):
        print(f"[SKIP] prose::ratchet: there is no commit {base[:8]} to compare with")
        return 0
    failed = 0
    for name, why, hits in failures(root, base):
        failed += 1
        print(f"{name}: {why}")
        show_hits(name, hits)
    if failed:
        print(f"{failed} files have too many habits of unidiomatic English: see Prose in CONTRIBUTING.md")
    return failed > 0


def show(paths):
    total = Measured(0, [])
    for path in paths:
        found = measure(path, pathlib.Path(path).read_text("utf-8"))
        show_hits(path, found.hits)
        print(f"{path}: {found}")
        total = Measured(total.lines + found.lines, total.hits + found.hits)
    if len(paths) > 1:
        print(total)


# --- Selftest --------------------------------------------------------------------------------------

HIT, CLEAN = "This is no number.", "This is not a number."


def c(*comments):
    return "".join(f"// {comment}\nint a;\n" for comment in comments)


CASES = {  # a file at BASE (None: absent), the file now, and whether it is good
    "as before": ("a.c", c(HIT, CLEAN), c(HIT, CLEAN), True),
    "one more hit": ("a.c", c(*[CLEAN] * 300), c(*[CLEAN] * 300, HIT), False),
    "a third changed, a lower rate": ("a.c", c(HIT, *[CLEAN] * 9), c(HIT, *[CLEAN] * 9, HIT, *[CLEAN] * 40), False),
    "a lower rate by a small change": ("a.c", c(HIT, HIT, *[CLEAN] * 90), c(HIT, *[CLEAN] * 90, CLEAN), True),
    "fewer lines, as many hits": ("a.c", c(HIT, *[CLEAN] * 90), c(HIT, *[CLEAN] * 60), True),
    "a third changed, a hit stays": ("a.c", c(HIT, *[CLEAN] * 9), c(HIT, *[CLEAN + " It is new."] * 9), False),
    "a new file with a hit": ("a.c", None, c(HIT, *[CLEAN] * 98), False),
    "a new file with a hit in 101 lines": ("a.c", None, c(HIT, *[CLEAN] * 100), True),
    "a new file without prose": ("a.c", None, "int a;\n", True),
    "code is not prose": ("a.c", c(CLEAN), f'char *a = "{HIT}";\n' + c(CLEAN), True),
    "an old hit of a long page": ("README.md", f"{HIT}\n\n" * 100, f"{HIT}\n\n" * 100 + CLEAN, True),
    "a new hit of a long page": ("README.md", f"{CLEAN}\n\n" * 100, f"{CLEAN}\n\n" * 100 + HIT, False),
    "old hits of the changes": ("CHANGELOG.md", f"- {HIT}\n", f"- {CLEAN}\n- {HIT}\n", True),
    "a new hit of the changes": ("CHANGELOG.md", f"- {CLEAN}\n", f"- {CLEAN}\n- {HIT}\n", False),
    "a docstring": ("a.py", None, f'"""{HIT}"""\n', False),
    "a string of Python": ("a.py", None, f'a = """{HIT}"""\n', True),
    "a file of bytes": ("a.bin", None, HIT, True),
}


def selftest():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for at, (what, (name, before, now, is_good)) in enumerate(CASES.items()):
            root = pathlib.Path(folder, str(at))
            root.mkdir()
            git(root, "init", "-q")
            if before is not None:
                (root / name).write_text(before, encoding="utf-8")
                git(root, "add", name)
            git(root, "-c", "user.name=a", "-c", "user.email=a@a", "commit", "-q", "--allow-empty", "-m", "base")
            (root / name).write_text(now, encoding="utf-8")
            found = list(failures(root, "HEAD"))
            if bool(found) == is_good:
                wrong.append(f"{what}: {found}")
    print("\n".join(wrong) if wrong else f"{len(CASES)} changes, each judged as it should be")
    return bool(wrong)


def main():
    if git(ROOT, "--version") is None:
        print("[SKIP] prose::ratchet: git is not installed")
        return 0
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    return show(sys.argv[1:]) if sys.argv[1:] else compare(ROOT, BASE)


if __name__ == "__main__":
    sys.exit(main())
