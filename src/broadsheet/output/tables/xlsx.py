"""Write articles as an Excel table, with a second sheet that counts statuses and confidences. Extra `tables`."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from broadsheet.article import Article, Status
from broadsheet.errors import UsageError
from broadsheet.extras import import_extra
from broadsheet.fields.field import DATE_TIME
from broadsheet.output.record import DOUBTS, NUMBER, UTC_TIME, Column, to_dict
from broadsheet.output.tables.files import make_cell

_MAX_CELL_CHARS = 32_767  # of Excel
_MAX_ROWS = 1_048_575  # of Excel, without the head
_CUT_MARK = " […]"
_FIRST_YEAR = 1901  # Excel has no earlier dates, and counts a day too many in 1900
_WIDTHS = {"title": 50, "text": 60, "url": 40, "description": 40, "authors": 25, "date": 17, "source_file": 30}
_DEFAULT_WIDTH = 14
_BINS = 10
_RED, _YELLOW, _GREEN = "#F8696B", "#FFEB84", "#63BE7B"


class XlsxWriter:
    """Rows are written to disk one by one. Dates are dates, and confidences have a colour."""

    def __init__(self, file: BinaryIO, columns: Sequence[Column]) -> None:
        xlsxwriter = import_extra("xlsxwriter", "tables")
        self._columns = columns
        self._file = file
        folder = tempfile.mkdtemp(prefix="broadsheet-")  # for rows, until the file is complete
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        # Not `file` itself: after an error of writing, the library would try to write again, and print a traceback.
        self._path = Path(folder, "book.xlsx")
        settings = {"constant_memory": True, "use_zip64": True, "tmpdir": folder}
        self._book: Any = xlsxwriter.Workbook(self._path, settings)
        self._sheet: Any = self._book.add_worksheet("articles")
        self._moment_format = self._book.add_format({"num_format": "yyyy-mm-dd hh:mm"})
        self._number_format = self._book.add_format({"num_format": "0.00"})
        self._head_format = self._book.add_format({"bold": True})
        self._count = 0
        self._statuses: Counter[str] = Counter()
        self._bins = [0] * _BINS
        for number, column in enumerate(columns):
            self._sheet.set_column(number, number, _WIDTHS.get(column.name, _DEFAULT_WIDTH))
            self._sheet.write_string(0, number, column.name, self._head_format)
        self._sheet.freeze_panes(1, 0)

    def write(self, article: Article) -> None:
        """Add a row. Text beyond Excel's limit of a cell is cut, and the cut is marked."""
        if self._count >= _MAX_ROWS:
            raise UsageError(f"an Excel sheet holds {_MAX_ROWS:,} rows; write .csv or .parquet instead")
        self._count += 1
        record = to_dict(article, self._columns)
        for number, column in enumerate(self._columns):
            self._write_cell(number, column, record[column.name])
        self._statuses[article.status.value] += 1
        if article.status is Status.OK:
            self._bins[min(int(article.confidence * _BINS), _BINS - 1)] += 1

    def close(self) -> None:
        """Write the summary and the file."""
        if self._count:
            self._sheet.autofilter(0, 0, self._count, len(self._columns) - 1)
        for number, column in enumerate(self._columns):
            if column.type == NUMBER:
                self._color_column(number)
        self._write_summary()
        exceptions = import_extra("xlsxwriter.exceptions", "tables")
        try:
            self._book.close()
        except exceptions.FileCreateError as error:  # contains the OSError: the disk is full
            raise error.args[0] from None
        with self._path.open("rb") as book:
            shutil.copyfileobj(book, self._file)

    def _write_cell(self, number: int, column: Column, value: Any) -> None:
        sheet, row = self._sheet, self._count
        if column.type in (DATE_TIME, UTC_TIME) and value is not None:
            moment = datetime.fromisoformat(value).replace(tzinfo=None)  # Excel has no time zones
            if moment.year >= _FIRST_YEAR:
                sheet.write_datetime(row, number, moment, self._moment_format)
            else:
                sheet.write_string(row, number, moment.isoformat())
            return
        cell = _list_doubts(value) if column.type == DOUBTS else make_cell(value, column)
        if isinstance(cell, str):
            # Not `write`, which would make formulas and links of some texts.
            sheet.write_string(row, number, _cut(cell))
        elif cell is not None:
            sheet.write_number(row, number, cell, self._number_format if column.type == NUMBER else None)

    def _color_column(self, number: int) -> None:
        scale = {"type": "3_color_scale", "min_color": _RED, "mid_color": _YELLOW, "max_color": _GREEN}
        bounds = {
            f"{name}_{key}": value
            for name, at in (("min", 0), ("mid", 0.5), ("max", 1))
            for key, value in (("type", "num"), ("value", at))
        }
        self._sheet.conditional_format(1, number, max(self._count, 1), number, scale | bounds)

    def _write_summary(self) -> None:
        """Write a sheet with the number of pages by status, and a chart of the confidences of articles."""
        sheet = self._book.add_worksheet("summary")
        sheet.set_column(0, 0, 16)
        sheet.write_row(0, 0, ("status", "pages"), self._head_format)
        row = 1
        for status, count in self._statuses.most_common():
            sheet.write_row(row, 0, (status, count))
            row += 1
        first = row + 2
        sheet.write_row(first - 1, 0, ("confidence", "articles"), self._head_format)
        for number, count in enumerate(self._bins):
            sheet.write_row(first + number, 0, (f"{number / _BINS:.1f} to {(number + 1) / _BINS:.1f}", count))
        chart = self._book.add_chart({"type": "column"})
        last = first + _BINS - 1
        chart.add_series(
            {"categories": ["summary", first, 0, last, 0], "values": ["summary", first, 1, last, 1], "gap": 10}
        )
        chart.set_title({"name": "Articles (status ok) by confidence"})
        chart.set_legend({"none": True})
        sheet.insert_chart(0, 3, chart)


def _list_doubts(doubts: Sequence[Mapping[str, Any]]) -> str | None:
    """Write a line for each doubt: whether it is in the text, its score and its text."""
    places = {True: "in", False: "out"}
    return "\n".join(f"{places[doubt['is_kept']]} {doubt['score']:.2f} {doubt['text']}" for doubt in doubts) or None


def _cut(text: str) -> str:
    # Excel counts UTF-16 units.
    if len(text) * 2 <= _MAX_CELL_CHARS or len(text.encode("utf-16-le")) // 2 <= _MAX_CELL_CHARS:
        return text
    units = text.encode("utf-16-le")[: 2 * (_MAX_CELL_CHARS - len(_CUT_MARK))]
    return units.decode("utf-16-le", "ignore") + _CUT_MARK
