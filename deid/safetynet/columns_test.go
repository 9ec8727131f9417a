package safetynet

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lethe-deid/lethe/data"
)

func TestColumns(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string // type and value
	}{
		{"tabs", "MRN\tPatient\tDOB\tAttending\tBed\n0049213\tOkafor, Ngozi\t03/04/1961\tDr. Lindqvist\t4B\n50112\tZhang, Wei\t1957\tPatel, MD\t5A\n",
			[]string{"MEDICALRECORD 0049213", "PATIENT Okafor, Ngozi", "DATE 03/04/1961", "DOCTOR Lindqvist", "MEDICALRECORD 50112", "PATIENT Zhang, Wei", "DOCTOR Patel"}},
		{"bars and a ruler", "| Name | Role | Pager |\n|---|:-:|---|\n| Ruth Adeyemi | RN | 4471 |\r\n| | | |\n| Night desk | | x5520 |\n",
			[]string{"PATIENT Ruth Adeyemi", "PHONE 4471", "PHONE x5520"}},
		{"blanks", "Drug         Dose    Start    Stop\n-------------------------\nLisinopril   10 mg   3/2      3/9\nKeflex       500 mg  3 Mar    March 12, 2024\nTylenol      1/2 tab 4.5      13/13\n",
			[]string{"DATE 3/2", "DATE 3/9", "DATE 3 Mar", "DATE March 12, 2024"}},
		{"Spanish", "NHC\tPaciente\tF. Nac.\tMédico\tCama\n884213\tOyarzun Vidal, Begoña\t3-4-61\tDra. Lasarte\t412\n",
			[]string{"MEDICALRECORD 884213", "PATIENT Oyarzun Vidal, Begoña", "DATE 3-4-61", "DOCTOR Lasarte"}},
		{"subjects of a trial", "Subj.\tSexo\tECOG\n07-001\tM\t1\n07-002\tF\t0\n", []string{"IDNUM 07-001", "IDNUM 07-002"}},
		{"numbers of files", "N.º de expediente\tMédico\n8-412-771\tLasarte\n", []string{"MEDICALRECORD 8-412-771", "DOCTOR Lasarte"}},
		{"two tables without a blank line", "Test\tDate\nTSH\t3/2\nContact\tPhone\nBisi Bello\t07700 900312\n",
			[]string{"DATE 3/2", "PATIENT Bisi Bello", "PHONE 07700 900312"}},
		{"addresses", "Contact\tAddress\tTown\tPostcode\nBisi Bello\t14 Elm Row\tStockport\tSK1 3XE\nIker\tunknown\t\t28013\n",
			[]string{"PATIENT Bisi Bello", "STREET 14 Elm Row", "CITY Stockport", "ZIP SK1 3XE", "PATIENT Iker", "ZIP 28013"}},
		{"names of drugs", "Name\tDose\tRoute\tStart\nLisinopril\t10 mg\tPO\tnow\n", nil},
		{"ages over 89", "| Age | Sex | BP |\n|---|---|---|\n| 101 | F | 130/80 |\n| 89 | M | 110/70 |\n| 93 y | F | 90/60 |\n", []string{"AGE 101", "AGE 93 y"}},
		{"ages over 89 in CSV", "id,age_years,sex,hr\n1,104,F,101\n2,45,M,98\n", []string{"AGE 104"}},
		{"ages over 89 with the sex", "Age/Sex\tHR\n101/F\t98\nM 92\t101\n", []string{"AGE 101/F", "AGE M 92"}},
		{"ages over 89 in Spanish", "Edad al diagnóstico;Sexo;FC\n112;V;98\n64;M;110\n", []string{"AGE 112"}},
		{"ages in months", "| Age (months) | Sex | HR |\n| 96 | F | 101 |\n| Edad (días) | Sexo | FC |\n| 96 | M | 101 |\n", nil},
		{"Canadian postal codes", "Name\tPhone\tPostal code\nOda Lund\t07700 900312\tM4B1B3\n", []string{"PATIENT Oda Lund", "PHONE 07700 900312", "ZIP M4B1B3"}},
		{"markup", "\n\n\tDrug\t\tStart\t\tStop\t\n\n\n\tKeflex\t\t3/2\t\t3/9\t\n\n\n\tTylenol\t\t\t\t4/9\t\n\n3/9\t3/10\n", []string{"DATE 3/2", "DATE 3/9", "DATE 4/9"}},
		{"names of devices", "Name\tSerial no\tSite\nMedtronic Azure\tRNB771204\tL chest\n", []string{"IDNUM RNB771204"}},
		{"words in columns of persons", "Patient\tProvider\tPhone\nMother\tCardiology\tnone\nVacant\tICU\t12\n", nil},
		{"labels beside values", "Paciente | Quispe Choque\nEdad | 48\nDx | Cushing\nNugent | 11,2\n", nil},
		{"one known heading of three", "Ship\tPatient\tBerth\nOda Lund\tAda Berg\t4\n", nil},
		{"after the table", "Test\tDate\nTSH\t3/2\n\nKnown\tas 3/2\n", []string{"DATE 3/2"}},
		{"more cells than headings", "Patient\tPhone\nOda Lund\t07700 900312\tand more\n", nil},
		{"days of one month, of drugs", "Fármaco\tInicio\tFin\nEnalapril\t3/5\t4/5\nClexane\t4/5\t5/5\n", []string{"DATE 3/5", "DATE 4/5", "DATE 4/5", "DATE 5/5"}},
		{"days of one month, of drugs, in English", "Drug;Start;Stop\nKeflex;3/5;4/5\nTylenol;4/5;5/5\n", []string{"DATE 3/5", "DATE 4/5", "DATE 4/5", "DATE 5/5"}},
		{"days of one month below other words", "Dispositivo|Colocación|Retirada\nVVP|3/5|4/5\nSV|2/5|5/5\n", []string{"DATE 3/5", "DATE 4/5", "DATE 2/5", "DATE 5/5"}},
		{"days below words that are times elsewhere", "Antibiótico\tComienzo\tFin\nMeropenem\t3/5\t4/5\n", []string{"DATE 3/5", "DATE 4/5"}},
		{"days that can be no scores", "Problem\tOnset\tResolved\nCough\t3/5\t13/5\nFever\t4/5\t14/5\n", []string{"DATE 3/5", "DATE 13/5", "DATE 4/5", "DATE 14/5"}},
		{"ratings at the beginning and at the end", "Síntoma\tInicio\tFin\nAnsiedad\t3/5\t1/5\nSueño\t4/5\t2/5\n", nil},
		{"ratings of goals", "Goal\tStart\tEnd\nWalking\t2/5\t4/5\nDressing\t3/5\t5/5\n", nil},
		{"ratings of muscles", "Muscle\tStart\tEnd\nBiceps\t2/5\t4/5\nDeltoid\t3/5\t5/5\n", nil},
		{"doses of drugs", "Drug | Given\nPercocet | 5/10\nNorco | 10/10\n", nil},
		{"scores", "Scale\tStart\tEnd\nMMSE\t10/30\t12/30\nBorg\t3/10\t1/10\n", nil},
		{"doses", "Drug | Given | Due\nPercocet | 5/10 | 3/4\nNorco | 10/10 | 3/5\nMMR | 1-2 | 13/14\n", nil},
		{"cells and extensions", "Cell\tResult\tUnits\nWBC\t12000\t/uL\n\nMovement\tExt\tFlexion\nKnee\t0-10\t120\n", nil},
		{"codes", "Code\tDescription\tId\tDate\n1\tvisit\t99213\t3/4/2071\n2\tdiabetes\tE11.65\tnow\n", []string{"DATE 3/4/2071"}},
		{"roles", "Patient\tProvider\tNurse\nMother Hanna Berg\tDiabetes Educator\tOncology Nurse Navigator\nAda Lund\tCardiothoracic\tAgency\n", []string{"PATIENT Hanna Berg", "PATIENT Ada Lund"}},
		{"a signature", "Test\tDate\nTSH\t3/4/2071\nAda Lund\n", []string{"DATE 3/4/2071"}},
		{"an empty cell between blanks", "Date     Prescriber   Phone\n3/4/71   Ada Lund     44711\n3/6/71                44733\n", []string{"DATE 3/4/71", "DOCTOR Ada Lund", "PHONE 44711", "DATE 3/6/71", "PHONE 44733"}},
		{"CSV", "no,date,mrn,name\n2,02-06-25,44719,Arjun Velu\n3,02-06-25,44720,\"Kareem, Abdul\"\n\n4,02-06-25,44721,Ada Lund\n",
			[]string{"DATE 02-06-25", "MEDICALRECORD 44719", "PATIENT Arjun Velu", "DATE 02-06-25", "MEDICALRECORD 44720", "PATIENT Kareem, Abdul"}},
		{"CSV with semicolons", "Paciente;NHC;Teléfono\nLund Vega;44719;600111222\nSin datos;;\n", []string{"PATIENT Lund Vega", "MEDICALRECORD 44719", "PHONE 600111222"}},
		{"commas in prose", "Patient, phone, date, and name were noted\nAda Lund, 44719, 3/4, and more\npatient,phone,date of the last visit to the clinic,name\nAda,44719,3/4,Lund", nil},
		{"a column alone", "Resident\tZorp\tQuux\nHaugstad\tlow\tx2\nBoakye\thigh\tx1\n", []string{"PATIENT Haugstad", "PATIENT Boakye"}},
		{"record numbers alone", "Nº historia | Zorp | Quux\n448213 | a | b\n449871 | c | d\n", []string{"MEDICALRECORD 448213", "MEDICALRECORD 449871"}},
		{"a column alone in which not all are names", "Patient\tZorp\nHaugstad\tlow\nBoakye\thigh\nsee above\tlow\n", nil},
		{"a column alone of one row", "Patient\tZorp\tQuux\nHaugstad\tlow\tx2\n", nil},
		{"labels below a heading", "Patient\tOda Lund\nAttending\tBoakye\nCaregiver\tNambiar\n", nil},
		{"a form of two columns of labels", "Patient\tOda Lund\tAge\t48\nAttending\tBoakye\tRoom\t4\nDiagnosis\tGout\tNurse\tNambiar\n", nil},
		{"words that are also headings", "Patient\tZorp\tDispo\tReason\nHaugstad\tx\tTransfer\tSurgery\nBoakye\ty\tTransfer\tFever\n", []string{"PATIENT Haugstad", "PATIENT Boakye"}},
		{"degrees and titles beside names", "mrn | pt | provider\n3310928 | Okafor, Mr | CNM Boakye\n3310929 | Haugstad, Mrs. | RN Nambiar\n3310930 | Brekke, Oda | Haugstad RPh\n",
			[]string{"MEDICALRECORD 3310928", "PATIENT Okafor", "DOCTOR Boakye", "MEDICALRECORD 3310929", "PATIENT Haugstad", "DOCTOR Nambiar", "MEDICALRECORD 3310930", "PATIENT Brekke, Oda", "DOCTOR Haugstad"}},
		{"who did it", "Allergen\tReaction\tRecorded by\nPCN\tHives\tHaugstad\nSulfa\tRash\tBoakye, RN\n\nResult\tRead back by\n6.8\tNambiar 0815\n", []string{"DOCTOR Haugstad", "DOCTOR Boakye", "DOCTOR Nambiar"}},
		{"who did it, in Spanish", "Herida;Exudado;Curada por\nSacro;Leve;Iturralde\nTalón;Nulo;Olabarri\n", []string{"DOCTOR Iturralde", "DOCTOR Olabarri"}},
		{"what did it", "Reaction\tCaused by\tRelieved by\nRash\tKeflin\tZyrtek\nCough\tPollex\tZyrtek\n", nil},
		{"what it means between parentheses", "Drug | Dose (mg) | Given by (name)\nTylenol | 650 | Haugstad\n", []string{"DOCTOR Haugstad"}},
		{"two in a cell", "Drug\tQty\tWasted by\nVersed\t1\tHaugstad/Boakye\nAtivan\t1\tNambiar & Okoro\n", []string{"DOCTOR Haugstad/Boakye", "DOCTOR Nambiar & Okoro"}},
		{"surnames that are words", "Patient\tDiet\tNurse\nYoung\tCardiac\tRefused\nLong\tRenal\tBoakye\nHaugstad\tSoft\tNambiar\n", []string{"PATIENT Young", "PATIENT Long", "DOCTOR Boakye", "PATIENT Haugstad", "DOCTOR Nambiar"}},
		{"names among words", "Name\tTexture\tAssist\nHaugstad\tPuree\tx1\nBoakye\tMinced\tx2\n\nName\tGoal\tProgress\nMobility\tWalk\tMet\nSwallow\tLiquids\tPartial\n", []string{"PATIENT Haugstad", "PATIENT Boakye"}},
		{"names among doses", "Name\tDose\tTime\nRuth Haugstad\t5 mg\t0800\nSolveig Boakye\t5 mg\t0810\n\nName\tDose\tTime\nZorplan\t5 mg\t0800\nQuuxor\t5 mg\t0810\n", []string{"PATIENT Ruth Haugstad", "PATIENT Solveig Boakye"}},
		{"a patient in a row", "Time\tSource\tTold by\n0800\tPatient\tHaugstad\n0900\tPatient\tBoakye\n", []string{"DOCTOR Haugstad", "DOCTOR Boakye"}},
		{"units and totals", "Resident\tWeight\tWeighed by\n\tkg\t\nHaugstad\t72\tBoakye\nOkoro\t88\tNambiar\nTotal\t160\t\n", []string{"PATIENT Haugstad", "DOCTOR Boakye", "PATIENT Okoro", "DOCTOR Nambiar"}},
		{"markdown", "| Chair | Patient | Access | Nurse |\n|---|---|---|---|\n| 1 | Haugstad | AVF | Boakye |\n| 2 | | AVG | Okoro |\n", []string{"PATIENT Haugstad", "DOCTOR Boakye", "DOCTOR Okoro"}},
		{"who watches and dates of visits", "Room\tSitter\tVisit\n12\tRose\t11/24\n13\tGrace\t4/8\n", []string{"DOCTOR Rose", "DATE 11/24", "DOCTOR Grace", "DATE 4/8"}},
		{"from and to", "Desde\tHasta\tPaciente\n3/4\t5/4\tHaugstad\n6/4\t8/4\tBoakye\n", []string{"DATE 3/4", "DATE 5/4", "PATIENT Haugstad", "DATE 6/4", "DATE 8/4", "PATIENT Boakye"}},
		{"days of one month", "Fármaco\tInicio\tFin\nEnalapril\t3/5\t5/5\nClexane\t4/5\t4/5\n", []string{"DATE 3/5", "DATE 5/5", "DATE 4/5", "DATE 4/5"}},
		{"days of one month, in English", "Drug | Start | Stop\nLisinopril | 1/3 | 3/3\nKeflex | 2/3 | 3/3\n", []string{"DATE 1/3", "DATE 3/3", "DATE 2/3", "DATE 3/3"}},
		{"days that are greater than the month", "Problem;Start;End\nCough;3/5;\nUTI;14/5;\n", []string{"DATE 3/5", "DATE 14/5"}},
		{"diagnoses", "Diagnóstico\tInicio\nTos\t3/5\nITU\t4/5\n", []string{"DATE 3/5", "DATE 4/5"}},
		{"devices", "Dispositivo|Colocación|Retirada\nVVP|3/5|5/5\nSV|4/5|5/5\n", []string{"DATE 3/5", "DATE 5/5", "DATE 4/5", "DATE 5/5"}},
		{"scores of a goal", "Objetivo\tInicio\tFin\nMarcha\t2/5\t4/5\nAseo\t3/5\t5/5\n", nil},
		{"doses of a combination", "Drug | Given\nPercocet | 5/10\nNorco | 7/10\n", nil},
		{"prose", "Seen  on ward. Patient  well.\tDate  unknown", nil},
		{"nothing", "", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, s := range Columns(tc.text) {
				got = append(got, s.Type+" "+tc.text[s.Start:s.End])
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What people write below Test and Reference may be PHI.
func TestPHIBelowTests(t *testing.T) {
	for _, text := range []string{
		"Test\tDate\tPlace\nEcho at Mercy General\t3/4\tReno\n", "Test\tResult\tReference\nDr. Quennell\tnotified\n", "Test | Result | Reference\nMarta | Quennell | 03-04\n",
		"Test   Result   Reference   Date\nLactate   3/5   0.5-2.2\n", "Patient\tDOB\tRef\nOda Lund\t1961\t555-2044\n", "Date\tRange\tOrdered by\nnow\t3-17\tLund\n",
		"Medication\tDose\tStart\nAnna Rourke\t5 mg\tnow\n", "Lab\tDate\tResult\nMayo Clinic\tnow\t3\n",
	} {
		for _, s := range noPHI(text) {
			t.Errorf("%q in %q", text[s.Start:s.End], text)
		}
	}
}

// noPHI returns the cells of tables that are no PHI, without headings.
func noPHI(text string) (found []data.Span) {
	headings := map[int]bool{}
	for _, t := range tables(text) {
		for _, c := range t.head {
			headings[c.start] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(tabulated(text).never), func(s data.Span) bool { return headings[s.Start] })
}

func TestNoPHI(t *testing.T) {
	const text = "Test\tResult\tReference range\tDate\nHgb\t9.8\t12-16\t3-4\nK\t4.1\t(3.5 - 5.1)\t3/4\nTSH\t2\t<4.2 mU/L\tnow\nPT\t12\tsee 3/4\t3/5\n"
	var got []string
	for _, s := range noPHI(text) {
		got = append(got, text[s.Start:s.End])
	}
	if diff := cmp.Diff([]string{"12-16", "(3.5 - 5.1)", "TSH", "<4.2 mU/L", "PT"}, got); diff != "" {
		t.Error(diff)
	}
	got = nil
	for _, s := range Columns(text) {
		got = append(got, text[s.Start:s.End])
	}
	if diff := cmp.Diff([]string{"3-4", "3/4", "3/5"}, got); diff != "" {
		t.Error(diff)
	}
}

// A span that a tagger or a rule has found becomes the parts in cells that may be PHI. The spans are between angle brackets, names with n.
func TestCorrectCells(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"words below Event", "Time\tNurse\tEvent\n1000\t<nBoakye>\t<nTurn>\n1100\t<nOkoro>\t<nBath>\n1200\t<nHaugstad>\t<nNeb>\n", []string{"Boakye", "Okoro", "Haugstad"}},
		{"words below Motivo", "Fecha | Médico | Motivo\n<3/4/24> | <nOkoro> | <nTos>\n<3/6/24> | <nZubiri> | <nCaída>\n", []string{"3/4/24", "Okoro", "3/6/24", "Zubiri"}},
		{"diseases", "Relation   Name       Condition\nFather     <nOkoro>      <nGout>\nUncle      <nHaugen>     <nMarfan>\nSon        <nNair>       <nCrohn>\n", []string{"Okoro", "Haugen", "Nair"}},
		{"brands", "Drug,Dose,Prescriber\n<nHumira>,40,<nHaugen>\n<nAlesse>,1,<nOkoro>\n<nCoreg>,6.25,<nNair>\n", []string{"Haugen", "Okoro", "Nair"}},
		{"names below Event", "Time\tEvent\tOutcome\n0800\t<nMarisol>\tok\n0900\tTurn\tok\n1000\t<nDr. Turner>\tok\n1100\tBath\tok\n1200\t<nWill Brown>\tok\n1300\tNeb\tok\n", []string{"Marisol", "Dr. Turner", "Will Brown"}},
		{"unknown words only", "Time\tEvent\tOutcome\n0800\t<nHaugstad>\tok\n0900\t<nBoakye>\tok\n", []string{"Haugstad", "Boakye"}},
		{"a shifted cell", "Time\tEvent\tNurse\n0800\tTurn\t<nHaugstad>\n0900\t<nBoakye>\n1000\tBath\t<nNambiar>\n", []string{"Haugstad", "Boakye", "Nambiar"}},
		{"a shifted cell between blanks", "Time   Event    Nurse\n0800   Turn     <nHaugstad>\n0900   <nBoakye>\n1000   Bath     <nNambiar>\n", []string{"Haugstad", "Boakye", "Nambiar"}},
		{"a place below Destination", "Patient\tReason\tDestination\n<nHaugstad>\t<Surgery>\t<Normal>\n", []string{"Haugstad", "Normal"}},
		{"times", "Case\tIn\tOut\tSurgeon\nAppy\t<0910>\t<1004>\t<nNair>\nHernia\t<1100>\t<1930>\t<nOkoro>\n", []string{"Nair", "Okoro"}},
		{"times of shifts", "Nurse;Inicio;Fin\n<nOkoro>;<0700>;<1930>\n<nZubiri>;<1900>;<0730>\n", []string{"Okoro", "Zubiri"}},
		{"amounts", "Hour\tIn\tOut\tCharted by\n0700\t<120>\t<200>\t<nOkoro>\n", []string{"Okoro"}},
		{"years and extensions", "Condition\tStart\tPager\nGout\t<1998>\t<0815>\nMI\t<2012>\t<1130>\n", []string{"1998", "0815", "2012", "1130"}},
		{"no times", "Drug\tStart\tStop\nKeflex\t<0910>\t<3/9>\nZyvox\t<4471>\t<3/10>\n", []string{"0910", "3/9", "4471", "3/10"}},
		{"two cells of CSV", "Date,Provider,Reason\n<3/4/24>,<nNair,Rash>\n<3/6/24>,<nOkoro,Fall>\n", []string{"3/4/24", "Nair", "3/6/24", "Okoro"}},
		{"a comma in a cell", "Patient,Reason,MRN\n\"<nNair, Anil>\",Rash,<44719>\n", []string{"Nair, Anil", "44719"}},
		{"over a comma", "Relation,Name,Condition\nUncle,<nHaugen,><nMarfan>\nSon,<nNair>,Gout\n", []string{"Haugen", "Nair"}},
		{"two rows", "Time\tNurse\tEvent\n1000\tBoakye\t<nTurn\n1100\tOkoro>\tBath\n", []string{"Okoro"}},
		{"from the line before", "Seen by <nLund\nTime\tNurse\tEvent>\n1000\tBoakye\tTurn\n", []string{"Lund"}},
		{"headings", "Patient\t<nMorse>\t<nAlarm>\t<nHaugen>\n<nNair>\t65\tBed\tyes\n<nOkoro>\t80\tOff\tno\n", []string{"Haugen", "Nair", "Okoro"}},
		{"a street of several cells", "Resident\tWeight\tSling\n<Nair\t72\tMedium>\n<nOkoro>\t88\tLarge\n", []string{"Nair", "Okoro"}},
		{"a street in a cell", "Resident\tStreet\tWeight\nNair\t<14 Elm Row>\t72\nOkoro\t<Elm>\t80\n", []string{"14 Elm Row", "Elm"}},
		{"ages and days", "Resident\tAge\tDay\tMonth\n<nNair>\t<93\t12\t5>\n<nOkoro>\t80\t1\t2\n", []string{"Nair", "93", "12", "5", "Okoro"}},
		{"names and places below headings of visits", "Date\tVisit\tFrom\tSource\n<3/4>\t<nHope>\t<nReading>\t<nMark>\n<3/5>\t<nRose>\t<Salem>\t<nGrace>\n", []string{"3/4", "Hope", "Reading", "Mark", "3/5", "Rose", "Salem", "Grace"}},
		{"dates below words", "Reason\tClinic\tDoctor\n<Fall\tMobile\tDay>\n<11/24\tMobile\tLong>\n<n11/25>\tMobile\tBest\n", []string{"Mobile", "Day", "11/24", "Mobile", "Long", "11/25"}},
		{"no table", "Reason\t<nTurn>\n\n<nTurn,Bath> and <nLund>", []string{"Turn", "Turn,Bath", "Lund"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text, spans := marked(tc.text)
			var got []string
			for _, s := range CorrectCells(text, spans, func(typ string) bool { return typ == "n" }) {
				got = append(got, text[s.Start:s.End])
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// marked returns a text without the angle brackets around spans, and the spans. The type of one that begins with n is n.
func marked(source string) (text string, spans []data.Span) {
	for {
		before, rest, ok := strings.Cut(source, "<")
		text += before
		if !ok {
			return text, spans
		}
		inside, after, _ := strings.Cut(rest, ">")
		s := data.Span{Start: len(text), Type: "other"}
		if name, ok := strings.CutPrefix(inside, "n"); ok {
			inside, s.Type = name, "n"
		}
		text += inside
		s.End = len(text)
		spans, source = append(spans, s), after
	}
}

// Tables between blanks took quadratic time in the number of their columns.
func TestManyColumns(t *testing.T) {
	const n = 400_000
	row := func(cells string, n int) string { return strings.Repeat(cells, n) + "end\n" }
	for _, text := range []string{
		row("Name  Age  ", n) + row("Lund  44  ", n), row("Name  Age  ", n) + row("Lund  440  ", n-1), row("Name\tAge\t", n) + strings.Repeat("Lund\t44\n", n),
		row("Name  Age  ", maxColumns/2-1) + strings.Repeat(row("Lund  44   ", maxColumns/2-2), 100),
	} {
		if found := CorrectCells(text, []data.Span{{Start: 0, End: 4, Type: "n"}}, func(string) bool { return true }); len(found) > 1 {
			t.Errorf("%d spans", len(found))
		}
	}
}

// The keys of the lists are what headingKey returns, no heading has two types, and those of a type are sorted on lines that a reader can review.
func TestHeadings(t *testing.T) {
	seen, last := map[string]bool{}, map[string]string{}
	for line := range strings.Lines(listText("columns")) {
		typ, list, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		if values[typ] == nil && !slices.Contains([]string{bareName, anyID, anyExt, day, clock, scale, thing, words, places, anything, other}, typ) {
			t.Errorf("there is no type %s", typ)
		}
		if len(line) > 200 {
			t.Errorf("a line has %d bytes: %.30s", len(line), line)
		}
		for heading := range strings.SplitSeq(list, ",") {
			heading = strings.TrimSpace(heading)
			if key := headingKey(heading); key != heading {
				t.Errorf("%s: %q is %q", typ, heading, key)
			}
			if seen[heading] {
				t.Errorf("%q is there twice", heading)
			}
			if heading < last[typ] {
				t.Errorf("%s: %q is not before %q", typ, heading, last[typ])
			}
			seen[heading], last[typ] = true, heading
		}
	}
}

func FuzzColumns(f *testing.F) {
	f.Add("MRN\tPatient\tDOB\n1234\tOda Lund\t3/2\n|Date|Phone|\n|---|\n|3/2|x123|\nDate   Phone\n3/2   5555\n")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, s := range Columns(text) {
			if s.Start < end || s.End <= s.Start || s.End > len(text) || strings.Contains(text[s.Start:s.End], "\n") {
				t.Fatalf("the span %v after %d in %q", s, end, text)
			}
			end = s.End
		}
		end = 0
		for _, s := range CorrectCells(text, []data.Span{{End: len(text), Type: "PATIENT"}}, isPerson) {
			if s.Start < end || s.End <= s.Start && text != "" || s.End > len(text) {
				t.Fatalf("the span %v after %d in %q is left", s, end, text)
			}
			end = s.End
		}
	})
}

// A value before the label of a date was taken for a heading, so that the record number and the age stayed.
func TestValuesBeforeTheLabelOfADateAreNoHeadings(t *testing.T) {
	const text = "Patient ID\t7038841 Birth date\tJune 10, 2041 Name\tBell, Yonas Age\t17 Y Visit date\tJune 18, 2066\nPhone\t112-1010   Adm\tJune 9, 2066\n"
	var spans []data.Span
	for _, value := range []string{"7038841", "17"} {
		at := strings.Index(text, value)
		spans = append(spans, data.Span{Start: at, End: at + len(value), Type: "MEDICALRECORD"})
	}
	if got := CorrectCells(text, spans, func(string) bool { return false }); !slices.Equal(got, spans) {
		t.Errorf("%v are left of %v", got, spans)
	}
}
