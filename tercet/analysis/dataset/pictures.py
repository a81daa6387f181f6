"""Read the headers of pictures: whether they are what their names say, and how large.

No picture is decoded and no byte is changed, so a small file cannot unfold into a large image.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from xml.parsers import expat

from PIL.AvifImagePlugin import AvifImageFile
from PIL.ExifTags import GPS, IFD
from PIL.GifImagePlugin import GifImageFile
from PIL.Image import MIME, Exif
from PIL.ImageFile import ImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.WebPImagePlugin import WebPImageFile

from tercet.metrics.core.packages import sha256_of

MAX_BYTES = 10_000_000
_MAX_PIXELS = 40_000_000
_MAX_SIDE = 12_000
_SVG = ".svg"
_SVG_ROOT = "http://www.w3.org/2000/svg svg"
_READERS: dict[str, tuple[str, type[ImageFile]]] = {
    ".png": ("PNG", PngImageFile),
    ".jpg": ("JPEG", JpegImageFile),
    ".jpeg": ("JPEG", JpegImageFile),
    ".gif": ("GIF", GifImageFile),
    ".webp": ("WEBP", WebPImageFile),
    ".avif": ("AVIF", AvifImageFile),
}
"""The format of each ending, and the class that reads it and no other."""
_ENDINGS = (_SVG, *_READERS)
ENDING_OF = {MIME[name]: ending for ending, (name, _reader) in _READERS.items()}
ENDING_OF["image/svg+xml"] = _SVG
"""An ending of each content type."""
_SMALLER = "Save a smaller copy"


class NotAPicture(ValueError):
    """A file cannot be shown: what is wrong with it, and what to do."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what)
        self.remedy = remedy


@dataclass(frozen=True)
class Picture:
    """The content type of a picture, and whether its metadata say where it was taken."""

    path: Path
    content_type: str
    has_position: bool = False

    @property
    def digest(self) -> str:
        """The SHA-256 of the file."""
        return sha256_of(self.path)


def read_picture(path: Path) -> Picture:
    """Read the header of a picture; raises NotAPicture, and OSError where there is no file."""
    ending = PurePosixPath(path.name).suffix.lower()
    if ending not in _ENDINGS:
        raise NotAPicture("is not a picture", f"Use one of {', '.join(_ENDINGS)}")
    if path.stat().st_size > MAX_BYTES:
        raise NotAPicture(f"is larger than {MAX_BYTES // 10**6} MB", _SMALLER)

    return _read_svg(path) if ending == _SVG else _read_pixels(path, *_READERS[ending])


def _read_pixels(path: Path, name: str, reader: type[ImageFile]) -> Picture:
    try:
        with path.open("rb") as file, reader(file) as image:
            width, height = image.size
            info = image.info
    except Exception:  # what broken bytes raise depends on where they are broken
        raise _of_another_format(name) from None

    if max(width, height) > _MAX_SIDE:
        what = f"has a side of more than {_MAX_SIDE:,} pixels"
        raise NotAPicture(what, _SMALLER)
    if width * height > _MAX_PIXELS:
        what = f"has more than {_MAX_PIXELS // 10**6} megapixels"
        raise NotAPicture(what, _SMALLER)
    return Picture(path, MIME[name], _has_position(info))


def _of_another_format(name: str) -> NotAPicture:
    remedy = f"Save it as {name}, or give it the ending of its format"
    return NotAPicture(f"is not in {name} format", remedy)


def _has_position(info: Mapping[Any, Any]) -> bool:
    """Whether the metadata, Exif or XMP, say where a picture was taken."""
    exif = Exif()
    try:
        exif.load(info.get("exif", b""))
        is_in_exif = GPS.GPSLatitude in exif.get_ifd(IFD.GPSInfo)
    except Exception:  # metadata may be broken while the picture is not
        is_in_exif = False
    return is_in_exif or b"GPSLatitude" in info.get("xmp", b"")


def _read_svg(path: Path) -> Picture:
    """Read a drawing, which may have no document type: entities can hide and multiply text."""
    roots: list[str] = []

    def refuse(*_declared: object) -> None:
        raise NotAPicture("has a DOCTYPE", "Remove its DOCTYPE and its entities")

    def note(name: str, _attributes: object) -> None:
        roots.append(name)
        parser.StartElementHandler = None

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = note
    try:
        parser.Parse(path.read_bytes(), True)
    except expat.ExpatError:
        roots.clear()
    if roots != [_SVG_ROOT]:
        raise _of_another_format("SVG")
    return Picture(path, "image/svg+xml")
