"""Pictures of every format, made by Pillow."""

import struct
import zlib
from io import BytesIO

from PIL import Image

FORMATS = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".avif": "image/avif",
}
"""The content types of the endings, apart from SVG."""
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"/>'
POSITION = {1: "N", 2: (53.0, 21.0, 0.0), 3: "W", 4: (6.0, 15.0, 0.0)}
"""Where a picture was taken, as Exif writes it."""


def picture(ending: str, **options: object) -> bytes:
    """A small picture in the format of an ending."""
    file = BytesIO()
    formats = Image.registered_extensions()
    Image.new("RGB", (40, 30), "teal").save(file, formats[ending], **options)
    return file.getvalue()


def with_position(ending: str) -> bytes:
    """A picture that says where it was taken."""
    exif = Image.Exif()
    exif[0x8825] = POSITION
    return picture(ending, exif=exif)


def claiming(width: int, height: int) -> bytes:
    """A small PNG file whose header claims a size: a decompression bomb."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\0" * 1_000)
    chunks = ((b"IHDR", header), (b"IDAT", pixels), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*each) for each in chunks)


def _chunk(name: bytes, content: bytes) -> bytes:
    checked = name + content
    return (
        struct.pack(">I", len(content))
        + checked
        + struct.pack(">I", zlib.crc32(checked))
    )
