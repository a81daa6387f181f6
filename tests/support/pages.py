"""Pages as their readers see them."""

import re

_BLOCKS = (
    "article|aside|blockquote|body|button|caption|dd|details|div|dl|dt|fieldset|figure"
    "|figcaption|footer|form|h[1-6]|header|label|legend|li|main|nav|ol|option|p|section"
    "|select|summary|table|tbody|td|tfoot|th|thead|tr|ul"
)
_EDGE = re.compile(rf" ?(</?(?:{_BLOCKS})(?: [^<>]*)?>) ?")


def squeeze(html: str) -> str:
    """Return a page without the white space that only lays out its source."""
    html = re.sub(r"[ \n]+", " ", html).replace(" >", ">")
    return _EDGE.sub(r"\1", html)
