package safetynet

import (
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// The most frequent names stayed in short sentences, where rare ones went.
func TestFrequentNamesStayed(t *testing.T) {
	checkFound(t, PlainNames, []string{
		"should «John Smith» get a statin",
		"could «Linda White» have lupus?",
		"«Patricia Brown» NYHA III EF 25%",
		"does «Mary Ann O'Brien» need insulin",
		"Dr. «James T. Wilson» saw him",
		"«Mark Johnson» was here, «Rose Miller» too",
		"«Susan Long» has gout",
	})
	checkFound(t, PlainNames, []string{
		"Henry Ford Hospital", "Henry Ford Macomb Hospital", "Johns Hopkins", "John Hopkins", "James Paget", "St John Ambulance", "Martin Bell syndrome", "Allen Brown test",
		"Will Foley come out", "Place Foley", "#10 Bard Parker blade", "Will Give", "Mark Site", "Grace Young", "Robin Hood", "Neville Barnes forceps", "Lake Harris", "John Smith et al",
		"Linda\nWhite", "George Washington University",
	})
}

// A name before what belongs to a patient stayed: Delgado's creatinine.
func TestOwnersStayed(t *testing.T) {
	checkFound(t, PlainNames, []string{
		"«Wojciechowski»'s creatinine is 2.1",
		"- «Peverell»’s A1c is abnormal",
		"«Mary Johnson»'s EKG shows afib",
		"«Rich Long»'s DEXA",
		"Given «Delgado»'s symptoms",
		"«Hollis»' aortic gradient is 52",
		"next step in «Boateng»'s hypertension workup",
		"«Wilson»'s creatinine and «Baker»'s wife",
		"Crohn's labs", "Wilson's labs", "Graves' labs", "Barrett's biopsy", "Parkinson's meds", "Parkinson's symptoms", "Bell's palsy", "Ringer's lactate", "Farmer's lung", "Kussmaul's sign",
		"Raynaud's symptoms", "Today's labs", "Monday's labs", "April's labs", "Children's hospital", "Patient's chart", "Mother's EKG", "Medicare's care", "Queensland's School of Dentistry", "ICU's chart",
	})
}

// Surnames in the tasks and rows of a sign-out stayed.
func TestSurnamesOfSignOutsStayed(t *testing.T) {
	checkFound(t, PlainNames, []string{
		"Check «Williams» lytes at 2200",
		"- f/u «Thompson» CT",
		"Follow up «Garcia» cultures",
		"Repeat CT «Thompson» at 6h",
		"«Miller» GIB, hgb 7.8; «Taylor» COPD exac, pred 40; «Wilson»: sepsis, lactate 4",
		"Medicine:\n«Miller» CHF; «Davis» PNA",
		"Check Foley output", "Check Wells score", "Repeat Gram stain", "Check White count", "Check Wilson labs", "Repeat Stone CT", "Murphy negative; Kernig negative", "Long QT; Short PR", "Brown sputum; White cells",
	})
}

// Employers before the word employee, and school districts, stayed.
func TestEmployersStayed(t *testing.T) {
	checkFound(t, PlainNames, []string{
		"pt is a «Boeing» employee",
		"«Wells Fargo» employee, back strain",
		"an «Amazon» driver",
		"DOT physical, «Tulia ISD»",
		"in the «Kingsburg Unified School District».",
		"«Delta» HR called", "«Denny»'s HR called",
		"VA employee", "Former employee", "Hospital employee", "MRI technician", "Hispanic worker", "CDL driver", "Type III ISD", "Target HR 120", "Hispanic employee", "Federal employee",
	})
}

// In Vietnamese names, Thu was a weekday.
func TestThuWasThursday(t *testing.T) {
	checkFound(t, PlainNames, []string{
		"«Hoang Thu Ha» called", "«Nguyen Thi Thu Ha»", "handoff to «Tran Thu Ha» at 7", "«Nguyen Thi Thu», 34F", "«Thu Nguyen»", "Seen Thu May 4", "Clinic Thu Mon", "«Tran Thi Thu» 3/4",
	})
}

// What another source found keeps its type.
func TestTypesOfOthersWin(t *testing.T) {
	plain := PlainNames("by John Smith")
	if got := WithoutGuesses(plain, []data.Span{{Start: 3, End: 13, Type: "DOCTOR"}}, data.Any.SortOf); len(got) != 0 {
		t.Error(got)
	}
	if got := WithoutGuesses(plain, []data.Span{{Start: 8, End: 13, Type: "DOCTOR"}}, data.Any.SortOf); len(got) != 1 || got[0].Score != 1 || got[0].Type != "DOCTOR" {
		t.Error(got)
	}
}

// Operations, signs, brands and companies owned what belongs to a patient, and "per" was a first name.
func TestThingsWereOwners(t *testing.T) {
	checkFound(t, PlainNames, []string{
		"Coats' vision loss", "Wellens' ECG", "Mohs' surgery", "Achilles' pain", "Epley's treatment", "Lichtenstein's surgery", "Prague's stent", "Waddell's fever", "Savary-Miller's rash",
		"Dexcom's glucose", "Medtronic's pacemaker", "Kardia's EKG", "Keytruda's rash", "Pfizer's dose", "Labcorp's a1c", "Cigna's refill", "Christmas' visit",
		"«Todd»'s wife", "«Todd»'s rash", "«Heller»'s daughter", "«Baxter»'s labs", "«Lilly»'s mom", "«Ford»'s wife", "«Mary Kay» and plan", "«Delgado»'s rash",
		"Per Barlow and Ortolani, hips stable", "Per Beck Depression Inventory", "Per «Nguyen», wound clean", "Harley Davidson",
		"Check Day labs", "Check Best labs", "Check Mayo labs",
	})
}
