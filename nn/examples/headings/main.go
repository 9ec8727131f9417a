// Command headings learns which heading a section of a clinical note has, such as ALLERGIES or
// SOCIAL HISTORY, from the text of the section alone. It reads notes with blank lines between them
// from standard input:
//
//	tar xzOf en-clinical.tar.gz en-clinical/mtsamples_hctap/text.txt | go run ./nn/examples/headings
//
// It is an example of package nn: network.go has two networks that classify texts, and this file
// trains and tests them.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/lethe-deid/lethe/nn"
)

func main() {
	log.SetFlags(0)
	epochs := flag.Int("epochs", 10, "passes over the training notes")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, *epochs); err != nil {
		log.Fatal(err)
	}
}

// run trains two networks on four fifths of the notes and tests them on the others.
func run(in io.Reader, out io.Writer, epochs int) error {
	notes, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	var train, test []section
	for i, note := range strings.Split(string(notes), "\n\n") {
		if i%5 == 4 {
			test = append(test, sections(note)...)
		} else {
			train = append(train, sections(note)...)
		}
	}
	if len(train) == 0 || len(test) == 0 {
		return fmt.Errorf("%d sections for training and %d for the test: expected at least one of each", len(train), len(test))
	}
	words := vocabulary(train)
	training, testing := encode(words, train), encode(words, test)
	fmt.Fprintf(out, "%d headings, %d sections for training, %d for the test\n", len(headings), len(training), len(testing))

	count := make([]int, len(headings))
	for _, e := range testing {
		count[e.heading]++
	}
	percent := func(right int) float64 { return 100 * float64(right) / float64(len(testing)) }
	fmt.Fprintf(out, "the most frequent heading: %.2f %% right\n", percent(slices.Max(count)))
	for _, c := range []struct {
		name   string
		encode encoder
	}{{"bag of words", bagOfWords}, {"BiLSTM", biLSTM}} {
		start := time.Now()
		right, err := learn(assembly(c.encode, len(words)+1, len(headings)), training, testing, epochs)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %.2f %% right, %.1f s\n", c.name, percent(right), time.Since(start).Seconds())
	}
	return nil
}

// headings are the classes: frequent headings with different meanings.
var headings = []string{
	"ALLERGIES", "ANESTHESIA", "CHIEF COMPLAINT", "COMPLICATIONS", "FAMILY HISTORY", "FINDINGS", "HEENT",
	"HISTORY OF PRESENT ILLNESS", "IMPRESSION", "MEDICATIONS", "PAST MEDICAL HISTORY", "PAST SURGICAL HISTORY",
	"PHYSICAL EXAMINATION", "PLAN", "PREOPERATIVE DIAGNOSIS", "PROCEDURE", "REVIEW OF SYSTEMS", "SOCIAL HISTORY", "VITAL SIGNS",
}

// section is the text below a heading.
type section struct {
	heading string
	words   []string // in lower case, at most maxWords
}

const maxWords = 100

// heading matches a line that begins with capitals and a colon.
var heading = regexp.MustCompile(`^([A-Z][A-Z /,&()-]+):(.*)`)

// sections returns the sections of a note that have words and one of the headings.
func sections(note string) (all []section) {
	var s section
	for line := range strings.Lines(note + "\nEND:") {
		if m := heading.FindStringSubmatch(line); m != nil {
			if len(s.words) > 0 && slices.Contains(headings, s.heading) {
				s.words = s.words[:min(len(s.words), maxWords)]
				all = append(all, s)
			}
			s, line = section{heading: m[1]}, m[2]
		}
		s.words = append(s.words, strings.FieldsFunc(strings.ToLower(line), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsNumber(c) })...)
	}
	return all
}

// vocabulary numbers the words that occur at least twice, from 1.
func vocabulary(all []section) map[string]int32 {
	count, number := map[string]int{}, map[string]int32{}
	for _, s := range all {
		for _, word := range s.words {
			if count[word]++; count[word] == 2 {
				number[word] = int32(len(number) + 1)
			}
		}
	}
	return number
}

// encode turns sections into numbers. A word that is not in the vocabulary is 0.
func encode(vocabulary map[string]int32, all []section) (examples []example) {
	for _, s := range all {
		e := example{heading: int32(slices.Index(headings, s.heading))}
		for _, word := range s.words {
			e.words = append(e.words, vocabulary[word])
		}
		examples = append(examples, e)
	}
	return examples
}

// learn trains a network and returns for how many texts of the test it is right.
func learn(assembly func(*nn.Graph) *network, training, testing []example, epochs int) (right int, err error) {
	params := nn.NewParams(1)
	opt := nn.DefaultOptimizer()
	opt.Method, opt.LearningRate, opt.Decay = "adam", 0.003, 0.8
	trainer, err := nn.NewTrainer[example](params, assembly, opt, 1, nil)
	if err != nil {
		return 0, err
	}
	defer trainer.Close()
	training, rng := slices.Clone(training), rand.New(rand.NewPCG(1, 2))
	for epoch := range epochs {
		rng.Shuffle(len(training), func(i, j int) { training[i], training[j] = training[j], training[i] })
		for batch := range slices.Chunk(training, 16) {
			if _, err := trainer.Step(batch, rng.Uint64(), epoch); err != nil {
				return 0, err
			}
		}
	}
	predictor, err := nn.NewMachine[example](params, assembly, false)
	if err != nil {
		return 0, err
	}
	for batch := range slices.Chunk(testing, 32) {
		if err := predictor.Run(batch); err != nil {
			return 0, err
		}
		n := predictor.Model
		for i, e := range batch {
			logits := predictor.Value(n.logits).Row(n.texts.Row(i, 0))
			if slices.Index(logits, slices.Max(logits)) == int(e.heading) {
				right++
			}
		}
	}
	return right, nil
}
