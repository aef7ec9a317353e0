#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""encoding_tbl.py: the single-byte encodings of WHATWG's Encoding Standard, and the labels of all, as encoding.c
wants them.

Prints encoding_tbl.h: for each of them the characters of the bytes 80 to FF (0: none); and labels, lower case and
without - _ . and spaces, each with the number of its encoding.  The characters are those of Python's codecs but for
CORRECTED and the controls U+0080 to U+009F, which the standard has where Python's Windows codecs have none.
"""
import textwrap

CORRECTED = {("koi8-u", 0xAE): 0x45E, ("koi8-u", 0xBE): 0x40E, ("windows-1255", 0xCA): 0x5BA}

# name, Python's codec, further labels: the standard's, then names that Python and iconv know
SINGLE = [
    ("ibm866", "cp866", "866 cp866 csibm866"),
    ("iso-8859-2", "iso8859_2", "csisolatin2 iso-ir-101 iso8859-2 iso_8859-2:1987 l2 latin2"),
    ("iso-8859-3", "iso8859_3", "csisolatin3 iso-ir-109 iso8859-3 iso_8859-3:1988 l3 latin3"),
    ("iso-8859-4", "iso8859_4", "csisolatin4 iso-ir-110 iso8859-4 iso_8859-4:1988 l4 latin4"),
    ("iso-8859-5", "iso8859_5", "csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso_8859-5:1988"),
    ("iso-8859-6", "iso8859_6", "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e "
                                "iso-8859-6-i iso-ir-127 iso8859-6 iso_8859-6:1987"),
    ("iso-8859-7", "iso8859_7", "csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 "
                                "iso_8859-7:1987 sun_eu_greek"),
    ("iso-8859-8", "iso8859_8", "csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 iso8859-8 "
                                "iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical"),
    ("iso-8859-10", "iso8859_10", "csisolatin6 iso-ir-157 iso8859-10 l6 latin6"),
    ("iso-8859-13", "iso8859_13", "iso8859-13 latin7"),
    ("iso-8859-14", "iso8859_14", "iso8859-14 latin8"),
    ("iso-8859-15", "iso8859_15", "csisolatin9 iso8859-15 iso_8859-15 l9 latin9"),
    ("iso-8859-16", "iso8859_16", "iso8859-16 latin10"),
    ("koi8-r", "koi8_r", "cskoi8r koi koi8"),
    ("koi8-u", "koi8_u", "koi8-ru"),
    ("macintosh", "mac_roman", "csmacintosh mac x-mac-roman mac-roman"),
    ("windows-874", "cp874", "dos-874 iso-8859-11 iso8859-11 tis-620 cp874"),
    ("windows-1250", "cp1250", "cp1250 x-cp1250"),
    ("windows-1251", "cp1251", "cp1251 x-cp1251"),
    ("windows-1252", "cp1252", "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 "
                               "iso_8859-1:1987 l1 latin1 us-ascii x-cp1252"),
    ("windows-1253", "cp1253", "cp1253 x-cp1253"),
    ("windows-1254", "cp1254", "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso_8859-9:1989 l5 latin5 x-cp1254"),
    ("windows-1255", "cp1255", "cp1255 x-cp1255"),
    ("windows-1256", "cp1256", "cp1256 x-cp1256"),
    ("windows-1257", "cp1257", "cp1257 x-cp1257"),
    ("windows-1258", "cp1258", "cp1258 x-cp1258"),
    ("x-mac-cyrillic", "mac_cyrillic", "x-mac-ukrainian mac-cyrillic"),
]

# name, kind, further labels
WIDE = [
    ("utf-8", "UTF8", "unicode-1-1-utf-8 utf-8-sig unicode11utf8 unicode20utf8 x-unicode20utf8"),
    ("utf-16le", "UTF16_LE", "utf-16 csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff"),
    ("utf-16be", "UTF16_BE", "unicodefffe"),
    ("utf-32le", "UTF32_LE", "utf-32 ucs-4"),
    ("utf-32be", "UTF32_BE", ""),
]

# name, what iconv calls it, further labels
OTHERS = [
    ("gbk", "GB18030", "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk cp936"),
    ("gb18030", "GB18030", ""),
    ("big5", "BIG5-HKSCS", "big5-hkscs cn-big5 csbig5 x-x-big5"),
    ("euc-jp", "EUC-JP-MS", "cseucpkdfmtjapanese x-euc-jp"),
    ("shift_jis", "CP932", "csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis cp932"),
    ("euc-kr", "CP949", "cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 "
                               "ksc_5601 windows-949 cp949 uhc"),
]


def character(name, codec, byte):
    """The character of a byte; 0: there is none."""
    try:
        code = ord(bytes([byte]).decode(codec))
    except UnicodeDecodeError:
        code = byte if byte < 0xA0 else 0
    return CORRECTED.get((name, byte), code)


def plain(label):
    return label.translate(str.maketrans("", "", "-_. "))


def show(kind, name, items):
    body = textwrap.fill(", ".join(items), 96, break_on_hyphens=False, break_long_words=False)
    print(f"static const {kind} {name}[{len(items)}] = {{\n{textwrap.indent(body, '    ')}}};")


def main():
    tables = {name: [character(name, codec, byte) for byte in range(0x80, 0x100)] for name, codec, _ in SINGLE}
    labels = {}
    for number, (name, _, others) in enumerate(WIDE + SINGLE + OTHERS):
        for label in [name, *others.split()]:
            assert labels.setdefault(plain(label), number) == number, label
    print("/* SPDX-License-Identifier: MIT */")
    print("/* encoding_tbl.h: encodings, what their bytes mean, and their labels.  Made by encoding_tbl.py. */")
    print("/* clang-format off */")
    for name, table in tables.items():
        show("uint16_t", plain(name), [f"0x{code:X}" if code else "0" for code in table])
    show("dvi_encoding", "encodings",
         [f'{{DVI_ENCODING_{kind}, "{name}", NULL, ""}}' for name, kind, _ in WIDE]
         + [f'{{DVI_ENCODING_SINGLE, "{name}", {plain(name)}, ""}}' for name in tables]
         + [f'{{DVI_ENCODING_OTHER, "{name}", NULL, "{iconv}"}}' for name, iconv, _ in OTHERS])
    show("label", "labels", [f'{{"{text}", {number}}}' for text, number in sorted(labels.items())])


if __name__ == "__main__":
    main()
