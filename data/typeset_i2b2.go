package data

// I2B2 has the types of the annotation guide of i2b2/UTHealth 2014, track 1.
var I2B2 = &TypeSet{
	Name: "i2b2-2014", Language: "en", Rules: []string{"english"}, Format: "i2b2",
	Types: types(
		group{"NAME", Person, "PATIENT* DOCTOR+"},
		group{"NAME", Username, "USERNAME"},
		group{"PROFESSION", Profession, "PROFESSION"},
		group{"LOCATION", Room, "ROOM"},
		group{"LOCATION", Department, "DEPARTMENT"},
		group{"LOCATION", Hospital, "HOSPITAL"},
		group{"LOCATION", Organization, "ORGANIZATION*"},
		group{"LOCATION", Street, "STREET*"},
		group{"LOCATION", City, "CITY*"},
		group{"LOCATION", State, "STATE"},
		group{"LOCATION", Country, "COUNTRY"},
		group{"LOCATION", Zip, "ZIP*"},
		group{"LOCATION", Landmark, "LOCATION-OTHER"},
		group{"AGE", Age, "AGE*"},
		group{"DATE", Date, "DATE*"},
		group{"CONTACT", Phone, "PHONE* FAX*"},
		group{"CONTACT", Email, "EMAIL*"},
		group{"CONTACT", URL, "URL*"},
		group{"CONTACT", IP, "IPADDR*"},
		group{"ID", Number, "SSN* MEDICALRECORD* HEALTHPLAN* ACCOUNT* LICENSE* VEHICLE* DEVICE* BIOID* IDNUM*"},
		group{"OTHER", Other, "OTHER"},
	),
	Preferred: map[Sort]string{Phone: "PHONE", Number: "MEDICALRECORD"},
}

// I2B22006 has the types of the i2b2 de-identification challenge of 2006 (Uzuner
// et al. 2007).
var I2B22006 = &TypeSet{
	Name: "i2b2-2006", Language: "en", Rules: []string{"english"}, Format: "i2b2-2006",
	Types: types(
		group{"NAME", Person, "PATIENT* DOCTOR+"},
		group{"LOCATION", Hospital, "HOSPITAL"},
		group{"LOCATION", Place, "LOCATION*"},
		group{"AGE", Age, "AGE*"},
		group{"DATE", Date, "DATE*"},
		group{"CONTACT", Phone, "PHONE*"},
		group{"ID", Number, "ID*"},
	),
}
