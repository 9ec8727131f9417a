package safetynet

// This file has the words beside days and months, and beside what looks like them, for daymonths.go. They are folded; _ stands for a blank, and * for any word of three letters or more.

var (
	// pointWords have a number of points after them, or in their sentence.
	pointWords = phrasesOf(`apgar apgars barthel biceps cuadriceps deltoid deltoids dolor dorsiflexion ehl escala eva extension flexion fuerza gcs glasgow grip iliopsoas
		katz lawton mmse moca motor mrc nrs pain power pulse pulses pulso pulsos quad quads reflejo reflejos reflex reflexes scale score scores strength triceps vas`)
	// scoreWords are other scores and grades, and parts of the body whose strength is graded.
	scoreWords = phrasesOf(`abd add ai aims aldrete alvarado animo ankle ansiedad anxiety ao ap ar asa asia audit barrow bi-rads birads bishop borg bpp bps braden bromage
		c-ssrs cage cam caprini centor child child-pugh ci ciwa ckd cormack correct cows cpot crp crusade curb-65 curb65 disnea downton dtr dtrs dyspnea eao ecog edema
		edemas em epds epworth ext extensor extensors fast fim fitzpatrick flacc flex flexor flexors forrest frailty fried gad gad-2 gad-7 gad2 gad7 garden gartland gds
		gleason gustilo ham-d hamd heart hemiparesia hemiparesia_d hemiparesia_i hip hunt-hess hunt_and_hess hunt_hess iao ideation im intensidad intensity it karnofsky
		killip knee kps le les li-rads lirads lle lue lung-rads lungrads madrs mallampati mayo meld mid mii mini-cog minicog minimental mmii mms mmss monofil monofilament
		monofilamento mood mr mrs msd msi murmur must nihss norton nyha padua paresia pfeiffer phq phq-2 phq-9 phq2 phq9 pi-rads pirads plejia ppi pps psoas puntaje
		puntuacion qsofa ramsay rankin ranson rass rcr rcsq rct recall recalled recited rle rot rue salter salter-harris scor score scored scores severity silverman sins
		sirs sofa soplo soplo_diastolico soplo_sistolico sppb stop-bang stopbang tanner ti-rads timi tinetti tirads tr tug ue ues weber wells ybocs`)
	// gradedWords are those of the above whose grade is of 4, 5 or 6, also when it changes; a pain may rather have changed on 4/5.
	gradedWords = phrasesOf(`deltoid deltoids fuerza grip mrc murmur power pulse pulses pulso pulsos quad quads reflejo reflejos reflex reflexes soplo strength triceps`)
	// courseWords have the number of a day, a session or a place after them.
	courseWords = phrasesOf(`bay bed beds box cama chapter ciclo ciclos cilindros clase class cn copia copy core cores course courses curso cycle cycles d day days dia
		dias diente dol dose doses dosis ect estadio fase folio form fr fraccion fracciones fraction fractions fx ganglios gauge gr grade grades grado hab habitacion hbo
		hd hoja infusion infusions item items level line ln lot lote lots lumbar n n0 n1 n1a n1b n1c n2 n2a n2b n2c n3 n3a n3b n3c nivel no node nodes nr number n° nº pag
		page pages pagina paginas pags part parte parts paso pg phase pieza piso pod ribs rm room rt sem semana semanas sesion sesiones session sessions size stage
		station step steps talla tec teeth test tipo tms tooth tratamiento treatment treatments tto tx type version visit visita visits ward week weeks wk wks xrt`)
	// biopsyWords have a number of cores after them, or a date.
	biopsyWords = phrasesOf(`biopsies biopsy bx bxs`)
	// drugWords have a dose after them.
	drugWords = phrasesOf(`advair aspart buprenorphine caduet detemir entresto glargina glargine hctz humalog lantus levemir lispro lotrel norco novolog
		novorapid percocet prograf rosuvastatina seretide sinemet soliqua suboxone symbicort tacrolimus toujeo tresiba vicodin vytorin xultophy zestoretic`)
	// measureWords have a pressure, an acuity or another amount after them.
	measureWords = phrasesOf(`ac acuity aged agudeza alt ana ao apt ast av bipap block blocks bougie bp bpap bun c c/ cada cc chance cil cm comp cord cpap cr cvp dilucion
		dilution each eg eje epap esf every fio2 flow fr g ga got gpt gravida h&h h/h half hb hgb hs-tn hstn i:e ipap iu kg km l lens mavc mcg medio mg ml mm na needle
		nph od odds oi os ou p p/a p/f pa pads pc peep per pip por presion presion_arterial proporcion ps psv pupil pupila pupilas pupils pvc rate rates ratio rcp re
		riesgo rom rpr rr sc segmento segmentos settings shiley snellen stools t t/a ta ta_* ta_al_* ta_de_* tab tabs tension tension_arterial tercio tercio_* times titer
		titers titre titulo tn trach trop troponin troponina troponine u ug ui va vdrl versus vision vmni voids vs x zona zone`)
	// cultureWords have the number of bottles after them, or a date.
	cultureWords = phrasesOf(`bcx bottles culture cultures cx hc hemocultivo hemocultivos hmc ucx`)
	// changeWords may stand between a score, a grade or a pressure and the number, too: strength increased 4/5.
	changeWords = phrasesOf(`aumenta baja decreased disminuye empeora improved increased lowered mejora presenta raised reduced sube weaned worsened`)
	// nearbyWords may stand between those above and the number.
	nearbyWords = phrasesOf(`a about actual ahora approx at currently de es hoy is max min now of que still to today was`)
	// durationWords precede British durations unless the note has other dates, as it does if they are dates: RTC 3/12.
	durationWords = phrasesOf(`f/u follow-up follow_up followup fu reviewed rtc`)
	// amountWords follow an amount.
	amountWords = phrasesOf(`a_day a_month a_week ago al_dia am amp ampolla anterior attempt attempts año años beer beers bid bilat bilaterally bottles caps capsule
		capsules cc cdr cervezas children ciclo ciclos cig cigarettes cigarrillos cilindro cilindros cm comp comprimido comprimidos core cores criteria criterios
		cuadrantes cup cups cycle cycles d daily day days dcha de_dosis de_la de_las de_los de_su deposiciones derecha derecho dia diaria diarias diario diarios dias
		diastolic digits distal distales dolor domains dose doses dosi dosis drinks drops dtr dtrs en_ambas en_ambos en_foco en_focos en_mmii en_mmss en_todas en_todos
		episode episodes episodios extension fb fields fingerbreadth fingerbreadths flexion fracciones fractions frascos french fx g ganglios glass glasses gotas gtt gtts
		h hermanos hijos history hora horas hour hours hr hrs hs hsm hx i in_all in_ble in_both in_bue in_l in_r in_the inferior inferiores inhalaciones inhalations
		intensidad intensity intentos iu iv izq izquierda izquierdo kg kids kilo kilos l lb lbs leads left level levels lobes lobulos loc lpm mcg media medias medio
		medios meq mes meses mg mile miles min mins minute minutes minutos ml mm mmhg mmol mo month months mos motor murmur murmurs nightly node nodes normal_saline ns
		ocasiones occasions of orientada orientado oriented out pack packs pain part partes parts past pastilla pastillas people personas pill pillow pillows pills pk pm
		po point points posterior power ppd preguntas prn proximal proximales proyecciones puffs pulses pulsos puntos qam qd qhs qid qpm quadrant quadrants quartile
		questions r reflex reflexes ribs right scale sem semana semanas sesion sesiones session sessions set sets sf siblings soplo spray sprays stairs steps stool stools
		strength superior superiores systolic tab tablet tableta tablets tabs taza tbsp teeth third thirds throughout tid times toes traveses tsp tubes tubos tubular u ug
		ui unidades unit units vaso vasos veces vertebrae vertebras vessels views vision visits vomitos week weeks wk wks x year years yr yrs zona zonas zone zones`)
	// simpleWords follow a date rather than a fraction.
	simpleWords = phrasesOf(`a after al and at by con cuando due en for from grew he in is muestra negativa negativas negative negatives negativo negativos normal on para
		pendiente pendientes pending por positiva positivas positive positives positivo positivos presenta presento pt que se she showed shows sin to tras was were when
		which with y`)
	// britishWords precede the British 3/7, 4/12 and 6/52 for days, months and weeks.
	britishWords = phrasesOf(`after age aged another approx at bd bno bo bowels_open clinic course dressing dressings every f/u follow-up follow_up followup for fu
		further g in lasted lasting leave mane mcg mg nocte od of off over prn qds review sat stop symptoms tds total trial walked weaned words x`)
	// approximateWords may stand between a preposition and a date.
	approximateWords = phrasesOf(`about approximately around at_least dia domingo early fri friday jueves late lunes martes miercoles mon monday or_about pasado sabado
		sat saturday sun sunday thu thurs thursday tue tues tuesday viernes wed wednesday`)
)

// dateWords are the words before dates by language.
var dateWords = map[string]dateLanguage{
	"en": {
		order: anyOrder, british: true,
		prepositions: phrasesOf(`as_of began begun dated deceased died due_by due_on effective last_chemo last_course last_cycle last_dose last_infusion last_session
			last_treatment last_visit next_chemo next_course next_cycle next_dose next_infusion next_session next_treatment next_visit on passed_away schedule_for
			scheduled_for since through thru til till until`),
		events: phrasesOf(`admission admit admitted appointment appt arrived bcx began_* begun_* biopsied biopsy born bx cabg cath check chemo collapsed collected
			colonoscopy completed consult covid_booster covid_shot covid_vaccine ct cta culture culture_from culture_of culture_on cultures cultures_from cultures_of
			cultures_on cx cxr d/c d/c'd d/cd dc'd dcd decreased delivered dialysis discharge discharged drawn due ecg echo eeg egd ekg ended expired extubated f/u fall
			fell fever finished flu_booster flu_shot flu_vaccine foley follow-up follow_up followup fu given held increased increased_* inserted intubated labs last
			last_* ld lmp lp moved mra mri next next_* off onset orif out paracentesis passed pci picc placed pneumonia_booster pneumonia_shot pneumonia_vaccine presented
			quit read readmission readmit readmitted received recheck removed reseen restarted_* resulted resumed resumed_* return return_to_* returned returned_to_*
			reviewed rtc rtw scheduled seen sent shingles_booster shingles_shot shingles_vaccine signed spiked spoke start started started_* starting starting_* stop
			stopped stopped_* surg surgery switched_to_* tee tested tetanus_booster tetanus_shot tetanus_vaccine thoracentesis transfer transferred transfused tte ucx us
			visited went x-ray x-rays xr xray xrays`),
		others: phrasesOf(`after and at before between by call called clinic consult done eval exam for from imaging in last note of overnight procedure record records
			report result results the to until via visit week`),
	},
	"es": {
		order: dayFirst, british: false,
		prepositions: phrasesOf(`del desde el exitus fallece fallecio fecha hasta muere murio proxima_dosis proxima_infusion proxima_sesion proxima_visita proximo_ciclo
			proximo_curso proximo_tratamiento ultima_dosis ultima_infusion ultima_sesion ultima_visita ultimo_ciclo ultimo_curso ultimo_tratamiento`),
		events: phrasesOf(`acude acudio alta analitica arteriografia aumenta_* aumento_* biopsia bx caida cateterismo cesarea cirugia cita cita_con cita_para citada
			citada_con citada_para citado citado_con citado_para coloca colocada colocado coloco colonoscopia comenzo comienza comienza_* comienza_con_* consulta control
			cultivo cultivo_de cultivos cultivos_de cura ecg eco ecocardiograma ecografia eeg endoscopia ergometria ete ett extubada extubado fiebre fondo_de_ojo fum fur
			gastroscopia hc hemocultivo hemocultivo_de hemocultivos hemocultivos_de hmc hmc_de ingresa ingresada ingresado ingreso inicia inicia_* inicio inicio_*
			inicio_de_* interconsulta intervenida intervenido intubada intubado iq nacio operada operado paracentesis parto pasa_a_* pbm picc presenta presento proxima
			proxima_* proximo proximo_* puncion qt quimio qx radiografia radiografias reingresa reingresada reingresado reingreso reinicia_* reintervenida reintervenido
			retira retira_* retirada retirada_* retirada_de_* retirado retirado_* retiro retiro_* revision rm rmn rx rx_torax sonda stent sube_a_* suspende suspende_*
			suspendida suspendido suspendido_* suspendio suspendio_* tac tc toracocentesis tras traslada trasladada trasladado traslado uc ultima ultima_* ultimo ultimo_*
			urocultivo urocultivo_de vacuna_antigripal vacuna_covid vacuna_de_covid vacuna_de_gripe vacuna_de_la_covid vacuna_de_la_gripe vacuna_de_la_neumococo
			vacuna_de_la_tetanos vacuna_de_neumococo vacuna_de_tetanos vacuna_gripe vacuna_neumococo vacuna_tetanos valorada valorado vista visto`),
		others: phrasesOf(`a al antes con de despues domicilio e en entre informe nota para planta previa previo realizada realizado resultado resultados turno uci
			urgencias visita y`),
	},
}
