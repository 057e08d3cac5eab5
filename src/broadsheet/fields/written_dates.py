"""Dates as people write them: 14 March 2021, March 14, 2021, 14.03.2021, 2021年3月14日.

`calendars.py` reads dates of other calendars.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import NamedTuple

from broadsheet.fields.calendars import find_calendar_day
from broadsheet.text import compile_later

_MAX_CHARS = 500

_YEAR = r"(?<!\d)((?:19|20|25)\d\d)"
# Not 10.1101/2021.07.10.451798, which is a DOI.
_YEAR_FIRST = compile_later(_YEAR + r"\s?[-/.年년]\s?(\d{1,2})\s?[-/.月월]\s?(\d{1,2})(?!\d|\.\d{3})")
# The time may follow the year without a space: 14.03.202121:05.
_YEAR_LAST = compile_later(
    r"(?<!\d)(?<!\d[.,/:-])(\d{1,2})\s?([-/.])\s?(\d{1,2})\s?\2\s?"
    r"((?:19|20|25)\d\d(?=[0-2]\d:[0-5]\d)|(?:(?:19|20|25)\d\d|\d\d)(?![\d.,/:-]\d|\d))"
)
_NON_NAME_CHARS = r"\s\d,/|()\-:;\[\]•·・–—*“”\"\ue000-\uf8ff"  # the last range: icons of private fonts
_MONTH_NAME = rf"([^{_NON_NAME_CHARS}]{{2,16}})"
_YEAR_END = r"(?=\d{1,2}:\d\d|(?!\d))"  # the time may follow without a space: 14 March 202121:05
_DAY_FIRST = compile_later(
    r"(?<!\d)(\d{1,2})(?:\s?(?:st|nd|rd|th|er)\b|[.ºª°])?[\s\-/]{0,3}(?:(?:de|of|d[’'])\s?)?"
    + _MONTH_NAME
    + r"[,،၊]?[\s\-/]{0,3}"
    r"(?:(?:de|del)\s)?((?:19|20|25)\d\d|[‘’']\d\d(?!\d))" + _YEAR_END
)
_MONTH_FIRST = compile_later(
    rf"(?<![^{_NON_NAME_CHARS}])"
    + _MONTH_NAME
    + r"[\s\-]{0,3}(\d{1,2})(?:\s?(?:st|nd|rd|th)\b)?(?:[.,،၊]\s{0,3}|[\s\-]{1,3})((?:19|20)\d\d)"
    + _YEAR_END
)
_NAMED_YEAR_FIRST = compile_later(
    _YEAR + r"(?:[.,\s-]|\sm\.|\.\sgada){1,3}\s?" + _MONTH_NAME + r"[\s-](\d{1,2})(?!\d)"
)  # 2021. március 14.
_VIETNAMESE = compile_later(
    r"(?<!\d)(\d{1,2})\stháng\s(\d{1,2}),?\s(?:năm\s)?((?:19|20)\d\d)(?!\d)", re.IGNORECASE
)  # 14 tháng 3 năm 2021
_THAI = compile_later(r"(?<!\d)(\d{1,2})\s?([\u0e00-\u0e7f.]{3,12})\s?(\d\d)(?![\d:])")  # 14 มี.ค. 64
# Mar 14 21:05:00 UTC 2021
_PROGRAM_OUTPUT = compile_later(r"([A-Z][a-z]{2}) (\d{1,2}) \d\d:\d\d:\d\d (?:[A-Z]{2,5} )?((?:19|20)\d\d)$")
_TIME = compile_later(
    r"[^\d]{1,16}?(?<!\d)([01]?\d|2[0-3])[:.h]([0-5]\d)(?![\d.]\d)(?::([0-5]\d))?\s?([ap]\.?m)?"
    r"\s?(?:(Z|UTC|GMT)?([+-]\d\d:?\d\d)?)",
    re.IGNORECASE,
)
# The digits zero of other scripts: Arabic, Persian, Devanagari, Bengali, Gurmukhi, Gujarati, Tamil, Telugu, Kannada,
# Malayalam, Thai, Lao, Burmese, Khmer, and wide digits.
_ZEROS = (
    *(0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xBE6, 0xC66, 0xCE6, 0xD66),
    *(0xE50, 0xED0, 0x1040, 0x17E0, 0xFF10),
)
# Removes marks of writing direction; replaces digits of other scripts by ASCII digits.
_TRANSLATION: dict[int, str | None] = {
    **dict.fromkeys(map(ord, "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e"), None),
    **{zero + digit: str(digit) for zero in _ZEROS for digit in range(10)},
}
_THAI_YEAR_OFFSET = 543  # years that the Thai calendar is ahead
_MIN_THAI_YEAR = 2400
# A year of four digits; a date in numbers; a short year after an apostrophe; a day before a Thai month. All begin with
# a digit, which makes the search fast.
_DATE_HINT = compile_later(
    r"\d(?:\d\d\d|\d?\s?[-/.]\s?\d\d?\s?[-/.]\s?\d\d|\D{1,20}[‘’']\d\d|\d?\s?[\u0e00-\u0e7f])", re.ASCII
)
# The characters that `_TRANSLATION` replaces.
_TRANSLATED_CHAR = compile_later(
    f"[{''.join(f'{chr(zero)}-{chr(zero + 9)}' for zero in _ZEROS)}\u200e\u200f\u061c\u202a-\u202e]"
    "|[〇零○一二三四五六七八九]{4}\\s?年|令和|平成|昭和|大正|民[國国]"  # years in Chinese numerals, and of eras
)
# Words for day, month and year around their names: ថ្ងៃទី១៤ ខែមីនា ឆ្នាំ២០២១.
_DATE_WORDS = compile_later("ថ្ងៃទី|ខែ|ឆ្នាំ|ວັນທີ|ເດືອນ|ປີ|ခုနှစ်|ရက်")
_IRISH_MONTH = compile_later(r"\b(Meán|Deireadh)\s(Fómhair)", re.IGNORECASE)
_COMPACT = compile_later(r"(?<![\d.,/-])((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?![\d.,/-]?\d)")
_MAX_COMPACT_CHARS = 40  # of a line with 20240316; in longer ones, eight digits are mostly something else
# One language per line, January to December. Forms of a month (as used in dates, and abbreviations) separated by bars.
_TABLE = """
january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sep|sept october|oct november|nov december|dec
januar|jänner|jan februar|feb märz|mär|mrz april|apr mai juni|jun juli|jul august|aug september|sep|sept oktober|okt november|nov dezember|dez
januari|jan februari|feb maart|mrt april|apr mei juni|jun juli|jul augustus|aug september|sep oktober|okt november|nov december|dec
janvier|janv|jan février|fevrier|févr|fév mars avril|avr mai juin juillet|juil août|aout septembre|sept octobre|oct novembre|nov décembre|decembre|déc
enero|ene febrero|feb marzo|mar abril|abr mayo|may junio|jun julio|jul agosto|ago septiembre|setiembre|sep|sept octubre|oct noviembre|nov diciembre|dic
gennaio|gen febbraio|feb marzo|mar aprile|apr maggio|mag giugno|giu luglio|lug agosto|ago settembre|set|sett ottobre|ott novembre|nov dicembre|dic
janeiro|jan fevereiro|fev março|marco|mar abril|abr maio|mai junho|jun julho|jul agosto|ago setembro|set outubro|out novembro|nov dezembro|dez
gener febrer març abril maig juny juliol agost setembre octubre novembre desembre
ianuarie|ian februarie|feb martie|mar aprilie|apr mai iunie|iun iulie|iul august|aug septembrie|sept octombrie|oct noiembrie|nov decembrie|dec
januari|jan februari|feb mars|mar april|apr maj juni|jun juli|jul augusti|aug september|sep oktober|okt november|nov december|dec
januar|jan februar|feb marts|mars|mar april|apr maj|mai juni|jun juli|jul august|aug september|sep oktober|okt november|nov desember|des
janúar|jan febrúar|feb mars|mar apríl|apr maí júní|jún júlí|júl ágúst|ágú september|sep október|okt nóvember|nóv desember|des
tammikuuta|tammikuu helmikuuta|helmikuu maaliskuuta|maaliskuu huhtikuuta|huhtikuu toukokuuta|toukokuu kesäkuuta|kesäkuu heinäkuuta|heinäkuu elokuuta|elokuu syyskuuta|syyskuu lokakuuta|lokakuu marraskuuta|marraskuu joulukuuta|joulukuu
jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember
sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio gruodžio
janvāris|janvārī februāris|februārī marts|martā aprīlis|aprīlī maijs|maijā jūnijs|jūnijā jūlijs|jūlijā augusts|augustā septembris|septembrī oktobris|oktobrī novembris|novembrī decembris|decembrī
stycznia|styczeń|sty lutego|luty|lut marca|marzec|mar kwietnia|kwiecień|kwi maja|maj czerwca|czerwiec|cze lipca|lipiec|lip sierpnia|sierpień|sie września|wrzesień|wrz października|październik|paź listopada|listopad|lis grudnia|grudzień|gru
ledna|leden února|únor března|březen dubna|duben května|květen června|červen července|červenec srpna|srpen září října|říjen listopadu prosince|prosinec
januára|január februára|február marca|marec apríla|apríl mája|máj júna|jún júla|júl augusta|august septembra|september októbra|október novembra|november decembra|december
január|jan február|febr március|márc április|ápr május|máj június|jún július|júl augusztus|aug szeptember|szept október|okt november|nov december|dec
januara|januarja|januar februara|februarja|februar marta|marca|mart aprila|april maja|maj juna|junija|jun jula|julija|jul avgusta|avgust septembra|septembar oktobra|oktobar novembra|novembar decembra|decembar
siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga|studenog prosinca
января|январь|янв февраля|февраль|фев|февр марта|март|мар апреля|апрель|апр мая|май июня|июнь|июн июля|июль|июл августа|август|авг сентября|сентябрь|сен|сент октября|октябрь|окт ноября|ноябрь|ноя декабря|декабрь|дек
січня|січень|січ лютого|лютий|лют березня|березень|бер квітня|квітень|квіт|кві травня|травень|трав|тра червня|червень|черв|чер липня|липень|лип серпня|серпень|серп|сер вересня|вересень|верес|вер жовтня|жовтень|жовт|жов листопада|листопад|лист|лис грудня|грудень|груд|гру
януари февруари март април май юни юли август септември октомври ноември декември
јануар фебруар март април мај јун јул август септембар октобар новембар децембар
ocak|oca şubat|şub mart|mar nisan|nis mayıs|may haziran|haz temmuz|tem ağustos|ağu eylül|eyl ekim|eki kasım|kas aralık|ara
ιανουαρίου|ιανουάριος|ιαν φεβρουαρίου|φεβρουάριος|φεβ μαρτίου|μάρτιος|μαρ απριλίου|απρίλιος|απρ μαΐου|μάιος|μαϊ|μαΐ ιουνίου|ιούνιος|ιουν ιουλίου|ιούλιος|ιουλ αυγούστου|αύγουστος|αυγ σεπτεμβρίου|σεπτέμβριος|σεπ|σεπτ οκτωβρίου|οκτώβριος|οκτ νοεμβρίου|νοέμβριος|νοε δεκεμβρίου|δεκέμβριος|δεκ
januari|jan februari|feb maret|mar|mac april|apr mei juni|jun juli|julai|jul agustus|ogos|agu september|sep oktober|okt november|nov desember|disember|des
มกราคม|ม.ค กุมภาพันธ์|ก.พ มีนาคม|มี.ค เมษายน|เม.ย พฤษภาคม|พ.ค มิถุนายน|มิ.ย กรกฎาคม|ก.ค สิงหาคม|ส.ค กันยายน|ก.ย ตุลาคม|ต.ค พฤศจิกายน|พ.ย ธันวาคม|ธ.ค
يناير فبراير مارس أبريل|ابريل|إبريل مايو يونيو يوليو أغسطس|اغسطس سبتمبر أكتوبر|اكتوبر نوفمبر ديسمبر
ינואר|בינואר פברואר|בפברואר מרץ|במרץ אפריל|באפריל מאי|במאי יוני|ביוני יולי|ביולי אוגוסט|באוגוסט ספטמבר|בספטמבר אוקטובר|באוקטובר נובמבר|בנובמבר דצמבר|בדצמבר
जनवरी|जन फरवरी|फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर|सितम्बर अक्टूबर|अक्तूबर नवंबर|नवम्बर दिसंबर|दिसम्बर
জানুয়ারি|জানুয়ারী ফেব্রুয়ারি|ফেব্রুয়ারী মার্চ এপ্রিল মে জুন জুলাই আগস্ট সেপ্টেম্বর অক্টোবর নভেম্বর ডিসেম্বর
ژانویه فوریه مارس آوریل مه ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر
جانفي فيفري مارس أفريل ماي جوان جويلية أوت سبتمبر أكتوبر نوفمبر ديسمبر
جنوری فروری مارچ اپریل مئی جون جولائی اگست ستمبر اکتوبر نومبر دسمبر
जानेवारी फेब्रुवारी मार्च एप्रिल मे जून जुलै ऑगस्ट सप्टेंबर ऑक्टोबर नोव्हेंबर डिसेंबर
જાન્યુઆરી ફેબ્રુઆરી માર્ચ એપ્રિલ મે જૂન જુલાઈ ઑગસ્ટ|ઓગસ્ટ સપ્ટેમ્બર ઑક્ટોબર|ઓક્ટોબર નવેમ્બર ડિસેમ્બર
ஜனவரி பிப்ரவரி மார்ச் ஏப்ரல் மே ஜூன் ஜூலை ஆகஸ்ட் செப்டம்பர் அக்டோபர் நவம்பர் டிசம்பர்
జనవరి ఫిబ్రవరి మార్చి ఏప్రిల్ మే జూన్ జూలై ఆగస్టు సెప్టెంబర్ అక్టోబర్ నవంబర్ డిసెంబర్
јануари февруари март април мај јуни јули август септември октомври ноември декември
студзеня лютага сакавіка красавіка мая|траўня чэрвеня ліпеня жніўня верасня кастрычніка лістапада снежня
қаңтар ақпан наурыз сәуір мамыр маусым шілде тамыз қыркүйек қазан қараша желтоқсан
იანვარი|იანვარს თებერვალი|თებერვალს მარტი|მარტს აპრილი|აპრილს მაისი|მაისს ივნისი|ივნისს ივლისი|ივლისს აგვისტო|აგვისტოს სექტემბერი|სექტემბერს ოქტომბერი|ოქტომბერს ნოემბერი|ნოემბერს დეკემბერი|დეკემბერს
հունվարի|հունվար փետրվարի|փետրվար մարտի|մարտ ապրիլի|ապրիլ մայիսի|մայիս հունիսի|հունիս հուլիսի|հուլիս օգոստոսի|օգոստոս սեպտեմբերի|սեպտեմբեր հոկտեմբերի|հոկտեմբեր նոյեմբերի|նոյեմբեր դեկտեմբերի|դեկտեմբեր
yanvar fevral mart aprel may iyun iyul avqust|avgust sentyabr|sentabr oktyabr|oktabr noyabr dekabr
januarie februarie maart april mei junie julie augustus september oktober november desember
januari februari machi aprili mei juni julai agosti septemba oktoba novemba desemba
enero pebrero marso abril mayo hunyo hulyo agosto setyembre oktubre nobyembre disyembre
xaneiro febreiro marzo abril maio xuño xullo agosto setembro outubro novembro decembro
urtarrila|urtarrilaren otsaila|otsailaren martxoa|martxoaren apirila|apirilaren maiatza|maiatzaren ekaina|ekainaren uztaila|uztailaren abuztua|abuztuaren iraila|irailaren urria|urriaren azaroa|azaroaren abendua|abenduaren
janar shkurt mars prill maj qershor korrik gusht shtator tetor nëntor dhjetor
ಜನವರಿ ಫೆಬ್ರವರಿ|ಫೆಬ್ರುವರಿ ಮಾರ್ಚ್|ಮಾರ್ಚ ಏಪ್ರಿಲ್|ಎಪ್ರಿಲ್ ಮೇ ಜೂನ್ ಜುಲೈ ಆಗಸ್ಟ್|ಆಗಸ್ಟ ಸೆಪ್ಟೆಂಬರ್|ಸೆಪ್ಟಂಬರ್ ಅಕ್ಟೋಬರ್ ನವೆಂಬರ್ ಡಿಸೆಂಬರ್
ജനുവരി|ജനു ഫെബ്രുവരി|ഫെബ്രു മാർച്ച്|മാര്‍ച്ച് ഏപ്രിൽ|ഏപ്രില്‍ മേയ്|മെയ് ജൂൺ|ജൂണ്‍ ജൂലൈ|ജൂലായ് ഓഗസ്റ്റ്|ആഗസ്റ്റ് സെപ്റ്റംബർ|സെപ്തംബർ|സെപ്റ്റംബര്‍ ഒക്ടോബർ|ഒക്ടോബര്‍ നവംബർ|നവംബര്‍ ഡിസംബർ|ഡിസംബര്‍
ਜਨਵਰੀ ਫ਼ਰਵਰੀ|ਫਰਵਰੀ ਮਾਰਚ ਅਪ੍ਰੈਲ ਮਈ ਜੂਨ ਜੁਲਾਈ ਅਗਸਤ ਸਤੰਬਰ ਅਕਤੂਬਰ ਨਵੰਬਰ ਦਸੰਬਰ
ජනවාරි පෙබරවාරි මාර්තු අප්‍රේල්|අප්රේල් මැයි ජූනි|ජුනි ජූලි|ජුලි අගෝස්තු සැප්තැම්බර් ඔක්තෝබර් නොවැම්බර් දෙසැම්බර්
ဇန်နဝါရီ|ဇန်နဝါရီလ ဖေဖော်ဝါရီ|ဖေဖော်ဝါရီလ မတ်|မတ်လ ဧပြီ|ဧပြီလ မေ|မေလ ဇွန်|ဇွန်လ ဇူလိုင်|ဇူလိုင်လ ဩဂုတ်|သြဂုတ်|ဩဂုတ်လ|သြဂုတ်လ စက်တင်ဘာ|စက်တင်ဘာလ အောက်တိုဘာ|အောက်တိုဘာလ နိုဝင်ဘာ|နိုဝင်ဘာလ ဒီဇင်ဘာ|ဒီဇင်ဘာလ
មករា កុម្ភៈ|កុម្ភះ មីនា មេសា ឧសភា មិថុនា កក្កដា សីហា កញ្ញា តុលា វិច្ឆិកា ធ្នូ
ມັງກອນ ກຸມພາ ມີນາ ເມສາ ພຶດສະພາ ມິຖຸນາ ກໍລະກົດ ສິງຫາ ກັນຍາ ຕຸລາ ພະຈິກ ທັນວາ
eanáir|ean feabhra|feabh márta|már aibreán|aib bealtaine|beal meitheamh|meith iúil lúnasa|lún meánfómhair|mfómh deireadhfómhair|dfómh samhain|samh nollaig|noll
ionawr chwefror mawrth ebrill mai mehefin gorffennaf awst medi hydref tachwedd rhagfyr
januar februar mäerz abrëll mee juni juli august september oktober november dezember
"""  # noqa: E501 - one language per line

MONTHS: dict[str, int] = {
    name.casefold(): month
    for language in reversed(_TABLE.strip().splitlines())  # where two languages differ, the upper one wins
    for month, names in enumerate(language.split(), 1)
    for name in names.split("|")
}


def may_contain_date(text: str) -> bool:
    """Check quickly whether a text can contain a date; most cannot."""
    return _DATE_HINT.search(text) is not None or (not text.isascii() and _TRANSLATED_CHAR.search(text) is not None)


@lru_cache(1024)  # the dates of comments are read several times
def find_written_date(text: str, *, is_month_first: bool = False) -> datetime | None:
    """Find the first date in a short text, with its time if that follows.

    `is_month_first` reads 03/04/2021 as the fourth of March.
    """
    text = text[:_MAX_CHARS]
    other = None
    if not text.isascii():
        text = _IRISH_MONTH.sub(r"\1\2", _DATE_WORDS.sub(" ", text.translate(_TRANSLATION)))
        other = find_calendar_day(text)
    if not other and not _DATE_HINT.search(text):
        return None
    matches = (
        _match_named(text),
        _match_year_first(text),
        _match_year_last(text, is_month_first),
        None if text.isascii() else _match_vietnamese(text),
        _match_compact(text),
    )
    if other and not any(matches):  # a date of our calendar beside it is exact
        return _add_time(other.day, text, other.stop)
    first = min(filter(None, matches), key=lambda match: match.start, default=None)
    return _add_time(first.day, text, first.stop) if first else None


class _Match(NamedTuple):
    """A day, and where it is in the text."""

    start: int
    stop: int
    day: datetime


class _NamedForm(NamedTuple):
    """A form of date with the name of a month, and the groups of its pattern."""

    pattern: re.Pattern[str]
    day: int
    month: int
    year: int


_NAMED_FORMS = (
    _NamedForm(_DAY_FIRST, day=1, month=2, year=3),
    _NamedForm(_MONTH_FIRST, day=2, month=1, year=3),
    _NamedForm(_NAMED_YEAR_FIRST, day=3, month=2, year=1),
    _NamedForm(_THAI, day=1, month=2, year=3),
    _NamedForm(_PROGRAM_OUTPUT, day=2, month=1, year=3),
)

_ASCII_FORMS = tuple(form for form in _NAMED_FORMS if form.pattern is not _THAI)


def _match_named(text: str) -> _Match | None:
    for form in _ASCII_FORMS if text.isascii() else _NAMED_FORMS:
        for match in form.pattern.finditer(text):
            name = match[form.month].casefold()
            month = MONTHS.get(name) or MONTHS.get(name.rstrip(".’'"))
            if month is None:
                continue
            year = _read_year(match[form.year], is_thai=form.pattern is _THAI)
            if day := _make_day(year, month, int(match[form.day])):
                return _Match(match.start(), match.end(), day)
    return None


def _match_vietnamese(text: str) -> _Match | None:
    match = _VIETNAMESE.search(text)
    day = _make_day(int(match[3]), int(match[2]), int(match[1])) if match else None
    return _Match(match.start(), match.end(), day) if match and day else None


def _match_year_first(text: str) -> _Match | None:
    for match in _YEAR_FIRST.finditer(text):
        if day := _make_day(int(match[1]), int(match[2]), int(match[3])):
            return _Match(match.start(), match.end(), day)
    return None


def _match_compact(text: str) -> _Match | None:
    match = _COMPACT.search(text) if len(text) <= _MAX_COMPACT_CHARS else None
    day = _make_day(int(match[1]), int(match[2]), int(match[3])) if match else None
    return _Match(match.start(), match.end(), day) if match and day else None


def _match_year_last(text: str, is_month_first: bool) -> _Match | None:
    for match in _YEAR_LAST.finditer(text):
        first, second, year = int(match[1]), int(match[3]), int(match[4])
        if len(match[4]) == 2:
            year += 2000
        is_swapped = is_month_first and match[2] == "/"  # countries that write dots put the day first
        day, month = (second, first) if is_swapped else (first, second)
        if month > 12 >= day:
            day, month = month, day
        if moment := _make_day(year, month, day):
            return _Match(match.start(), match.end(), moment)
    return None


def _read_year(text: str, *, is_thai: bool) -> int:
    if len(text) == 4:
        return int(text)
    return int(text[-2:]) + (2500 if is_thai else 2000)


def _make_day(year: int, month: int, day: int) -> datetime | None:
    if year >= _MIN_THAI_YEAR:
        year -= _THAI_YEAR_OFFSET
    try:
        return datetime(year, month, day)
    except ValueError:
        return None


def _add_time(day: datetime, text: str, stop: int) -> datetime:
    """Add the time that follows a date, if there is one."""
    match = _TIME.match(text, stop)
    if match is None:
        return day
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    if half := (match[4] or "").lower():
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    zone: timezone | None = UTC if match[5] else None
    if offset := match[6]:
        minutes = int(offset[1:3]) * 60 + int(offset[-2:])
        if minutes < 24 * 60:
            zone = timezone((-1 if offset[0] == "-" else 1) * timedelta(minutes=minutes))
    return day.replace(hour=hour, minute=minute, second=second, tzinfo=zone)


# Months and years without a day.

_ISO_MONTH = compile_later(r"((?:19|20)\d\d)[-/.](0?[1-9]|1[0-2])")
_YEAR_ONLY = compile_later(r"(?:19|20)\d\d")
_MONTH_AND_YEAR = compile_later(_MONTH_NAME + r"[.,]?\s(?:de\s)?((?:19|20)\d\d)")
_CJK_MONTH = compile_later(r"((?:19|20)\d\d)\s?[年년]\s?(\d{1,2})\s?[月월]")


class PartialDate(NamedTuple):
    """The first day of a month or a year."""

    day: datetime
    unit: str  # "month" or "year"


def read_partial_date(text: str) -> PartialDate | None:
    """Read a text that is only a month or a year: 2021-03, March 2021, 2021."""
    text = text.strip().translate(_TRANSLATION)
    if match := _ISO_MONTH.fullmatch(text) or _CJK_MONTH.fullmatch(text):
        day = _make_day(int(match[1]), int(match[2]), 1)
    elif match := _MONTH_AND_YEAR.fullmatch(text):
        month = MONTHS.get(match[1].casefold().rstrip(".")) or 0
        day = _make_day(int(match[2]), month, 1)
    else:
        year = _YEAR_ONLY.fullmatch(text)
        return PartialDate(datetime(int(text), 1, 1), "year") if year else None
    return PartialDate(day, "month") if day else None
