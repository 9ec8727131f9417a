package evidence

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/attack"
	"github.com/lethe-deid/lethe/deid/policy"
	"github.com/lethe-deid/lethe/deid/replace"
	"github.com/lethe-deid/lethe/deid/review"
	"github.com/lethe-deid/lethe/deid/safetynet"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/taggers/operating"
)

// document decides what the document says.
func (m *material) document() *Document {
	d := &Document{title: cmp.Or(m.Title, "Evidence of de-identification")}
	if m.Date != "" {
		d.about = append(d.about, "Date: "+m.Date)
	}
	d.about = append(d.about,
		"Written by lethe evidence"+prefixed(" ", m.Version)+" from the files in the section “Files”. Every number names the place that it comes from.",
		"This document contains no text, identifier or file name of a note.")
	add := func(id, heading string, fill func(*section)) {
		s := &section{id: id, heading: heading}
		fill(s)
		d.sections = append(d.sections, s)
	}
	add("brief", "In brief", m.brief)
	add("run", "What was processed", m.processed)
	add("identifiers", "The eighteen identifiers", m.eighteen)
	add("left", "How much may be left", m.left)
	add("review", "Who reviewed how many notes", m.reviewed)
	add("attack", "What an attacker finds", m.attacked)
	add("unexamined", "What was not examined", m.unexamined)
	add("limits", "What is not promised", m.limits)
	add("files", "Files", m.listFiles)
	add("trace", "How to trace a number", m.trace)
	return d
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// facts returns a table with a value and its source in each row.
//
//go:noinline
func facts(caption, heading string) *table {
	return newTable(caption, heading, "Value#", sourceHeading)
}

//go:noinline
func (t *table) fact(name string, value *cell) {
	t.row(text(name), value, text(value.source))
}

// at returns the source of a total of the run.
//
//go:noinline
func (m *material) at(path string) string { return m.source + " " + path }

// The sentences for inputs that were not given.
const (
	noSummary = "No summary of the run was given."
	noModel   = "No model was given, so nothing is said about its calibration."
	noReview  = "No review was given, so nobody is known to have checked what is left."
	noAttack  = "No attack was given, so it is not known what an attacker would find."
)

func (m *material) brief(s *section) {
	t := facts("The main figures", "Question")
	t.fact("Notes examined and written", count(m.run.Notes, m.at("/notes")))
	t.fact("Notes that could not be examined, and are not in the output", count(m.failed(), m.failedSource()))
	t.fact("Values found in texts and replaced, or made less precise", count(sum(m.run.Replaced), m.at("/replaced/*")))
	t.fact("Values found in texts that stay, because the policy or an option keeps them", count(sum(m.run.Kept), m.at("/kept/*")))
	if len(m.run.Fields) > 0 {
		t.fact("Fields of records that were changed", count(sum(m.run.Fields), m.at("/fields/*")))
	}
	if m.bound != nil {
		if m.bound.Whole {
			t.fact("Share of the PHI tokens that is left: all notes were reviewed", percent(m.bound.Share, "bound /share"))
		} else {
			t.fact("Share of the PHI tokens that is left, at most, with a confidence of 95 %: by review of a random sample", atMost(m.bound.Upper, "bound /upper95"))
		}
	}
	for _, c := range m.curves {
		if c.point >= 0 && !m.model.Builtin() {
			t.fact("Share of the PHI tokens to be expected in the text before the safety net: by calibration"+m.suffix(c), percent(1-c.Points[c.point].Recall, "1 − "+c.label+" /points/"+strconv.Itoa(c.point)+"/recall"))
		}
	}
	if m.attack != nil {
		suspects := 0
		for _, a := range m.attack.Attacks {
			suspects += sum(a.ByType)
		}
		t.fact("Suspects that attacks found in the output (right or wrong)", count(suspects, "attack /attacks/*/suspects_by_type/*"))
		if m.attack.Left != nil {
			t.fact("Values that are really left in the output, as annotated originals show", count(m.attack.Left.Left, "attack /leaks/left"))
		}
	}
	s.tables(t)
	s.warnIf(m.source != "audit", "No audit was given, so the figures of the run are those of its summary alone.")
	s.warnIf(m.given == nil, noSummary+" It is not known what was done with the values of each type, and with which options.")
	s.warnIf(m.model == nil, noModel)
	s.warnIf(m.review == nil, noReview)
	s.warnIf(m.review != nil && m.bound == nil, "The review allows no statement about what is left: "+m.noBound+".")
	s.warnIf(m.attack == nil, noAttack)
	s.warnIf(len(m.missingShards()) > 0, "The run was divided into shards, and not all of them are part of this document.")
	s.warnIf(m.resumed(), "The run was interrupted and resumed, and its summary is of the last part alone.")
}

// suffix names the model of a calibration if there are several.
func (m *material) suffix(c curve) string {
	if c.language == "" {
		return ""
	}
	return " (model " + c.language + ")"
}

// failed returns the number of notes that could not be examined.
func (m *material) failed() int { return m.run.NotesFailed + m.run.NotesFailedEarlier }

func (m *material) failedSource() string {
	if m.run.NotesFailedEarlier > 0 {
		return m.at("/notes_failed") + " + " + m.at("/notes_failed_earlier")
	}
	return m.at("/notes_failed")
}

func (m *material) processed(s *section) {
	t := facts("The run", "Item")
	t.fact("Notes examined and written", count(m.run.Notes, m.at("/notes")))
	t.fact("Notes that could not be examined", count(m.failed(), m.failedSource()))
	if g := m.given; g != nil {
		t.fact("Files of notes", count(g.Files, "summary /files"))
		if g.FilesSkipped > 0 {
			t.fact("of these, files that an earlier part of the run had completed", count(g.FilesSkipped, "summary /files_already_complete"))
		}
		t.fact("Patients", count(g.Patients, "summary /patients"))
		t.fact("Notes without a known patient", count(g.NotesWithoutPatient, "summary /notes_without_patient"))
		t.fact("Bytes of input", count(int(g.Bytes), "summary /bytes"))
	}
	for _, languages := range slices.Sorted(maps.Keys(m.run.Languages)) {
		t.fact("Notes examined by the models for "+languages, count(m.run.Languages[languages], m.at("/languages/"+languages)))
	}
	s.tables(t, m.provenance())
	if len(m.shards) > 0 {
		s.say(fmt.Sprintf("The run was divided into shards. This document is about the shards %s.", strings.Join(m.shards, ", ")))
	}
	if m.given == nil {
		s.warn(noSummary + " The version of the program, its options and the number of files and patients are not known.")
		return
	}
	o := newTable("Options of the run that are not empty, with defaults. “file” stands for a file", "Option", "Value", sourceHeading)
	for _, name := range slices.Sorted(maps.Keys(m.given.Options)) {
		o.row(text("--"+name), text(m.given.Options[name]), text("summary /options/"+name))
	}
	s.tables(o)
}

// provenance lists what identifies the program, the model, the options and the policy.
func (m *material) provenance() *table {
	t := newTable("Provenance", "Item", "Value", sourceHeading)
	row := func(name, value, source string) {
		t.row(text(name), text(value), text(source))
	}
	if m.given != nil {
		row("Version of the program", m.given.Version, "summary /version")
	}
	if m.model != nil {
		kind := "its own folder"
		if m.model.Builtin() {
			kind = m.Model + ", which comes with the program"
		}
		row("Model", kind, "model")
	}
	row("Digest of the model", cmp.Or(m.run.Model, "none: the PHI was annotated in the files"), m.at("/model"))
	row("Digest of the version and the options", m.run.Config, m.at("/config"))
	row("Policy", m.run.Policy, m.at("/policy"))
	row("Digest of the policy", m.run.PolicyDigest, m.at("/policy_digest"))
	if m.review != nil {
		row("Version of the program that drew the sample", m.review.Version, "review /version")
	}
	if m.attack != nil {
		row("Version of the program that attacked", m.attack.Version, "attack /version")
	}
	return t
}

// actions say what became of values, by kind of replacement.
var actions = map[replace.Kind]string{
	replace.Tag: "removed; a tag", replace.Numbered: "removed; a tag with a number", replace.Mask: "removed; masked", replace.Redact: "removed",
	replace.Hash: "pseudonym (keyed hash)", replace.Keep: "kept", replace.Surrogate: "surrogate (invented)",
	replace.Year: "made less precise: the year stays", replace.Shift: "shifted by days", replace.Zip3: "made less precise: three digits stay", replace.Age90: "made less precise: ages over 89 become 90+",
}

// action says what becomes of the values of a type.
func (m *material) action(name string) *cell {
	if m.given == nil {
		return text("not known")
	}
	t, ok := m.given.Types[name]
	if !ok {
		return text("not known")
	}
	return text(actions[t.Action])
}

func (m *material) eighteen(s *section) {
	s.say("These are the identifiers of 45 CFR 164.514(b)(2)(i), “of the individual or of relatives, employers, or household members of the individual”, and the types with which the program finds them. " +
		"“Only by the net” counts those of the replaced and kept values that the model missed and that rules, lists or known values found. Where values are kept or made less precise, a value whose form does not suit is replaced.")
	if m.bound != nil {
		s.say("The last three columns are those of the review: PHI tokens (words and numbers) of the type in the sample, how many of them are left, and the share that is left in all notes, at most, with a confidence of 95 % for each type, but not for all of them together. " +
			"A high bound beside few tokens means that the sample says little about the type, not that much is left.")
	} else {
		s.warn(cmp.Or(prefixed("The review allows no statement about what is left: ", m.noBound), noReview))
	}
	if m.given == nil {
		s.warn(noSummary + " What was done with the values is not known.")
	}
	t := m.typeTable("Identifiers, what was found, what was done, and what may be left", "Identifier")
	var uncounted []string
	for _, id := range identifiers {
		heading := "(" + id.letter + ") " + id.name
		rows := 0
		for _, typ := range m.types {
			if ofType(typ) == id.letter {
				t.rows = append(t.rows, m.typeRow(heading, typ.Name, rows > 0))
				rows++
			}
		}
		if rows > 0 {
			continue
		}
		switch names := general(id.letter, m.types); {
		case id.letter == "Q":
			t.rows = append(t.rows, wordsRow(heading, "Pictures are not read: see “What was not examined”."))
		case !m.known:
			t.rows = append(t.rows, wordsRow(heading, "Nothing was found. It is not known whether the program has a type for it."))
		case len(names) > 0:
			t.rows = append(t.rows, wordsRow(heading, "Counted with the type "+strings.Join(names, ", ")+", which does not tell them apart."))
		default:
			t.rows = append(t.rows, wordsRow(heading, "The program has no type for it, so it was not searched for."))
			uncounted = append(uncounted, "("+id.letter+")")
		}
	}
	others := m.typeTable("Types that are none of the eighteen identifiers", "Kind of value")
	for _, typ := range m.types {
		if ofType(typ) == "" {
			heading := cmp.Or(map[data.Sort]string{
				data.Person: "Clinicians", data.Hospital: "Hospitals", data.Department: "Departments", data.State: "States", data.Country: "Countries", data.Family: "Words for relatives", data.Sex: "Words for the sex",
			}[typ.Sort], "Not assigned")
			others.rows = append(others.rows, m.typeRow(heading, typ.Name, false))
		}
	}
	s.tables(t, others, m.fields())
	if departures := m.departures(uncounted); len(departures) > 0 {
		s.say("Where the run departs from Safe Harbor:")
		s.list(departures...)
	} else if m.given != nil {
		s.say("In what the program found, nothing that Safe Harbor lists was kept.")
	}
	if why := m.policyAbout(); why != "" {
		s.say(why)
	}
}

// typeTable returns a table with a row for each type.
func (m *material) typeTable(caption, heading string) *table {
	t := newTable(caption, heading, "Type", "What was done|summary /types/TYPE/action", "Replaced#|"+m.source+" /replaced/TYPE", "Kept#|"+m.source+" /kept/TYPE", "Only by the net#|"+m.source+" /found_by_safety_net/*/TYPE")
	if m.bound != nil {
		t.columns = append(t.columns, columns("Sample: tokens#|bound /types/TYPE/tokens", "Sample: left#|bound /types/TYPE/missed", "Left at most#|bound /types/TYPE/upper95")...)
	}
	return t
}

func (m *material) typeRow(heading, name string, same bool) []*cell {
	net := 0
	for _, counts := range m.run.Net {
		net += counts[name]
	}
	row := []*cell{
		{text: heading, same: same}, text(name), m.action(name),
		count(m.run.Replaced[name], m.at("/replaced/"+name)), count(m.run.Kept[name], m.at("/kept/"+name)), count(net, m.at("/found_by_safety_net/*/"+name)),
	}
	if m.bound != nil {
		missed, ok := m.bound.Types[name]
		row = append(row, count(missed.Tokens, "bound /types/"+name+"/tokens"), count(missed.Missed, "bound /types/"+name+"/missed"))
		if ok {
			row = append(row, atMost(missed.Upper, "bound /types/"+name+"/upper95"))
		} else {
			row = append(row, text("not known"))
		}
	}
	return row
}

// wordsRow returns a row with words instead of counts, which go over all columns.
func wordsRow(heading, words string) []*cell { return []*cell{text(heading), text(words)} }

// fields lists the fields of records that were changed.
func (m *material) fields() *table {
	t := facts("Fields of records that were changed, by type, or because they were dropped (drop) or became pseudonyms (hash)", "Type or action")
	for _, name := range slices.Sorted(maps.Keys(m.run.Fields)) {
		t.fact(name, count(m.run.Fields[name], m.at("/fields/"+name)))
	}
	return t
}

// departures lists what a board must know if it asks for Safe Harbor.
func (m *material) departures(uncounted []string) (all []string) {
	if m.given != nil {
		kinds := map[replace.Kind][]string{}
		for _, t := range m.types {
			if ofType(t) == "" {
				continue
			}
			switch action := m.given.Types[t.Name].Action; {
			case action == replace.Keep, action == replace.Hash, action == replace.Shift:
				kinds[action] = append(kinds[action], t.Name)
			case action == replace.Surrogate && t.Sort == data.Date:
				kinds[action] = append(kinds[action], t.Name)
			}
		}
		say := func(kind replace.Kind, what string) {
			if names := kinds[kind]; len(names) > 0 {
				all = append(all, what+" "+strings.Join(names, ", ")+".")
			}
		}
		const days = "Safe Harbor allows only the year; such dates are commonly used under an expert determination (164.514(b)(1)) or in a limited data set"
		say(replace.Keep, "Values of these types were kept, although they are among the eighteen identifiers:")
		say(replace.Surrogate, "Dates became invented dates with the same intervals. "+days+":")
		say(replace.Shift, "Dates were shifted, so that the age of somebody over 89 may follow from them. "+days+":")
		say(replace.Hash, "Values became codes that follow from the value and a secret key. 164.514(c) asks for codes that are not derived from information about the individual:")
	}
	if m.given != nil && m.given.Options["allow"] != "" {
		all = append(all, "A list of words and phrases that are not PHI was given (--allow). Wherever the model or the built-in rules found them, they stayed, and no file of the run counts them. Somebody should read the list.")
	}
	if m.given != nil && strings.Contains(m.given.Options["field"], "=keep") {
		all = append(all, "Fields of records were kept by rules of this run (--field ...=keep), whatever was in them.")
	}
	if m.run.Fields["hash"] > 0 {
		all = append(all, "Fields of records became codes that follow from the value and a key: see 164.514(c).")
	}
	if len(uncounted) > 0 {
		all = append(all, "The program has no type for the identifiers "+strings.Join(uncounted, ", ")+", so they were not searched for.")
	}
	return all
}

func (m *material) policyAbout() string {
	switch m.run.Policy {
	case policy.SafeHarbor:
		return "The policy is the built-in one for Safe Harbor. Whether the output meets the rule also depends on what was missed, and on what the recipient knows (164.514(b)(2)(ii))."
	case policy.LimitedDataSet:
		return "The policy is the built-in one for a limited data set (164.514(e)(2)), which keeps dates, ages, towns, states and ZIP codes. Its output is still PHI, and requires a data use agreement."
	case policy.All:
		return "The policy replaces everything that the program finds."
	}
	return "The policy is not one of those that come with the program. Its file is identified by its digest."
}

func (m *material) left(s *section) {
	m.leftByReview(s)
	m.leftByCalibration(s)
	if m.given != nil {
		s.say("What the run itself said about the expected leak (summary /expected_leak): " + m.given.ExpectedLeak + ".")
	}
}

func (m *material) leftByReview(s *section) {
	switch {
	case m.review == nil:
		s.warn(noReview)
		return
	case m.bound == nil:
		s.warn("The review allows no statement: " + m.noBound + ".")
		return
	}
	b := m.bound
	units := map[review.By]string{review.ByNote: "notes", review.ByPatient: "patients"}[b.By]
	t := facts("By review of a random sample: the bounds are one-sided, with a confidence of 95 %", "Figure")
	t.fact("Notes that the sample was drawn from", count(b.Population.Notes, "bound /population/notes"))
	t.fact("Notes in the sample", count(b.Notes, "bound /notes"))
	if b.By == review.ByPatient {
		t.fact("Patients in the sample, with all of their notes", count(b.Units, "bound /units"))
	}
	t.fact("PHI tokens in the sample", count(b.Tokens, "bound /tokens"))
	t.fact("of these, left", count(b.Missed, "bound /missed"))
	t.fact("Share of the PHI tokens of the sample that is left", percent(b.Share, "bound /share"))
	t.fact("Upper bound of the share in all notes, if misses may cluster in "+units+" (the figure to rely on)", atMost(b.UpperClustered, "bound /upper95_clustered"))
	t.fact("Upper bound, if each token is missed independently of the others", atMost(b.UpperIndependent, "bound /upper95_independent"))
	t.fact("Design effect", decimal(b.DesignEffect, "bound /design_effect"))
	t.fact("Drawn "+units+" in which anything is left", count(b.UnitsLeft, "bound /units_left"))
	t.fact("Upper bound of the share of "+units+" in which anything is left", atMost(b.UpperUnits, "bound /upper95_units"))
	if b.Hidden != nil {
		t.fact("PHI tokens that both readers and the model missed, as estimated by capture and recapture", decimal(*b.Hidden, "bound /hidden"))
		t.fact("Upper bound with these tokens", atMost(*b.UpperHidden, "bound /upper95_hidden"))
	}
	t.fact("Notes on which the readers differ and nobody has decided", count(b.Differing, "bound /differing"))
	s.tables(t)
	if b.Whole {
		s.say("All notes were reviewed, so the shares are those of all notes, and not bounds.")
	}
	s.say("PHI that the policy keeps on purpose counts as found. If misses cluster, as in a note of another layout of which everything is missed, the higher bound is right; it also allows for kinds of notes of which the sample happens to have none.")
}

func (m *material) leftByCalibration(s *section) {
	if m.model == nil {
		s.warn(noModel)
		return
	}
	if len(m.curves) == 0 {
		s.warn("The model was not calibrated, so it is not known how much it misses.")
		return
	}
	for _, c := range m.curves {
		t := newTable("By calibration"+m.suffix(c)+": PHI tokens that the model alone leaves at each operating point, without the safety net", "Recall asked for", "Left#|1 − "+c.label+" /points/N/recall", "95 % interval: from#|1 − "+c.label+" /points/N/high", "to#|1 − "+c.label+" /points/N/low", "Replaced tokens that are PHI#|"+c.label+" /points/N/precision", "N", "Used by the run")
		for i, p := range c.Points {
			at := func(key string) string { return c.label + " /points/" + strconv.Itoa(i) + "/" + key }
			used := ""
			if i == c.point {
				used = "yes"
			}
			t.rows = append(t.rows, []*cell{
				wanted(p, at("target")), percent(1-p.Recall, "1 − "+at("recall")), percent(1-p.High, "1 − "+at("high")), percent(1-p.Low, "1 − "+at("low")), percent(p.Precision, at("precision")),
				text(fmt.Sprint(i)), text(used),
			})
		}
		on := facts("The notes of the calibration"+m.suffix(c), "Figure")
		on.fact("Notes", count(c.Documents, c.label+" /documents"))
		on.fact("PHI tokens", count(c.Tokens, c.label+" /tokens"))
		on.fact("Expected calibration error of the probabilities", decimal(c.Error, c.label+" /error"))
		if c.Default > 0 {
			on.fact("Probability from which a token counts as PHI by default", decimal(c.Default, c.label+" /default"))
		}
		s.tables(t, on)
		if c.why != "" {
			s.warn(c.why)
		}
	}
	if m.model.Builtin() {
		s.warn("The model comes with the program, and was not validated on notes of real patients. Do not rely on these figures for real notes.")
	} else {
		of := ""
		if m.curves[0].Split != "" {
			of = ", which are " + m.curves[0].Measured() + " of its corpus"
		}
		s.say("These figures hold for notes like those of the calibration" + of + ".")
	}
}

// wanted is the recall for which an operating point was chosen.
func wanted(p operating.Point, source string) *cell {
	name, _ := p.Names()
	if p.Target == 0 {
		return text("none: the most probable labels")
	}
	if p.OutOfReach() {
		name += " (out of reach)"
	}
	return &cell{text: name, source: source, value: p.Target}
}

func (m *material) reviewed(s *section) {
	if m.review == nil {
		s.warn(noReview)
		return
	}
	r := m.review
	t := newTable("Readers, and with how many notes each is done", "Reader", "Who", "Done#|status /readers/READER/done", "Begun#|status /readers/READER/begun", "Not begun#|status /readers/READER/open")
	readers := slices.Clone(r.Readers)
	if m.status.Readers[review.Final] != nil {
		readers = append(readers, review.Final)
	}
	for _, name := range readers {
		who := m.Readers[name]
		if who == "" && name == review.Final {
			who = "decided where the readers differ"
		}
		states := m.status.Readers[name]
		row := []*cell{text(name), text(cmp.Or(who, "not described"))}
		for _, state := range []review.State{review.Done, review.Begun, review.ToDo} {
			row = append(row, count(states[state], "status /readers/"+name+"/"+string(state)))
		}
		t.rows = append(t.rows, row)
	}
	how := map[review.By]string{
		review.ByNote: "The notes were drawn at random, each with the same probability.", review.ByPatient: "Patients were drawn at random, with all of their notes.",
		review.ByDoubt: "The notes are those of which the model was least sure. They say nothing about the other notes.",
	}[r.By]
	f := facts("The sample", "Figure")
	f.fact("Notes that it was drawn from", count(r.Population.Notes, "review /population/notes"))
	f.fact("Notes in the sample", count(len(r.Notes), "status /notes"))
	f.fact("Tokens in the sample", count(m.status.Tokens, "status /tokens"))
	f.fact("Notes that could not be read, and could not be drawn", count(r.Population.Failed, "review /population/failed"))
	f.fact("Drawn notes that could not be examined, and are not in the sample", count(r.Failed, "review /failed"))
	if r.By.Random() {
		f.fact("Seed of the sample", &cell{text: strconv.FormatUint(r.Seed, 10), source: "review /seed", value: r.Seed})
	}
	verdict := func(v review.Verdict, name string) {
		if n := m.status.Verdicts[v]; n > 0 {
			f.fact(name, count(n, "status /verdicts/"+string(v)))
		}
	}
	verdict(review.Single, "Notes decided by the only reader")
	verdict(review.Agreed, "Notes on which both readers agree")
	verdict(review.Decided, "Notes that the reader final has decided")
	verdict(review.Differing, "Notes on which they differ, and which nobody has decided")
	verdict(review.Undecided, "Notes that are not reviewed by every reader")
	s.tables(t, f)
	s.say(how)
	if r.Unaided {
		s.say("The readers did not see what the model had found.")
	} else {
		s.say("The readers saw what the model had found, and corrected it. They may have trusted it too much.")
	}
	m.agreed(s)
}

// agreed adds the agreement of the readers.
func (m *material) agreed(s *section) {
	a := m.agreement
	if a == nil {
		s.warn("Nothing is known about agreement: " + m.noAgreement + ".")
		return
	}
	t := facts("Agreement of the two readers", "Figure")
	t.fact("Notes with which both are done", count(a.Both, "agreement /both"))
	t.fact("of these, notes on which they agree or final has decided", count(a.Decided, "agreement /decided"))
	t.fact("F1 of spans with equal borders and types", decimal(a.F1, "agreement /f1"))
	t.fact("F1 of PHI tokens, whatever their types", decimal(a.TokenF1, "agreement /token_f1"))
	if a.Kappa == nil {
		t.fact("Cohen’s kappa over all tokens", text("undefined"))
	} else {
		t.fact("Cohen’s kappa over all tokens", decimal(*a.Kappa, "agreement /kappa"))
	}
	s.tables(t)
}

// attacks describes the attacks that there are.
var attacks = []struct{ name, what, failed string }{
	{"parrot", "learns from the marks in one part of the notes what the program removes, and suspects what it would not have removed in the others", "fewer than two patients have notes, or nothing was marked"},
	{"unlisted", "suspects names that are not in the public lists that invented names come from", "the notes have tags"},
	{"frequent", "suspects values that occur with too many patients", "the notes have tags"},
	{"dates", "suspects dates that are far from all others of the patient", "the notes have tags"},
	{"reader", "suspects everything that still looks like PHI among the tags", "the notes have invented values instead of tags"},
}

func (m *material) attacked(s *section) {
	a := m.attack
	if a == nil {
		s.warn(noAttack)
		return
	}
	f := facts("The attack", "Figure")
	f.fact("Notes attacked", count(a.Notes, "attack /notes"))
	f.fact("Values that look like PHI, invented ones among them", count(a.Marked, "attack /marked"))
	if len(a.Tags) > 0 {
		f.fact("Tags", count(sum(a.Tags), "attack /tags/*"))
	}
	if l := a.Left; l != nil {
		f.fact("Values that annotated originals mark, without ages", count(l.Gold, "attack /leaks/gold"))
		f.fact("of these, left in the output", count(l.Left, "attack /leaks/left"))
		f.fact("Share of the marked values that an attacker who guesses would be right about", ratio(l.Left, a.Marked, "attack /leaks/left ÷ attack /marked"))
	}
	t := newTable("Attacks, and how many suspects each has", "Attack", "What it does", "Suspects#|attack /attacks/N/suspects_by_type/*", "Sure (confidence 0.9 or more)#|attack /attacks/N/sure")
	scores := newTable("How many of the values that are really left each attack finds, without ages", "Attack", "Suspects#|attack /attacks/N/score/all/suspects", "of these, right#|attack /attacks/N/score/all/right", "Precision#|right ÷ suspects", "Left values found#|attack /attacks/N/score/all/hits", "Recall#|hits ÷ leaks", "N", "What it means")
	for _, known := range attacks {
		i := slices.IndexFunc(a.Attacks, func(r attack.Result) bool { return r.Name == known.name })
		if i < 0 {
			if known.name != "reader" {
				t.row(text(known.name), text("was not made or not possible (usually because "+known.failed+")"))
			}
			continue
		}
		r, at := a.Attacks[i], "attack /attacks/"+strconv.Itoa(i)
		t.row(text(known.name), text(known.what), count(sum(r.ByType), at+"/suspects_by_type/*"), count(r.Sure, at+"/sure"))
		if c := r.Score; c != nil {
			all := at + "/score/all/"
			scores.rows = append(scores.rows, []*cell{
				text(known.name), count(c.All.Suspects, all+"suspects"), count(c.All.Right, all+"right"), ratio(c.All.Right, c.All.Suspects, all+"right"+" ÷ "+all+"suspects"),
				count(c.All.Hits, all+"hits"), ratio(c.All.Hits, c.All.Leaks, all+"hits"+" ÷ "+all+"leaks"), text(fmt.Sprint(i)), text(m.meaning(c.All)),
			})
		}
	}
	s.tables(f, t, scores, m.suspectsByType())
	s.say("An attacker has the output and this program, but no originals. A suspect is a value that the attack takes for a real one that was missed. Invented values hide missed ones as long as no attack does better than guessing.")
	if a.Left != nil {
		s.say("Values that the policy keeps on purpose, such as states, count as left if the originals mark them.")
	} else {
		s.warn("The annotated originals were not given to the attack, so it is not known which suspects are right. Somebody who may see the notes should check the surest ones.")
	}
	if a.Reader == "" {
		s.say("What looks like PHI was annotated in the files that were attacked.")
	} else {
		s.say("What looks like PHI was marked by the model with the digest " + a.Reader + " (attack /reader).")
	}
}

// meaning says in words what the score of an attack means.
func (m *material) meaning(c attack.Count) string {
	precision, ok := c.Precision()
	guess := float64(m.attack.Left.Left) / float64(max(1, m.attack.Marked))
	switch {
	case m.attack.Left.Left == 0:
		return "Nothing was left that could be found."
	case !ok:
		return "It suspects nothing, so it learns nothing."
	case c.Right == 0:
		return "All of its suspects are wrong."
	case precision <= guess:
		return "It is not better than guessing."
	case precision <= 1.5*guess:
		return "It is hardly better than guessing."
	case precision < 0.5:
		return "It is better than guessing, but most of its suspects are wrong."
	}
	return "Most of its suspects are right: what it finds is not hidden."
}

// suspectsByType lists the suspects by type, with a column for each attack.
func (m *material) suspectsByType() *table {
	t := newTable("Suspects by type", "Type")
	names := map[string]bool{}
	for i, a := range m.attack.Attacks {
		t.columns = append(t.columns, column{a.Name, "attack /attacks/" + strconv.Itoa(i) + "/suspects_by_type/TYPE", true})
		for name := range a.ByType {
			names[name] = true
		}
	}
	left := m.attack.Left
	if left != nil {
		t.columns = append(t.columns, column{"Really left", "attack /leaks/by_type/TYPE", true})
		for name := range left.ByType {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		row := []*cell{text(name)}
		for i, a := range m.attack.Attacks {
			row = append(row, count(a.ByType[name], "attack /attacks/"+strconv.Itoa(i)+"/suspects_by_type/"+name))
		}
		if left != nil {
			row = append(row, count(left.ByType[name], "attack /leaks/by_type/"+name))
		}
		t.rows = append(t.rows, row)
	}
	return t
}

func (m *material) unexamined(s *section) {
	t := facts("What was left out, and what was unusual", "Item")
	t.fact("Notes that could not be examined: they are not in the output", count(m.failed(), m.failedSource()))
	t.fact("Parts of records that were removed because they cannot be examined, such as pictures and PDF", count(m.run.PartsDropped, m.at("/parts_dropped")))
	t.fact("Notes unlike those that the model was calibrated on: nothing is known about the leak in them", count(m.run.NotesUnlike, m.at("/notes_unlike")))
	for _, way := range slices.Sorted(maps.Keys(m.run.Unlike)) {
		t.fact("of these, by "+way, count(m.run.Unlike[way], m.at("/unlike/"+way)))
	}
	if g := m.given; g != nil {
		t.fact("Files in the input folders that were not read", count(g.FilesLeftOut, "summary /files_left_out"))
		t.fact("Patients whose notes were not adjacent, so that values in one part were not searched for in another", count(g.PatientsRestarted, "summary /patients_restarted"))
	}
	for _, source := range safetynet.Sources() {
		if counts := m.run.Net[source]; len(counts) > 0 {
			t.fact("Values that the model missed and the safety net found: "+netSources[source], count(sum(counts), m.at("/found_by_safety_net/"+string(source)+"/*")))
		}
	}
	s.tables(t)
	items := []string{
		"Pictures, scanned pages, PDF and Office documents are never read. A record that contains one was refused, or the part was removed and is counted above.",
		"Names of files, and IDs of notes for which there is no rule, stay as they are. They may identify patients, and are not part of this document.",
	}
	if g := m.given; g != nil {
		if g.Unchanged != "" {
			items = append(items, "Parts of the files that the formats leave unexamined (summary /unchanged): "+g.Unchanged+".")
		}
		if !g.SafetyNet {
			items = append(items, "There was no safety net, so nothing was searched for besides what the model found.")
		}
	} else {
		items = append(items, noSummary+" Files that were left out, and parts of the files that stay unexamined, are not known.")
	}
	switch {
	case len(m.run.Languages) > 0:
		items = append(items, "Notes that seem to be in a language without a model were refused, and count among those that could not be examined.")
	case m.run.Model != "":
		items = append(items, "The language of the notes was not checked: the model is for notes in "+m.languageName()+".")
	}
	if missing := m.missingShards(); len(missing) > 0 {
		some := missing[:min(len(missing), 20)]
		items = append(items, "Shards of the run that are not part of this document: "+strings.Join(some, ", ")+map[bool]string{true: " and others"}[len(some) < len(missing)]+".")
	}
	s.list(items...)
}

var netSources = map[safetynet.Source]string{
	safetynet.Original: "they are replaced elsewhere in the notes of the patient", safetynet.Known: "they are known of the patient", safetynet.Formulaic: "they have the form of PHI",
	safetynet.Rule: "by rules of the user", safetynet.Denied: "by lists of the user",
}

// languageName names the language of the model's notes.
func (m *material) languageName() string {
	language := ""
	if m.model != nil {
		language = m.model.Types.Language
	}
	return cmp.Or(map[string]string{"en": "English", "es": "Spanish"}[language], "one language, which is not known here")
}

func (m *material) limits(s *section) {
	s.list(
		"That nothing is left. Every model, and every reader, misses some PHI.",
		"That the figures hold for other notes. They are about the notes of this run, this model and these options. Notes of another year or hospital require a review of their own.",
		"That a statement with a confidence of 95 % is true. One in twenty such statements is wrong.",
		"That the readers of the review are right. What both of them overlook is not in the figures, except for the estimate of it.",
		"That the calibration holds for these notes. It was measured on other notes, and recall is lower for rare types and unusual notes.",
		"That an attack which fails proves safety. Somebody else may know more: other data about the patients, or the key of the run.",
		"That nobody can be recognised by what happened to them. A rare disease, an unusual accident or a public office is text like any other.",
		"That the output is de-identified in the sense of the law. That is for the board, or for an expert (164.514(b)(1)), to decide; this document is neither a certificate nor legal advice. "+
			"Safe Harbor also requires that nobody in charge actually knows that the rest could identify somebody (164.514(b)(2)(ii)).",
		"That the files below are genuine. The digests show that they have not changed since this document was written, and not who wrote them.",
		"That the run was the last step. Whoever copies, joins or edits the output afterwards changes what these figures mean. The key of the run, and the map if there is one, lead back to the patients and must be kept apart.",
	)
}

func (m *material) listFiles(s *section) {
	t := newTable("Files and folders that this document was made of, with their SHA-256 digests", "Source", "Name", "Bytes#", "Digest", "Digest of")
	for i, f := range m.files {
		t.row(text(f.label), text(f.name), count(int(f.bytes), fmt.Sprintf("files %d", i)), text(f.digest), text(f.of))
	}
	s.tables(t)
	s.warnIf(m.source != "audit", "No audit was given.")
	s.warnIf(m.given == nil, noSummary)
	s.warnIf(m.model == nil, "No model was given.")
	s.warnIf(m.review == nil, "No review was given.")
	s.warnIf(m.attack == nil, "No attack was given.")
}

func (m *material) trace(s *section) {
	s.say("The source of a number has the name of a file and a place in it, as a JSON pointer (RFC 6901): “summary /notes” is the key notes of the summary. An asterisk stands for all keys at its place, whose numbers are added. " +
		"In the heading of a column, TYPE or READER stands for the name in the row, and N for the number in the column N. A missing key counts as 0. Shares are shown in percent with two digits after the point; upper bounds are rounded up.")
	t := newTable("What the sources are", "Source", "What to look into")
	row := func(name, what string) { t.row(text(name), text(what)) }
	if m.source == "audit" {
		row("audit", "The audits. A number is the sum over the lines of all audits: of the keys replaced, kept, fields and net (found_by_safety_net) of each line without error. /notes counts the lines without error, and /notes_failed those with one and the lost notes that they name; "+
			"/notes_unlike, /unlike and /languages count lines, and /parts_dropped is the sum of dropped. model, config, policy and policy_digest are the same in all lines")
	}
	if m.given != nil {
		row("summary", "The JSON that lethe deidentify --summary wrote. For several shards, the sum")
	}
	for _, c := range m.curves {
		where := "operating.json in the folder of the model"
		if m.model.Builtin() {
			where = "operating.json of the model " + cmp.Or(c.language, m.Model) + " in the program (lethe models pack " + cmp.Or(c.language, m.Model) + ")"
		}
		row(c.label, where)
	}
	if m.model != nil {
		kind := "The model. Its digest is that of lethe models info --json (key digest)"
		if m.Model == models.Auto {
			kind = "All models that come with the program. Their digest is in the audit and the summary of each run with them"
		}
		row("model", kind)
	}
	if m.review != nil {
		row("review", "review.json in the folder of the review. The digest of the folder is that of the output of: find . -type f ! -name '.*' -printf '%P\\n' | LC_ALL=C sort | xargs sha256sum")
		row("status", "The output of lethe review status --json")
		if m.bound != nil {
			row("bound", "The output of lethe review bound --json")
		}
		if m.agreement != nil {
			row("agreement", "The output of lethe review agreement --json")
		}
	}
	if m.attack != nil {
		row("attack", "The output of lethe attack --json")
	}
	s.tables(t)
}
