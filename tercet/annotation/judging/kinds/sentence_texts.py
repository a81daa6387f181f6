"""What annotators read who write sentences.

The instructions follow those of COCO Captions (section 2) and of the CIDEr paper (appendix V).
"""

from django.utils.translation import gettext_lazy as _

from tercet.analysis.dataset.sentence_rules import SentenceRule
from tercet.annotation.models.study import Step

DESCRIBE = _("Describe the picture in one sentence.")
INVITATION = _(
    "You will see pictures, and describe each in one sentence. You need to be able to see them."
)

_CONSENT = _("""This is a study of how people describe images. You will see pictures, and write a \
sentence about each.

- Taking part is voluntary. You can stop at any time, without giving a reason.
- We store your sentences and how long they took, under a pseudonym. If you came through a \
platform or a personal link, the identifier it gave us is stored separately and is not published.
- Your sentences may be published, so that others can use them and check our results.
- Your IP address is not stored with your sentences.
""")
_INSTRUCTIONS = _("""You will see one picture at a time. **Describe it in one sentence**, as you \
would to somebody who cannot see it.

- Say what matters: who is there, what they do, where it happens.
- Write what other people would also say. Leave out unimportant details.
- Describe only what can be seen: no guesses about what happened before or what comes next, and \
nothing that somebody in the picture might say.
- Do not give people, places or brands a name, and do not begin with “There is”.
""")
_COMPREHENSION = _("""What do you write?
- [x] One sentence about what matters in the picture
- [ ] A list of everything in the picture
- [ ] A story about what could have happened before

A woman in the picture is smiling at a dog. Which sentence is right?
- [x] A woman is smiling at a dog that lies on the grass.
- [ ] There is a lady who says that she likes her dog.
- [ ] Smile, woman, dog, grass.
""")

TEXTS = {
    Step.CONSENT: _CONSENT,
    Step.INSTRUCTIONS: _INSTRUCTIONS,
    Step.COMPREHENSION: _COMPREHENSION,
}

HINTS = {
    SentenceRule.SHORT: _("Write at least %(min_words)s words."),
    SentenceRule.OPENING: _(
        "Begin with what the picture shows, not with “There is” or “There are”."
    ),
    SentenceRule.SPEECH: _(
        "Write only what can be seen: no quotation marks, and no “I”, “we” or “you”."
    ),
    SentenceRule.TENSE: _(
        "Describe this moment: nothing that has happened or is going to happen."
    ),
    SentenceRule.NAME: _("Leave out the names of people, places and brands."),
    SentenceRule.ADDRESS: _("Leave out addresses of websites and of email."),
    SentenceRule.REPEATED: _(
        "There is nearly the same sentence already. Describe the picture anew."
    ),
    SentenceRule.LANGUAGE: _("Write in the language of the study."),
}
NO_TEXT_HINT = _("Remove HTML tags and special characters.")
"""What to change in a sentence that breaks a rule, or that no file can hold."""
