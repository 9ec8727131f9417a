package labelstudio

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// labelFor returns the label for spans of a type, and the Labels tag that has it. In order of preference, it is
//
//  1. the label whose predicted_values name the type,
//  2. the label with the name of the type; case, spaces and punctuation do not matter ("Medical record"),
//  3. a label with another name for the type or something wider, such as PERSON for PATIENT, or LOCATION for CITY,
//  4. the label named after the type's category, such as CONTACT,
//  5. the label PHI or PII.
//
// If there is none, ok is false.
func (t *text) labelFor(typ data.Type) (control, value string, ok bool) {
	if control, value, ok = t.find(func(l label) bool {
		return slices.ContainsFunc(l.predicted, func(p string) bool { return strings.EqualFold(p, typ.Name) })
	}); ok {
		return control, value, true
	}
	for _, name := range slices.Concat([]string{typ.Name}, otherNames(typ), []string{typ.Category, "PHI", "PII"}) {
		name = plain(name)
		if control, value, ok = t.find(func(l label) bool { return len(l.predicted) == 0 && name != "" && plain(l.value) == name }); ok {
			return control, value, true
		}
	}
	return "", "", false
}

// find returns the first label that fits.
func (t *text) find(fits func(label) bool) (control, value string, ok bool) {
	for _, c := range t.controls {
		if i := slices.IndexFunc(c.labels, fits); i >= 0 {
			return c.name, c.labels[i].value, true
		}
	}
	return "", "", false
}

// plain returns a name in upper case with its letters and digits only.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-./", r) {
			return -1
		}
		return r
	}, strings.ToUpper(name))
}

// otherNames lists names of labels for a type, best first.
func otherNames(typ data.Type) []string {
	sort := string(typ.Sort)
	if typ.Sort == data.Person && typ.Clinician {
		sort = "clinician"
	}
	return slices.Concat(strings.Fields(namesOfType[typ.Name]), strings.Fields(namesOfSort[sort]))
}

// namesOfType has the labels of other tools for some types.
var namesOfType = map[string]string{
	"SSN":           "US_SSN SOCIAL_SECURITY SOCIAL_SECURITY_NUMBER",
	"MEDICALRECORD": "MRN MEDICAL_RECORD_NUMBER",
	"HEALTHPLAN":    "HEALTH_PLAN_NUMBER HEALTH_INSURANCE_NUMBER",
	"ACCOUNT":       "ACCOUNT_NUMBER US_BANK_NUMBER",
	"LICENSE":       "LICENSE_NUMBER MEDICAL_LICENSE US_DRIVER_LICENSE",
	"FAX":           "FAX_NUMBER",
}

// namesOfSort has the labels of other tools for the sorts of types.
var namesOfSort = map[string]string{
	"person":                  "PATIENT PATIENT_NAME PERSON PERSON_NAME PER NAME",
	"clinician":               "DOCTOR PHYSICIAN CLINICIAN STAFF HCW PROVIDER DOCTOR_NAME PERSON PERSON_NAME PER NAME",
	string(data.Username):     "USERNAME USER_NAME ACCOUNT ID",
	string(data.Date):         "DATE DATE_TIME DATETIME TIME",
	string(data.Age):          "AGE",
	string(data.Number):       "ID IDNUM ID_NUMBER IDENTIFIER",
	string(data.Phone):        "PHONE PHONE_NUMBER TELEPHONE CONTACT",
	string(data.Email):        "EMAIL EMAIL_ADDRESS CONTACT",
	string(data.URL):          "URL CONTACT",
	string(data.IP):           "IP IP_ADDR IP_ADDRESS CONTACT",
	string(data.Hospital):     "HOSPITAL FACILITY ORGANIZATION ORGANISATION ORG INSTITUTION LOCATION LOC",
	string(data.Organization): "ORGANIZATION ORGANISATION ORG INSTITUTION COMPANY EMPLOYER LOCATION LOC",
	string(data.Department):   "DEPARTMENT WARD HOSPITAL FACILITY ORGANIZATION ORG LOCATION LOC",
	string(data.Street):       "STREET ADDRESS STREET_ADDRESS LOCATION LOC",
	string(data.City):         "CITY LOCATION LOC GPE",
	string(data.State):        "STATE LOCATION LOC GPE",
	string(data.Country):      "COUNTRY LOCATION LOC GPE",
	string(data.Zip):          "ZIP ZIP_CODE ZIPCODE POSTAL_CODE POSTCODE LOCATION LOC ADDRESS",
	string(data.Place):        "LOCATION LOC GPE ADDRESS",
	string(data.Landmark):     "LOCATION LOC GPE",
	string(data.Room):         "ROOM LOCATION LOC",
	string(data.Profession):   "PROFESSION OCCUPATION JOB",
	string(data.Other):        "OTHER MISC",
}

// unlabelled lists the types for which the label config has no label in one of its texts.
func (c *config) unlabelled(types []data.Type) []string {
	missing := []string{}
	for _, typ := range types {
		if slices.ContainsFunc(c.texts, func(t text) bool { _, _, ok := t.labelFor(typ); return !ok }) {
			missing = append(missing, typ.Name)
		}
	}
	slices.SortFunc(missing, cmp.Compare[string])
	return missing
}
