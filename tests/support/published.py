"""Files of published sets in their syntax, with its dirt; the captions are made up."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import savemat

from tercet.analysis.dataset.folder import Reading, read

CAT = ["A grey cat sleeps .", "Cat on a sofa .", "A cat naps\ton the couch ."]
BOYS = ["Two boys fly a kite .", "Children with a kite . ", "Boys at the café ."]


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _lines(*rows: Any) -> bytes:
    return b"".join(_json(row) + b"\n" for row in rows)


TOKENS = (
    "1_a.jpg#0\tA grey cat sleeps .\n"
    "1_a.jpg#1\tCat on a sofa .\r\n"
    "1_a.jpg#2\tA cat naps\ton the couch .\n"
    "2_b.jpg#0\tTwo boys fly a kite .\n"
    '2_b.jpg#1\t"Children" with a kite .\n'
    "2_b.jpg#2\tBoys at the café .\n"
    "3_c.jpg.1#0\tA man waits .\n"
    "1_a.jpg#0\tA grey cat sleeps .\n"
).encode("latin-1")
EXPERT = (
    b"1_a.jpg\t1_a.jpg#2\t4\t4\t4\n"
    b"1_a.jpg\t2_b.jpg#2\t1\t1\t2\r\n"
    b"2_b.jpg\t1_a.jpg#2\t1\t1\t1\n"
    b"1_a.jpg\t2_b.jpg#2\t1\t1\t2\n"
)
CROWD = (
    b"1_a.jpg\t1_a.jpg#2\t1\t3\t0\n"
    b"1_a.jpg\t2_b.jpg#2\t0.333333333333333\t1\t2\n"
    b"2_b.jpg\t1_a.jpg#0\t0\t0\t4\n"
)


def _judged(image: str, *rated: tuple[str, float]) -> dict[str, Any]:
    judgments = [
        {"image_id": image, "image_path": f"F/{image}", "caption": text, "rating": each}
        for text, each in rated
    ]
    return {
        "human_judgement": judgments,
        "image_id": image,
        "image_path": f"F/{image}",
        "ground_truth": CAT,
    }


COMPOSITE = (
    '"Input.image_url";"Input.text1";"Input.text2";"Answer.Q1Answer";"Answer.Q2Answer"\n'
    '"http://a.b/1_a.jpg";"A grey cat sleeps .";"a thing; in the scene.";"5";"1"\n'
    '"http://a.b/2_b.jpg";"Boys .";"a picture";"4";""\n'
    '"";"";"";"4.5";"1"\n'
)
CLIPS = [
    {
        "HC": ["A dog barks", "A dog .", "human_2", "human_4", [1, 1, 0, -1]],
        "HI": ["A dog barks", "Rain", "human_2", "other", [1, 1, 1, 1]],
        "HM": ["A dog barks", "a sound", "human_2", "modelA", [0, 0, 0, 0]],
        "MM_1": ["a sound", "a sound", "modelA", "modelB", 0, [-1, -1, 0, 1]],
        "MM_2": None,
        "references": ["A dog barks", "A dog barks ", "A dog ."],
        "raw_name": "01.wav",
    }
]
CAPARENA = [
    {
        "img": f"test_{number}.jpg",
        "source1": "ModelA",
        "source2": "human",
        "caption1": "A cat;\n\tit *sleeps*.",
        "caption2": "A “cat”.",
        "ref": "The photograph shows a cat.",
        "winner": winner,
        "cluster": "level1",
    }
    for number, winner in enumerate(("human", "ModelA", "equal", "skip", "bad"))
]
DOCENT = [
    {
        "uuid": f"u{number}",
        "reference": "A cat on a sofa.",
        "model1": "a",
        "model2": "b",
        "model1_generation": "A cat.",
        "model2_generation": "A dog.\nIt sits.",
        "mistakes": "equal",
        "omissions": "equal",
        "overall_quality": answer,
    }
    for number, answer in enumerate(("1_much_better", "2_slightly_better", "equal"))
]
FOIL = {
    "info": {},
    "images": [{"id": 7, "file_name": "COCO_val2014_000000000007.jpg"}],
    "annotations": [
        {"image_id": 7, "id": id, "caption": text, "foil": foil, "foil_word": word}
        for id, text, foil, word in (
            (70, "A cat sleeps.", False, "ORIG"),
            (70, "A dog sleeps.", True, "dog"),
            (71, "Cat on a sofa.", False, "ORIG"),
            (71, "Cat on a kite.", True, "kite"),
        )
    ],
}
COCO = {
    "images": [{"id": 7, "file_name": "COCO_val2014_000000000007.jpg"}],
    "annotations": [
        {"image_id": image, "id": id, "caption": text}
        for image, id, text in (
            (7, 70, "A cat sleeps. \n"),
            (7, 71, "Cat on a sofa."),
            (7, 72, "A cat."),
            (8, 80, "A kite."),
        )
    ],
}
THUMB = [
    {
        "SYS": system,
        "seg_id": "974",
        "set_id": 1,
        "hyp": "A cat on a sofa.",
        "image": "COCO_val2014_000000000974.jpg",
        "P": 4.0,
        "R": 3.0,
        "Fl": -0.0,
        "Inc": -0.5,
        "Con": -0.0,
        "human_score": 3.0,
    }
    for system in ("Up-Down", "Human")
]
KARPATHY = {
    "images": [
        {
            "filename": "COCO_val2014_000000000009.jpg",
            "cocoid": 9,
            "sentences": [
                {"raw": "A man on a bike.", "sentid": 5},
                {"raw": "Somebody rides.", "sentid": 6},
            ],
        }
    ],
    "dataset": "coco",
}
_STS = b"caption1,caption2,agg_score,sampling_method\n"
_SITS = b"caption,image,agg_score,sampling_method\n"
_SENTENCE = "COCO_val2014:sentid:"

FILES: dict[str, dict[str, bytes]] = {
    "pascal50s": {
        "pascal_50s.json": _json(
            {
                key: [
                    {
                        "image": f"VOC2012/JPEGImages/{key}.jpg",
                        "captions": ["a dog on snow", "a dog on snow"],
                        "label": label,
                        "references": CAT,
                    }
                ]
                for key, label in (("HI", 0), ("HC", 1))
            }
        )
    },
    "flickr8k-expert": {"ExpertAnnotations.txt": EXPERT, "Flickr8k.token.txt": TOKENS},
    "flickr8k-cf": {"CrowdFlowerAnnotations.txt": CROWD, "Flickr8k.token.txt": TOKENS},
    "flickr8k-expert as JSON": {
        "flickr8k.json": _json(
            {
                "1_a": _judged("1_a", ("A dog .", 1), ("A dog .", 1), ("A dog .", 2)),
                "2_b": _judged("2_b", ("A  cat .", float("nan")), ("A  cat .", 3)),
            }
        )
    },
    "flickr8k-cf as JSON": {
        "crowdflower_flickr8k.json": _json(
            {name: _judged(name, ("A dog .", 0.25)) for name in ("1_a.jpg", "2_b.jpg")}
        )
    },
    "composite": {
        "8k_correctness.csv": COMPOSITE.encode(),
        "8k_throughness.csv": COMPOSITE.encode(),
        "Flickr8k.token.txt": TOKENS,
    },
    "composite as JSON": {
        "composite.json": _json(
            {
                "flickr8k": [
                    {
                        "image": "F/1.jpg",
                        "caption": "a",
                        "human": 4.0,
                        "references": CAT,
                    }
                ],
                "coco": [
                    {
                        "image": "v/2.jpg",
                        "caption": "b",
                        "human": 1.0,
                        "references": BOYS,
                    }
                ],
            }
        )
    },
    "foil": {
        "foilv1.0_test_2017.json": _json(FOIL),
        "captions_val2014.json": _json(COCO),
    },
    "thumb": {
        "mscoco_THumB-1.0.jsonl": _lines(*THUMB),
        "mscoco_references.json": _lines(
            {"seg_id": "974", "set_id": 1, "refs": ["A cat.", "A sofa."]},
            {"seg_id": "975", "set_id": 1, "refs": ["A kite."]},
        ),
    },
    "audiocaps-eval": {
        "audiocaps_eval.json": _json([{**each, "audio_id": "-x1"} for each in CLIPS])
    },
    "clotho-eval": {"clotho_eval.json": _json(CLIPS)},
    "polaris": {
        "rows.jsonl": _lines(
            {"refs": CAT, "cand": "a cat", "human_score": 0.75},
            {"refs": CAT, "cand": "", "human_score": 0.0},
            {"refs": BOYS, "cand": "boys", "human_score": 1.0},
        )
    },
    "polaris as CSV": {
        "polaris_test.csv": b"imgid,mt,refs,score\n"
        b'ea61,a cat,"[\'A cat .\', ""Cat\'s sofa .  ""]",0.75\n'
    },
    "nebula": {
        "nebula_test.json": _json(
            [
                {"imgid": "93d7", "mt": "a cat", "refs": [*CAT, *CAT], "score": 0.0},
                {"imgid": "a8a6", "mt": "two", "refs": BOYS, "score": 1.0},
            ]
        ),
        "spica_test.csv": b"imgid,mt,score\n93d7,a cat,0.5\n",
    },
    "longcap-arena": {
        f"dci_val.{aspect}.jsonl": _lines(
            {
                "file_name": "sa_1.jpg",
                "refs": ["A cat.\nIt sits."],
                "cand": "A cat.",
                "score": score,
            }
        )
        for aspect, score in (("desc", 0.8), ("rel", 0.6), ("flu", 1.0))
    },
    "caparena": {
        "caparena_annots_eval.json": _json(CAPARENA),
        "caparena_annots_eval_judge.json": _json(
            [{**each, "judge": "Caption 2 is better."} for each in CAPARENA]
        ),
    },
    "docent": {"docent-eval-coarse.jsonl": _lines(*DOCENT)},
    "cxc": {
        "sts_val.csv": _STS + f"{_SENTENCE}5,{_SENTENCE}6,1.24,c2c_isim\n".encode(),
        "sits_val.csv": _SITS
        + f"{_SENTENCE}6,COCO_val2014_000000000009.jpg,4.99,c2i_original\n".encode(),
        "dataset_coco.json": _json(KARPATHY),
    },
    "wmt": {
        "references/de-en.refA.txt": b"Good morning.\nShe reads.\n",
        "system-outputs/de-en/sysA.txt": b"Good day.\nShe, reading\xe2\x80\xa8it.\n",
        "system-outputs/de-en/sysB-1.txt": b"Good day.\r\n\n",
        "human-scores/de-en.mqm.seg.score": (
            b"sysA\t0.0\nsysA -25.0\nsysB-1   None\nsysB-1\t-1.0\n"
        ),
        "human-scores/de-en.mqm.sys.score": b"sysA\t-12.5\n",
        "metric-scores/de-en/metric-X-refA.seg.score": (
            b"sysA\t1.0\nsysA\t0.7\nsysB-1\t1.0\nsysB-1\t0.2\n"
        ),
    },
}
"""By the name of the set, and what tells several of one."""


def write_set(folder: Path, name: str, but: Mapping[str, bytes | None] = {}) -> Path:
    """Write the files of a set, but some with another content, or none."""
    for file, content in {**FILES.get(name, {}), **but}.items():
        if content is not None:
            path = folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    if name == "abstract50s":
        _write_abstract(folder)
    return folder


def read_set(folder: Path, name: str, but: Mapping[str, bytes | None] = {}) -> Reading:
    return read(write_set(folder, name, but))


def _write_abstract(folder: Path) -> None:
    """Two pairs of one image, with four triplets each."""
    names = ["A", "B", "C", "rating"]
    rows = np.empty((1, 8), dtype=[(name, object) for name in names])
    for number in range(8):
        cells = f"ref {number % 4} ", f"b{number // 4}", f"c{number // 4}"
        texts = [np.array([[cell]], dtype=object) for cell in cells]
        rows[0, number] = (*texts, np.array([[-1 if number % 4 else 1]]))
    savemat(folder / "consensus_abstract.mat", {"triplets": rows})
