package language

import (
	"slices"
	"strings"
	"sync"
)

// functionWords are frequent words without content, by language. They are folded: in
// lower case and without accents. Many belong to several languages; a text in one of them
// has many words of its own language, and only some of the others. There are no letters among them, because notes are full of
// initials and codes.
var functionWords = map[Language]string{
	English: `the of and to in is was were are be been being has have had he she his her him they them their it its this that these those with
		without for from by on at as an or but not no if when while which who whom whose what where how than then there here about after before during
		between into over under up down out off again also any all both each few more most other some such only own same so very can could may might must
		shall should will would do does did done we our you your my me us because until through against per due since upon within likely noted denies
		reports states seen given patient history old year today left right`,
	Spanish: `el la los las lo un una unos unas de del al en que no si se su sus le les con sin por para como mas pero muy ya es son fue
		fueron era eran ser sido esta estan este esto estos estas ese esa eso hay ha han habia haber tiene tenia presenta refiere desde hasta entre sobre
		tras ante bajo segun cuando donde quien cual cuyo cuya tambien ademas asi mismo misma otro otra otros otras todo toda todos todas cada durante
		mediante aunque porque anos dias meses paciente acude realiza nos nuestro nuestra me mi yo te tu usted ni solo hace`,
	"pt": `os um uma uns umas do da dos das no na nos nas ao aos em ou que nao se seu sua seus suas com sem por para pelo pela como mais mas muito
		ja foi foram era ser sido esta estao este isso estes estas esse essa ha tem tinha apresenta refere desde ate entre sobre apos quando onde quem
		tambem alem assim mesmo mesma outro outra todo toda todos cada durante embora porque anos dias meses doente paciente utente nosso eu me ele ela eles`,
	"fr": `le la les un une des du de au aux et ou que qui ne pas se son sa ses leur leurs avec sans par pour comme plus mais tres est sont fut etait
		etaient etre ete ce cet cette ces il elle ils elles nous vous je on en dans sur sous entre chez depuis jusque apres avant pendant quand dont
		aussi ainsi meme autre autres tout toute tous chaque car patient patiente ans jours mois presente ont avait`,
	"it": `il lo la gli le un uno una di del della dello dei degli delle al alla allo ai alle da dal dalla in nel nella nei nelle su sul sulla con per
		tra fra che non si suo sua suoi loro come piu ma molto sono fu era erano essere stato stata questo questa questi quello ha hanno aveva
		presenta dopo prima durante quando dove chi anche cosi stesso altro altri tutto tutti ogni perche anni giorni mesi paziente`,
	"ca": `el la els les un una uns unes de del dels al als en que no es si seu seva seus amb sense per com mes pero molt ja son va van era ser
		estat esta aquest aquesta aquests aquell hi ha han havia te tenia presenta refereix des fins entre sobre despres quan on qui tambe mateix altre
		altres tot tota tots cada durant perque anys dies mesos pacient`,
	"de": `der die das den dem des ein eine einer eines einem einen und oder aber nicht kein keine ist sind war waren sein gewesen wird wurde wurden
		werden hat haben hatte er sie es ihr ihre ihrer wir ich mit ohne fur von vom zu zum zur bei beim in im an am auf aus nach vor uber unter zwischen
		durch gegen seit bis als wie wenn dass auch noch nur mehr sehr dieser diese dieses jeder alle andere patient patientin jahre tage`,
	"nl": `de het een en of maar niet geen is zijn was waren worden wordt werd heeft hebben had hij zij haar hun wij ik met zonder voor van naar bij in
		aan op uit na over onder tussen door tegen sinds tot als dan wanneer dat die dit deze ook nog alleen meer zeer alle andere patiente jaar dagen te er`,
}

// rareWords are those of the languages that are rare, which also contain frequent words of notes, because words without content are few in some of them.
var rareWords = map[Language]string{
	"pl": `nie jest sie przez oraz dla jako ktory ktora bez byl byla zostal zostala jego jej po od przed przy tym tego ale lub roku pacjent pacjentka pacjenta
		leczenie bolu ze przyjeta przyjety corka wizyta oddziale
		lekarz lekarza jak stan domu zglasza badania kontrola szpitala szpital tygodniu do to`,
	"cs": `se je ze pro jako ktery ktera bez byl byla bylo byly pri nebo ale jeho jeji jsou od po dnu pacient pacientka nemocnice bolesti lekar roku kvuli manzel
		dcera jeste neni nema dne manzelkou prisel prisla tyden do to si`,
	"sk": `sa je zo ako ktory ktora bez bol bola boli pri alebo ale jeho jej su tiez od po rokov pacient pacientka nemocnice bolesti lekar roku kvoli manzel
		dcera nie nema do to si`,
	"hr": `je se su nije koji koja kao bez bio bila bilo zbog ili ali njegov njezin njen nakon prije kod od iz sa sto da godina godine dana pacijent pacijentica
		pacijentkinja bolova bolnici lekar lijecnik takodje takoder supruga kcerka do`,
	"sl": `je se so ki kot brez bil bila bilo zaradi ali pri njegov njen od iz sta bolnik bolnica bolecine zdravnik leta tudi njegova zena hci ima do`,
	"ro": `este nu din la cu pe pentru fost fara sau lui sa sunt mai dupa prin catre acest aceasta ani zile luni pacientul pacienta pacientei durere durata
		spital sotia fiica medicul prezinta internat internata trei peste de se un`,
	"hu": `az egy es nem hogy is volt meg mert vagy amely nelkul miatt utan elott szerint alatt majd eves napja beteg betegnek kezeles fajdalom korhaz orvos
		felesege lanya panaszai panasza korhazba het ferfi`,
	"fi": `ja ei on oli hanen hanella etta mutta kun joka myos tai sita kanssa ilman jalkeen ennen olla ollut potilas potilaan potilaalla vuotta paivaa hoito
		kipu kipua sairaala laakari vaimonsa tyttarensa`,
	"sv": `och att det som pa ar av for den en inte har hade om men var vid efter under utan eller hon hans hennes sin sitt fran mot blev kom dagar manader
		patienten smarta sjukhuset fru dotter lakare kliniken ingen de man`,
	"da": `og at det som pa er af for den til en ikke har havde om et men var ved efter under uden eller hun hans hendes sin fra blev kom dage ar maneder
		patienten smerter sygehuset kone datter laege klinikken ingen de`,
	"no": `og at det som pa er av for den til en ikke har hadde om et men var ved etter under uten eller hun hans hennes sin sitt fra mot ble kom dager ar
		maneder pasienten smerter sykehuset kone datter lege klinikken ingen de`,
	"lt": `ir yra kad buvo nuo iki bet ar apie kuris kuri jis ji po prie taip dienas metu metai pacientas pacientei skausmas ligonine gydytojas zmona dukra tai`,
	"sq": `dhe eshte ne nje nga me te qe nuk ka kishte ose pa tij saj kjo ky gjate vjec vjet dite pacienti pacientja dhimbje spital mjeku gruaja vajza jane ishte
		se`,
	"tr": `ve bir bu ile icin olan olarak degil daha cok gibi kadar sonra var yok oldu oldugu edildi verildi yapildi hastanin hastane doktor agrisi yasinda gun
		yil tarihinde kizi geldi sikayeti nedeniyle de`,
	"vi": `va cua khong duoc benh nguoi voi nhung mot ngay tuoi thuoc bi da chong sau truoc ong khi nay la co kham uong nhap nhieu cung ve`,
	"tl": `ang ng sa mga ay na at siya niya kanyang kaniyang ako hindi kay ito dahil nang noong pasyente lalaki babae taong gulang wala walang araw din rin lang
		kung ospital doktor asawa anak sumasakit may si ni`,
	"id": `yang dan di dengan untuk tidak dari pada ini itu ke dalam adalah oleh akan sudah telah atau karena kerana pasien pesakit tahun hari bulan sakit nyeri
		rumah dokter doktor istri isteri anaknya sejak datang tanpa`,
	"sw": `na wa kwa katika hii huyu yake lakini kama bila alikuwa hana baada kabla miaka siku mgonjwa maumivu hospitali daktari mke wake binti mume bado pia
		alikuja`,
	"so": `oo waa iyo ka ku ee ah in uu ay waxa waxaa wuxuu waxay aan leh lahayn laakiin sidoo bukaanka xanuun maalmood sanno dhakhtarka isbitaalka xaaskiisa
		gabadhiisa kadib kale loo jir maalin ayaa`,
	"ht": `ki ak nan pou pa li yon gen pat sou men tou apre avan depi paske doule dokte lopital pasyan pasyant ane jou madanm pitit mwen nou fe la de`,
	"eu": `da ez du bat izan zen dira dute ere baina edo duela ditu zuen egin gabe arte urteko urte egun gaixoa gaixoak mina ospitalean medikuak bere emaztea
		alaba egunetan zaio joan
		urteko emakumea gizona hiru barru`,
	"gl": `unha dun dunha non sen foi foron moi xa ata sobre cando onde quen tamen mesmo mesma outra outro anos meses dias desde despois seu sua seus suas polo
		pola polos polas ao aos co coa cos no na nos nas do da dos das os as que con por para como presenta paciente doente muller fillo filla dor febre peito
		dous acode ten tina hai se te es era ser sido este esta mais pero tras entre durante de la un en al si`,
	"cy":  `yn yr mae ac ei gan wedi oedd nid ond gyda heb neu ar fod hi ef am hwn hon dydd blwydd oed poen ysbyty meddyg claf gwraig merch cafodd dim yw rhag ers`,
	"ga":  `agus an na bhi ar leis sa ag go ach gan tar eis ata othar pian laethanta bliain dochtuir ospideal bhean inion raibh fuair le is`,
	"hmn": `thiab tsis nws yog muaj rau hauv tau ntawm tus neeg mob nyob hnub xyoo kws kho tsev koj kuv lawv ib cov uas tom qab ua`,
}

// A set has the bit 1 << i for each language i of languages.
type set uint64

// has reports whether a language, by its index in languages, is in a set.
func (s set) has(l int) bool { return s>>l&1 == 1 }

// ours are English and Spanish.
const ours set = 3

// languagesOf returns the languages of each function word.
var languagesOf = sync.OnceValue(func() map[string]set {
	of := make(map[string]set, 1600)
	for _, words := range []map[Language]string{functionWords, rareWords} {
		for l, all := range words {
			i := slices.Index(languages, l)
			for w := range strings.FieldsSeq(all) {
				of[w] |= 1 << i
			}
		}
	}
	return of
})
