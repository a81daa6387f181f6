"""The command `tercet warm-up`: compile what scoring uses before it is needed."""

from argparse import ArgumentParser

from tercet.metrics import ptb, resolve
from tercet.metrics.core.jit import warn_unless_kept
from tercet.metrics.scoring import totals_of
from tercet.metrics.text.inputs import check
from tercet.metrics.text.numbered import number_tokens
from tercet.metrics.text.tokens import Vocabulary

_FAMILIES = ("BLEU-4", "ROUGE-L", "CIDEr-D", "METEOR")
"""A metric of each family of the COCO caption evaluation."""
_REFERENCES = [
    ["A man is riding a bike.", "Someone cycles up the hill."],
    ["Dogs run after a ball.", "Two puppies play in a park."],
]
_CANDIDATES = ["a man rides a red bicycle", "two dogs are chasing a ball on the grass"]


def main() -> int:
    """Compile the metrics of the COCO caption evaluation, and prepare the data of METEOR."""
    parser = ArgumentParser(
        prog="tercet warm-up",
        description="Compile the metrics of the COCO caption evaluation for this machine, once, "
        "and prepare the data of METEOR. Without it, this happens when a process makes its "
        "thousandth comparison.",
    )
    parser.parse_args()

    warn_unless_kept()
    print("compiling the tokenizer", flush=True)
    number_tokens(_CANDIDATES, Vocabulary())
    captions = check(_REFERENCES, _CANDIDATES)
    wanted = resolve()
    for name in _FAMILIES:
        if name in wanted:
            print(f"compiling {name}", flush=True)
            totals_of(captions, [name], ptb, "pool")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
