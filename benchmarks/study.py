"""`python -m benchmarks.study FOLDER`: a whole study, from a dataset folder to its export.

A researcher sets the study up in Chromium as the README says. 60 simulated annotators of mixed
quality (good, average, random, left-only, and quitters) judge at the site's pages until nothing
is left. The researcher excludes those who are flagged, the good ones fill the places that reopen,
and the export is read back. What each pair's winner is believed to be is taken from the folder's
own votes. Needs `locks/dev.txt` and Chromium; the database is as in `benchmarks.voting`.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
from django.db.models import F

from benchmarks.annotators import Beliefs, Visit, judge_all
from tercet.analysis.dataset.folder import load, write
from tercet.analysis.dataset.winners import pair_winners
from tercet.analysis.tables.schema import Dataset

PORT = 8766
SITE = f"http://127.0.0.1:{PORT}"
PASSWORD = "a password for a benchmark"
KINDS = {"good": 36, "average": 10, "random": 5, "left-only": 4, "quitter": 5}
GOLD = 20
LEASE_SECONDS = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "folder", type=Path, help="a dataset folder with pairs and votes"
    )
    parser.add_argument(
        "--references",
        type=int,
        default=48,
        help="the first so many references of each image only",
    )
    parser.add_argument("--votes", type=int, default=3)
    parser.add_argument("--pairs", type=int, help="the first so many pairs only")
    options = parser.parse_args()
    with TemporaryDirectory() as data:
        os.environ |= {
            "DATA_DIR": data,
            "SECRET_KEY": "a-key-of-a-benchmark-that-signs-nothing-of-value",
            "DJANGO_SETTINGS_MODULE": "tercet.config.settings",
            "LEASE_SECONDS": str(LEASE_SECONDS),
        }
        prepare()
        run(Path(data), load(options.folder), options)


def prepare() -> None:
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    User.objects.create_superuser("researcher", password=PASSWORD)
    connection.close()


def run(data: Path, source: Dataset, options: argparse.Namespace) -> None:
    told = source.pairs.head(options.pairs or len(source.pairs))
    winners = pair_winners(source).set_index("pair")["winner"].loc[told["pair"]]
    upload = packed(source, told, options.references, data)
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "tercet.config.wsgi",
        "--bind",
        f"127.0.0.1:{PORT}",
    ]
    work = [sys.executable, "manage.py", "db_worker", "-v0"]
    with (
        subprocess.Popen([*command, "--workers", "2", "--threads", "8"]) as site,
        subprocess.Popen(work) as worker,
    ):
        try:
            time.sleep(4)
            study(upload, told, winners, options)
            tell_missing()
        finally:
            site.terminate()
            worker.terminate()


def packed(source: Dataset, pairs: pd.DataFrame, references: int, data: Path) -> Path:
    """A zip of the dataset without its votes."""
    folder = data / "folder"
    judged = source.references["image"].isin(pairs["image"])
    shown = source.references[judged].groupby("image").head(references)
    write(
        Dataset(references=shown, pairs=pairs, info={"title": "A whole study"}), folder
    )
    return Path(shutil.make_archive(str(data / "dataset"), "zip", folder))


def study(
    upload: Path,
    pairs: pd.DataFrame,
    winners: "pd.Series[str]",
    options: argparse.Namespace,
) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu"]
        path = shutil.which("chromium")
        page = playwright.chromium.launch(executable_path=path, args=flags).new_page(
            base_url=SITE
        )
        page.set_default_timeout(120_000)
        link = set_up(page, upload, gold_lines(pairs, winners), options)
        kinds = [kind for kind, count in KINDS.items() for _ in range(count)]
        began = time.perf_counter()
        visits = judge_all(SITE, link, kinds, beliefs(pairs, winners), seed=0)
        report_visits(visits, time.perf_counter() - began)
        exclude_flagged(page, visits)
        good = [visit for visit in visits if visit.kind in {"good", "average"}]
        judge_all(
            SITE, link, [visit.kind for visit in good], beliefs(pairs, winners), 1, good
        )
        check_export(page, winners)


def beliefs(pairs: pd.DataFrame, winners: "pd.Series[str]") -> Beliefs:
    """The caption to believe of each two; none where the votes were even."""
    rows = zip(pairs["pair"], pairs["candidate_b"], pairs["candidate_c"], strict=True)
    return {
        frozenset({b, c}): b if winners[pair] == "B" else c
        for pair, b, c in rows
        if winners[pair] in {"B", "C"}
    }


def gold_lines(pairs: pd.DataFrame, winners: "pd.Series[str]") -> str:
    """Some decided HI pairs, each with its first reference."""
    plain = pairs[(pairs["category"] == "HI") & (pairs["pair"].map(winners) != "tie")]
    return "\n".join(f"{pair},1,{winners[pair]}" for pair in plain["pair"].head(GOLD))


def set_up(page: Any, upload: Path, gold: str, options: argparse.Namespace) -> str:
    """What the README tells researchers to do; gives the shared link's path."""
    page.goto("/login/")
    page.get_by_label("Username").fill("researcher")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.goto("/datasets/upload/")
    page.locator("input[type=file]").set_input_files(upload)
    page.get_by_role("button", name="Check files").click()
    page.get_by_role("button", name="Import").click()
    page.get_by_role("link", name="Dataset: A whole study").click()
    page.get_by_role("link", name="New study").click()
    page.get_by_label("Votes per question").fill(str(options.votes))
    page.get_by_role("button", name="Create study").click()
    page.get_by_role("button", name="Open all groups").click()
    page.get_by_label("Share of gold questions").fill("0.03")
    page.get_by_label("Share of repeats").fill("0.03")
    # simulated people take no time, and all have the same address
    page.get_by_label("Flag votes faster than").fill("0")
    page.get_by_label("Reject votes faster than").fill("0")
    page.get_by_label("People per address and hour").fill("")
    page.get_by_label("People can join through the shared link").check()
    page.get_by_role("button", name="Save settings").click()
    page.get_by_role("button", name="Open all groups").click()
    page.get_by_role("link", name="Choose gold questions").click()
    page.get_by_label("Lines of pair, reference, answer").fill(gold)
    page.get_by_role("button", name="Add gold questions").click()
    page.get_by_text("gold questions added").wait_for()
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_role("button", name="Open the study").click()
    page.get_by_role("link", name="People", exact=True).click()
    return str(page.locator("#join").input_value()).removeprefix(SITE)


def report_visits(visits: list[Visit], seconds: float) -> None:
    votes = sum(visit.votes for visit in visits)
    pace = f"{seconds:.0f} s, {votes / seconds:.0f} a second"
    print(f"{len(visits)} annotators gave {votes:,} votes in {pace}")
    for kind in KINDS:
        of_kind = [visit for visit in visits if visit.kind == kind]
        given = [visit.votes for visit in of_kind]
        codes = f"{sum(bool(visit.code) for visit in of_kind)} of {len(of_kind)}"
        print(f"  {kind}: {min(given)} to {max(given)} votes each, {codes} with a code")


def exclude_flagged(page: Any, visits: list[Visit]) -> None:
    """On the page Quality: select the flagged, and exclude them with a reason."""
    page.get_by_role("link", name="Quality", exact=True).click()
    flagging = page.get_by_role("link", name="Select flagged")
    if not flagging.count():
        print("  flagged: nobody")
        return

    flagging.click()
    keys = [
        box.get_attribute("value")
        for box in page.locator("input[name=chosen]:checked").all()
    ]
    kinds = {visit.key: visit.kind for visit in visits}
    flagged = Counter(kinds[str(key)] for key in keys)
    for kind, count in KINDS.items():
        print(f"  flagged: {flagged[kind]} of {count} {kind}")
    page.get_by_label("Reason").fill("flagged by the checks")
    page.get_by_role("button", name="Exclude selected").click()
    print(" ", page.get_by_role("status").first.inner_text().strip())


def check_export(page: Any, winners: "pd.Series[str]") -> None:
    """The export holds every winner, and reading it back gives them again."""
    page.get_by_role("link", name="Results", exact=True).click()
    with page.expect_download() as download, TemporaryDirectory() as folder:
        page.locator("a[href$='export.zip']").first.click()
        shutil.unpack_archive(download.value.path(), folder, "zip")
        (top,) = Path(folder).iterdir()
        read = pair_winners(load(top)).set_index("pair")
        file = pd.read_csv(top / "winners" / "pairs.csv", dtype=str).set_index("pair")
    unfinished = int((read["state"] == "unfinished").sum())
    same = (read["winner"] == file["winner"].loc[read.index]).mean()
    decided = winners[winners != "tie"]
    right = (read["winner"].loc[decided.index] == decided).mean()
    print(f"pairs: {len(read)}, unfinished: {unfinished}")
    print(f"winners in the export that reading it back gives again: {same:.1%}")
    print(
        f"winners that are what people were told to believe: {right:.1%} of {len(decided)}"
    )


def tell_missing() -> None:
    """What is left, which ought to be nothing."""
    from tercet.annotation.models import Lease, Study

    questions = Study.objects.get().questions.exclude(answers=F("needed"))
    for row in questions[:10]:
        held = Lease.objects.filter(question=row).values_list(
            "annotator__name", "purpose", "live"
        )
        cast = row.all_answers.values_list("annotator__name", "purpose", "status")
        print(
            "missing:",
            row.position,
            row.answers,
            row.leases,
            row.gold,
            list(held),
            list(cast),
        )


if __name__ == "__main__":
    main()
