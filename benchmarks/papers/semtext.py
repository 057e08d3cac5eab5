"""SemText: Tables I and II of the paper.

    python -m benchmarks.papers semtext             as published, as shipped, and as printed; peers
    python -m benchmarks.papers.semtext forums      Table II: the published network before and after 50 forum pages
    python -m benchmarks.semtext ablations          Table III: inputs switched off

The published network is not shipped. `make papers-train` trains it into .training/papers; without it, its rows are
left out. Every block of a set counts the same, as in section IV-C.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path

from benchmarks.harness import Data, run_command
from benchmarks.papers.baselines.boilernet import train_boilernet
from benchmarks.papers.tables import LEFT_OUT, has_peer, print_claims, read_code
from benchmarks.semtext import Labeller, label_by_method, label_by_peer, print_scores, read_pages
from broadsheet.corpora import Record
from broadsheet.evaluation.measures import Score
from broadsheet.evaluation.scores import Gold
from broadsheet.methods.semtext import Semtext
from broadsheet.models.weights import SHIPPED
from broadsheet.training.cache import make_key

WEIGHTS = Path(".training") / "papers"
PUBLISHED = WEIGHTS / "semtext-published"
PUBLISHED_CLEANEVAL = WEIGHTS / "semtext-published-cleaneval"
PUBLISHED_FORUM = WEIGHTS / "semtext-published-forum"
SHIPPED_CLEANEVAL = SHIPPED / "semtext-cleaneval" / "1"
FORUM_PAGES = 50  # that Table II adds to the training
PEERS = {"boilerpy3": "boilerpy3", "justext": "jusText"}  # and their names in the tables
# Tables I and II.
PRINTED_CLEANEVAL = {
    "SemText": (0.91, 0.89, 0.90),
    "BoilerNet-C": (0.88, 0.85, 0.86),
    "BoilerNet-1": (0.85, 0.80, 0.82),
    "Web2Text-1": (0.85, 0.82, 0.83),
    "BoilerPipe-1": (0.87, 0.73, 0.79),
}
PRINTED_FORUM = {
    "SemText": (0.79, 0.84, 0.82),
    "SemText-1, with 50 of these pages": (0.85, 0.87, 0.86),
    "BoilerNet-C": (0.66, 0.81, 0.72),
    "BoilerPipe-C": (0.93, 0.12, 0.21),
}


def list_labellers(published: Mapping[str, Path], shipped: Mapping[str, Semtext]) -> dict[str, Labeller]:
    """Return the published networks that exist, the shipped ones, and the peers that are installed."""
    peers = {title: name for name, title in PEERS.items() if has_peer(name)}
    return {
        **find_published(published),
        **{name: label_by_method(method) for name, method in shipped.items()},
        **{title: label_by_peer(name) for title, name in peers.items()},
    }


def print_cleaneval(data: Data) -> None:
    """Print Table I on CleanEval."""
    labellers = list_labellers(
        {"as published": PUBLISHED, "as published, tuned for CleanEval": PUBLISHED_CLEANEVAL},
        {"as shipped": Semtext(), "as shipped, tuned for CleanEval": Semtext(weights=SHIPPED_CLEANEVAL)},
    )
    pages = list(read_pages(data, "cleaneval.bench"))
    development = [gold for part in ("train", "dev") for gold in read_pages(data, f"cleaneval-dev.{part}")]
    key = make_key("boilernet", [gold.record.id for gold in development], read_code(train_boilernet))
    labellers["BoilerNet-1"] = train_boilernet(development, WEIGHTS / f"{key}.pt")
    title = f"cleaneval.bench, {len(pages)} pages; {len(development)} to tune on"
    print_claims(list_claims(print_scores(title, labellers, pages, PRINTED_CLEANEVAL)))


def print_type_2(data: Data) -> None:
    """Print the upper part of Table II on forum pages."""
    forums = find_forums(read_pages(data, "wcxb.dev"))
    if not forums:
        print("no forum page is among the pages")
        return
    labellers = list_labellers({"as published": PUBLISHED}, {"as shipped": Semtext()})
    title = f"forum pages of wcxb.dev, {len(forums)} pages"
    print_claims(list_forum_claims(print_scores(title, labellers, forums, PRINTED_FORUM)))


def find_published(folders: Mapping[str, Path]) -> dict[str, Labeller]:
    """Return labellers of the trained networks that exist."""
    missing = [name for name, folder in folders.items() if not folder.exists()]
    if missing:
        print(f"\n{LEFT_OUT} ({', '.join(missing)}): the weights are not shipped; make papers-train trains them")
    return {name: label_by_method(Semtext(weights=folder)) for name, folder in folders.items() if name not in missing}


def list_claims(scores: Mapping[str, Score]) -> dict[str, bool]:
    """Return the claims of section IV-C and whether they hold here."""
    peers = max((scores[name].f1 for name in PEERS.values() if name in scores), default=0.0)
    claims = {}
    for name in ("as published, tuned for CleanEval", "as shipped, tuned for CleanEval"):
        if name in scores:
            score = scores[name]
            boilernet = scores["BoilerNet-1"]
            claims[f"{name}: F1 above BoilerNet-1 ({score.f1:.3f}, {boilernet.f1:.3f})"] = score.f1 > boilernet.f1
            claims[f"{name}: F1 above Boilerpipe and jusText ({score.f1:.3f}, {peers:.3f})"] = score.f1 > peers
            claims[f"{name}: F1 at least the printed 0.90 ({score.f1:.3f})"] = round(score.f1, 2) >= 0.90
            claims[f"{name}: precision above recall ({score.precision:.3f}, {score.recall:.3f})"] = (
                score.precision > score.recall
            )
    return claims


def list_forum_claims(scores: Mapping[str, Score]) -> dict[str, bool]:
    """Return the claims about type-2 pages and whether they hold here."""
    boilerpipe = scores.get("boilerpy3")
    if boilerpipe is None:
        return {}
    claims = {
        f"Boilerpipe has high precision and low recall ({boilerpipe.precision:.3f}, {boilerpipe.recall:.3f})": (
            boilerpipe.precision > 2 * boilerpipe.recall
        )
    }
    for name in ("as published", "as shipped", "as published, with 50 forum pages"):
        if name in scores:
            f1 = scores[name].f1
            claims[f"{name}: F1 above Boilerpipe's ({f1:.3f}, {boilerpipe.f1:.3f})"] = f1 > boilerpipe.f1
    return claims


def find_forums(pages: Iterable[Gold]) -> list[Gold]:
    """Return the pages of forums: type 2 of section I."""
    return [gold for gold in pages if gold.record.page_type == "forum"]


def print_forums(data: Data) -> None:
    """Print Table II: the published network on forum pages, and the same after training on 50 of them."""
    pages = find_forums(chain(read_pages(data, "wcxb.train"), read_pages(data, "wcxb.dev")))
    train, test = pages[:FORUM_PAGES], pages[FORUM_PAGES:]
    if not PUBLISHED_FORUM.exists():
        train_on_forums([gold.record for gold in train])
    labellers = find_published({"as published": PUBLISHED, "as published, with 50 forum pages": PUBLISHED_FORUM})
    peers = {title: label_by_peer(name) for name, title in PEERS.items() if has_peer(name)}
    title = f"SemText, forum pages of wcxb: {len(test)}; {len(train)} to learn from"
    print_claims(list_forum_claims(print_scores(title, {**labellers, **peers}, test, PRINTED_FORUM)))


def train_on_forums(records: Sequence[Record]) -> None:
    """Fine-tune the published network on forum pages."""
    from broadsheet.methods.semtext.train import train_shipped
    from broadsheet.training.options import TrainingOptions

    WEIGHTS.mkdir(parents=True, exist_ok=True)
    path = WEIGHTS / "forum.jsonl"
    rows = [
        {"id": record.id, "html": record.html, "url": record.url, "text": record.text, "site": record.site}
        for record in records
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    train_shipped(TrainingOptions(path, PUBLISHED_FORUM, WEIGHTS / "work", start=str(PUBLISHED)))


TABLES = {"cleaneval": print_cleaneval, "forums": print_type_2}

if __name__ == "__main__":
    run_command(__doc__, {"forums": print_forums})
