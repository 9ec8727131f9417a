package notefile

import (
	"io"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// ReadKnown reads a file of known values of patients: one of safetynet.Read, or a file of FHIR, such as the Patient.ndjson of a bulk
// export, whose Patients say their names, identifiers, addresses and telephone numbers. A file of FHIR may be gzipped.
func ReadKnown(path string, types *data.TypeSet) (*safetynet.Values, error) {
	open := func() (io.ReadCloser, error) {
		file, err := bounded.OpenRegular(path)
		if err != nil {
			return nil, err
		}
		unzipped, err := bounded.Gunzip(file)
		if err != nil {
			_ = file.Close()
			return nil, err
		}
		return struct {
			io.Reader
			io.Closer
		}{unzipped, file}, nil
	}
	format, err := Choose(path, "", open)
	if err != nil || format == nil || format.Name != "fhir" {
		return safetynet.Read(path, types) // whose errors say what such a file must be
	}
	file, err := open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	values, patients := safetynet.NewValues(), 0
	for record, err := range format.Read(file, path, Options{Drop: true}) {
		if err != nil {
			return nil, err
		}
		for patient, known := range record.Known {
			values.Add(patient, known)
			patients++
		}
		for name, patient := range record.Aliases {
			values.Alias(name, patient)
		}
	}
	if patients == 0 {
		return nil, &data.Error{Path: path, Offset: -1, Reason: "contains no Patient of FHIR with a name, an identifier, an address or a telephone number"}
	}
	return values, nil
}
