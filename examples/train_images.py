# SPDX-License-Identifier: MIT
"""Pictures: JPEG files that are decoded, cut out and mirrored anew in each epoch, while the network learns."""
import pathlib
import tempfile

import numpy as np
import torch
from PIL import Image

import libdataview as dv


def write_pictures(folder):
    """Noise with a bright patch, which is red, green or blue; a list of the files and their colors."""
    random = np.random.default_rng(1)
    with open(folder / "list.csv", "w", encoding="utf-8") as file:
        print("path,color", file=file)
        for i in range(300):
            pixels = random.integers(0, 100, (48, 64, 3), np.uint8)
            pixels[16:32, 20:44, i % 3] += 100
            Image.fromarray(pixels).save(folder / f"{i}.jpg")
            print(f"{i}.jpg", ["red", "green", "blue"][i % 3], sep=",", file=file)


def learn(folder):
    torch.manual_seed(1)
    train, test = dv.open(folder / "list.csv").split(0.8, 0.2, shuffle=True, seed=1, stratify="color")
    size = {"folder": str(folder), "width": 32, "height": 24, "scale": 1 / 255}
    drawn = dv.pipe.term("color").image("pixels:path", **size, area=0.5, flip=True, seed=1).fit(train)
    plain = dv.pipe.term("color").image("pixels:path", **size).fit(train)
    columns = {"features": ["pixels"], "labels": ["color"], "threads": 2}
    batches = dv.torch.Dataset(drawn.apply(train), **columns, batch_rows=32, shuffle=True, seed=1)

    model = torch.nn.Sequential(torch.nn.Unflatten(1, (3, 24, 32)), torch.nn.Conv2d(3, 8, 3, stride=2), torch.nn.ReLU(),
                                torch.nn.Flatten(), torch.nn.Linear(8 * 11 * 15, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    for _ in range(6):
        for pixels, colors in batches:
            loss = torch.nn.functional.cross_entropy(model(pixels), colors)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    with torch.no_grad():
        right = torch.cat([model(pixels).argmax(1) == colors for pixels, colors in
                           dv.torch.Dataset(plain.apply(test), **columns)]).float().mean().item()
    print(f"{right:.1%} of {len(test)} pictures are right")
    assert right > 0.95


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write_pictures(pathlib.Path(folder))
        learn(pathlib.Path(folder))
