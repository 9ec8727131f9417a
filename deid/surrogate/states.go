package surrogate

import (
	"slices"
	"strings"
	"sync"
)

// stateTable has the states of the United States, the provinces of Canada and the states of Australia: the full name, the
// abbreviation of the post, and what else is written. A state is one place in all its forms.
const stateTable = `Alabama AL Ala.|Alaska AK|Arizona AZ Ariz.|Arkansas AR Ark.|California CA Calif. Cal.|Colorado CO Colo.|Connecticut CT Conn.|Delaware DE Del.|Florida FL Fla.|
Georgia GA Ga.|Hawaii HI|Idaho ID|Illinois IL Ill.|Indiana IN Ind.|Iowa IA|Kansas KS Kan. Kans.|Kentucky KY Ky.|Louisiana LA La.|Maine ME|Maryland MD Md.|Massachusetts MA Mass.|
Michigan MI Mich.|Minnesota MN Minn.|Mississippi MS Miss.|Missouri MO Mo.|Montana MT Mont.|Nebraska NE Neb. Nebr.|Nevada NV Nev.|New_Hampshire NH N.H.|New_Jersey NJ N.J.|
New_Mexico NM N.M.|New_York NY N.Y.|North_Carolina NC N.C.|North_Dakota ND N.D.|Ohio OH|Oklahoma OK Okla.|Oregon OR Ore.|Pennsylvania PA Pa. Penn.|Rhode_Island RI R.I.|
South_Carolina SC S.C.|South_Dakota SD S.D.|Tennessee TN Tenn.|Texas TX Tex.|Utah UT|Vermont VT Vt.|Virginia VA Va.|Washington WA Wash.|West_Virginia WV W.Va. W._Va.|
Wisconsin WI Wis. Wisc.|Wyoming WY Wyo.|District_of_Columbia DC D.C.|Puerto_Rico PR P.R.|Guam GU|American_Samoa AS|Virgin_Islands VI|Northern_Mariana_Islands MP|
Alberta AB Alta.|British_Columbia BC B.C.|Manitoba MB Man.|New_Brunswick NB N.B.|Newfoundland_and_Labrador NL Nfld. Newfoundland|Nova_Scotia NS N.S.|Northwest_Territories NT N.W.T.|
Nunavut NU|Ontario ON Ont.|Prince_Edward_Island PE PEI P.E.I.|Quebec QC Que. PQ|Saskatchewan SK Sask.|Yukon YT|New_South_Wales NSW N.S.W.|Queensland QLD Qld.|South_Australia S.A.|
Tasmania TAS Tas.|Victoria VIC Vic.|Western_Australia W.A.|Northern_Territory N.T.|Australian_Capital_Territory ACT A.C.T.`

// alsoCities are states with the name of a city.
var alsoCities = map[string]bool{"new york": true, "washington": true, "victoria": true, "quebec": true, "delaware": true, "iowa": true, "nevada": true, "indiana": true, "ontario": true,
	"oregon": true, "kansas": true, "wyoming": true}

// stateForms are the ways to write one state: in full, by the post, and the usual abbreviations.
type stateForms struct {
	full  string
	post  string // two letters, or empty
	short string // Mass., or empty
}

// stateNames has every form, folded and without points and blanks between single letters.
var stateNames = sync.OnceValue(func() map[string]*stateForms {
	all := map[string]*stateForms{}
	for line := range strings.SplitSeq(stateTable, "|") {
		var forms []string
		for _, f := range strings.Fields(line) {
			forms = append(forms, strings.ReplaceAll(f, "_", " "))
		}
		s := &stateForms{full: forms[0]}
		for _, f := range forms[1:] {
			switch {
			case len(f) == 2:
				s.post = f
			case s.short == "" && strings.HasSuffix(f, "."):
				s.short = f
			}
		}
		for _, f := range forms {
			if key := stateKey(f); all[key] == nil { // WA is Washington before it is Western Australia
				all[key] = s
			}
		}
	}
	return all
})

// allStates are those of the table.
var allStates = sync.OnceValue(func() *list {
	l := &list{name: "en-state"}
	for line := range strings.SplitSeq(stateTable, "|") {
		l.entries = append(l.entries, strings.ReplaceAll(strings.Fields(line)[0], "_", " "))
	}
	return l
})

func stateKey(text string) string {
	words := strings.Fields(strings.ReplaceAll(fold(text), ".", " "))
	if slices.ContainsFunc(words, func(w string) bool { return len(w) > 2 }) {
		return strings.Join(words, " ")
	}
	return strings.Join(words, "")
}

// stateIn is the state that a text names in any form; of one without a form of its own it is the text, folded.
func (m *Maker) stateIn(text string) string {
	if same := countryAliases[stateKey(text)]; same != "" {
		return same
	}
	if m.lang == English {
		if s := stateNames()[stateKey(text)]; s != nil {
			return fold(s.full)
		}
	}
	return strings.TrimPrefix(strings.Join(strings.Fields(fold(text)), " "), "the ")
}

// countryAliases are other names of countries: the United States do not become the U.S.A.
var countryAliases = map[string]string{
	"us": "usa", "usa": "usa", "america": "usa", "united states": "usa", "the united states": "usa", "united states of america": "usa", "estados unidos": "usa", "eeuu": "usa", "ee uu": "usa",
	"uk": "uk", "united kingdom": "uk", "the united kingdom": "uk", "great britain": "uk", "britain": "uk", "england": "uk", "reino unido": "uk", "gran bretana": "uk", "inglaterra": "uk",
	"holland": "netherlands", "the netherlands": "netherlands", "netherlands": "netherlands", "paises bajos": "netherlands", "holanda": "netherlands",
	"uae": "uae", "united arab emirates": "uae", "emiratos arabes unidos": "uae",
}

// englishState replaces a state in the form in which it is written.
func (p *Patient) englishState(text string) (string, bool, error) {
	trimmed := strings.TrimSpace(text)
	was := stateNames()[stateKey(trimmed)]
	if was == nil {
		if len(stateKey(trimmed)) == 2 {
			return p.stateAbbreviation(text)
		}
		return p.listed(text, "state", p.list("state"))
	}
	had := func(s string) bool {
		now := stateNames()[stateKey(s)]
		return p.places.states[p.stateIn(s)] || now != nil && p.original(now.post) // MA, where somebody is called Ma
	}
	made, err := p.drawUnless("state", fold(was.full), p.list("state"), had)
	if err != nil { // half of the states stand in the notes
		made, err = p.drawUnless("state", fold(was.full), allStates(), had)
	}
	if err != nil {
		return "", false, err
	}
	if stateKey(trimmed) == fold(was.full) {
		return strings.Replace(text, trimmed, likeCase(made, trimmed), 1), true, nil
	}
	now := stateNames()[stateKey(made)]
	switch {
	case now == nil || now.post == "": // of a list of the user's own
		return p.stateAbbreviation(text)
	case strings.Contains(trimmed, ".") && now.short != "" && len(stateKey(trimmed)) > 2:
		return strings.Replace(text, trimmed, likeCase(now.short, trimmed), 1), true, nil
	case len(stateKey(trimmed)) == 2:
		return lettersLike(now.post, text), true, nil
	}
	return strings.Replace(text, trimmed, now.post, 1), true, nil
}

// stateAbbreviation draws an abbreviation for one of two letters that no known state has.
func (p *Patient) stateAbbreviation(text string) (string, bool, error) {
	s, err := p.draw(abbreviations, stateKey(text), p.lists[abbreviations])
	return lettersLike(s, text), err == nil, err
}

// lettersLike puts the two letters of s where those of text stand, in their case: M.A. for C.T.
func lettersLike(s, text string) string {
	i := 0
	return strings.Map(func(r rune) rune {
		if !letterOrMark(r) || i == len(s) {
			return r
		}
		i++
		if lowerCase(string(r)) {
			return []rune(strings.ToLower(s[i-1 : i]))[0]
		}
		return rune(s[i-1])
	}, text)
}
