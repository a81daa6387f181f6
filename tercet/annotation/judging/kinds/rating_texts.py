"""How ratings are asked: published scales, and the default texts of the steps before judging."""

from django.utils.translation import gettext_lazy as _

from tercet.annotation.models.study import Step

QUESTION = _("How good is the sentence?")
INVITATION = _("You will see one sentence at a time and rate it on a scale.")

_INSTRUCTIONS = _("""You will see one sentence at a time, often beside a picture or other sentences.

**Rate the sentence on each scale below it.**

- Read the sentence to its end, and look at the picture first where there is one.
- Use the whole scale: its ends are for sentences that deserve them.
- Rate each sentence by itself, whatever you have given to others.
""")

_COMPREHENSION = _("""How do you rate a sentence?
- [x] By itself, on each scale that is shown
- [ ] By how long it is
- [ ] Always in the middle of the scale

May you use the ends of a scale?
- [x] Yes, for sentences that deserve them
- [ ] No, never
""")

_CONSENT = _("""This is a study of how people judge descriptions of images. You will read \
sentences and rate each of them.

- Taking part is voluntary. You can stop at any time, without giving a reason.
- We store your ratings and how long they took, under a pseudonym. If you came through a platform \
or a personal link, the identifier it gave us is stored separately and is not published.
- Your ratings may be published, so that others can check our results.
- Your IP address is not stored with your ratings.
""")

OF_RATINGS = {
    Step.CONSENT: _CONSENT,
    Step.INSTRUCTIONS: _INSTRUCTIONS,
    Step.COMPREHENSION: _COMPREHENSION,
}

PRESETS = {
    "flickr8k-expert": """How well does the sentence describe the image?
[quality: grades, 1 to 4]
- It is unrelated to the image
- It describes some aspects of the image
- It describes the image with minor errors
- It describes the image without any errors""",
    "flickr8k-cf": """Does the sentence describe the image?
[match: grades, 0 to 1]
- no
- yes""",
    "composite": """How correct is the sentence?
[correctness: grades, 1 to 5]
- not relevant to the image
- fully relevant to the image

How thoroughly does the sentence describe the image?
[thoroughness: grades, 1 to 5]
- covers nothing of the image
- covers every aspect of the image""",
    "coco-m2": """Who wrote the sentence?
[human: grades, 0 to 1]
- a machine
- a person""",
    "coco-m3-m4": """How correct is the sentence?
[correctness: grades, 1 to 5]
- incorrect
- correct

How detailed is the sentence?
[detail: grades, 1 to 5]
- lacks details
- very detailed""",
    "thumb": """How precise is the sentence? Do not count what it leaves out.
[precision: grades, 1 to 5]
- nearly all of it is wrong
- all of it is right

How much of what matters in the image does the sentence say?
[recall: grades, 1 to 5]
- hardly anything
- all that matters

How many tenths of a point does the sentence lose for its fluency?
[fluency: grades, 0 to 5]
- none
- it cannot be understood

How many tenths of a point does the sentence lose for being too long?
[conciseness: grades, 0 to 5]
- none
- it repeats itself

How many tenths of a point does the sentence lose for words that are not inclusive?
[inclusiveness: grades, 0 to 5]
- none
- it offends""",
    "direct-assessment": """How well does the sentence describe the image?
[quality: slider, 0 to 100]
- not at all
- perfectly""",
}
"""Aspects by the name of a published scale: Flickr8k, Composite, COCO 2015, THumB, WMT."""
USUAL = "flickr8k-expert"
