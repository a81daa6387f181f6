"""The protocols: what annotators are asked.

They choose between B and C beside a reference or an image, rate a caption, or write a sentence.
"""

BY_REFERENCE, BY_IMAGE = "triplet", "pairwise"
RATING, SENTENCE = "rating", "sentence"
PROTOCOLS = (BY_REFERENCE, BY_IMAGE, RATING, SENTENCE)
