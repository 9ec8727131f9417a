package data

import "testing"

// Files that are named by their date were all notes of patient 2024.
func TestDatesWereTakenForPatients(t *testing.T) {
	for id, want := range map[string]string{
		"110-04": "110", "110-04-x": "110", "2024-01-15": "", "2024-01-15 ward": "", "2024-01": "2024", "2024-01-150": "2024", "a-1": "", "": "",
	} {
		if got := PatientOf(id); got != want {
			t.Errorf("%q: patient %q, want %q", id, got, want)
		}
	}
}
