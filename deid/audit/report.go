package audit

import (
	"cmp"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/safetynet"
)

// Report is the summary of a run for programs. It has no text of notes, and no names of files. Its keys stay the same between
// versions of the program; new ones may be added. All of them are always present.
type Report struct {
	Version      string `json:"version"`       // version of the program
	Model        string `json:"model"`         // digest of the model, as in Line; "" without a model
	Config       string `json:"config"`        // digest of the options, as in Line
	Policy       string `json:"policy"`        // name of the policy
	PolicyDigest string `json:"policy_digest"` // digest of the policy's file

	Files        int `json:"files"`                  // number of files of notes, including the next
	FilesSkipped int `json:"files_already_complete"` // number of files that an earlier run had completed
	FilesLeftOut int `json:"files_left_out"`         // number of files in input folders that were not read

	Notes               int `json:"notes"`                 // number of notes that were examined and written
	NotesFailed         int `json:"notes_failed"`          // number of notes that could not be examined and were not written
	NotesFailedEarlier  int `json:"notes_failed_earlier"`  // the same, of the files that an earlier run had completed
	NotesUnlike         int `json:"notes_unlike"`          // number of notes unlike those that the model was calibrated on
	NotesWithoutPatient int `json:"notes_without_patient"` // number of notes without a known patient
	Patients            int `json:"patients"`              // number of patients
	PatientsRestarted   int `json:"patients_restarted"`    // number of patients whose numbering restarted
	RecordsWithoutText  int `json:"records_without_text"`  // number of records without a note, of which fields or parts have changed
	PartsDropped        int `json:"parts_dropped"`         // number of parts of records that were removed because they cannot be examined

	// Types says what the run does with the values of each type that it can find.
	Types map[string]Treatment `json:"types"`
	// Options has the options that are not empty, by name. The word file stands for a file. It lacks those that name files of notes.
	Options map[string]string `json:"options"`

	Replaced  map[string]int                      `json:"replaced"`            // number of replaced spans, by type
	Kept      map[string]int                      `json:"kept"`                // number of spans that stay, by type
	Fields    map[string]int                      `json:"fields"`              // number of fields of records that changed, by type, or drop or hash
	Keyed     bool                                `json:"pseudonyms_keyed"`    // whether pseudonyms of fields follow from a key file, so that those of several runs can be joined
	SafetyNet bool                                `json:"safety_net"`          // whether there was a safety net
	Net       map[safetynet.Source]map[string]int `json:"found_by_safety_net"` // number of values that only the safety net found, by source and type
	Languages map[string]int                      `json:"languages"`           // number of notes, by the languages of their models
	Unlike    map[string]int                      `json:"unlike"`              // number of notes, by the way in which they are unlike others

	Unchanged    string  `json:"unchanged"`     // parts of the files that were not examined
	ExpectedLeak string  `json:"expected_leak"` // for the reader
	Bytes        int64   `json:"bytes"`         // number of bytes of input that were read, compressed if the input is
	Seconds      float64 `json:"seconds"`       // duration of the run
}

// Treatment is what a run does with the values of a type.
type Treatment struct {
	Sort      data.Sort    `json:"sort"`                // of the values; "" if it is unknown
	Clinician bool         `json:"clinician,omitempty"` // whether they are names of persons who treat patients
	Action    replace.Kind `json:"action"`              // kind of replacement; a value whose form does not suit it is replaced by the default kind
}

// Report returns the totals. The caller sets what a Summary does not contain: Version, Model, Config, PolicyDigest, Types,
// Options, Files, FilesLeftOut, Bytes and Seconds.
func (s *Summary) Report() Report {
	return Report{
		Types: map[string]Treatment{}, Options: map[string]string{},
		Policy: s.Policy, FilesSkipped: s.Skipped,
		Notes: s.Notes - s.Failed - s.NoText, RecordsWithoutText: s.NoText, NotesFailed: s.Failed, NotesFailedEarlier: s.Lost, NotesUnlike: s.Unusual, NotesWithoutPatient: s.Without,
		Patients: s.Patients, PatientsRestarted: s.Restarted, PartsDropped: s.Dropped,
		Replaced: present(s.replaced), Kept: present(s.kept), Fields: present(s.fields), Keyed: !s.Unkeyed, SafetyNet: !s.NoNet, Net: present(s.net),
		Languages: present(s.languages), Unlike: present(s.unlike),
		Unchanged: s.Unchanged, ExpectedLeak: cmp.Or(s.Expected, uncalibrated),
	}
}

// present returns an empty map instead of nil, which would be null in JSON.
func present[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return map[K]V{}
	}
	return m
}
