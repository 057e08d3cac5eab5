"""Titles, dates and authors beside specialized tools: the tables of docs/explanation/fields.md.

    python -m benchmarks.fields tables              all contenders on the sets of that page, and the calibration of our
                                                    confidence
    python -m benchmarks.fields dev                 the same tables on dev sets, for tuning
    python -m benchmarks.fields people              precision of the authors who are people, without peers
    python -m benchmarks.fields peers               run the peers only, and store their answers (some minutes)
    python -m benchmarks.fields misses SET FIELD    our wrong values, for example: misses wcxb.dev title
    python -m benchmarks.fields speed               milliseconds of processor time for all fields

The answers of peers are stored in the cache of `broadsheet eval`. newspaper4k needs `broadsheet eval --setup-peers`.
"""

from __future__ import annotations

import logging
import os
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from statistics import mean, median

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is imported

from benchmarks.harness import Data, Stopwatch, Table, find_peer, make_parser, parse_data
from broadsheet.api import extract
from broadsheet.blocks import segment
from broadsheet.corpora import Record
from broadsheet.evaluation import peer_adapters
from broadsheet.evaluation.answer import Answer, read_answer
from broadsheet.evaluation.contenders import Contender, Extractor, open_extractor
from broadsheet.evaluation.measures import score_date, score_title
from broadsheet.evaluation.peers import find_cache_folder
from broadsheet.evaluation.store import AnswerStore, hash_page, open_store
from broadsheet.fields import Fields
from broadsheet.fields.authors import PERSON
from broadsheet.methods import DEFAULT_METHOD, load_method
from broadsheet.methods.apply import label_blocks
from broadsheet.page import read_metadata, read_page
from broadsheet.text import fold_words

OURS = "broadsheet"
HTMLDATE_FAST = "htmldate, fast"
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
PEERS = {
    "date": ("htmldate", HTMLDATE_FAST, "trafilatura", "newspaper4k"),
    "title": ("trafilatura", "newspaper4k", "turbohtml"),
    "authors": ("trafilatura", "newspaper4k", "turbohtml"),
}
MIN_LANGUAGE_PAGES = 10
TITLES = frozenset("dr prof professor phd med mag dipl ing sir".split())  # not compared
SPEED_SETS = "metahtml.dev wcxb.dev fundus.dev aed.dev l3s-gn1.dev".split()
SPEED_PAGES = 60  # of each set
SPEED_ROUNDS = 5

FieldSets = Mapping[str, Sequence[str]]  # field -> sets


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("command", choices=("tables", "dev", "people", "peers", "misses", "speed"))
    parser.add_argument("arguments", nargs="*", metavar="SET FIELD", help="of misses")
    options = parser.parse_args()
    if len(options.arguments) != (2 if options.command == "misses" else 0):
        parser.error("misses takes a set and a field, the other commands take no argument")
    logging.disable()  # peers log errors of single pages
    data = parse_data(options)
    commands: dict[str, Callable[[], None]] = {
        "tables": lambda: print_tables(data, SETS),
        "dev": lambda: print_tables(data, DEV_SETS),
        "people": lambda: print_people({name: run_set_alone(data, name) for name in SETS["authors"]}),
        "peers": lambda: run_peers(data, SETS, DEV_SETS),
        "misses": lambda: print_misses(data, *options.arguments),
        "speed": lambda: print_speed(data),
    }
    commands[options.command]()


# Pages and answers


@dataclass(frozen=True, slots=True)
class Case:
    """A page without its content, and the answers of all contenders."""

    record: Record
    answers: Mapping[str, Answer]
    confidences: Mapping[str, float]  # of our values, by field
    people: tuple[str, ...] = ()  # our authors who are people


def read_articles(data: Data, name: str, fields: Sequence[str]) -> Iterator[Record]:
    """Yield the articles of a set that have any of the labels. Half of wcxb's pages are not articles."""
    for record in data.read(name):
        is_article = record.dataset != "wcxb" or record.page_type == "article"
        if is_article and any(getattr(record, field) for field in fields):
            yield record


def run_set(records: Iterable[Record], peers: Sequence[str], store: AnswerStore) -> list[Case]:
    """Run all contenders on some pages."""
    cases = []
    for record in records:
        article = extract(record.html, url=record.url)
        date = article.date.isoformat() if article.date else None
        answers = {OURS: Answer(title=article.title, authors=article.authors, date=date)}
        answers |= {peer: run_peer(peer, record, store) for peer in peers}
        kinds = zip(article.authors, article.author_kinds, strict=True)
        people = tuple(name for name, kind in kinds if kind == PERSON)
        cases.append(Case(replace(record, html="", text=None), answers, dict(article.confidences), people))
    return cases


def run_set_alone(data: Data, name: str) -> list[Case]:
    """Run ourselves on the pages of a set with authors."""
    with open_store(None) as store:
        return run_set(read_articles(data, name, ["authors"]), (), store)


def run_peer(name: str, record: Record, store: AnswerStore) -> Answer:
    """Return the answer of a peer, from the cache where possible."""
    contender = find_contender(name)
    page = hash_page(record)
    if stored := store.find_answer(page, contender):
        return stored[0]
    answer = open_contender(name)(str(record.html), record.url, record.lang)
    store.add_answer(page, contender, answer, "benchmarks/fields.py")
    return answer


@cache
def find_contender(name: str) -> Contender:
    if name == HTMLDATE_FAST:
        return replace(find_contender("htmldate"), name="htmldate-fast")
    return find_peer(name)


@cache
def open_contender(name: str) -> Extractor:
    return run_htmldate_fast if name == HTMLDATE_FAST else open_extractor(find_contender(name))


def run_htmldate_fast(html: str, url: str | None, lang: str | None) -> Answer:
    from htmldate import find_date

    def find(html: str, url: str | None, lang: str | None) -> peer_adapters.Values:  # noqa: ARG001
        return {"date": find_date(html, url=url, original_date=True, extensive_search=False)}

    return read_answer(peer_adapters.call(find, html, url, lang))


def run_peers(data: Data, *tables: FieldSets) -> None:
    """Store the answers of all peers on all sets."""
    names = sorted({name for sets in tables for names in sets.values() for name in names})
    with open_store(find_cache_folder() / "eval") as store:
        for name in names:
            fields = list_fields(tables, name)
            for record in data.read(name):
                if any(getattr(record, field) for field in fields):
                    for peer in list_peers(fields):
                        run_peer(peer, record, store)
            print(name, flush=True)


def list_fields(tables: Sequence[FieldSets], name: str) -> list[str]:
    """Return the fields for which a set is used."""
    return list(dict.fromkeys(field for sets in tables for field, names in sets.items() if name in names))


def list_peers(fields: Sequence[str]) -> list[str]:
    """Return the peers that extract any of the fields."""
    return list(dict.fromkeys(peer for field in fields for peer in PEERS[field]))


# Tables


def print_tables(data: Data, sets: FieldSets) -> None:
    cases: dict[str, list[Case]] = {}
    with open_store(find_cache_folder() / "eval") as store:
        for name in dict.fromkeys(name for names in sets.values() for name in names):
            fields = list_fields([sets], name)
            cases[name] = run_set(read_articles(data, name, fields), list_peers(fields), store)
    labelled = {
        field: {name: [case for case in cases[name] if getattr(case.record, field)] for name in names}
        for field, names in sets.items()
    }
    print_dates(labelled["date"])
    print_rows("title, same words", "title", labelled["title"], write_title_share)
    print_rows("authors: precision / recall", "authors", labelled["authors"], write_authors)
    print_people(labelled["authors"])
    for field, by_set in labelled.items():
        print_calibration(field, [case for set_cases in by_set.values() for case in set_cases])


def print_rows(
    title: str, field: str, rows: Mapping[str, Sequence[Case]], write: Callable[[Sequence[Case], str], str]
) -> None:
    contenders = (OURS, *PEERS[field])
    table = Table(title, "pages", *contenders)
    for name, cases in rows.items():
        table.add(name, str(len(cases)), *(write(cases, contender) for contender in contenders))


def print_dates(sets: Mapping[str, list[Case]]) -> None:
    total = [case for cases in sets.values() for case in cases]
    print_rows("day of publication: recall / precision", "date", {**sets, "all": total}, write_dates)
    by_language: dict[str, list[Case]] = defaultdict(list)
    for case in total:
        by_language[case.record.lang or "unknown"].append(case)
    rows: dict[str, list[Case]] = {}
    for language, cases in sorted(by_language.items(), key=lambda pair: -len(pair[1])):
        name = language if len(cases) >= MIN_LANGUAGE_PAGES else "other languages"
        rows.setdefault(name, []).extend(cases)
    print_rows("by language", "date", rows, write_dates)


def write_dates(cases: Sequence[Case], contender: str) -> str:
    right = sum(is_date_right(case, contender) for case in cases)
    answered = sum(bool(case.answers[contender].date) for case in cases)
    return f"{right / max(len(cases), 1):.3f} / {right / max(answered, 1):.3f}"


def is_date_right(case: Case, contender: str) -> bool:
    return bool(score_date(case.answers[contender].date, case.record.date or ""))


def write_title_share(cases: Sequence[Case], contender: str) -> str:
    return f"{mean(is_title_right(case, contender) for case in cases):.3f}"


def is_title_right(case: Case, contender: str) -> bool:
    return bool(score_title(case.answers[contender].title, case.record.title or ""))


def write_authors(cases: Sequence[Case], contender: str) -> str:
    counts: Counter[str] = Counter()
    for case in cases:
        names, gold = fold_names(case.answers[contender].authors), fold_names(case.record.authors or ())
        counts.update(right=len(names & gold), given=len(names), gold=len(gold))
    return f"{counts['right'] / max(counts['given'], 1):.3f} / {counts['right'] / max(counts['gold'], 1):.3f}"


def print_people(sets: Mapping[str, Sequence[Case]]) -> None:
    """Print how many of the people that we name as authors are in the gold labels, as written or written otherwise."""
    table = Table("people", "named", "as written", "precision", "same person", "precision")
    for name, cases in sets.items():
        pairs = [(fold_names(case.people), fold_names(case.record.authors or ())) for case in cases]
        named, right = sum(len(people) for people, _ in pairs), sum(len(people & gold) for people, gold in pairs)
        same = sum(1 for case in cases for _ in match_people(case))
        table.add(name, str(named), str(right), right / max(named, 1), str(same), same / max(named, 1))


def match_people(case: Case) -> Iterator[tuple[str, str]]:
    """Pair our people with the labels, each label once."""
    labels = list(dict.fromkeys(case.record.authors or ()))
    for person in {fold_words(name): name for name in case.people}.values():
        match = next((label for label in labels if are_same_person(person, label)), None)
        if match is not None:
            labels.remove(match)
            yield person, match


def are_same_person(first: str, second: str) -> bool:
    """Compare names without accents, titles, text in brackets and middle names; an initial is equal to its name.

    "Dr. Zoë Anna Doe (Moon Post)" is "Zoe Doe" and "Z. Doe". Other words before or after a name are errors.
    """
    shorter, longer = sorted((split_name(first), split_name(second)), key=len)
    if len(shorter) < 2:
        return bool(shorter) and shorter == longer
    if not (are_same_word(shorter[0], longer[0]) and shorter[-1] == longer[-1]):
        return False
    return all(any(are_same_word(word, other) for other in longer[1:-1]) for word in shorter[1:-1])


def are_same_word(first: str, second: str) -> bool:
    return first == second or (min(len(first), len(second)) == 1 and first[0] == second[0])


def split_name(name: str) -> list[str]:
    """Return the comparable words of a name. Chinese and Japanese names may be written with a space or without."""
    decomposed = unicodedata.normalize("NFKD", re.sub(r"\([^)]*\)", " ", name))
    words = fold_words("".join(char for char in decomposed if not unicodedata.combining(char))).split()
    words = [word for word in words if word not in TITLES]
    return ["".join(words)] if re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", name) else words


def are_authors_right(case: Case, contender: str) -> bool:
    return fold_names(case.answers[contender].authors) <= fold_names(case.record.authors or ())


def fold_names(names: Iterable[str]) -> set[str]:
    return set(map(fold_words, names)) - {""}


IS_RIGHT = {"date": is_date_right, "title": is_title_right, "authors": are_authors_right}


def print_misses(data: Data, name: str, field: str) -> None:
    """Print our missing and wrong values."""
    with open_store(None) as store:
        for case in run_set(read_articles(data, name, [field]), (), store):
            value, gold = getattr(case.answers[OURS], field), getattr(case.record, field)
            if not value or not IS_RIGHT[field](case, OURS):
                confidence = case.confidences.get(field, 0)
                print(f"{case.record.id}  confidence {confidence:.2f}\n    ours {value}\n    gold {gold}")


# Calibration and speed


def print_calibration(field: str, cases: Sequence[Case]) -> None:
    """Print the confidence of our values against the share that is correct."""
    bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for case in cases:
        if field in case.confidences:
            confidence = case.confidences[field]
            bins[min(int(confidence * 10), 9)].append((confidence, IS_RIGHT[field](case, OURS)))
    total = sum(map(len, bins.values()))
    table = Table(f"{field}: confidence", "values", "mean confidence", "correct")
    error = 0.0
    for tenth, values in sorted(bins.items()):
        confidence, correct = (float(mean(column)) for column in zip(*values, strict=True))
        error += len(values) / total * abs(confidence - correct)
        table.add(f"{tenth / 10:.1f} to {tenth / 10 + 0.1:.1f}", str(len(values)), confidence, correct)
    table.add("expected calibration error", str(total), "", error)


def print_speed(data: Data) -> None:
    """Print the processor time of metadata and fields, the best of several rounds for each page."""
    times: dict[str, list[float]] = defaultdict(list)
    for name in SPEED_SETS:
        for record in islice(read_articles(data, name, ["title"]), SPEED_PAGES):
            for step, milliseconds in time_page(record).items():
                times[step].append(milliseconds)
    table = Table(f"ms of processor time, {len(times['fields'])} pages, best of {SPEED_ROUNDS}", "median", "mean")
    for step, values in times.items():
        table.add(step, median(values), mean(values), digits=2)


def time_page(record: Record) -> dict[str, float]:
    page = read_page(record.html, url=record.url)
    blocks = segment(page)
    labels = label_blocks(load_method(DEFAULT_METHOD), page, blocks)
    watch = Stopwatch()
    for _ in range(SPEED_ROUNDS):
        with watch.step("parse and segment"):
            segment(read_page(record.html, url=record.url))
        with watch.step("metadata"):
            read_metadata(page.nodes, page.url)
        with watch.step("fields"):
            Fields(page, blocks, labels).find_all()
    best = {step: min(values) for step, values in watch.times.items()}
    return {**best, "metadata and fields": best["metadata"] + best["fields"]}


if __name__ == "__main__":
    main()
