#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""citations.py: checks that everything that the tree cites exists in it.

A citation is PAGE:RULE, an anchor of docs/spec/PAGE.md: in comments, documents, tests and the rules of
errors.  A document is cited by its path from the root; links of markdown files resolve, with their
fragments.  docs/README.md links to every page for users.  --selftest proves the check on a small
tree with one sin of each kind.
"""
import pathlib
import re
import sys
import tempfile

FOLDERS = ["include", "src", "simd", "tests", "fuzz", "bench", "examples", "docs", "cmake", "python"]
LEFT_OUT = ["fuzz/seeds", "tests/golden",  # and what holds citations that are wrong on purpose
            "tests/tree/citations.py", "tests/tree/completions.py", "tests/cli/verbs/test_cmd_explain.c"]
ENDINGS = {".c", ".h", ".cc", ".py", ".md", ".txt", ".cmake", ".sh", ".json", ".tsv", ".dict", ".in", ""}
SHARED = "../" + "shared"  # the folder outside; these files may name it
MAY_NAME_SHARED = {
    "dev",  # the default of DV_GOLDEN_DIR
}
PLACEHOLDERS = {"docs/formats/foo.md", "docs/spec/foo.md", "datadings:8.N", "PAGE:RULE"}

ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
NUMBERED = re.compile(r"^#+ (?:<a id=\"([^\"]*)\"></a>)?(\d+(?:\.\d+)*)\.? ", re.MULTILINE)
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
DOCUMENT = re.compile(r"(?<![\w/.*<>%-])((?:\.\./)*(?:[\w.-]+/)*[\w-]+\.md)\b")
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```|^    .*?$", re.MULTILINE | re.DOTALL)
FAILURE = re.compile(r'\bdvi_fail\(\w+, *(?!DV_ERR_LIMIT|DV_ERR_LOSS)(\w+),\s*"([^"]*)"')
LIMITED = re.compile(r'\bdvi_fail\([^,()]+, *DV_ERR_LIMIT,\s*"([^"]*)"')
OPTION = re.compile(r"\b([a-z]\w*)(?:\[\w*\])?[;,)]")  # a member or parameter of a public header
SOUND_RULE = re.compile(r"\w+:[\w.]+|docs/[\w/]+\.md|")
# Literals that end in the number of a row, which a macro adds: "datadings:8." #row
PASTED = re.compile(r'#define (\w+)\(([^)]*)\)(?:[^\n]*\\\n)*?[^\n]*"(\w+:[\w.]+\.)" #(\w+)')


def files(root):
    """Every text file of the tree, as (path from the root, its text)."""
    tops = [f for f in sorted(root.iterdir()) if f.is_file()]
    for folder in FOLDERS:
        tops += sorted((root / folder).rglob("*"))
    for file in tops:
        name = file.relative_to(root).as_posix()
        is_ours = file.suffix in ENDINGS and not any(name.startswith(out) for out in LEFT_OUT)
        if is_ours and file.is_file() and not file.name.startswith("."):
            try:
                yield name, file.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                pass


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def slug(heading):
    """The fragment that a heading has by itself."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", ANCHOR.sub("", heading)).lower()
    return re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")


def fragments(text):
    outside = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return set(ANCHOR.findall(text)) | {slug(h) for h in HEADING.findall(outside)}


def check_page(name, text):
    """Each section of a page has its anchor, and no anchor is there twice."""
    ids = ANCHOR.findall(text)
    for twice in sorted({i for i in ids if ids.count(i) > 1}):
        yield f"{name}: anchor {twice} is there twice"
    for m in NUMBERED.finditer(text):
        if m[1] != m[2]:
            yield f"{name}:{line_of(text, m.start())}: section {m[2]} has no anchor of its number"


def check_rules(name, text, anchors, options):
    """Citations of pages, also those that a macro puts together, and options that errors name."""
    cited = re.compile(rf"\b({'|'.join(anchors)}):([A-Z0-9][\w]*(?:\.[\w]+)*)(?!\.?\" #)")
    for m in cited.finditer(text):
        if m[0] not in PLACEHOLDERS and m[2] not in anchors[m[1]]:
            yield f"{name}:{line_of(text, m.start())}: {m[0]} is no anchor of docs/spec/{m[1]}.md"
    for m in FAILURE.finditer(text):
        if not SOUND_RULE.fullmatch(m[2]):
            yield f"{name}:{line_of(text, m.start())}: \"{m[2]}\" is no rule of an error"
    for m in LIMITED.finditer(text):
        if m[1] not in options:
            yield f"{name}:{line_of(text, m.start())}: \"{m[1]}\" is no option that sets a limit"
    for macro, parameters, start, row in PASTED.findall(text):
        at = [p.strip() for p in parameters.split(",")].index(row)
        page, section = start.split(":")
        for use in re.finditer(rf"(?<!define )\b{macro}\(((?:[^,()]+,){{{at}}})\s*(\d+)", text):
            if section + use[2] not in anchors[page]:
                yield f"{name}:{line_of(text, use.start())}: {start}{use[2]} is no anchor"


def check_documents(root, name, text):
    """Documents are in the tree; nothing but one option names a folder outside."""
    own = (root / name).parent
    for m in DOCUMENT.finditer(text):
        is_there = (root / m[1]).is_file() or (name.endswith(".md") and (own / m[1]).is_file())
        if not is_there and m[1] not in PLACEHOLDERS:
            yield f"{name}:{line_of(text, m.start())}: {m[1]} is not in the tree"
    if SHARED in text and name not in MAY_NAME_SHARED:
        yield f"{name}:{line_of(text, text.index(SHARED))}: names {SHARED}"


def check_links(root, name, text):
    plain = FENCED.sub(lambda m: "\n" * m[0].count("\n"), text)
    for m in LINK.finditer(re.sub(r"`[^`\n]*`", lambda c: " " * len(c[0]), plain)):
        path, _, fragment = m[1].partition("#")
        if re.match(r"\w+:", path):
            continue
        target = (root / name).parent / path if path else root / name
        where = f"{name}:{line_of(plain, m.start())}: link to {m[1]}"
        if not target.exists():
            yield f"{where}: no such file"
        elif fragment and fragment not in fragments(target.read_text(encoding="utf-8")):
            yield f"{where}: no such place"


def check_index(root):
    """Every page for users is linked from docs/README.md."""
    index = root / "docs/README.md"
    links = LINK.findall(index.read_text(encoding="utf-8"))
    linked = {(index.parent / link.partition("#")[0]).resolve() for link in links}
    for page in [*(root / "docs").glob("*.md"), *(root / "docs/formats").glob("*.md")]:
        if page != index and page.resolve() not in linked:
            yield f"{page.relative_to(root).as_posix()}: docs/README.md does not link to it"


def check(root):
    """All complaints about the tree at root."""
    pages = sorted((root / "docs/spec").glob("*.md"))
    anchors = {p.stem: set(ANCHOR.findall(p.read_text(encoding="utf-8")))
               for p in pages if p.stem != "README"}
    headers = sorted((root / "include/dataview").glob("*.h"))
    options = {o for h in headers for o in OPTION.findall(h.read_text(encoding="utf-8"))}
    for name, text in files(root):
        if name.startswith("docs/spec/"):
            yield from check_page(name, text)
        yield from check_rules(name, text, anchors, options)
        yield from check_documents(root, name, text)
        if name.endswith(".md"):
            yield from check_links(root, name, text)
    yield from check_index(root)


PAGE = '# p\n\n## <a id="1"></a>1. One\n\n### <a id="1.2"></a>1.2 Two\n\n| <a id="T3"></a>T3 | x |\n'
# file, its text, and what must be said about it ("" for nothing)
SELFTEST = [
    ("docs/spec/p.md", PAGE, ""),
    ("docs/spec/q.md", '## <a id="1"></a>1. One\n\n### 1.2 Two\n', "section 1.2 has no anchor"),
    ("docs/spec/r.md", '<a id="A"></a> <a id="A"></a>\n', "anchor A is there twice"),
    ("docs/README.md", "[good](good.md) [link](link.md) [place](place.md)\n", ""),
    ("docs/found.md", "# Nobody finds me\n", "docs/README.md does not link to it"),
    ("docs/good.md", "# My head\n\n[a](spec/p.md#T3) [b](#my-head) [c](good.md) `[d](no.me)`\n", ""),
    ("docs/link.md", "[a](spec/none.txt)\n", "no such file"),
    ("docs/place.md", "[a](spec/p.md#T4)\n", "no such place"),
    ("src/good.c", '/* p:T3, p:1.2. docs/good.md */ fail("p:1");\n', ""),
    ("src/rule.c", 'fail("p:T4");\n', "p:T4 is no anchor"),
    ("src/words.c", 'dvi_fail(err, DV_ERR_CORRUPT, "rule 7", -1);\n', "is no rule of an error"),
    ("include/dataview/open.h", "struct options {\n    int64_t columns; /* at most */\n};\n", ""),
    ("src/limit.c", 'dvi_fail(err, DV_ERR_LIMIT, "columns", -1);\n', ""),
    ("src/cited.c", 'dvi_fail(err, DV_ERR_LIMIT, "p:T3", -1);\n', "is no option that sets a limit"),
    ("src/section.c", "/* p:1.3. */\n", "p:1.3 is no anchor"),
    ("src/pasted.c", '#define FAIL(p, row)  \\\n    fail("p:1." #row)\nFAIL(p, 2);\n', ""),
    ("src/badly.c", '#define FAIL(p, row)  \\\n    fail("p:1." #row)\nFAIL(p, 7);\n', "p:1.7 is no"),
    ("src/outside.c", "/* gone.md 5.4 */\n", "gone.md is not in the tree"),
    ("src/page.c", "/* p.md 1.2 */\n", "p.md is not in the tree"),
    ("tests/shared.py", f"ROOT / '{SHARED}/golden'\n", "names"),
]


def selftest():
    """What the check got wrong about SELFTEST."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for file, text, _ in SELFTEST:
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(text, encoding="utf-8")
        said = list(check(root))
    for file, _, want in SELFTEST:
        about = [line for line in said if line.startswith(file + ":")]
        if len(about) != bool(want) or not all(want in line for line in about):
            yield f"{file}: wanted {want!r}, got {about}"


def main():
    wrong = list(selftest() if "--selftest" in sys.argv[1:]
                 else check(pathlib.Path(__file__).resolve().parents[2]))
    print("\n".join(wrong) if wrong else "everything that is cited exists")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
