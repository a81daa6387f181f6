"""Which versions of metrics from outside a study was evaluated by."""

from tercet.analysis.evaluation.results import Results
from tercet.analysis.report.ledger import Variant, tried_by_family, variants_of
from tercet.annotation.models import MetricVariant, Study
from tercet.annotation.models.evaluation import LONGEST_DECLARED


def record_variants(study: Study, results: Results) -> None:
    """Record which metrics from outside were evaluated, and how many were tried so far.

    The numbers by family are written to the provenance of the results.
    """
    evaluated = [
        Variant(*(text[:LONGEST_DECLARED] for text in variant))
        for variant in variants_of(results)
    ]
    if not evaluated:
        return

    rows = study.variants.values_list(*Variant._fields)
    known = [Variant(*row) for row in rows]
    new = [MetricVariant(study=study, **each._asdict()) for each in evaluated]
    MetricVariant.objects.bulk_create(new, ignore_conflicts=True)

    results.provenance["variants_tried"] = tried_by_family(evaluated, known)
