package evidence

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid/audit"
	"github.com/lethe-deid/lethe/internal/bounded"
)

// readRun reads the audits and the summaries, and checks that they are of the same run.
func (m *material) readRun() error {
	audited, shards, err := m.readAudits()
	if err != nil {
		return err
	}
	summarized, err := m.readSummaries()
	if err != nil {
		return err
	}
	m.run, m.source, m.shards = m.given, "summary", summarized
	if audited == nil {
		return nil
	}
	m.run, m.source, m.shards = audited, "audit", shards
	if m.given == nil {
		return nil
	}
	slices.Sort(shards)
	slices.Sort(summarized)
	if !slices.Equal(shards, summarized) {
		return errors.New("the audits and the summaries are of different shards of the run")
	}
	return m.compare(audited)
}

// readAudits reads the audits, and returns their totals, or nil if there are none, and their shards.
func (m *material) readAudits() (*audit.Report, []string, error) {
	if len(m.Audits) == 0 {
		return nil, nil, nil
	}
	reviewed := map[string]bool{} // IDs of notes of the review that are not in the audits
	if m.review != nil {
		for _, e := range m.review.Notes {
			reviewed[e.ID] = true
		}
	}
	var total audit.Summary
	var shards []string
	var first *audit.Line
	for _, path := range m.Audits {
		shard := ""
		err := m.readLines(path, func(number int, l *audit.Line) error {
			if first == nil {
				first = l
			}
			if number == 1 {
				shard = l.Shard
			}
			switch {
			case l.Model != first.Model:
				return fmt.Errorf("has another model than %s:1, so it belongs to another run", m.Audits[0])
			case l.Config != first.Config:
				return fmt.Errorf("has other options (key config) than %s:1, so it belongs to another run", m.Audits[0])
			case l.Policy != first.Policy || l.PolicyDigest != first.PolicyDigest:
				return fmt.Errorf("has another policy than %s:1, so it belongs to another run", m.Audits[0])
			case l.Shard != shard:
				return errors.New("belongs to another shard than the first line")
			}
			total.Add(l)
			delete(reviewed, l.ID)
			return nil
		})
		if err == nil {
			shards, err = addShard(shards, path, shard, m.Audits[0])
		}
		if err != nil {
			return nil, nil, err
		}
	}
	r := total.Report()
	r.Model, r.Config, r.Policy, r.PolicyDigest = first.Model, first.Config, first.Policy, first.PolicyDigest
	if len(reviewed) > 0 && len(missing(shards)) == 0 {
		return nil, nil, fmt.Errorf("%s: %d of the %d notes of the review are in no audit: it is a review of other notes", m.Review, len(reviewed), len(m.review.Notes))
	}
	return &r, shards, nil
}

// readLines reads an audit, and records it.
func (m *material) readLines(path string, use func(number int, l *audit.Line) error) error {
	f, err := bounded.OpenInput(path)
	if err != nil {
		return err
	}
	defer f.Close()
	digest, size := sha256.New(), int64(0)
	in := bufio.NewReader(io.TeeReader(f, digest))
	for number := 1; ; number++ {
		text, err := in.ReadBytes('\n')
		size += int64(len(text))
		if err == io.EOF && len(text) == 0 {
			break
		}
		if err != nil && err != io.EOF {
			return err
		}
		l := &audit.Line{}
		if err == io.EOF || json.Unmarshal(text, l) != nil || l.Config == "" || checkLine(l) != nil {
			return fmt.Errorf("%s:%d: not a complete line of an audit", path, number)
		}
		if err := use(number, l); err != nil {
			return fmt.Errorf("%s:%d: %w", path, number, err)
		}
	}
	if size == 0 {
		return fmt.Errorf("%s: is empty, so it says nothing about a run", path)
	}
	return m.add(file{"audit", path, size, "sha256:" + hex.EncodeToString(digest.Sum(nil)), wholeFile})
}

// checkLine returns an error if a line of an audit has a count that no run writes.
func checkLine(l *audit.Line) error {
	all := []map[string]int{l.Replaced, l.Kept, l.Fields, {"dropped": l.Dropped, "lost": l.Lost}}
	return checkCounts(append(all, slices.Collect(maps.Values(l.Net))...)...)
}

// checkCounts returns an error unless all keys are names of types, which text of a note is not, and no number is negative.
func checkCounts(all ...map[string]int) error {
	for _, counts := range all {
		for name, n := range counts {
			if !data.Any.Has(name) || n < 0 {
				return errors.New("has a count that no run has")
			}
		}
	}
	return nil
}

// readSummaries reads the summaries, adds them up, and returns their shards.
func (m *material) readSummaries() (shards []string, err error) {
	for _, path := range m.Summaries {
		s := &audit.Report{}
		if err := m.readJSON("summary", path, s, "version", "model", "config", "notes", "replaced", "found_by_safety_net", "types", "options"); err != nil {
			return nil, err
		}
		if err := checkSummary(s); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if shards, err = addShard(shards, path, s.Options["shard"], m.Summaries[0]); err != nil {
			return nil, err
		}
		delete(s.Options, "shard")
		if m.given == nil {
			m.given = s
		} else if what := differ(m.given, s); what != "" {
			return nil, fmt.Errorf("%s: has another %s than %s, so it belongs to another run", path, what, m.Summaries[0])
		} else {
			plus(m.given, s)
		}
	}
	return shards, nil
}

func checkSummary(s *audit.Report) error {
	all := []map[string]int{s.Replaced, s.Kept, s.Fields, {
		"a": s.Files, "b": s.FilesSkipped, "c": s.FilesLeftOut, "d": s.Notes, "e": s.NotesFailed, "f": s.NotesFailedEarlier, "g": s.NotesUnlike,
		"h": s.NotesWithoutPatient, "i": s.Patients, "j": s.PatientsRestarted, "k": s.PartsDropped,
	}}
	for name := range s.Types {
		all = append(all, map[string]int{name: 0})
	}
	return checkCounts(append(all, slices.Collect(maps.Values(s.Net))...)...)
}

// differ says in what two reports differ that must be the same in all shards of a run, or returns "".
func differ(a, b *audit.Report) string {
	switch {
	case a.Model != b.Model:
		return "model"
	case a.Config != b.Config:
		return "digest of the options (key config)"
	case a.Policy != b.Policy || a.PolicyDigest != b.PolicyDigest:
		return "policy"
	case a.Version != b.Version:
		return "version of lethe"
	case !maps.Equal(a.Types, b.Types):
		return "list of types"
	}
	return ""
}

// plus adds the totals of a report to another, whose other keys are the same.
func plus(to, r *audit.Report) {
	into, from := reflect.ValueOf(to).Elem(), reflect.ValueOf(r).Elem()
	for i := range into.NumField() {
		switch n := from.Field(i).Interface().(type) {
		case int:
			into.Field(i).SetInt(into.Field(i).Int() + int64(n))
		case map[string]int:
			add(into.Field(i).Interface().(map[string]int), n)
		}
	}
	to.Bytes += r.Bytes
	for source, counts := range r.Net {
		if to.Net[source] == nil {
			to.Net[source] = map[string]int{}
		}
		add(to.Net[source], counts)
	}
}

func add(to, counts map[string]int) {
	for name, n := range counts {
		to[name] += n
	}
}

// compare checks that the summary is of the run with these totals of its audit.
func (m *material) compare(audited *audit.Report) error {
	audited.Version, audited.Types = m.given.Version, m.given.Types
	if what := differ(audited, m.given); what != "" {
		return fmt.Errorf("%s: has another %s than the audit, so it belongs to another run", m.Summaries[0], what)
	}
	for _, c := range []struct {
		key           string
		audit, report map[string]int
	}{
		{"notes", map[string]int{"": audited.Notes}, map[string]int{"": m.given.Notes}},
		{"notes_failed", map[string]int{"": audited.NotesFailed}, map[string]int{"": m.given.NotesFailed + m.given.NotesFailedEarlier}},
		{"notes_unlike", map[string]int{"": audited.NotesUnlike}, map[string]int{"": m.given.NotesUnlike}},
		{"parts_dropped", map[string]int{"": audited.PartsDropped}, map[string]int{"": m.given.PartsDropped}},
		{"replaced", audited.Replaced, m.given.Replaced},
		{"kept", audited.Kept, m.given.Kept},
		{"fields", audited.Fields, m.given.Fields},
		{"languages", audited.Languages, m.given.Languages},
		{"unlike", audited.Unlike, m.given.Unlike},
		{"found_by_safety_net", byNet(audited), byNet(m.given)},
	} {
		// The summary of a run that resumed another counts only what the earlier run had not completed.
		less := m.given.FilesSkipped > 0
		for name, n := range c.report {
			less = less && n <= c.audit[name]
		}
		if !maps.Equal(c.audit, c.report) && !less {
			return fmt.Errorf("%s: %s is not what the audit has (%d, not %d): they are of different runs", m.Summaries[0], c.key, sum(c.report), sum(c.audit))
		}
	}
	return nil
}

// byNet returns what the safety net found, by source and type.
func byNet(r *audit.Report) map[string]int {
	all := map[string]int{}
	for source, counts := range r.Net {
		for name, n := range counts {
			all[string(source)+" "+name] += n
		}
	}
	return all
}

// resumed reports whether the summary is of a part of the run.
func (m *material) resumed() bool { return m.given != nil && m.given.FilesSkipped > 0 }

var shardForm = regexp.MustCompile(`^([1-9][0-9]{0,5})/([1-9][0-9]{0,5})$`)

// addShard adds the shard of a file to those of others, the first of which is another file. "" is the whole input.
func addShard(shards []string, path, shard, first string) ([]string, error) {
	switch {
	case shard == "" && len(shards) == 0:
		return nil, nil
	case shard == "" || len(shards) == 0 && path != first:
		return nil, fmt.Errorf("%s: one of the files is of a shard of the run, and another of the whole run", path)
	case !shardForm.MatchString(shard):
		return nil, fmt.Errorf("%s: has a shard that is not of a form such as 3/8", path)
	case slices.Contains(shards, shard):
		return nil, fmt.Errorf("%s: the shard %s is there twice", path, shard)
	case len(shards) > 0 && shardsOf(shards) != shardsOf([]string{shard}):
		return nil, fmt.Errorf("%s: is of the shard %s, and another file of the shard %s", path, shard, shards[0])
	}
	return append(shards, shard), nil
}

// shardsOf returns into how many shards the run was divided.
func shardsOf(shards []string) int {
	if len(shards) == 0 {
		return 0
	}
	n, err := strconv.Atoi(shardForm.FindStringSubmatch(shards[0])[2])
	if err != nil {
		panic(err) // the form was checked
	}
	return n
}

// missing lists the shards that are not there.
func missing(shards []string) (all []string) {
	n := shardsOf(shards)
	for i := 1; i <= n; i++ {
		if shard := fmt.Sprintf("%d/%d", i, n); !slices.Contains(shards, shard) {
			all = append(all, shard)
		}
	}
	return all
}

func (m *material) missingShards() []string { return missing(m.shards) }
