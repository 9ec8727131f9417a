package safetynet

import "testing"

// Names in short Spanish sentences without a label stayed: behind what is measured of a person, in questions, commands and lists.
func TestNamesInShortSpanishSentencesStayed(t *testing.T) {
	checkFound(t, AskedNames, []string{
		"la creatinina de «Aitor Etxeberria» es 2,4",
		"La hemoglobina de «María Delgado» es normal",
		"el potasio de «Delgado» es 6,1, la glucosa de «Ancajima»",
		"el TAC craneal de «Rocío» y la biopsia de «Huanca»",
		"la fractura de «Yesenia Quintanilla», la fiebre de «Oksana»",
		"receta de «Quispe» lista para recoger",
		"¿puede «Quispe» tomar paxlovid? ¿Puede conducir «Milagros»?",
		"¿tiene «Delgado» lupus? ¿«Oksana» necesita estatina?",
		"Alexa, recuérdale a «Wilmer Ancajima» tomar enalapril",
		"¿qué dosis le doy a «Maritza Condori»?",
		"dosis de vancomicina para «Ancajima» 82 kg, insulina para «Mamani»",
		"la hija de «Blanco» llamó, familia de «Quispe» en sala",
		"«Hernández Soto» estable. «Concepción Rey Bravo» con sepsis",
		"«María de la Cruz Pérez» va bien",
		"«Quispe» IRC y gota\n- «Oksana» estable",
		"hola «Milagros», ¿cómo está?",
	})
}

// So did those in lower case and in capitals.
func TestNamesInOneCaseInShortSpanishSentencesStayed(t *testing.T) {
	checkFound(t, AskedNames, []string{
		"¿por qué «brayan castaño» tiene edema?",
		"«wilmer ancajima» con fiebre",
		"«josé luis quispe mamani» debe tomar un comprimido",
		"LA CREATININA DE «XOCHITL HERNÁNDEZ» ES 2",
		"RECETA DE «AITOR ETXEBERRIA» LISTA",
		"dolores osteoarticulares, pilar multiunidad, mina abandonada",
		"trabaja en mina barequero",
	})
}

// Eponyms, drugs, departments and professions are no names behind the words that ask for a person, nor are the names of things.
func TestThingsNamedAfterPersonsAreNotAskedNames(t *testing.T) {
	checkFound(t, AskedNames, []string{
		"la enfermedad de Crohn, el signo de Murphy, la escala de Glasgow, índice de Barthel, test de Apgar, la prueba de Coombs, catéter de Foley",
		"la clasificación de Forrest, el estudio de Framingham, el síndrome de Marcus Gunn, la prótesis de Austin Moore, la fractura de Smith",
		"hemoglobina de Lepore, creatinina de Jaffé, fiebre de Malta, caso de Covid, historia de Crohn",
		"receta de Augmentine, receta de Sintrom, analítica de Urgencias, TAC de Tórax, TAC de Cabeza, cita de Cardiología",
		"¿tiene Crohn? ¿Puede Sintrom dar diarrea? ¿tiene Parkinson?",
		"cultivo positivo para Candida albicans, negativo para IgE",
		"llamar a Urgencias, avisar a Guardia, alta de Cardiología",
		"Celador Fran: yo puedo, Fran Celador: yo no, NºCol: 3, Bono Juana Azurduy, rosa mosqueta",
		"campímetro (Carl Zeiss, Alemania), catéter Quinton Permcath® de 40 cm",
		"Vit K 2,5 mg, hemoglobina de Bence-Jones, urocultivo de Proteus", "Glasgow ok, Norton 12, Murphy negativo",
	})
}

// Employers behind words for their employees stayed.
func TestEmployersOfSpanishEmployeesStayed(t *testing.T) {
	checkFound(t, AskedNames, []string{
		"empleada de «Coca-Cola», trabajador de «Mercadona», empleado de «Transportes Luna SA»",
		"jubilado de «Correos», RRHH de «Bimbo» llamó, operario de «SEAT»",
		"empleada de Hogar, conductor de Ambulancia, operario de Limpieza, encargado de Planta, trabajadora de Limpiezas",
	})
}

// A name behind the title of a physician was that of the patient.
func TestAskedNamesOfPhysicians(t *testing.T) {
	for text, want := range map[string]string{"orden de Dr. Jaime Pacheco": "DOCTOR", "la Dra. Rosa Vega": "DOCTOR", "avisa Jaime Pacheco": "PATIENT"} {
		if found := AskedNames(text); len(found) != 1 || found[0].Type != want {
			t.Errorf("%s: %+v, want %s", text, found, want)
		}
	}
}

// Microbes, devices, formulas and societies behind words that ask for a person became patients.
func TestMicrobesAndDevicesBecameAskedNames(t *testing.T) {
	checkFound(t, AskedNames, []string{
		"Crecimiento en hemocultivo de Escherichia coli. Urocultivo de Pseudomonas aeruginosa, sensible. Urocultivo de Klebsiella. Hemocultivo de Staphylococcus aureus.",
		"Urocultivo de Bacteroides, hemocultivo de Enterobacter y de Estafilococo, hemocultivo de «Ancajima» positivo, urocultivo de «Delgado»",
		"hemocultivo de «Quispe» negativo, urocultivo de «Rocío Vega»",
		"glucosa de Freestyle, inr de Coaguchek, troponina de Roche, creatinina de Cockcroft, ldl de Friedewald, plaquetas de Aféresis, saturación de Pulsioxímetro, creatinina de «Ancajima»",
		"positivo para Staf., telefono de Cruz Roja, informe para Mutua, telefono de «Cruz»",
		"Domingo estable con piuria", "«Consuelo» estable", "«Mercedes» IRC y gota", "por ruta extranatómica, sd jude bicameral", "Paul Bunnell negativo, agar Mueller Hinton, Miller Payne G4",
		"Enfermera encargada de TBC solicita, encargada de Vacunatorio, de Esterilización, encargado de UCI, encargada de «BBVA», trabajador de «SEAT»",
	})
}

// The label or the profession behind a name became a part of it.
func TestLabelsBehindNamesBecameNames(t *testing.T) {
	checkFound(t, AskedNames, []string{
		"«Marta Soler» Anestesiologo: «Juan Gil»", "«Marta Soler» Colegiado nº 28/12345", "«Marta Soler» Tfno 963", "«Marta Soler» Mutua Muface", "«Marta Soler» Traumatologa", "«Marta Soler Ancajima» Cirujano",
	})
}
