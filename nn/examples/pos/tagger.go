package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/data/conllu"
	"github.com/lethe-deid/lethe/nn"
)

// vocabulary lists what the network numbers.
type vocabulary struct {
	Words, Characters []string    // sorted; entry i has row i+1 of a table, and row 0 is for all others
	Tags              [2][]string // of each kind, sorted
}

// newVocabulary returns the words that a treebank has twice or more, in lower case, its characters
// and its tags.
func newVocabulary(treebank []conllu.Sentence) *vocabulary {
	words, characters, tags := map[string]int{}, map[string]int{}, [2]map[string]int{{}, {}}
	for _, s := range treebank {
		for _, w := range s.Words {
			words[strings.ToLower(w.Form)]++
			for _, c := range w.Form {
				characters[string(c)]++
			}
			tags[0][w.UPOS]++
			tags[1][w.XPOS]++
		}
	}
	maps.DeleteFunc(words, func(_ string, n int) bool { return n < 2 })
	sorted := func(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }
	return &vocabulary{sorted(words), sorted(characters), [2][]string{sorted(tags[0]), sorted(tags[1])}}
}

// tagger is a network with its vocabulary.
type tagger struct {
	*vocabulary
	params   *nn.Params
	machine  *nn.Machine[sentence, *network]
	decoders [2]*nn.Decoder
}

func newTagger(v *vocabulary) (*tagger, error) {
	t := &tagger{vocabulary: v, params: nn.NewParams(1)}
	for k, tags := range v.Tags {
		t.decoders[k] = nn.NewDecoder(len(tags), nil)
	}
	var err error
	t.machine, err = nn.NewMachine[sentence](t.params, v.assemble, false)
	return t, err
}

// row returns the row of a table for an entry of a sorted list: 0 if it is not in the list.
func row(list []string, entry string) int32 {
	if i, ok := slices.BinarySearch(list, entry); ok {
		return int32(i + 1)
	}
	return 0
}

// encode turns a treebank into numbers.
func (v *vocabulary) encode(treebank []conllu.Sentence) (sentences []sentence) {
	for _, from := range treebank {
		var s sentence
		for _, w := range from.Words {
			var spelling []int32
			for _, c := range w.Form {
				spelling = append(spelling, row(v.Characters, string(c)))
			}
			s.forms, s.spelling = append(s.forms, w.Form), append(s.spelling, spelling)
			s.words = append(s.words, row(v.Words, strings.ToLower(w.Form)))
			for k, tag := range []string{w.UPOS, w.XPOS} {
				s.tags[k] = append(s.tags[k], row(v.Tags[k], tag)-1) // -1 if the training part does not have it
			}
		}
		sentences = append(sentences, s)
	}
	return sentences
}

// accuracy is the share of words with the right tag of each kind.
type accuracy [2]float64

func (a accuracy) String() string {
	return fmt.Sprintf("%s %.2f %%, %s %.2f %%", kinds[0], 100*a[0], kinds[1], 100*a[1])
}

// test tags sentences that have tags.
func (t *tagger) test(sentences []sentence) (accuracy, error) {
	var right [2]int
	words := 0
	for batch := range slices.Chunk(sentences, 32) {
		if err := t.machine.Run(batch); err != nil {
			return accuracy{}, err
		}
		n := t.machine.Model
		for k, kind := range kinds {
			scores, transitions := t.machine.Value(n.scores[k]), t.params.Get(kind+".transitions")
			for i, found := range t.decoders[k].Decode(n.words, scores, transitions) {
				for w, tag := range found.Labels {
					if tag == batch[i].tags[k][w] {
						right[k]++
					}
				}
			}
		}
		for _, s := range batch {
			words += s.Len()
		}
	}
	return accuracy{float64(right[0]) / float64(words), float64(right[1]) / float64(words)}, nil
}

// save writes the tagger to one file, with the vocabulary as metadata.
func (t *tagger) save(path string) error {
	v, err := json.Marshal(t.vocabulary)
	if err != nil {
		return err
	}
	return checkpoints.WriteTensors(path, t.params.Tensors(), map[string]string{"vocabulary": string(v)})
}

// open reads a file of save.
func open(path string) (*tagger, error) {
	tensors, metadata, err := checkpoints.ReadTensors(path)
	if err != nil {
		return nil, err
	}
	v := &vocabulary{}
	if err := json.Unmarshal([]byte(metadata["vocabulary"]), v); err != nil {
		return nil, fmt.Errorf("%s: vocabulary: %w", path, err)
	}
	t, err := newTagger(v)
	if err != nil {
		return nil, err
	}
	return t, t.params.Fill(tensors)
}
