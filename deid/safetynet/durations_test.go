package safetynet

import "testing"

// TestDurationsAndTimesWereTakenForDates has British durations in months and times of day, in «», that were taken for a day and a month.
func TestDurationsAndTimesWereTakenForDates(t *testing.T) {
	for _, text := range []string{
		"Cough 3/52. Defaulted «5/12» - went away", "LBP «6/12», worse x 2/52", "Cough «3/12», wt loss 2/52", "MDT 13 March 2025. Outcome: CT «3/12».", "Seen 14/2/2025. Plan: RV «6/12», bloods", "Back 14.30, phoned 04.35. Woke «06.05». Seen 19/11/2024",
		"Seen 19/11/2024 at 14.30. Bed at 22.45. Turned «10.12»",
	} {
		if plain, left := withoutMarked(text, "DATE"); len(left) > 0 {
			t.Errorf("%q: %q is left", plain, left)
		}
	}
}

// TestDatesLikeDurationsAndTimesStay has dates and an age, in «», that look like a British duration or a time of day.
func TestDatesLikeDurationsAndTimesStay(t *testing.T) {
	for _, text := range []string{
		"Cough 3/52. Seen «5/12»", "Cough 3/52, since «5/12»", "Cough 3/52. Born «5/12»", "Cough 3/52. Next appt «5/12»", "Cough 3/52, 18/12 worse. Fell «5/12»", "Cough 3/52. Dated 7/12/24. Defaulted «5/12»", "Defaulted «5/12»", "CT «3/12» showed a PE", "MDT 13 March 2025. CT «3/12» clear", "Fell «5/12»",
		"Cough 3/52.\n\n«8/12»: WBC 12", "Biktarvy 2/52\n\nDATA: T4 1.8\n\n«8/12»: LDL 209", "Rash 2/52. K 4.1 («8/12»)", "Rash 2/52.\n«8/12» - seen by GP", "Rash 2/52. CRP 12 «8/12»", "Cough 3/52. ED «11/12» with chest pain", "Cough 3/52. Theatre «11/12»", "Cough 3/52. Bloods «5/12» normal", "Cough 3/52. Appendicectomy «4/12».",
		"Rash 2/52. CT chest «4/12» clear", "Rash 2/52. Catheter changed «4/12»", "Seen 23/04/2022. Plan: CT «11/12».", "Seen 23/04/2022. f/u «5/12».", "Seen 23/04/2022. TCI «11/12».", "Seen 23/04/2022. Repeat «3/12».", "Rash 2/52. Cough («8/12»)",
		"Back 14.30, phoned 04.35. Transfer to ward «06.05». Seen 19/11/2024", "Back 14.30. To bed at 21.45. Clot settled «09.08». 12/05/2023", "Back 14.30. To bed at 21.45. Operated «06.05». 12/05/2023", "Back 14.30. To bed at 21.45. Biopsy «09.08» benign. 12/05/2023", "Phoned 14.30. To bed at 21.45. MRI booked «06.05». 12/05/2023", "Phoned 14.30. To bed at 21.45. Wound review «06.05». 12/05/2023",
		"Seen 3/14/2025. Plan: CT «3/12».", "Cough 3/52. Leave «5/12» - 9/12", "Cough 3/52. Defaulted «5/12» - present",
		"Back 14.30, phoned 04.35. Seen «06.05», 19/11/2024", "Back 14.30, phoned 04.35. Due on «06.05». 19/11/2024", "Back 14.30, phoned 04.35. Ward «06.05». 19.11.2024", "Back 14.30, phoned 04.35. Ward «06.05», 31.12", "Back 14.30. Ward «06.05». 19/11/2024", "Ward «06.05»",
		"Back 14.30, phoned 04.35, 19/11/2024.\n«06.05» is the birthday", "Back 14.30, phoned 04.35, 19/11/2024. «06.05» was the last visit",
	} {
		if plain, left := withoutMarked(text, "DATE"); len(left) != 1 {
			t.Errorf("%q: %q is left", plain, left)
		}
	}
	if plain, left := withoutMarked("Cough 3/52. Sibling aged «5/12» well", "AGE"); len(left) != 1 {
		t.Errorf("%q: %q is left", plain, left)
	}
}
