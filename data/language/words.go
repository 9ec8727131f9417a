package language

import "strings"

// functionWords are frequent words without content, by language. They are folded: in
// lower case and without accents. Many belong to several languages; a text in one of them
// has many words of its own language, and only some of the others. There are no letters among them, because notes are full of
// initials and codes.
var functionWords = map[Language]string{
	English: `the of and to in is was were are be been being has have had he she his her him they them their it its this that these those with
		without for from by on at as an or but not no if when while which who whom whose what where how than then there here about after before during
		between into over under up down out off again also any all both each few more most other some such only own same so very can could may might must
		shall should will would do does did done we our you your my me us because until through against per due since upon within likely noted denies
		reports states seen given patient history old year today left right`,
	Spanish: `el la los las lo un una unos unas de del al en que no si se su sus le les con sin por para como mas pero muy ya es son fue
		fueron era eran ser sido esta estan este esto estos estas ese esa eso hay ha han habia haber tiene tenia presenta refiere desde hasta entre sobre
		tras ante bajo segun cuando donde quien cual cuyo cuya tambien ademas asi mismo misma otro otra otros otras todo toda todos todas cada durante
		mediante aunque porque anos dias meses paciente acude realiza nos nuestro nuestra me mi yo te tu usted ni solo hace`,
	"pt": `os um uma uns umas do da dos das no na nos nas ao aos em ou que nao se seu sua seus suas com sem por para pelo pela como mais mas muito
		ja foi foram era ser sido esta estao este isso estes estas esse essa ha tem tinha apresenta refere desde ate entre sobre apos quando onde quem
		tambem alem assim mesmo mesma outro outra todo toda todos cada durante embora porque anos dias meses doente paciente utente nosso eu me ele ela eles`,
	"fr": `le la les un une des du de au aux et ou que qui ne pas se son sa ses leur leurs avec sans par pour comme plus mais tres est sont fut etait
		etaient etre ete ce cet cette ces il elle ils elles nous vous je on en dans sur sous entre chez depuis jusque apres avant pendant quand dont
		aussi ainsi meme autre autres tout toute tous chaque car patient patiente ans jours mois presente ont avait`,
	"it": `il lo la gli le un uno una di del della dello dei degli delle al alla allo ai alle da dal dalla in nel nella nei nelle su sul sulla con per
		tra fra che non si suo sua suoi loro come piu ma molto sono fu era erano essere stato stata questo questa questi quello ha hanno aveva
		presenta dopo prima durante quando dove chi anche cosi stesso altro altri tutto tutti ogni perche anni giorni mesi paziente`,
	"ca": `el la els les un una uns unes de del dels al als en que no es si seu seva seus amb sense per com mes pero molt ja son va van era ser
		estat esta aquest aquesta aquests aquell hi ha han havia te tenia presenta refereix des fins entre sobre despres quan on qui tambe mateix altre
		altres tot tota tots cada durant perque anys dies mesos pacient`,
	"de": `der die das den dem des ein eine einer eines einem einen und oder aber nicht kein keine ist sind war waren sein gewesen wird wurde wurden
		werden hat haben hatte er sie es ihr ihre ihrer wir ich mit ohne fur von vom zu zum zur bei beim in im an am auf aus nach vor uber unter zwischen
		durch gegen seit bis als wie wenn dass auch noch nur mehr sehr dieser diese dieses jeder alle andere patient patientin jahre tage`,
	"nl": `de het een en of maar niet geen is zijn was waren worden wordt werd heeft hebben had hij zij haar hun wij ik met zonder voor van naar bij in
		aan op uit na over onder tussen door tegen sinds tot als dan wanneer dat die dit deze ook nog alleen meer zeer alle andere patiente jaar dagen te er`,
}

// languagesOf has the languages of each function word, by their index in languages, sorted.
var languagesOf = func() map[string][]int {
	of := map[string][]int{}
	for i, l := range languages {
		for w := range strings.FieldsSeq(functionWords[l]) {
			of[w] = append(of[w], i)
		}
	}
	return of
}()
