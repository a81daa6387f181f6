"""Responses that several views give: downloads."""

from collections.abc import Iterator

from django.http import StreamingHttpResponse


def attachment(filename: str) -> dict[str, str]:
    """Return the header that makes a browser save the response under this name."""
    return {"Content-Disposition": f'attachment; filename="{filename}"'}


def zip_response(
    filename: str, chunks: Iterator[bytes]
) -> StreamingHttpResponse:
    """Send a zip file while it is being made."""
    return StreamingHttpResponse(
        chunks, headers=attachment(filename), content_type="application/zip"
    )
