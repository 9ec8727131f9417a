package safetynet

import (
	"strings"
	"unicode/utf8"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/data/wordlists"
	"github.com/lethe-deid/lethe/internal/lazyregexp"
)

// This file finds citations of journals: Arch Intern Med 2019;279:564, N Engl J Med 57:2411, 2018, Med Clin (Barc) 2015;144:12-9.

// issue matches what follows the title of a journal: a year, a volume and pages, in three orders.
var issue = lazyregexp.New(`^(?:` +
	`\(?` + yearOf + monthOf + `\)? ?; ?` + volume + ` ?[:;,] ?` + pages +
	`|\(?` + yearOf + `\)? ?, ?` + volume + ` ?[:;,] ?` + pages +
	`|` + volume + ` ?: ?` + pages + `[,;.]? \(?` + yearOf + `\)?` +
	`|\(?` + yearOf + `\)?[;,.:]? ` + volume + ` ?[:,] ?` + pages + `)`)

const (
	volume  = `[0-9]{1,4}(?: ?\([0-9A-Za-z .-]{1,12}\))?`
	pages   = `[A-Za-z]?[0-9]{1,7}(?:[-–][A-Za-z]?[0-9]{1,7})?`
	yearOf  = `(?:19[5-9][0-9]|20[0-4][0-9])`
	monthOf = `(?: (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?: [0-9]{1,2})?)?`
)

const (
	maxIssue        = 64 // bytes of an issue
	maxJournalWords = 9
	maxJournalWord  = 32 // bytes of a word
)

// citationsIn returns the citations in a text.
func citationsIn(text string) []data.Span {
	var found []data.Span
	for i := 0; i < len(text); {
		if !startsWithDigit(text[i:]) {
			i++
			continue
		}
		start, end := i, i
		if start > 0 && text[start-1] == '(' {
			start--
		}
		if title := startOfJournal(text[:start]); title >= 0 {
			if m := issue.FindStringIndex(firstBytes(text[start:], maxIssue)); m != nil {
				if s := (data.Span{Start: title, End: start + m[1]}); isWhole(text, s) && !timeOfIssue.MatchString(text[start:s.End]) {
					found, end = append(found, s), s.End
				}
			}
		}
		for i = end; i < len(text) && startsWithDigit(text[i:]); i++ {
		}
	}
	return found
}

// timeOfIssue matches a time of day, with which an issue may be a date: 2023 Mar 12; 10:30, or 10:30, 2023.
var timeOfIssue = lazyregexp.New(`(?:^|[^0-9])(?:[01]?[0-9]|2[0-3]) ?: ?[0-5][0-9](?:$|[^0-9–-])`)

// startOfJournal returns where the title of a journal at the end of a text begins, or -1 if there is none. A title has a word of at least two letters that is no connecting word.
func startOfJournal(text string) int {
	start, title := -1, false
	for range maxJournalWords {
		rest, ok := strings.CutSuffix(text, " ")
		if !ok {
			break
		}
		from := max(0, len(rest)-maxJournalWord)
		from += strings.LastIndexAny(rest[from:], " \n\t(") + 1
		word := strings.TrimRight(rest[from:], ".,)")
		if !journalWords[word] {
			break
		}
		if title = title || utf8.RuneCountInString(word) > 1 && !connectingWords[word]; from > 0 && rest[from-1] == '(' {
			from--
		}
		start, text = from, rest[:from]
	}
	if !title {
		return -1
	}
	return start
}

// connectingWords of titles of journals are no journal alone, and neither is a single letter.
var connectingWords = wordlists.Set("and of the y de an")

// journalWords are the words, mostly shortened, of the titles of journals.
var journalWords = wordlists.Set(`& Acad Acta Actas Adv Aliment Allergo Allergol Allergy Altern Am Amer An Anaesth Analg Anest Anesth Anesthesiol Angiol Ann Antimicrob Antonie Appl Arch Argent Arq Arterioscler Arthritis
	Arthrosc Asoc Assoc Aten Aust BJOG BJU BMC BMJ Barc Behav Biochem Biol Biomed Blood Bol Bone Br Brain Bras Brit Bull CA CMAJ Can Cancer Cardiol Cardiovasc Care Cell Cerebrovasc Chem
	Chemother Chest Chil Child Chir Chron Cir Circ Circulation Clin Cochrane Cogn Coll Colomb Community Contemp Coron Cosmet Crit Curr Cutan Database Deliv Dent Dermatol Dermosifiliogr Dev
	Diabet Diabetes Diabetologia Diagn Dial Dig Dis Disord Drug Drugs Ear Echocardiogr Ed Educ Electrophysiol Emerg Emergencias Endocr Endocrinol Endosc Enferm Engl Environ Epidemiol Epilepsia
	Epilepsy Esp Eur Europace Exp Expert Eye Facial Fam Farm Fertil Foot Funct Gac Gastroenterol Gastrointest Gen Genet Geriatr Gerontol Glob Gut Gynaecol Gynecol Haematol Haematologica Haemost
	Hand Head Headache Health Heart Hematol Hepatobiliary Hepatol Hepatology Hipertens Hosp Hum Hypertens Hypertension Imaging Immunol Immunopharmacol Implant Infecc Infect Inflamm Inj Injury
	Inst Int Integr Intensive Interact Intern Interv Invest Isr J JACC JAMA JBJS Jpn Kidney Knee Korean Lab Lancet Laryngoscope Leuk Leukemia Lipidol Liver Lung MMWR Madr Matern Maxillofac Mayo
	Med Medicina Medicine Medwave Ment Metab Mex Microbiol Mol Morb Mortal Mov Muscle N NEJM NPJ Nat Natl Nature Neck Nefrol Nefrologia Neonatal Neonatol Nephrol Nerve Nervenarzt Neurocrit
	Neurol Neurology Neuroophthalmol Neuroradiol Neurosci Neurosurg Neurosurgery Nucl Nurs Nutr Obes Obstet Occup Oncol Open Ophthal Ophthalmol Ophthalmology Opin Oral Orthod Orthop Osteoporos
	Otol Otolaryngol PLOS PLoS Paediatr Pain Palliat Pancreatology Parasitol Pathol Pathology Patient Pediatr Pediatrics Perinatol Periodontol Peru Pharm Pharmacol Pharmacother Phys Physician
	Physiol Plast Pneumol Postgrad Pract Prev Primaria Proc Prog Prosthet Psiquiatr Psychiatr Psychiatry Psychol Psychopharmacol Public Publica Pulm Pública QJM Qual Quant Radiat Radiographics
	Radiol Radiology Rec Reconstr Regul Rehabil Rep Reprod Res Respir Respiration Resuscitation Reumatol Rev Rheum Rheumatol Rheumatology Rhinol Rinol Royal Sanit Sao Saudi Scand Sci Science
	Semergen Semin Sex Sleep Soc South Spine Sport Sports Stat Stroke Surg Surgery Syst Tech Ther Thorac Thorax Thromb Thyroid Top Toxicol Transfus Transfusion Transl Transm Transplant Trauma
	Traumatol Trop Tuberc Tumor Tumour Ultrasound Urol Urology Vaccine Vasc Vet Virol Wkly Women Womens World Wound and de of the y`)
