package synth

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data"
)

// expand writes the rule "start" of a separate grammar.
func expand(rules string) *data.Document {
	g := grammar{}
	g.read("test", rules)
	for name, rule := range g {
		g.resolve(name, rule)
	}
	w := newWriter(corpora[DefaultCorpus], g, rand.NewPCG(1, 1))
	w.say("start")
	return &data.Document{Text: string(w.buf), Spans: w.spans}
}

func TestGrammar(t *testing.T) {
	for _, c := range []struct{ rules, want string }{
		{"== start\nplain [text|text]", "plain text"},
		{"# comment\n\n== start\na \\{b\\} \\[c\\] \\<d\\>\\ne", "a {b} [c] <d>\ne"},
		{"== start\none\\\ntwo", "one\ntwo"},
		{"== start\n<AGE:{7..7}>y/o", "[[AGE:7]]y/o"},
		{"== start\n{1.0..1.0}-{0.05..0.05}-{10..10}", "1.0-0.05-10"},
		{"== start\n{^w}/{+w}/{_w}\n=, w\nÉtÉ", "ÉTÉ/ÉtÉ/été"},
		{"== start\n{^w}\n== w\nsee Dr. <DOCTOR:Peña>, md", "SEE DR. [[DOCTOR:PEÑA]], MD"},
		{"== start\n{^w}\n== w\n{+v}\n== v\nknee", "KNEE"},
		{"== start\n<CITY:{w}>\n== w\nin <STATE:ME>", "[[CITY:in ME]]"}, // a mark in a mark is plain
		{"== start\n<ZIP:[1|1]>[|] <ZIP:2>", "[[ZIP:1]] [[ZIP:2]]"},
	} {
		d := expand(c.rules)
		if err := d.Check(); err != nil {
			t.Error(err)
		}
		if have := inline(d); have != c.want {
			t.Errorf("%q gives %q, want %q", c.rules, have, c.want)
		}
	}
}

func TestGrammarFaultsNameTheLine(t *testing.T) {
	for rules, want := range map[string]string{
		"== start\nok\n{open":       "test:3: open {",
		"== start\n[a|b":            "test:2:",
		"== start\n<AGE:1":          "test:2:",
		"== start\n{nothing}":       "no rule or slot {nothing}",
		"== a\nb\n== a\nc":          "test:3: duplicate rule a",
		"== start\n{9..1} {1..two}": "range",
	} {
		func() {
			defer func() {
				if fault, _ := recover().(string); !strings.Contains(fault, want) {
					t.Errorf("%q: fault %q, want %q", rules, fault, want)
				}
			}()
			expand(rules)
		}()
	}
}

func TestMissingSpaceOnlyWhereItCanBeTold(t *testing.T) {
	stuck := 0
	for i := range 4000 {
		w := newWriter(corpora[DefaultCorpus], grammar{}, rand.NewPCG(uint64(i), 0))
		sequence{literal("on "), mark{"DATE", literal("3/4")}, literal(" at "), mark{"HOSPITAL", literal("TCH")}, literal(" ward")}.write(w)
		d := &data.Document{Text: string(w.buf), Spans: w.spans}
		if have := inline(d); have != "on [[DATE:3/4]] at [[HOSPITAL:TCH]] ward" {
			stuck++
			if !strings.HasSuffix(have, " at [[HOSPITAL:TCH]] ward") && !strings.HasSuffix(have, "]]at [[HOSPITAL:TCH]] ward") {
				t.Errorf("letters run together: %q", have)
			}
		}
	}
	if stuck < 20 || stuck > 150 {
		t.Errorf("%d of 4000 miss a space", stuck)
	}
}

func TestInWords(t *testing.T) {
	for n, want := range map[int]string{
		8: "eight", 19: "nineteen", 40: "forty", 86: "eighty-six", 100: "one hundred", 104: "one hundred and four",
	} {
		if have := inWords(n); have != want {
			t.Errorf("%d: %q, want %q", n, have, want)
		}
	}
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 22: "22nd", 31: "31st"} {
		if have := ordinal(n); have != want {
			t.Errorf("%d: %q, want %q", n, have, want)
		}
	}
}
