package safetynet

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/fold"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/deid/surrogate"
)

// This file finds names in English sentences that have no label, title or age beside them, which is where networks overlook the most frequent names: should John Smith get a statin;
// Delgado's EKG shows afib; Check Williams lytes. It also finds employers before a word for those who work there: a Boeing employee.

// PlainNames returns the names of persons of an English text that are a known first name and a known surname, that own something such as an EKG or a wife, or that stand beside a task of a
// sign-out, and the names of employers. The spans have the types PATIENT, DOCTOR and ORGANIZATION.
func PlainNames(text string) (found []data.Span) {
	for at := 0; at < len(text); {
		if b := text[at]; b < utf8.RuneSelf && !isUpper(b) {
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		if !unicode.IsUpper(r) || at > 0 && !beginsName(lastRune(text[:at])) {
			at += size
			continue
		}
		run := runOf(text, at)
		found = append(found, namesIn(run)...)
		at = run.words[len(run.words)-1].end
	}
	return data.Flatten(append(found, signOuts(text)...))
}

// beginsName reports whether a name may begin behind a character.
func beginsName(before rune) bool {
	return unicode.IsSpace(before) || strings.ContainsRune("(\"“'‘[{:;,/|*•>-–—?!", before)
}

// nameRun is a sequence of words with a capital between which there are single blanks.
type nameRun struct {
	text  string
	words []cell
}

// maxRun is the maximum number of words of a run.
const maxRun = 8

// runOf returns the run that begins at a position.
func runOf(text string, at int) nameRun {
	r := nameRun{text: text}
	for len(r.words) < maxRun {
		end := at + lengthOfName(text[at:])
		r.words = append(r.words, cell{at, end})
		next := end
		if end-at == 1 && strings.HasPrefix(text[end:], ".") { // an initial
			next++
		}
		if !strings.HasPrefix(text[next:], " ") || !unicode.IsUpper(firstRune(text[next+1:])) {
			break
		}
		at = next + 1
	}
	return r
}

// lengthOfName returns how many bytes the word at the beginning of a text has, which may contain hyphens and apostrophes before capitals: O'Brien-Lund.
func lengthOfName(text string) int {
	for i, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsMark(r):
		case strings.ContainsRune("-'’", r) && i > 0 && unicode.IsUpper(firstRune(text[i+utf8.RuneLen(r):])):
		default:
			return max(i, 1)
		}
	}
	return len(text)
}

func (r nameRun) word(i int) string { return r.text[r.words[i].start:r.words[i].end] }

// between returns the words from i to k.
func (r nameRun) between(i, k int) (words []string) {
	for ; i <= k; i++ {
		words = append(words, r.word(i))
	}
	return words
}

// before and after return the text on the same line before word i and behind it.
func (r nameRun) before(i int) string {
	left := lastBytes(r.text[:r.words[i].start], maxFullName)
	return left[strings.LastIndexByte(left, '\n')+1:]
}

func (r nameRun) after(i int) string {
	right, _, _ := strings.Cut(firstBytes(r.text[r.words[i].end:], maxFullName), "\n")
	return right
}

// name returns the span of the words from i to k. The type is DOCTOR if a title tells so.
func (r nameRun) name(i, k int) data.Span {
	s := data.Span{Start: r.words[i].start, End: r.words[k].end, Type: "PATIENT", Score: guess}
	if clinicianBefore.MatchString(lastBytes(r.text[:s.Start], 16)) || doctors[firstFolded(strings.TrimLeft(r.after(k), ", "))] {
		s.Type = "DOCTOR"
	}
	return s
}

// firstFolded returns the word at the beginning of a text, folded.
func firstFolded(text string) string { return fold.Fold(text[:wordLength(text)]) }

// namesIn returns the names in a run.
func namesIn(r nameRun) (found []data.Span) {
	for i := 0; i < len(r.words); i++ {
		k, ok := vietnamese(r, i)
		if !ok {
			k, ok = fullNameAt(r, i)
		}
		if ok {
			if fold.Fold(r.word(i)) == "per" { // the one who said so, rather than a first name
				i++
			}
			if i < k || !isThingOwner(fold.Fold(r.word(i))) {
				found = append(found, r.name(i, k))
			}
			i = k
		}
	}
	last := len(r.words) - 1
	if first, ok := ownerIn(r); ok {
		found = append(found, r.name(first, last))
	}
	if i := ofTask(r); i >= 0 {
		found = append(found, r.name(i, i))
	}
	if first, end := employerIn(r); first <= end {
		found = append(found, data.Span{Start: r.words[first].start, End: r.words[end].end, Type: "ORGANIZATION", Score: guess})
	}
	return found
}

// fullNameAt returns the last word of the full name that begins with word i of a run.
func fullNameAt(r nameRun, i int) (last int, ok bool) {
	if i == len(r.words)-1 || !isCapitalized(r.word(i)) || !surrogate.IsFirstName(r.word(i)) {
		return 0, false
	}
	for k := i + 1; k < len(r.words) && k < i+maxFullNameWords; k++ {
		switch word := r.word(k); {
		case isInitial(word) && k < i+3:
		case !isCapitalized(word):
			return last, ok
		case isKnownSurname(word) && isPlainName(r, i, k):
			last, ok = k, true
		case !surrogate.IsFirstName(word):
			return last, ok
		}
	}
	return last, ok
}

// isCapitalized reports whether only the first letter of a word of two or more, or of a part of it, is a capital.
func isCapitalized(word string) bool { return len(word) > 1 && formOf(word) == capitalized }

// isPlainName reports whether the words from i to k of a run, of which the first one is a first name and the last one a surname, are the name of a person and not that of a thing, a place
// or an institution. A first name and a surname that are both ordinary words may be anything.
func isPlainName(r nameRun, i, k int) bool {
	words := r.between(i, k)
	first, last := fold.Fold(words[0]), fold.Fold(words[len(words)-1])
	joined := termOf(strings.Join(words, " "))
	given, surname := !isWord(first) && !alsoThings[first], !isWord(last)
	switch {
	case !given && !surname, first == last, eponyms()[joined], wellKnown[joined], !inLife(words):
		return false
	case eponym(first) && !surname, !given && (isDeviceOrSign(last) || notGiven[first]), !surname && notSurname[last]:
		return false
	case placesBefore[first], placesBefore[fold.Fold(lastLetters(r.before(i)))]:
		return false
	}
	after := r.after(k)
	rest := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(after, "'s"), "’s"), " ")
	next := firstFolded(rest)
	if rest != after && (eponymous[next] || namedThings[next]) || strings.HasPrefix(after, "-") || strings.HasPrefix(rest, "et al") {
		return false
	}
	for n := k + 1; n < len(r.words) && n <= k+3; n++ { // Henry Ford Macomb Hospital
		if word := fold.Fold(r.word(n)); namers[word] || institutionWords[word] {
			return false
		}
	}
	return true
}

// isWord reports whether a folded word, or a part of it, is an ordinary word or a month.
func isWord(folded string) bool {
	return slices.ContainsFunc(strings.Split(folded, "-"), func(part string) bool { return wordlists.CommonIn("en", part) || months()[part] })
}

// lastLetters returns the word at the end of a text, without the signs behind it.
func lastLetters(text string) string {
	text = strings.TrimRightFunc(text, isSeparator)
	return text[strings.LastIndexFunc(text, isSeparator)+1:]
}

var (
	// notGiven are ordinary words that are first names, and begin orders or headings before a word with a capital.
	notGiven = wordlists.Set("can said case line non page su he an ran sky son tan toe ton una will")
	// notSurname are ordinary words that are surnames, and stand behind names of companies, towns and things.
	notSurname = wordlists.Set("block hall church gates house plaza park parks valle woods hills springs lane page wall walls colon case field fields")
	// wellKnown are the names of authors of scales and signs, of people of whom every patient has heard, of trademarks, and of things that look like a person.
	wellKnown = phrasesOf(`abraham_lincoln bard_hickman bard_parker braxton_hicks cary_blair charles_foster clement_clarke davis_boyle george_washington graham_boyle grey_turner harley_davidson harry_barnes helio_bond henry_ford
		homer_wright hunter_thompson jack_daniel jack_daniels james_paget jenny_craig johnnie_walker john_hopkins john_wiley lambert_eaton marilyn_monroe marjory_gordon martin_luther_king neville_barnes pedro_pons
		priscilla_white richard_simmons rob_roy robin_hood roswell_park taco_bell virginia_henderson`)
	// placesBefore are words before the names of saints and places.
	placesBefore = wordlists.Set("st saint port fort mount mt lake camp point cape santa san")
	// namedThings are words behind the names of persons that are named after them, beside those of eponymous and namers.
	namedThings = wordlists.Set(`act activity ambulance anomaly approach award bandage bar bed brand building bypass case chair chart collar company cup day diet dressing effect equation exercise exercises face filter
		formula foundation frame furnace graft hook implant index inhibitor innervation interview knife law malformation method model nail number paper phenomenon plate principle program project protocol
		questionnaire ratio regimen rod rule sequence shunt staging stitch stockings story study suture syndrome system table tag technique theorem therapy trial triad tribe valve wing wire`)
	institutionWords = wordlists.Set(`memorial medical cancer health healthcare infirmary hospice unit building campus pavilion hall house library museum airport station bridge stadium trust tower institute nhs
		elementary middle high childrens regional community county ambulance base motors`)
)

// vietnamese returns the last word of a Vietnamese name that begins with word i of a run and contains Thu, which is also Thursday: Nguyen Thi Thu Ha, Thu Tran.
func vietnamese(r nameRun, i int) (last int, ok bool) {
	thu := slices.IndexFunc(r.words[i:], func(w cell) bool { return r.text[w.start:w.end] == "Thu" })
	if thu < 0 {
		return 0, false
	}
	switch words := r.between(i, len(r.words)-1); {
	case thu == 0 && len(words) > 1 && vietnameseSurnames[fold.Fold(words[1])]:
		return i + 1, true
	case thu == 0 || thu > 2 || !vietnameseSurnames[fold.Fold(words[0])] && words[1] != "Thi" || thu == 2 && words[1] != "Thi" && !surrogate.IsFirstName(words[1]):
		return 0, false
	case thu+1 < len(words) && isCapitalized(words[thu+1]) && utf8.RuneCountInString(words[thu+1]) <= 6 && !months()[fold.Fold(words[thu+1])]:
		return i + thu + 1, true
	}
	return i + thu, r.word(i+1) == "Thi"
}

// vietnameseSurnames are frequent ones.
var vietnameseSurnames = wordlists.Set("bui cao chau dang dinh doan duong ho hoang huynh lam le luong luu ly mai ngo nguyen pham phan quach ta tang thai tran trinh truong vo vu vuong")

// ownerIn returns the first word of a name at the end of a run behind which there are an apostrophe and a thing or a person of a patient: Delgado's creatinine, Mary Johnson's wife.
func ownerIn(r nameRun) (first int, ok bool) {
	last := len(r.words) - 1
	word := r.word(last)
	owned, ok := ownedBy(word, r.after(last))
	if !ok || !isCapitalized(word) {
		return 0, false
	}
	first = last
	for first > 0 && (surrogate.IsFirstName(r.word(first-1)) && !notGiven[fold.Fold(r.word(first-1))] || isInitial(r.word(first-1)) && first > 1) {
		first--
	}
	folded, known := fold.Fold(word), isKnownSurname(word) || surrogate.IsFirstName(word)
	switch {
	case months()[folded], seasons[folded], isTitle(folded), relatives()[folded], noRelatives[folded], people[folded], noOwners[folded], companies[folded] && !known, brands()[folded] && !known, isDrug(folded) && !known, namers[folded], institutionWords[folded], first < last && eponyms()[termOf(strings.Join(r.between(first, last), " "))]:
		return 0, false
	case first < last:
		return first, known || !isWord(folded)
	case isThingOwner(folded):
		return last, known && ofPeople[owned]
	}
	return last, known || !isWord(folded)
}

// isThingOwner reports whether a folded word is the name of a disease, a sign or a device, or of a person with the same name.
func isThingOwner(folded string) bool {
	return eponym(folded) || diseases[folded] || diseases[strings.TrimSuffix(folded, "s")] || signs[folded] || devices[folded] || instruments[folded] || operations[folded] || graded[folded] || otherOwners[folded]
}

// ownedBy returns the folded noun of what a word owns, given the text behind the word: the possessive ending, perhaps adjectives, and the noun.
func ownedBy(word, after string) (noun string, ok bool) {
	rest, ok := strings.CutPrefix(strings.Replace(after, "’", "'", 1), "'")
	if !ok {
		return "", false
	}
	if strings.HasPrefix(rest, "s ") {
		rest = rest[1:]
	} else if !strings.HasSuffix(word, "s") {
		return "", false
	}
	rest, ok = strings.CutPrefix(rest, " ")
	for range maxAdjectives + 1 {
		noun = rest[:nounLength(rest)]
		folded := fold.Fold(noun)
		switch {
		case !ok || noun == "":
			return "", false
		case unicode.IsUpper(firstRune(noun)) && isCapitalized(noun) && !strings.ContainsAny(noun, "0123456789"): // Queensland's School of Dentistry
			return "", false
		case ofPeople[folded] || ofDiseasesToo[folded]:
			return folded, true
		case !adjectives[folded]:
			return "", false
		}
		rest, ok = strings.CutPrefix(rest[len(noun):], " ")
	}
	return "", false
}

// maxAdjectives is the maximum number of words between a name and what belongs to its bearer.
const maxAdjectives = 3

// nounLength returns how many bytes the word at the beginning of a text has, which may contain digits and hyphens: A1c, x-ray.
func nounLength(text string) int {
	n := strings.IndexFunc(text, func(r rune) bool { return !isAlnum(r) && r != '-' })
	if n < 0 {
		return len(text)
	}
	return n
}

var (
	// ofPeople are what only a person has: results of tests, relatives, belongings. A disease, a sign or a device has none of them.
	ofPeople = wordlists.Set(`a1c hba1c alt ast bicarb bilirubin bnp bp bun ca calcium cr creatinine crp ecg egfr ekg esr ferritin gfr glucose hct hematocrit hemoglobin hgb hr inr k lactate lft lfts lipids lytes
		magnesium mg na phos platelets plt potassium procalcitonin psa ptt rhythm sats sodium spo2 telemetry temp trop troponin troponins tsh vanc vitals weight bmi
		address admission allergies allergist anxiety apartment appointment appointments appt aunt birthday boss boyfriend brother brothers cardiologist caregiver chart code daughter daughters dentist discharge dob employer
		family father fiance fiancee girlfriend grandmother grandfather granddaughter grandson guardian house husband insurance job kids landlord lawyer mom mother mum dad neighbor nephew niece neurologist oncologist
		parents partner pcp pediatrician pharmacist pharmacy physician record records roommate room school sister sisters son sons spouse surgeon teacher therapist visit wallet wife workplace`)
	// ofDiseasesToo are what a person has, but also a disease, a sign or an operation: Crohn's flare, Mohs' surgery.
	ofDiseasesToo = wordlists.Set(`abg abdomen ankle arm asthma back biopsy bipap cancer care case cbc bmp cmp chest cholesterol ckd complaint complaints condition consent copd cough cpap ct culture cultures cxr delirium
		depression diabetes diagnosis diarrhea dose doses dosing echo edema ef ejection evaluation gradient exam eye fatigue fever foot goals gout hand head headache headaches hearing heart hip history hypertension imaging
		infection injury insulin knee lab labs leg management medication medications medicine medicines meds mobility mood mri nausea oxygen pain pathology pneumonia pressure prescription prognosis progress rash refill refills
		result results risk scan seizure seizures shoulder skin sleep statin stroke surgery swelling symptom symptoms transfusion treatment ultrasound urine vision wbc workup wound x-ray xray dexa pet mammogram colonoscopy stent pacemaker warfarin`)
	// adjectives may stand between the owner and the noun.
	adjectives = wordlists.Set(`abdominal acute adult am aortic baseline blood brain cardiac chest chronic current daily elderly elevated eldest first fasting follow-up heart high home initial kidney last latest left liver low lower lung medical
		morning most new newest next night older oldest outpatient overnight persistent pm postop preop previous primary prior pulmonary recent renal repeat right right-sided left-sided second serum severe sick type 2 upcoming upper urine
		worsening younger youngest 24-hour`)
	// noOwners are companies, institutions and times that own something, too, and ordinary words that are first names.
	noOwners = wordlists.Set(`today tomorrow yesterday tonight day women men children kids lowe lowes walgreen walgreens kohl macy wendy mcdonald arby denny domino papa trader medicare medicaid medscape america england
		aetna biogen cigna covid keytruda kardia labcorp medtronic dexcom moderna novartis pfizer sanofi christmas easter thanksgiving veterans people patients residents mayo cleveland jude joe joes nature lloyd moody god jesus christ santa valentine mother father epic cerner`)
	// otherOwners are names of diseases, signs and structures that are on no other list.
	otherOwners = wordlists.Set(`achilles asherman aschoff atkin atkins auer barlow beau biot beck bouchard breuer camper castell chance coats colle conn cooley cooper cullen dance dercum dix dressler eustachian epley ewart farmer frey frohlich galeazzi gerota gottron gower gowers
		grey-turner hampton harlequin heinz hering hesselbach homan homans horner howell huntington jarisch jefferson jones kaiser kehr kussmaul kuttner langer lachman laennec legionnaire legionnaires lhermitte lichtenstein lisfranc lou ludwig mccune mcmurray meckel
		mees menetrier meniere merck mohs montgomery morison moro morton neer nelson obers osgood osler pellegrini poupart pott prague queyrat quincke racine ringer ringers rovsing russell savary savary-miller scarpa sever sheehan sims sjogren skene spigel sitter stensen stryker thomas tinel
		trotter vincent virchow waddell wellens wharton whartons wilm wilms wright zenker`)
)

// ofTask returns the index of the word of a run that is the surname of the patient of a task of a sign-out, or -1: Check Williams lytes; Repeat CT Thompson at 6h.
func ofTask(r nameRun) int {
	for i := range r.words {
		word, right := r.word(i), strings.TrimPrefix(r.after(i), " ")
		next := fold.Fold(right[:nounLength(right)])
		if !ofPeople[next] && !tests[next] && !behindTask[next] && !strings.HasPrefix(right, "@") || !isCapitalized(word) || !isKnownSurname(word) {
			continue
		}
		folded, left := fold.Fold(word), strings.Fields(fold.Fold(r.before(i)))
		if len(left) == 0 || right == r.after(i) && right != "" || noTask[folded] || isDeviceOrSign(folded) {
			continue
		}
		before := strings.Trim(left[len(left)-1], "(*-")
		switch {
		case tasks[before] || len(left) > 1 && tasks[left[len(left)-2]+" "+before]:
			if ofPeople[next] && !noTests[next] || tests[next] && !eponym(folded) {
				return i
			}
		case len(left) > 1 && (tasks[strings.Trim(left[len(left)-2], "(*-")]) && (tests[before] || ofPeople[before]) && !eponym(folded):
			if behindTask[next] || strings.HasPrefix(right, "@") {
				return i
			}
		}
	}
	return -1
}

// isDeviceOrSign reports whether a folded surname is rather that of a device, a sign or a score.
func isDeviceOrSign(folded string) bool {
	return devices[folded] || signs[folded] || graded[folded] || instruments[folded]
}

var (
	tasks = func() map[string]bool {
		all := wordlists.Set("check recheck repeat trend f/u fu follow replete page re review send draw")
		for _, two := range []string{"follow up", "page re", "call re", "followup on", "f/u on", "follow-up on"} {
			all[two] = true
		}
		return all
	}()
	tests = wordlists.Set("labs lytes cbc bmp cmp abg vbg ct cta cxr mri echo us kub eeg ua cultures cx bcx ucx blood urine drain output uop i/o's trops pressure pressures pain mental neuro")
	// noTests are those of ofPeople that are not tests of a patient, and no tasks of a sign-out.
	noTests    = wordlists.Set("code house job room school")
	behindTask = wordlists.Set("at in tonight tomorrow overnight after before by q this post pre if for am")
	// noTask are surnames that are words of tests.
	noTask = wordlists.Set("bass best black blood brown chase colon day gray green head lane little long mass mayo page parks person ray rice sharp short small stone strong wall walls wells white young gram may")
)

// signOuts returns the surnames that begin the items of a list of patients with their diseases: Miller GIB, hgb 7.8; Taylor COPD exac. There must be two or more.
func signOuts(text string) (found []data.Span) {
	if !strings.Contains(text, ";") {
		return nil
	}
	var group []data.Span
	certain := false
	end := func() {
		if len(group) > 1 && certain {
			found = append(found, group...)
		}
		group, certain = nil, false
	}
	start := 0
	for item := range strings.SplitAfterSeq(text, ";") {
		at := start + len(item) - len(strings.TrimLeft(item, " \t\n•*-0123456789.)"))
		start += len(item)
		s, ok := listedPatient(text, at, start)
		if !ok {
			if line := strings.LastIndexAny(item, "\n:"); line >= 0 { // a heading
				at = start - len(item) + line + 1
				at += len(text[at:start]) - len(strings.TrimLeft(text[at:start], " \t"))
				end()
				s, ok = listedPatient(text, at, start)
			}
			if !ok {
				end()
				continue
			}
		}
		group = append(group, s)
		certain = certain || !eponym(fold.Fold(text[s.Start:s.End]))
	}
	end()
	return found
}

// listedPatient returns the surname at text[at:end] if a disease follows it.
func listedPatient(text string, at, end int) (s data.Span, ok bool) {
	if at >= end || !unicode.IsUpper(firstRune(text[at:])) {
		return s, false
	}
	n := lengthOfName(text[at:end])
	word, rest := text[at:at+n], text[at+n:end]
	if !isCapitalized(word) || !isKnownSurname(word) {
		return s, false
	}
	trimmed := strings.TrimLeft(rest, ",:- ")
	if trimmed == rest || !conditions[fold.Fold(trimmed[:nounLength(trimmed)])] {
		return s, false
	}
	return data.Span{Start: at, End: at + n, Type: "PATIENT", Score: guess}, true
}

// conditions are the diseases of sign-outs.
var conditions = wordlists.Set(`acs aki afib aflutter als ams anemia ards asthma aws ca cad cancer cap cellulitis chf cholecystitis cirrhosis ckd copd cva delirium dementia diverticulitis dka dm dvt encephalopathy
	endocarditis esrd etoh fall falls gi gib hf hfpef hfref hhs htn hyperkalemia hyponatremia hypoxia ich ileus ild iddm lgib lymphoma mi ms nstemi osteo pancreatitis pe pna pneumonia pod pod1 pod2 pod3 postop
	pyelo pyelonephritis sah sbo sdh seizure seizures sepsis septic sickle stemi stroke svt syncope tia ugib urosepsis uti vte withdrawal appendicitis`)

// employerIn returns the first and the last word of an employer in a run: a Boeing employee, Tulia ISD. The last one is before the first one if there is none.
func employerIn(r nameRun) (first, last int) {
	last = len(r.words) - 1
	after := strings.TrimLeft(r.after(last), "'’ ")
	next := firstFolded(strings.TrimPrefix(after, "s "))
	works := next == "employee" || next == "employees"
	employs, owns := works || next == "hr" || workers[next], strings.HasPrefix(after, "s ")
	for k := 1; k < len(r.words); k++ {
		switch word := r.word(k); {
		case districts[word], k+1 < len(r.words) && (word == "School" && r.word(k+1) == "District" || word == "Public" && r.word(k+1) == "Schools"), k+2 < len(r.words) && word == "Unified" && r.word(k+1) == "School":
			if isEmployer(r, k-1, k-1) {
				if !districts[word] {
					k = min(k+2, last)
					for k > 0 && !schools[r.word(k)] {
						k--
					}
				}
				return employerBefore(r, k), k
			}
		case word == "HR" && r.word(k-1) != "Target" && companies[strings.ToLower(r.word(k-1))]:
			return k - 1, k - 1
		}
	}
	for n := min(3, len(r.words)); n > 0 && (employs || owns); n-- {
		i := len(r.words) - n
		if company := fold.Fold(strings.Join(r.between(i, last), " ")); companies[company] && employs || companies[company+"'s"] && owns {
			return i, last
		}
	}
	if !works || !isEmployer(r, last, last) {
		return 0, -1
	}
	return last, last
}

// employerBefore returns the first word of the name of a school district that ends with word k.
func employerBefore(r nameRun, k int) int {
	for i := k; i > 0; i-- {
		if schools[r.word(i)] || districts[r.word(i)] {
			k = i - 1
		}
	}
	return k
}

// isEmployer reports whether words of a run can be the name of a company or a town: no ordinary word, people or abbreviation.
func isEmployer(r nameRun, from, to int) bool {
	return !slices.ContainsFunc(r.between(from, to), func(word string) bool {
		folded := fold.Fold(word)
		return !isCapitalized(word) || isWord(folded) && !isKnownSurname(word) || isDemographic(word) || noEmployers[folded] || institutionWords[folded] || namers[folded] || months()[folded] || seasons[folded]
	})
}

var (
	districts = wordlists.Set("ISD CISD USD GISD")
	// noEmployers are words for employers of many people.
	noEmployers = wordlists.Set("army federal government medicaid medicare military municipal national navy postal state veterans")
	schools     = wordlists.Set("School District Schools Unified Public Independent Consolidated")
	workers     = wordlists.Set("associate associates barista cashier clerk contractor courier driver mechanic technician warehouse worker workers")
	// companies are frequent employers whose names are ordinary words, abbreviations or several words, and others.
	companies = phrasesOf(`aldi amazon amtrak apple applebee's at&t bank_of_america best_buy boeing burger_king chase chipotle citibank coca-cola comcast costco cvs delta dhl dollar_general dollar_tree doordash exxon fedex ford
		general_electric general_motors gm goodyear google h-e-b heb home_depot honeywell hy-vee ibm ikea instacart intel john_deere jpmorgan kfc kroger lockheed lockheed_martin lowe's lyft macy's marriott mcdonald's
		meijer meta microsoft nabisco nasa netflix nike nissan nordstrom northrop oracle panera pepsi pepsico publix raytheon rite_aid ross safeway sam's_club sears shell southwest sprint staples starbucks state_farm subway
		sysco t-mobile taco_bell target tesla toyota tyson uber ups usaa usps verizon walgreens walmart wawa wells_fargo wendy's whole_foods winn-dixie xerox denny's`)
)
