"""Titles, dates and authors beside the specialists: the tables of docs/fields.md.

python benchmarks/fields.py tables        the sets that docs/fields.md reports on, all contenders in one run; and
                                          whether a value of confidence 0.9 is right nine times in ten
python benchmarks/fields.py dev           the same tables on dev sets, to choose by
python benchmarks/fields.py peers         only ask the peers, and keep what they say (some minutes)
python benchmarks/fields.py misses SET FIELD    what we get wrong: e.g. misses wcxb.dev title
python benchmarks/fields.py speed         ms of processor time for all fields, beyond parsing and labelling

The answers of peers are kept in the cache of `broadsheet eval`. newspaper4k needs `broadsheet eval --setup-peers`.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path
from statistics import mean, median

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is loaded

from broadsheet.api import extract
from broadsheet.blocks import segment
from broadsheet.corpora import Record, read_corpus
from broadsheet.evaluation.answer import Answer, read_answer
from broadsheet.evaluation.cache_folder import find_cache_folder
from broadsheet.evaluation.contenders import Contender, find_contenders
from broadsheet.evaluation.extractors import Extractor, open_extractor
from broadsheet.evaluation.measures.date import score_date
from broadsheet.evaluation.measures.title import score_title
from broadsheet.evaluation.peers import adapters
from broadsheet.evaluation.store import Store, hash_page, open_store
from broadsheet.fields import read_fields
from broadsheet.methods import DEFAULT_METHOD, load_method
from broadsheet.methods.apply import label_blocks
from broadsheet.page import read_metadata, read_page
from broadsheet.text import fold_words

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
OURS = "broadsheet"
FAST = "htmldate, fast"
SETS = {
    "date": "htmldate.bench trafilatura.bench metahtml.bench postlight.bench".split(),
    "title": "trafilatura.bench metahtml.bench postlight.bench wcxb.dev aed.dev fundus.dev l3s-gn1.dev".split(),
    "authors": "trafilatura.bench postlight.bench aed.dev fundus.dev".split(),
}
DEV_SETS = {
    "date": "metahtml.dev postlight.dev wcxb.dev fundus.dev".split(),
    "title": "metahtml.dev postlight.dev wcxb.dev aed.dev fundus.dev l3s-gn1.dev".split(),
    "authors": "postlight.dev aed.dev fundus.dev wcxb.dev".split(),
}
RIVALS = {
    "date": ("htmldate", FAST, "trafilatura", "newspaper4k"),
    "title": ("trafilatura", "newspaper4k", "turbohtml"),
    "authors": ("trafilatura", "newspaper4k", "turbohtml"),
}
MIN_PAGES_OF_LANGUAGE = 10
SPEED_SETS = "metahtml.dev wcxb.dev fundus.dev aed.dev l3s-gn1.dev".split()
ROUNDS = 5
PAGES_OF_A_SET = 60


def main() -> None:
    if not DATA.exists():
        sys.exit(f"{DATA} is missing: the benchmark needs the labelled pages")
    logging.disable()
    commands: dict[str, Callable[[], None]] = {
        "tables": lambda: print_tables(SETS),
        "dev": lambda: print_tables(DEV_SETS),
        "peers": lambda: ask_peers(SETS, DEV_SETS),
        "misses": lambda: print_misses(*sys.argv[2:4]),
        "speed": print_speed,
    }
    if len(sys.argv) < 2 or sys.argv[1] not in commands or (sys.argv[1] == "misses") != (len(sys.argv) == 4):
        sys.exit(__doc__)
    commands[sys.argv[1]]()


# Pages and answers.


@dataclass(frozen=True, slots=True)
class Case:
    """A page without its text, and what everybody says of it."""

    record: Record
    answers: dict[str, Answer]
    sureness: dict[str, float]  # how sure we are, by field


def read_records(name: str, field: str) -> Iterator[Record]:
    """Articles of a set that have a label; wcxb has many pages that are none."""
    for record in read_corpus(DATA / f"{name}.jsonl.xz"):
        if getattr(record, field) and (record.dataset != "wcxb" or record.page_type == "article"):
            yield record


def run_set(name: str, fields: Sequence[str], rivals: Iterable[str], store: Store) -> list[Case]:
    """Ask everybody about the pages of a set that have any of the labels."""
    cases = []
    for record in read_corpus(DATA / f"{name}.jsonl.xz"):
        is_article = record.dataset != "wcxb" or record.page_type == "article"
        if is_article and any(getattr(record, field) for field in fields):
            answers = {rival: ask_rival(rival, record, store) for rival in rivals}
            ours, sureness = ask_ours(record)
            cases.append(Case(replace(record, html="", text=None), {OURS: ours, **answers}, sureness))
    return cases


def ask_ours(record: Record) -> tuple[Answer, dict[str, float]]:
    article = extract(record.html, url=record.url)
    date = article.date.isoformat() if article.date else None
    return Answer(title=article.title, authors=article.authors, date=date), dict(article.confidences)


def ask_rival(name: str, record: Record, store: Store) -> Answer:
    """What a peer says, from the cache where that is known."""
    contender = find_rival(name)
    page = hash_page(record)
    if known := store.find_answer(page, contender):
        return known[0]
    answer = open_rival(name)(str(record.html), record.url, record.lang)
    store.add_answer(page, contender, answer, "benchmarks/fields.py")
    return answer


@cache
def find_rival(name: str) -> Contender:
    if name == FAST:
        return replace(find_rival("htmldate"), name="htmldate-fast")
    lineup = find_contenders((), (name,))
    if lineup.missing:
        sys.exit(lineup.missing[0])
    return lineup.contenders[0]


@cache
def open_rival(name: str) -> Extractor:
    return ask_htmldate_fast if name == FAST else open_extractor(find_rival(name))


def ask_htmldate_fast(html: str, url: str | None, lang: str | None) -> Answer:
    from htmldate import find_date

    def find(html: str, url: str | None, lang: str | None) -> adapters.Values:  # noqa: ARG001
        return {"date": find_date(html, url=url, original_date=True, extensive_search=False)}

    return read_answer(adapters.call(find, html, url, lang))


def ask_peers(*tables: dict[str, list[str]]) -> None:
    wanted = {name: rivals_of(tables, name) for sets in tables for names in sets.values() for name in names}
    with open_store(find_cache_folder() / "eval") as store:
        for name, (fields, rivals) in sorted(wanted.items()):
            for record in read_corpus(DATA / f"{name}.jsonl.xz"):
                if any(getattr(record, field) for field in fields):
                    for rival in rivals:
                        ask_rival(rival, record, store)
            print(name, flush=True)


def rivals_of(tables: Sequence[dict[str, list[str]]], name: str) -> tuple[list[str], list[str]]:
    """The fields that a set is used for, and all who find them."""
    fields = list(dict.fromkeys(field for sets in tables for field, names in sets.items() if name in names))
    return fields, list(dict.fromkeys(rival for field in fields for rival in RIVALS[field]))


# Tables.


def print_tables(sets: dict[str, list[str]]) -> None:
    cases: dict[str, list[Case]] = {}
    with open_store(find_cache_folder() / "eval") as store:
        for name in dict.fromkeys(name for names in sets.values() for name in names):
            cases[name] = run_set(name, *rivals_of([sets], name), store)
    print_dates({name: cases[name] for name in sets["date"]})
    print_titles({name: cases[name] for name in sets["title"]})
    print_authors({name: cases[name] for name in sets["authors"]})
    for field, names in sets.items():
        print_calibration(field, [case for name in names for case in cases[name] if getattr(case.record, field)])


def print_dates(sets: dict[str, list[Case]]) -> None:
    columns = (OURS, *RIVALS["date"])
    dated = {name: [case for case in cases if case.record.date] for name, cases in sets.items()}
    total = [case for cases in dated.values() for case in cases]
    print(f"\n| day of publication: recall / precision | pages | {' | '.join(columns)} |")
    print(f"|---|---:|{'---:|' * len(columns)}")
    for name, cases in (*dated.items(), ("all", total)):
        print(f"| {name} | {len(cases)} | {' | '.join(write_dates(cases, who) for who in columns)} |")
    print(f"\n| by language | pages | {' | '.join(columns)} |\n|---|---:|{'---:|' * len(columns)}")
    by_language = defaultdict(list)
    for case in total:
        by_language[case.record.lang].append(case)
    others: list[Case] = []
    for language, cases in sorted(by_language.items(), key=lambda pair: -len(pair[1])):
        if len(cases) < MIN_PAGES_OF_LANGUAGE:
            others += cases
        else:
            print(f"| {language} | {len(cases)} | {' | '.join(write_dates(cases, who) for who in columns)} |")
    if others:
        print(f"| others | {len(others)} | {' | '.join(write_dates(others, who) for who in columns)} |")


def write_dates(cases: list[Case], who: str) -> str:
    right = sum(is_date_right(case, who) for case in cases)
    answered = sum(bool(case.answers[who].date) for case in cases)
    return f"{right / max(len(cases), 1):.3f} / {right / max(answered, 1):.3f}"


def is_date_right(case: Case, who: str) -> bool:
    return bool(score_date(case.answers[who].date, case.record.date or ""))


def print_titles(sets: dict[str, list[Case]]) -> None:
    columns = (OURS, *RIVALS["title"])
    print(f"\n| title, same words | pages | {' | '.join(columns)} |\n|---|---:|{'---:|' * len(columns)}")
    for name, cases in sets.items():
        own = [case for case in cases if case.record.title]
        shares = (mean(is_title_right(case, who) for case in own) for who in columns)
        print(f"| {name} | {len(own)} | {' | '.join(f'{share:.3f}' for share in shares)} |")


def is_title_right(case: Case, who: str) -> bool:
    return bool(score_title(case.answers[who].title, case.record.title or ""))


def print_authors(sets: dict[str, list[Case]]) -> None:
    columns = (OURS, *RIVALS["authors"])
    print(f"\n| authors: precision / recall | pages | {' | '.join(columns)} |\n|---|---:|{'---:|' * len(columns)}")
    for name, cases in sets.items():
        own = [case for case in cases if case.record.authors]
        print(f"| {name} | {len(own)} | {' | '.join(write_authors(own, who) for who in columns)} |")


def write_authors(cases: list[Case], who: str) -> str:
    counts: Counter[str] = Counter()
    for case in cases:
        found, gold = read_names(case, who)
        counts.update(right=len(found & gold), found=len(found), gold=len(gold))
    return f"{counts['right'] / max(counts['found'], 1):.3f} / {counts['right'] / max(counts['gold'], 1):.3f}"


def are_authors_right(case: Case, who: str) -> bool:
    found, gold = read_names(case, who)
    return found <= gold


def read_names(case: Case, who: str) -> tuple[set[str], set[str]]:
    """Names that were found, and those that are right."""
    found, gold = case.answers[who].authors, case.record.authors or ()
    return set(map(fold_words, found)) - {""}, set(map(fold_words, gold)) - {""}


IS_RIGHT = {"date": is_date_right, "title": is_title_right, "authors": are_authors_right}


def print_misses(name: str, field: str) -> None:
    with open_store(None) as store:
        for case in run_set(name, [field], (), store):
            if not IS_RIGHT[field](case, OURS) or not getattr(case.answers[OURS], field):
                ours, gold = getattr(case.answers[OURS], field), getattr(case.record, field)
                print(f"{case.record.id}  {case.sureness.get(field, 0):.2f}\n    ours {ours}\n    gold {gold}")


# How sure, and how fast.


def print_calibration(field: str, cases: list[Case]) -> None:
    pairs = [(case.sureness[field], IS_RIGHT[field](case, OURS)) for case in cases if field in case.sureness]
    print(f"\n| {field}: confidence | values | said | right |\n|---|---:|---:|---:|")
    groups = defaultdict(list)
    for said, is_right in pairs:
        groups[min(int(said * 10), 9)].append((said, is_right))
    error = 0.0
    for tenth, own in sorted(groups.items()):
        said, right = mean(said for said, _ in own), mean(is_right for _, is_right in own)
        error += len(own) / len(pairs) * abs(said - right)
        print(f"| {tenth / 10:.1f} to {tenth / 10 + 0.1:.1f} | {len(own)} | {said:.3f} | {right:.3f} |")
    print(f"| expected calibration error | {len(pairs)} | | {error:.3f} |")


def print_speed() -> None:
    times: dict[str, list[float]] = defaultdict(list)
    for name in SPEED_SETS:
        for record in islice(read_records(name, "title"), PAGES_OF_A_SET):
            for what, milliseconds in time_page(record).items():
                times[what].append(milliseconds)
    pages = len(times["fields"])
    print(f"\n| ms of processor time, {pages} pages, best of {ROUNDS} | median | mean |\n|---|---:|---:|")
    for what, own in times.items():
        print(f"| {what} | {median(own):.2f} | {mean(own):.2f} |")


def time_page(record: Record) -> dict[str, float]:
    page = read_page(record.html, url=record.url)
    blocks = segment(page)
    labels = label_blocks(load_method(DEFAULT_METHOD), page, blocks)
    times = {
        "parsing and cutting into blocks": best(lambda: segment(read_page(record.html, url=record.url))),
        "metadata": best(lambda: read_metadata(page.nodes, page.url)),
        "fields": best(lambda: read_fields(page, blocks, labels)),
    }
    return {**times, "metadata and fields": times["metadata"] + times["fields"]}


def best(run: Callable[[], object]) -> float:
    """Least processor time of some rounds, in ms."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.process_time()
        run()
        seconds.append(time.process_time() - start)
    return min(seconds) * 1000


if __name__ == "__main__":
    main()
