"""The protocols: what a question shows beside the captions B and C."""

BY_REFERENCE, BY_IMAGE = "triplet", "pairwise"
PROTOCOLS = (BY_REFERENCE, BY_IMAGE)
