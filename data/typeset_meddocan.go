package data

// MEDDOCAN has all 29 types of the annotation guide of MEDDOCAN (Marimon et al.
// 2019).
var MEDDOCAN = &TypeSet{
	Name: "meddocan", Language: "es", Rules: []string{"spanish"}, Format: "meddocan",
	Types: types(
		group{"NAME", Person, "NOMBRE_SUJETO_ASISTENCIA* NOMBRE_PERSONAL_SANITARIO+"},
		group{"PROFESSION", Profession, "PROFESION"},
		group{"LOCATION", Hospital, "HOSPITAL CENTRO_SALUD"},
		group{"LOCATION", Organization, "INSTITUCION*"},
		group{"LOCATION", Street, "CALLE*"},
		group{"LOCATION", Place, "TERRITORIO*"},
		group{"LOCATION", Country, "PAIS"},
		group{"AGE", Age, "EDAD_SUJETO_ASISTENCIA*"},
		group{"DATE", Date, "FECHAS*"},
		group{"CONTACT", Phone, "NUMERO_TELEFONO* NUMERO_FAX*"},
		group{"CONTACT", Email, "CORREO_ELECTRONICO*"},
		group{"CONTACT", URL, "URL_WEB*"},
		group{"ID", Number, "ID_ASEGURAMIENTO* ID_CONTACTO_ASISTENCIAL* NUMERO_BENEF_PLAN_SALUD* IDENTIF_VEHICULOS_NRSERIE_PLACAS* " +
			"IDENTIF_DISPOSITIVOS_NRSERIE* IDENTIF_BIOMETRICOS* ID_SUJETO_ASISTENCIA* ID_TITULACION_PERSONAL_SANITARIO " +
			"ID_EMPLEO_PERSONAL_SANITARIO OTRO_NUMERO_IDENTIF*"},
		group{"OTHER", Sex, "SEXO_SUJETO_ASISTENCIA"},
		group{"OTHER", Family, "FAMILIARES_SUJETO_ASISTENCIA"},
		group{"OTHER", Other, "OTROS_SUJETO_ASISTENCIA"},
		// The corpus's own map of categories has this one under OTHER; i2b2 has it under CONTACT.
		group{"OTHER", IP, "DIREC_PROT_INTERNET*"},
	),
	Preferred: map[Sort]string{Phone: "NUMERO_TELEFONO", Number: "ID_SUJETO_ASISTENCIA", Hospital: "HOSPITAL"},
}
