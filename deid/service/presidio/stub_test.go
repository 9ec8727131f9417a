package presidio

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/deid"
	"github.com/lethe-deid/lethe/deid/engine"
	"github.com/lethe-deid/lethe/deid/policy"
	"github.com/lethe-deid/lethe/deid/replace"
)

// stub finds the same names as the recognizer Stub of scripts/presidiorest. Its types are those of Lethe.
type stub struct {
	key []byte
}

var stubNames = []struct {
	name, typ string
	score     float64
}{{"Oda Lund", "PATIENT", 0.98}, {"Bergen", "CITY", 0.9}, {"Zoë Ødegård", "DOCTOR", 0.75}, {"4711", "MEDICALRECORD", 0.6}}

func (s stub) All() []Model { return []Model{s} }
func (s stub) ForLanguage(language string) (Model, bool) {
	return s, slices.Contains([]string{"en", "es"}, language)
}
func (stub) Name() string                               { return "stub" }
func (stub) Types() *data.TypeSet                       { return data.I2B2 }
func (s stub) Replacement() replace.Options             { return replace.Options{Key: s.key, Types: data.I2B2} }
func (stub) Policy(name string) (*policy.Policy, error) { return policy.Open(name) }
func (stub) LanguageOf(string) string                   { return "en" }

// unreadable is a text that the stub cannot examine.
const unreadable = "unreadable"

func (stub) Find(_ context.Context, notes []deid.Note) ([][]data.Span, error) {
	all := make([][]data.Span, len(notes))
	for i, n := range notes {
		if strings.Contains(n.Text, unreadable) {
			return nil, errors.New("a text that the stub cannot examine")
		}
		for _, s := range stubNames {
			for from := 0; ; {
				at := strings.Index(n.Text[from:], s.name)
				if at < 0 {
					break
				}
				at += from
				from = at + len(s.name)
				all[i] = append(all[i], data.Span{Start: at, End: from, Type: s.typ, Score: s.score})
			}
		}
		for _, v := range n.Known {
			if at := strings.Index(n.Text, v.Text); at >= 0 {
				all[i] = append(all[i], data.Span{Start: at, End: at + len(v.Text), Type: "PATIENT", Score: 1})
			}
		}
	}
	return all, nil
}

// testConfig has no key, so that the lists of operators are those of a server without one.
var testConfig = Config{Models: stub{}, PatternTime: time.Minute}

var (
	_ Models = pool{(*engine.Pool)(nil)}
	_ Model  = (*member)(nil)
)
