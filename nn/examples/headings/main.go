// Command headings learns which heading a section of a clinical note has, such as ALLERGIES or SOCIAL
// HISTORY, from the text of the section alone:
//
//	go run ./nn/examples/headings --data en-clinical.tar.gz
//
// It is an example of package nn: network.go has two networks that classify texts, and this file
// trains and tests them.
package main

import (
	"archive/tar"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/lethe-deid/lethe/nn"
)

func main() {
	log.SetFlags(0)
	data := flag.String("data", "", "a .tar.gz with mtsamples_hctap/text.txt: notes with blank lines between them")
	epochs := flag.Int("epochs", 8, "passes over the training notes")
	flag.Parse()
	notes, err := readNotes(*data)
	if err == nil {
		err = run(notes, *epochs, os.Stdout)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// readNotes returns the notes of an archive.
func readNotes(name string) ([]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if err != nil {
			return nil, fmt.Errorf("%s: mtsamples_hctap/text.txt: %w", name, err)
		}
		if ok, _ := path.Match("*/mtsamples_hctap/text.txt", h.Name); ok {
			all, err := io.ReadAll(archive)
			return strings.Split(string(all), "\n\n"), err
		}
	}
}

// run trains both networks on four fifths of the notes and tests them on the others.
func run(notes []string, epochs int, w io.Writer) error {
	var train, test []section
	for i, note := range notes {
		if i%5 == 4 {
			test = append(test, sections(note)...)
		} else {
			train = append(train, sections(note)...)
		}
	}
	words := vocabulary(train)
	training, testing := encode(words, train), encode(words, test)
	fmt.Fprintf(w, "%d sections for training, %d for the test, %d headings\n", len(training), len(testing), len(headings))
	report := func(name string, right int) {
		fmt.Fprintf(w, "%s: %.2f %% right\n", name, 100*float64(right)/float64(len(testing)))
	}
	count := make([]int, len(headings))
	for _, e := range testing {
		count[e.heading]++
	}
	report("always the most frequent heading", slices.Max(count))
	for _, c := range []struct {
		name   string
		encode encoder
	}{{"bag of words", bagOfWords}, {"BiLSTM", biLSTM}} {
		start := time.Now()
		right, err := learn(assembly(c.encode, len(words)+1, len(headings)), training, testing, epochs)
		if err != nil {
			return err
		}
		report(c.name, right)
		fmt.Fprintf(w, "%s: %.1f s\n", c.name, time.Since(start).Seconds())
	}
	return nil
}

// section is the text below a heading.
type section struct {
	heading string
	words   []string // in lower case, at most maxWords
}

const maxWords = 100

// heading is a line that begins with capitals and a colon.
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

// headings are the classes: frequent headings with different meanings.
var headings = []string{
	"ALLERGIES", "ANESTHESIA", "CHIEF COMPLAINT", "COMPLICATIONS", "FAMILY HISTORY", "FINDINGS", "HEENT",
	"HISTORY OF PRESENT ILLNESS", "IMPRESSION", "MEDICATIONS", "PAST MEDICAL HISTORY", "PAST SURGICAL HISTORY",
	"PHYSICAL EXAMINATION", "PLAN", "PREOPERATIVE DIAGNOSIS", "PROCEDURE", "REVIEW OF SYSTEMS", "SOCIAL HISTORY", "VITAL SIGNS",
}

// vocabulary numbers the words that occur at least twice from 1.
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

// encode turns sections into numbers; a word that is not in the vocabulary is 0.
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
		if err := predictor.Run(batch, nil, 1); err != nil {
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
