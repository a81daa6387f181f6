"""How choices are asked, and the default texts of the steps before judging.

The question is worded as in the CIDEr paper (section 3): which of B and C is more similar to A.
"""

from django.utils.translation import gettext_lazy as _

from tercet.annotation.models.study import Step

SIMILAR = _("Which sentence is more similar to A?")
BETTER = _("Which sentence describes the image better?")

INVITATION_TO_TRIPLETS = _(
    "You will see a sentence, A, and two others. Choose the one that is more similar to A."
)
INVITATION_TO_IMAGES = _(
    "You will see an image and two sentences. Choose the sentence that describes the image "
    "better."
)

_INSTRUCTIONS_OF_TRIPLETS = _("""You will see three sentences: **A** at the top, and two others \
below it.

**Which of the two is more similar to A?** Choose the sentence whose meaning is closer to A.

- Think of what is described: who is there, what they do, where it happens.
- Length, style and small mistakes matter only if they change the meaning.
- If both seem equally close, or equally far, go with your first impression.
""")
_INSTRUCTIONS_OF_IMAGES = _("""You will see an image and two sentences below it.

**Which sentence describes the image better?** Choose the one that you would prefer as its \
description.

- Look at the image first: who is there, what they do, where it happens.
- A statement that is wrong matters more than a detail that is missing.
- If both seem equally good, or equally bad, go with your first impression.
""")

_COMPREHENSION_OF_TRIPLETS = _("""Which of the two sentences do you choose?
- [x] The one whose meaning is closer to A
- [ ] The one that is better written
- [ ] The one that is longer

Both sentences seem equally close to A. What do you do?
- [ ] Always choose the left one
- [x] Go with my first impression
""")
_COMPREHENSION_OF_IMAGES = _("""Which of the two sentences do you choose?
- [x] The one that describes the image better
- [ ] The one that is longer
- [ ] The one that uses rarer words

Both sentences seem equally good. What do you do?
- [ ] Always choose the left one
- [x] Go with my first impression
""")

_PRACTICE = _("""Two children build a castle on the beach.
- [x] Kids are making a sandcastle by the sea.
- [ ] A beach is a nice place in the summer.
> The first sentence is about the same children and what they build; the second only about the \
place.

A man in a red coat walks his dog.
- [ ] A man is wearing a red coat.
- [x] Somebody is out for a walk with a dog.
> Walking the dog is what happens in A. The colour of the coat is a detail.

The cat sleeps on the sofa.
- [x] A cat lies asleep on a couch.
- [ ] The cat is chasing a mouse under the sofa.
> A couch is a sofa. In the second sentence the cat is awake, which changes the meaning.
""")

OF_TRIPLETS = {
    Step.INSTRUCTIONS: _INSTRUCTIONS_OF_TRIPLETS,
    Step.COMPREHENSION: _COMPREHENSION_OF_TRIPLETS,
    Step.PRACTICE: _PRACTICE,
}
OF_IMAGES = {
    Step.INSTRUCTIONS: _INSTRUCTIONS_OF_IMAGES,
    Step.COMPREHENSION: _COMPREHENSION_OF_IMAGES,
}
