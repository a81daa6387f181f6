"""The texts of a study: its own, or the usual ones for its protocol.

The question is worded as in the CIDEr paper (section 3): which of B and C is more similar to A.
"""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.judging.quizzes import Quiz, read_quizzes
from annotation.models import Study
from annotation.models.study import Protocol, Step

CONSENT = _("""This is a study of how people compare descriptions of images. You will read short \
sentences and say which fits better.

- Taking part is voluntary. You can stop at any time, without a reason.
- We keep your choices and how long they took, under a made-up name. If a platform or a personal \
link brought you, its name for you is kept apart and not published. We do not keep your address \
on the internet.
- Your choices may be published, so that others can check our results.
""")

INSTRUCTIONS = {
    Protocol.TRIPLET: _("""You will see three sentences: **A** above, and two others below it.

**Which of the two is more similar to A?** Choose the one that says more nearly the same as A.

- Think of what is described: who is there, what they do, where it happens.
- Length, style and small mistakes matter only as far as they change what is said.
- If both seem equally near, or equally far, go with your first impression.
"""),
    Protocol.PAIRWISE: _("""You will see an image and two sentences below it.

**Which sentence describes the image better?** Choose the one that you would rather read as its \
description.

- Look at the image first: who is there, what they do, where it happens.
- What is wrong about the image weighs more than what is left out.
- If both seem equally good, or equally bad, go with your first impression.
"""),
}

COMPREHENSION = {
    Protocol.TRIPLET: _("""Which of the two sentences do you choose?
- [x] The one that says more nearly the same as A
- [ ] The one that is better written
- [ ] The one that is longer

Both sentences seem equally near to A. What do you do?
- [ ] Always choose the left one
- [x] Go with my first impression
"""),
    Protocol.PAIRWISE: _("""Which of the two sentences do you choose?
- [x] The one that describes the image better
- [ ] The one that is longer
- [ ] The one that uses rarer words

Both sentences seem equally good. What do you do?
- [ ] Always choose the left one
- [x] Go with my first impression
"""),
}

PRACTICE = _("""Two children build a castle on the beach.
- [x] Kids are making a sandcastle by the sea.
- [ ] A beach is a nice place in the summer.
> The first speaks of the same children and of what they build; the second only of the place.

A man in a red coat walks his dog.
- [ ] A man is wearing a red coat.
- [x] Somebody is out for a walk with a dog.
> Walking the dog is what happens in A. The colour of the coat is a detail of it.

The cat sleeps on the sofa.
- [x] A cat lies asleep on a couch.
- [ ] The cat is chasing a mouse under the sofa.
> Couch and sofa are the same thing. In the second the cat is awake, which changes everything.
""")

USUAL: dict[Step, Promise | Mapping[Protocol, Promise]] = {
    Step.CONSENT: CONSENT,
    Step.INSTRUCTIONS: INSTRUCTIONS,
    Step.COMPREHENSION: COMPREHENSION,
    Step.PRACTICE: {Protocol.TRIPLET: PRACTICE},
}


def usual_text(step: str, protocol: str) -> str:
    """What a step says where the study has no text of its own, in the reader's language."""
    text = USUAL[Step(step)]
    return str(text.get(Protocol(protocol), "") if isinstance(text, Mapping) else text)


def text_of(study: Study, step: str) -> str:
    """What a step of the study says."""
    return str(getattr(study, step)).strip() or usual_text(step, study.protocol)


def quizzes_of(study: Study, step: str) -> list[Quiz]:
    return read_quizzes(text_of(study, step))
