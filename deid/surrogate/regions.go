package surrogate

import (
	"slices"
	"strings"
	"sync"

	"github.com/lethe-deid/lethe/data/wordlists"
)

// This file has codes of countries, and states of Latin America. They are not in the lists of countries and states, because in a text ES may be somebody's initials, and Guerrero a name.

// IsRegionOfField reports whether the value of a field for a state or a country is the code of a country (ISO 3166-1), or a state of a country of Latin America.
func IsRegionOfField(sort Sort, value string) bool {
	value = strings.TrimSpace(value)
	switch sort {
	case Country:
		return countryCodes()[value]
	case State:
		_, found := slices.BinarySearch(americanStates(), stateKey(value))
		return found
	}
	return false
}

var countryCodes = sync.OnceValue(func() map[string]bool {
	return wordlists.Set(`AD AND AE ARE AF AFG AG ATG AI AIA AL ALB AM ARM AO AGO AQ ATA AR ARG AS ASM AT AUT AU AUS AW ABW AX ALA AZ AZE BA BIH BB BRB BD BGD BE BEL BF BFA BG BGR BH BHR BI BDI BJ BEN BL BLM BM BMU
		BN BRN BO BOL BQ BES BR BRA BS BHS BT BTN BV BVT BW BWA BY BLR BZ BLZ CA CAN CC CCK CD COD CF CAF CG COG CH CHE CI CIV CK COK CL CHL CM CMR CN CHN CO COL CR CRI CU CUB CV CPV CW CUW CX CXR
		CY CYP CZ CZE DE DEU DJ DJI DK DNK DM DMA DO DOM DZ DZA EC ECU EE EST EG EGY EH ESH ER ERI ES ESP ET ETH FI FIN FJ FJI FK FLK FM FSM FO FRO FR FRA GA GAB GB GBR GD GRD GE GEO GF GUF GG GGY
		GH GHA GI GIB GL GRL GM GMB GN GIN GP GLP GQ GNQ GR GRC GS SGS GT GTM GU GUM GW GNB GY GUY HK HKG HM HMD HN HND HR HRV HT HTI HU HUN ID IDN IE IRL IL ISR IM IMN IN IND IO IOT IQ IRQ IR IRN
		IS ISL IT ITA JE JEY JM JAM JO JOR JP JPN KE KEN KG KGZ KH KHM KI KIR KM COM KN KNA KP PRK KR KOR KW KWT KY CYM KZ KAZ LA LAO LB LBN LC LCA LI LIE LK LKA LR LBR LS LSO LT LTU LU LUX LV LVA
		LY LBY MA MAR MC MCO MD MDA ME MNE MF MAF MG MDG MH MHL MK MKD ML MLI MM MMR MN MNG MO MAC MP MNP MQ MTQ MR MRT MS MSR MT MLT MU MUS MV MDV MW MWI MX MEX MY MYS MZ MOZ NA NAM NC NCL NE NER
		NF NFK NG NGA NI NIC NL NLD NO NOR NP NPL NR NRU NU NIU NZ NZL OM OMN PA PAN PE PER PF PYF PG PNG PH PHL PK PAK PL POL PM SPM PN PCN PR PRI PS PSE PT PRT PW PLW PY PRY QA QAT RE REU RO ROU
		RS SRB RU RUS RW RWA SA SAU SB SLB SC SYC SD SDN SE SWE SG SGP SH SHN SI SVN SJ SJM SK SVK SL SLE SM SMR SN SEN SO SOM SR SUR SS SSD ST STP SV SLV SX SXM SY SYR SZ SWZ TC TCA TD TCD TF ATF
		TG TGO TH THA TJ TJK TK TKL TL TLS TM TKM TN TUN TO TON TR TUR TT TTO TV TUV TW TWN TZ TZA UA UKR UG UGA UM UMI US USA UY URY UZ UZB VA VAT VC VCT VE VEN VG VGB VI VIR VN VNM VU VUT WF WLF
		WS WSM YE YEM YT MYT ZA ZAF ZM ZMB ZW ZWE`)
})

// americanStates are the states, provinces, departments and regions of countries of Latin America, folded and sorted.
var americanStates = sync.OnceValue(func() []string {
	var all []string
	for name := range strings.SplitSeq(americanStateNames, ",") {
		all = append(all, stateKey(name))
	}
	slices.Sort(all)
	return all
})

const americanStateNames = `Aguascalientes,Baja California,Baja California Sur,Campeche,Chiapas,Chihuahua,Ciudad de México,CDMX,Distrito Federal,Coahuila,Coahuila de Zaragoza,Colima,Durango,Estado de México,México,` +
	`Guanajuato,Guerrero,Hidalgo,Jalisco,Michoacán,Michoacán de Ocampo,Morelos,Nayarit,Nuevo León,Oaxaca,Puebla,Querétaro,Quintana Roo,San Luis Potosí,Sinaloa,Sonora,Tabasco,Tamaulipas,` +
	`Tlaxcala,Veracruz,Veracruz de Ignacio de la Llave,Yucatán,Zacatecas,Buenos Aires,CABA,Ciudad Autónoma de Buenos Aires,Catamarca,Chaco,Chubut,Córdoba,Corrientes,Entre Ríos,Formosa,Jujuy,` +
	`La Pampa,La Rioja,Mendoza,Misiones,Neuquén,Río Negro,Salta,San Juan,San Luis,Santa Cruz,Santa Fe,Santiago del Estero,Tierra del Fuego,Tucumán,Arica y Parinacota,Tarapacá,Antofagasta,` +
	`Atacama,Coquimbo,Valparaíso,Metropolitana,Región Metropolitana,Región Metropolitana de Santiago,Metropolitana de Santiago,O'Higgins,Libertador General Bernardo O'Higgins,Maule,Ñuble,` +
	`Biobío,Bío Bío,Araucanía,La Araucanía,Los Ríos,Los Lagos,Aysén,Magallanes,Magallanes y de la Antártica Chilena,Amazonas,Antioquia,Arauca,Atlántico,Bogotá D.C.,Bolívar,Boyacá,Caldas,` +
	`Caquetá,Casanare,Cauca,Cesar,Chocó,Cundinamarca,Guainía,Guaviare,Huila,La Guajira,Magdalena,Meta,Nariño,Norte de Santander,Putumayo,Quindío,Risaralda,Santander,Sucre,Tolima,` +
	`Valle del Cauca,Vaupés,Vichada,Áncash,Apurímac,Arequipa,Ayacucho,Cajamarca,Callao,Cusco,Cuzco,Huancavelica,Huánuco,Ica,Junín,La Libertad,Lambayeque,Lima,Loreto,Madre de Dios,Moquegua,` +
	`Pasco,Piura,Puno,San Martín,Tacna,Tumbes,Ucayali,Azuay,Cañar,Carchi,Chimborazo,Cotopaxi,El Oro,Esmeraldas,Guayas,Imbabura,Loja,Manabí,Morona Santiago,Napo,Orellana,Pastaza,Pichincha,` +
	`Santa Elena,Santo Domingo de los Tsáchilas,Sucumbíos,Tungurahua,Zamora Chinchipe,Galápagos,Anzoátegui,Apure,Aragua,Barinas,Carabobo,Cojedes,Delta Amacuro,Distrito Capital,Falcón,Guárico,` +
	`Lara,Mérida,Miranda,Monagas,Nueva Esparta,Portuguesa,Táchira,Trujillo,Vargas,La Guaira,Yaracuy,Zulia,Chuquisaca,Cochabamba,Beni,La Paz,Oruro,Pando,Potosí,Tarija,Artigas,Canelones,` +
	`Cerro Largo,Colonia,Durazno,Flores,Florida,Lavalleja,Maldonado,Montevideo,Paysandú,Rivera,Rocha,Salto,San José,Soriano,Tacuarembó,Treinta y Tres,Alto Paraguay,Alto Paraná,Amambay,` +
	`Boquerón,Caaguazú,Caazapá,Canindeyú,Central,Concepción,Cordillera,Guairá,Itapúa,Ñeembucú,Paraguarí,Presidente Hayes,San Pedro`
