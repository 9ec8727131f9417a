package reader

import "slices"

// Patients is the first few patients with a value.
type Patients []int32

// Add returns the set with a patient, unless it already has the patient or most of them.
func (p Patients) Add(patient int32, most int) Patients {
	if len(p) >= most || slices.Contains(p, patient) {
		return p
	}
	return append(p, patient)
}
