#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Learns to tell from its words in which section of the manual a page belongs.

    train_manual_pages.py [--folder /usr/share/man] [--pages 1000]

The texts are the manual pages of the system, commands, calls, file formats and others; the label is
the section.  Words are counted straight into a sparse matrix, which scikit-learn's SGDClassifier takes.
"""
import argparse
import gzip
import pathlib
import random
import re

from sklearn.linear_model import SGDClassifier

import libdataview as dv


def read_pages(folder, most):
    """Texts, and the sections that they are from, at most so many of each section."""
    texts, sections = [], []
    for section in "12345678":
        paths = sorted(pathlib.Path(folder, f"man{section}").glob("*.gz"))
        random.Random(0).shuffle(paths)
        for path in paths[:most]:
            page = gzip.decompress(path.read_bytes()).decode("utf-8", "replace")
            texts.append(re.sub(r"^\.TH.*$", "", page, flags=re.MULTILINE))  # which names the section
            sections.append(int(section))
    return texts, sections


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default="/usr/share/man")
    parser.add_argument("--pages", type=int, default=1000, help="of each section at most")
    options = parser.parse_args()
    texts, sections = read_pages(options.folder, options.pages)
    order = random.Random(1).sample(range(len(texts)), len(texts))
    pages = dv.from_numpy({"Text": [texts[i] for i in order], "Section": [sections[i] for i in order]})
    train, test = pages[: len(order) * 4 // 5], pages[len(order) * 4 // 5:]

    features = dv.pipe.textnorm("Words:Text", punctuation=False).wordbag("F:Words", n=1, max=[50000])
    fitted = features.lpnorm("F").fit(train)
    print(fitted)
    model = SGDClassifier(random_state=0)
    model.fit(fitted.apply(train).to_csr("F"), train["Section"].to_numpy())
    right = model.predict(fitted.apply(test).to_csr("F")) == test["Section"].to_numpy()
    print(f"{len(train)} pages learned, {right.mean():.1%} of {len(test)} others are right")


if __name__ == "__main__":
    main()
