# SPDX-License-Identifier: MIT
"""JPEG files, 500 x 375, to tensors of 224 x 224 (planes of R4, scaled by mean and deviation), beside Pillow with NumPy and
torchvision; and two threads beside one."""

import io

import libdataview as dv
import sides

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def files(n):
    """Slopes, edges and grain, as a table of one column."""
    import numpy as np
    import pyarrow as pa
    from PIL import Image

    y, x = np.mgrid[:375, :500]
    made = []
    for i in range(n):
        noise = np.random.default_rng(i).integers(0, 21, (375, 500, 3))
        plain = 118 + 60 * np.sin(0.05 * x + i) + 40 * np.cos(0.03 * y) + 15 * ((x // 40 + y // 30) % 3)
        file = io.BytesIO()
        pixels = np.clip(plain[:, :, None] + noise, 0, 255).astype("u1")
        Image.fromarray(pixels).save(file, "JPEG", quality=85)
        made.append(file.getvalue())
    return made, dv.from_arrow(pa.table({"x": pa.array(made, pa.binary())}))


def main():
    if not sides.peers("pictures", "PIL", "numpy", "pyarrow"):
        return
    import numpy as np
    from PIL import Image

    encoded, table = files(4 if sides.IS_QUICK else 128)
    step = dv.pipe.image("x", width=224, height=224, fit="fill", scale=1 / 255, mean=list(MEAN), std=list(STD), exact=True)
    view = step.fit_apply(table)
    mean, std = (np.array(of, "f4").reshape(3, 1, 1) for of in (MEAN, STD))

    def ours(threads=1):
        return view.to_numpy("x", threads=threads)

    def pillow():
        batch = np.empty((len(encoded), 3, 224, 224), "f4")
        for i, file in enumerate(encoded):
            image = Image.open(io.BytesIO(file)).convert("RGB").resize((224, 224), Image.BILINEAR)
            batch[i] = (np.asarray(image, "f4").transpose(2, 0, 1) * np.float32(1 / 255) - mean) / std
        return batch

    row = f"{len(encoded)} JPEG to 224 x 224, R4"
    found = ours().reshape(-1, 3, 224, 224)
    sides.require(row, np.abs(found - pillow()).max() < 0.05, "other pixels than those of Pillow")
    others = [(f"{sides.version('PIL')}, resize, NumPy", pillow, 1.5, 3)]
    if sides.peers("pictures, torchvision", "torch", "torchvision"):
        import torch
        from torchvision.io import ImageReadMode, decode_jpeg
        from torchvision.transforms.v2.functional import normalize, resize

        torch.set_num_threads(1)
        tensors = [torch.frombuffer(bytearray(file), dtype=torch.uint8) for file in encoded]

        def torchvision():
            images = [resize(decode_jpeg(t, ImageReadMode.RGB), [224, 224], antialias=True) for t in tensors]
            return normalize(torch.stack(images).float() / 255, MEAN, STD)

        others.append((f"{sides.version('torchvision')}, decode_jpeg, resize", torchvision, 2, 4))
    sides.compare(row, ours, *others)
    sides.compare(f"{row}, 2 threads", lambda: ours(2), ("1 thread", ours, 1.9, None))


if __name__ == "__main__":
    main()
