from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.fields.written_dates import PartialDate, find_written_date, may_contain_date, read_partial_date

DAY = datetime(2021, 3, 14)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("14 March 2021", DAY),
        ("14 ಮಾರ್ಚ್ 2021", DAY),
        ("2021 മാർച്ച് 14", DAY),
        ("੧੪ ਮਾਰਚ ੨੦੨੧", DAY),
        ("2021 මාර්තු 14", DAY),
        ("၂၀၂၁ ခုနှစ် မတ်လ ၁၄ ရက်", DAY),
        ("ថ្ងៃទី១៤ ខែមីនា ឆ្នាំ២០២១", DAY),
        ("ວັນທີ 14 ມີນາ 2021", DAY),
        ("14 Márta 2021", DAY),
        ("14 Meán Fómhair 2021", datetime(2021, 9, 14)),
        ("14 бер. 2021", DAY),
        ("14 лист 2021", datetime(2021, 11, 14)),
        ("20210314", DAY),
        ("Posted 20210314", DAY),
        ("Order 20210314.5", None),
        ("۲۴ اسفند ۱۳۹۹", DAY),
        ("۱۳۹۹/۱۲/۲۴ ۱۰:۳۰", datetime(2021, 3, 14, 10, 30)),
        ("5 رمضان 1445 هـ", datetime(2024, 3, 15)),
        ("14 مارس 2021 الموافق 30 رجب 1442", DAY),
        ("令和3年3月14日", DAY),
        ("令和元年5月1日", datetime(2019, 5, 1)),
        ("民國110年3月14日", DAY),
        ("二〇二一年三月十四日", DAY),
        ("二〇二一年十二月三十一日", datetime(2021, 12, 31)),
        ("二〇二一年十三月一日", None),
        ("Sunday 14th March 2021", DAY),
        ("Published on March 14, 2021 by someone", DAY),
        ("Mar. 14, 2021", DAY),
        ("May 27,2021", datetime(2021, 5, 27)),
        ("14-Mar-2021", DAY),
        ("14. März 2021", DAY),
        ("14 de marzo de 2021", DAY),
        ("1er mars 2021", datetime(2021, 3, 1)),
        ("14 марта 2021", DAY),
        ("14 marca 2021", DAY),
        ("14 Mart 2021", DAY),
        ("14 มีนาคม 2564", DAY),
        ("14 มี.ค. 2564", DAY),
        ("2021年3月14日", DAY),
        ("١٤ مارس ٢٠٢١", DAY),
        ("14\u200f/3\u200f/2021", DAY),
        ("১৪ মার্চ ২০২১", DAY),
        ("14 მარტი 2021", DAY),
        ("14 mawrth 2021", DAY),
        ("2021년 3월 14일", DAY),
        ("14 مارس 2021", DAY),
        ("2021. 3. 14", DAY),
        ("14/03/2021", DAY),
        ("03/14/2021", DAY),
        ("14.03.21", DAY),
        ("14 March 2021, 9:05 pm", datetime(2021, 3, 14, 21, 5)),
        ("14.03.2021 um 21:05 Uhr", datetime(2021, 3, 14, 21, 5)),
        ("2021-03-14 21:05", datetime(2021, 3, 14, 21, 5)),
        ("Creada:14-03-2021", DAY),
        ("Madrid-14/03/2021 20:00", datetime(2021, 3, 14, 20)),
        ("14.03.202121:05", DAY),
        ("14/Mar/2021", DAY),
        ("2021. március 14.", DAY),
        ("2021 m. kovo 14 d.", DAY),
        ("•March 14, 2021", DAY),
        ("[March 14, 2021] [#]", DAY),
        ("14 de marzo de 202111:35 pm", DAY),
        ("14 марта ‘21 13:12", datetime(2021, 3, 14, 13, 12)),
        ("14 มี.ค. 64 440 ครั้ง", DAY),
        ("14 tháng 3, 2021", DAY),
        ("Ngày 14 tháng 3 năm 2021", DAY),
        ("updated 14 March 2021, first 13 March 2021", DAY),
        ("31 February 2021", None),
        ("14 people 2021", None),
        ("version 1.2.2021.5", None),
        ("March 2021", None),
        ("", None),
    ],
)
def test_find_written_date(text: str, moment: datetime | None) -> None:
    assert find_written_date(text) == moment
    assert may_contain_date(text) or not moment


@pytest.mark.parametrize("text", ["", "Moon", "12 moons of 365 days", "Room 3.4", "’til 9"])
def test_most_texts_cannot_contain_a_date(text: str) -> None:
    assert not may_contain_date(text)


def test_month_first() -> None:
    assert find_written_date("03/04/2021", is_month_first=True) == datetime(2021, 3, 4)
    assert find_written_date("03.04.2021", is_month_first=True) == datetime(2021, 4, 3)


@given(
    st.text(max_size=60)
    | st.text("0123456789+-:/., \u5e74\u6708\u0663\u00b2", max_size=60)
    | st.from_regex(r"[0-9]{1,2}[ ./-](Mar|[0-9]{1,2})[ ./-](19|20|25)?[0-9]{2} [0-9:apmZ+-]{0,20}", fullmatch=True),
    st.booleans(),
)
def test_any_text_is_accepted(text: str, is_month_first: bool) -> None:
    moment = find_written_date(text, is_month_first=is_month_first)
    assert moment is None or 1857 <= moment.year <= 2099  # 2400 in the Thai calendar is 1857


@pytest.mark.parametrize(
    ("text", "day", "unit"),
    [
        ("2021-03", datetime(2021, 3, 1), "month"),
        ("2021/3", datetime(2021, 3, 1), "month"),
        ("March 2021", datetime(2021, 3, 1), "month"),
        ("marzo de 2021", datetime(2021, 3, 1), "month"),
        ("2021年3月", datetime(2021, 3, 1), "month"),
        ("2021", datetime(2021, 1, 1), "year"),
    ],
)
def test_months_and_years(text: str, day: datetime, unit: str) -> None:
    assert read_partial_date(text) == PartialDate(day, unit)


@pytest.mark.parametrize("text", ["", "Moon 2021", "14 March 2021", "2021-13", "20210"])
def test_other_texts_are_no_months(text: str) -> None:
    assert read_partial_date(text) is None
