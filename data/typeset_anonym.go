package data

// Anonym has the six types of Zuccon et al. 2014, Table 6. Patients and clinicians
// have the same type, NAME. Hospitals and all other places have the type
// INSTITUTION, which is marked as HIPAA because a value may be an address.
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
