package data

// Anonym has the six types of Zuccon et al. 2014, Table 6. Patients and clinicians
// have the same type, and so do hospitals and all other places: hence INSTITUTION
// is marked as HIPAA, for it may be an address.
var Anonym = &TypeSet{
	Name: "anonym", Language: "en", Rules: []string{"english"},
	Types: types(
		group{"NAME", Person, "NAME*"},
		group{"LOCATION", Hospital, "INSTITUTION*"},
		group{"AGE", Age, "AGE*"},
		group{"DATE", Date, "DATE*"},
		group{"CONTACT", Phone, "PHONE*"},
		group{"ID", Number, "ID*"},
	),
}
