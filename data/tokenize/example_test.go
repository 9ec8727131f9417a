package tokenize_test

import (
	"fmt"

	"github.com/lethe-deid/lethe/data/tokenize"
)

func ExampleLookup() {
	const text = "Dr. O'Hara, 617-555-0199: can't come 1/20/71Total."
	for _, name := range tokenize.Names() {
		tok, err := tokenize.Lookup(name)
		if err != nil {
			panic(err)
		}
		fmt.Print(name, ":")
		for _, t := range tok.Tokens(text, nil) {
			fmt.Print(" ", text[t.Start:t.End])
		}
		fmt.Println()
	}
	// Output:
	// letters-digits: Dr . O ' Hara , 617 - 555 - 0199 : can ' t come 1 / 20 / 71 Total .
	// ptb: Dr. O'Hara , 617-555-0199 : ca n't come 1/20/71Total .
	// whitespace: Dr. O'Hara, 617-555-0199: can't come 1/20/71Total.
}

func ExampleLookupSplitter() {
	const text = "Seen by Dr. Varga today. Stable.\nPlan:\n1. Rest"
	tokens := tokenize.PTB{}.Tokens(text, nil)
	rules, err := tokenize.LookupSplitter("rules")
	if err != nil {
		panic(err)
	}
	for _, u := range rules.Sentences(text, tokens, nil) {
		fmt.Printf("%q\n", text[tokens[u.Start].Start:tokens[u.End-1].End])
	}
	// Output:
	// "Seen by Dr. Varga today."
	// "Stable."
	// "Plan:"
	// "1. Rest"
}

func ExampleLimit() {
	const text = "fever, cough, pain and nausea"
	tokens := tokenize.LettersDigits{}.Tokens(text, nil)
	for _, u := range tokenize.Limit(tokenize.Lines{}, 4).Sentences(text, tokens, nil) {
		fmt.Printf("%q\n", text[tokens[u.Start].Start:tokens[u.End-1].End])
	}
	// Output:
	// "fever, cough,"
	// "pain and nausea"
}
