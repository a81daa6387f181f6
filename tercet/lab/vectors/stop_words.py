"""Stop words: English words of closed classes, which say little of what is in an image.

Articles, pronouns, prepositions, conjunctions, auxiliary verbs, and some adverbs, as the PTB
tokenizer gives them: in lower case, "don't" as "do" and "n't".
"""

_ARTICLES = "a an the this that these those"
_PRONOUNS = """
    i me my mine myself we us our ours ourselves you your yours yourself
    yourselves he him his himself she her hers herself it its itself they
    them their theirs themselves one ones who whom whose which what
    something someone anything anyone nothing everything everyone
"""
_PREPOSITIONS = """
    about above across after against along among around as at before
    behind below beneath beside besides between beyond by down during for
    from in inside into near next of off on onto out outside over past per
    since through throughout to toward towards under until up upon with
    within without
"""
_CONJUNCTIONS = """
    and but or nor so yet if because although though while when where why
    how than then whether
"""
_AUXILIARIES = """
    am is are was were be been being have has had having do does did doing
    done can could may might must shall should will would ca wo 's 're 've
    'd 'll 'm n't not
"""
_ADVERBS = """
    there here very too also just only even still again once more most
    some any each every all both either neither other another such same
    own
"""

STOP_WORDS = frozenset(
    " ".join(
        (_ARTICLES, _PRONOUNS, _PREPOSITIONS, _CONJUNCTIONS, _AUXILIARIES, _ADVERBS)
    ).split()
)
