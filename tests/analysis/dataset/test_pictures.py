import hashlib
from pathlib import Path

import pytest

from tercet.analysis.dataset.folder import Reading, read
from tercet.analysis.dataset.pictures import MAX_BYTES, NotAPicture, read_picture
from tests.support.folders import dataset_folder
from tests.support.pictures import FORMATS, SVG, claiming, picture, with_position

SMALLER = "Save a smaller copy"
OTHER = "give it the ending of its format"


def with_picture(folder: Path, name: str, content: bytes, sha256: str = "") -> Reading:
    """Read a dataset in which an image has a picture; it is on line 3 of images.csv."""
    dataset_folder(folder)
    (folder / name).write_bytes(content)
    lines = "image,file,sha256,licence,source\ncat,,,,\n"
    row = f"dog,{name},{sha256},CC0,https://example.org/dogs\n"
    (folder / "images.csv").write_text(lines + row)
    return read(folder)


def refusal(path: Path, content: bytes) -> tuple[str, str]:
    """Why a file is refused, and what is to be done."""
    path.write_bytes(content)
    with pytest.raises(NotAPicture) as caught:
        read_picture(path)
    return str(caught.value), caught.value.remedy


@pytest.mark.parametrize("ending", FORMATS)
def test_pictures_of_all_formats_are_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"DOG{ending.upper()}"
    content = picture(ending)
    path.write_bytes(content)
    read_one = read_picture(path)

    assert (read_one.content_type, read_one.has_position) == (FORMATS[ending], False)
    assert read_one.digest == hashlib.sha256(content).hexdigest()
    assert path.read_bytes() == content


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize(
    "content",
    [b"#!/bin/sh\nrm -r .\n", b"", b"<html><script>alert(1)</script></html>", SVG],
)
def test_what_is_no_picture_is_refused_whatever_its_name(
    tmp_path: Path, ending: str, content: bytes
) -> None:
    what, remedy = refusal(tmp_path / f"dog{ending}", content)
    assert what.startswith("is not in ")
    assert OTHER in remedy


@pytest.mark.parametrize("ending", FORMATS)
def test_a_picture_under_the_ending_of_another_format_is_refused(
    tmp_path: Path, ending: str
) -> None:
    others = [each for each in FORMATS if FORMATS[each] != FORMATS[ending]]
    for other in others:
        what, _remedy = refusal(tmp_path / f"dog{ending}", picture(other))
        assert what.startswith("is not in ")


@pytest.mark.parametrize("ending", FORMATS)
def test_a_picture_cut_within_its_header_is_refused(
    tmp_path: Path, ending: str
) -> None:
    what, _remedy = refusal(tmp_path / f"dog{ending}", picture(ending)[:10])
    assert what.startswith("is not in ")


@pytest.mark.parametrize(
    ("size", "what"),
    [
        ((50_000, 50_000), "has a side of more than 12,000 pixels"),
        ((12_001, 1), "has a side of more than 12,000 pixels"),
        ((1, 12_001), "has a side of more than 12,000 pixels"),
        ((8_000, 5_001), "has more than 40 megapixels"),
    ],
)
def test_a_picture_that_would_unfold_into_a_large_one_is_refused(
    tmp_path: Path, size: tuple[int, int], what: str
) -> None:
    assert refusal(tmp_path / "dog.png", claiming(*size)) == (what, SMALLER)


@pytest.mark.parametrize("size", [(8_000, 5_000), (12_000, 3_333)])
def test_a_picture_may_be_as_large_as_the_limits(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    path = tmp_path / "dog.png"
    path.write_bytes(claiming(*size))
    assert read_picture(path).content_type == "image/png"


def test_a_large_file_is_refused(tmp_path: Path) -> None:
    padded = picture(".gif").ljust(MAX_BYTES + 1, b"\0")
    assert refusal(tmp_path / "dog.gif", padded) == ("is larger than 10 MB", SMALLER)


@pytest.mark.parametrize(
    "content",
    [
        SVG,
        b"\xef\xbb\xbf" + SVG,
        b'<x:svg xmlns:x="http://www.w3.org/2000/svg"/>',
        SVG.decode().encode("utf-16"),
    ],
)
def test_drawings_are_read(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "dog.svg"
    path.write_bytes(content)
    assert read_picture(path).content_type == "image/svg+xml"


DECLARED = '<!DOCTYPE svg [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>' + SVG.decode()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("text", [DECLARED, "<!DOCTYPE svg>" + SVG.decode()])
def test_a_drawing_with_a_document_type_is_refused(
    tmp_path: Path, text: str, encoding: str
) -> None:
    what, remedy = refusal(tmp_path / "dog.svg", text.encode(encoding))
    assert (what, remedy) == ("has a DOCTYPE", "Remove its DOCTYPE and its entities")


@pytest.mark.parametrize(
    "content",
    [
        b"<svg/>",
        b"<html><svg xmlns='http://www.w3.org/2000/svg'/></html>",
        SVG[:-2],
        b'<!ENTITY a "a">' + SVG,
        b"GIF89a",
    ],
)
def test_what_is_no_drawing_is_refused(tmp_path: Path, content: bytes) -> None:
    what, remedy = refusal(tmp_path / "dog.svg", content)
    assert what == "is not in SVG format"
    assert OTHER in remedy


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("dog.png", b"#!/bin/sh\n", "is not in PNG format"),
        ("dog.png", claiming(30_000, 30_000), "has a side of more than 12,000 pixels"),
        ("dog.svg", DECLARED.encode(), "has a DOCTYPE"),
    ],
)
def test_a_refused_picture_is_named_with_its_line_and_column(
    tmp_path: Path, name: str, content: bytes, what: str
) -> None:
    reading = with_picture(tmp_path, name, content)
    [problem] = reading.problems
    assert (problem.file, problem.line, problem.column) == ("images.csv", 3, "file")
    assert (problem.value, problem.what) == (name, what)
    assert problem.remedy


def test_a_digest_is_checked_against_the_file(tmp_path: Path) -> None:
    content = picture(".png")
    digest = hashlib.sha256(content).hexdigest()
    for number, given in enumerate((digest, digest.upper(), "")):
        assert not with_picture(
            tmp_path / str(number), "a.png", content, given
        ).problems

    other = digest[::-1]
    [problem] = with_picture(tmp_path / "other", "a.png", content, other).problems
    assert (problem.file, problem.line, problem.column) == ("images.csv", 3, "sha256")
    assert problem.what == "is not that of the file"


@pytest.mark.parametrize("digest", ["12", "x" * 64, "0" * 65])
def test_what_is_no_digest_is_refused(tmp_path: Path, digest: str) -> None:
    problems = with_picture(tmp_path, "a.png", picture(".png"), digest).problems
    assert "is not a SHA-256 digest" in [each.what for each in problems]


@pytest.mark.parametrize("ending", [".png", ".jpg", ".webp", ".avif"])
def test_a_picture_that_says_where_it_was_taken_is_warned_of(
    tmp_path: Path, ending: str
) -> None:
    reading = with_picture(tmp_path, f"dog{ending}", with_position(ending))
    assert not reading.problems
    [warning] = [each for each in reading.warnings if "taken" in each]
    assert "images.csv: 1 picture says where it was taken (line 3)" in warning


@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
def test_broken_metadata_do_not_refuse_a_picture(tmp_path: Path) -> None:
    path = tmp_path / "dog.jpg"
    path.write_bytes(picture(".jpg", exif=b"Exif\0\0MM\0*\0\0\0\x08\xff\xff"))
    assert not read_picture(path).has_position


def test_a_file_name_with_a_nul_is_refused(tmp_path: Path) -> None:
    with_picture(tmp_path, "a.png", picture(".png"))
    (tmp_path / "images.csv").write_text('image,file\ndog,"a\0.png"\n')
    assert read(tmp_path).problems
