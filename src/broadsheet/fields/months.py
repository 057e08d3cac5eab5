"""Names of months in the languages of the press: a small table in place of a large dependency."""

from __future__ import annotations

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
січня|січень лютого|лютий березня|березень квітня|квітень травня|травень червня|червень липня|липень серпня|серпень вересня|вересень жовтня|жовтень листопада|листопад грудня|грудень
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
ionawr chwefror mawrth ebrill mai mehefin gorffennaf awst medi hydref tachwedd rhagfyr
januar februar mäerz abrëll mee juni juli august september oktober november dezember
"""  # noqa: E501 - one language per line

MONTHS: dict[str, int] = {
    name.casefold(): month
    for language in reversed(_TABLE.strip().splitlines())  # where two languages differ, the upper one wins
    for month, names in enumerate(language.split(), 1)
    for name in names.split("|")
}
