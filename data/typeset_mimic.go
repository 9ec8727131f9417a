package data

// MIMIC has the types of the MIMIC de-identification dataset of Dernoncourt et
// al. 2016, Table 1.
var MIMIC = &TypeSet{
	Name: "mimic", Language: "en", Rules: []string{"english"},
	Types: types(
		group{"NAME", Person, "PATIENT* DOCTOR+"},
		group{"LOCATION", Hospital, "HOSPITAL"},
		group{"LOCATION", Street, "STREET*"},
		group{"LOCATION", State, "STATE"},
		group{"LOCATION", Country, "COUNTRY"},
		group{"LOCATION", Zip, "ZIP*"},
		group{"LOCATION", Landmark, "LOCATION-OTHER*"},
		group{"AGE", Age, "AGE*"},
		group{"DATE", Date, "DATE*"},
		group{"CONTACT", Phone, "PHONE*"},
		group{"ID", Number, "IDNUM*"},
	),
}
