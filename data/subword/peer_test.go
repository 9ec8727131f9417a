package subword

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/data/synth"
)

const script = "../../scripts/peers/subword/subword.py"

// python returns the interpreter that LETHE_PYTHON names, which must have what the script needs.
func python(t *testing.T) string {
	path := os.Getenv("LETHE_PYTHON")
	if path == "" {
		t.Skip("LETHE_PYTHON does not name a Python with tokenizers, transformers, sentencepiece and protobuf")
	}
	if out, err := exec.Command(path, "-c", "import google.protobuf, sentencepiece, tokenizers, transformers.convert_slow_tokenizer").CombinedOutput(); err != nil {
		t.Skipf("LETHE_PYTHON: %v: %s", err, out)
	}
	return path
}

func run(t *testing.T, in []byte, name string, args ...string) []byte {
	t.Helper()
	c := exec.Command(name, args...)
	c.Stdin = bytes.NewReader(in)
	var errors bytes.Buffer
	c.Stderr = &errors
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errors.String())
	}
	return out
}

// blocks of characters whose properties have not changed for long.
var blocks = [][2]rune{
	{0x20, 0x7e}, {0x20, 0x7e}, {0x20, 0x7e}, {0x01, 0x1f}, {0x80, 0xff}, {0x100, 0x24f}, {0x300, 0x36f}, {0x391, 0x3ff}, {0x400, 0x4ff}, {0x5d0, 0x5ea}, {0x620, 0x6ff},
	{0x904, 0x94d}, {0xe01, 0xe3a}, {0x1100, 0x11ff}, {0x1e00, 0x1eff}, {0x2000, 0x206f}, {0x2070, 0x209c}, {0x20a0, 0x20bd}, {0x2100, 0x218b}, {0x2190, 0x2426}, {0x2460, 0x2b73}, {0x3000, 0x30ff},
	{0x3200, 0x32fe}, {0x3300, 0x33ff}, {0x4e00, 0x9fcc}, {0xac00, 0xd7a3}, {0xf900, 0xfad9}, {0xfb00, 0xfb06}, {0xfb50, 0xfbb1}, {0xfdfa, 0xfdfc}, {0xfe00, 0xfe0f}, {0xfe30, 0xfe6b},
	{0xff01, 0xffee}, {0xfeff, 0xfeff}, {0xfffd, 0xfffd}, {0x1d400, 0x1d7ff}, {0x1f300, 0x1f64f}, {0x1f1e6, 0x1f1ff}, {0x20000, 0x20100}, {0xe000, 0xe010}, {0xe0061, 0xe007f},
}

var phrases = []string{
	"<s>", "</s>", "<unk>", "<mask>", "[MASK]", "[CLS]", "[UNK]", "MRN", "Résumé", "|||PHONE_NUMBER|||", "▁", "  ", "    ", "\r\n", "\n\n", "\t", "'s", "'ll", "İ", "ß", "…", "ﬃ", "é", "e\u0301", "\u200d", "ſ", "\u212a", "İ", "'ſ",
	"👩‍⚕️", "👨‍👩‍👧‍👦", "👍🏽", "각", "\u1100\u1161\u11a8", " Amundsen", " 12/03/2019", "patient", "\u00a0", "\u3000", "<0x41>",
}

// randomText returns phrases, words of notes, and characters of the blocks.
func randomText(r *rand.Rand, words []string) string {
	var b strings.Builder
	for range r.IntN(30) {
		switch r.IntN(6) {
		case 0:
			b.WriteString(phrases[r.IntN(len(phrases))])
		case 1, 2:
			b.WriteString(words[r.IntN(len(words))])
			b.WriteString(strings.Repeat(" ", r.IntN(3)))
		case 3:
			b.WriteString(" ")
		default:
			block := blocks[r.IntN(len(blocks))]
			for range r.IntN(4) {
				b.WriteRune(block[0] + r.Int32N(block[1]-block[0]+1))
			}
		}
	}
	return b.String()
}

// trained makes tokenizers of generated notes, with the whole table of NFKC in those of SentencePiece.
func trained(t *testing.T, python string) string {
	t.Helper()
	dir := t.TempDir()
	notes, err := os.Create(filepath.Join(dir, "notes.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	encoder := json.NewEncoder(notes)
	for note, err := range (synth.Config{Corpus: "en", Seed: 1, Split: synth.Train}).Notes(400) {
		if err != nil {
			t.Fatal(err)
		}
		if err := encoder.Encode(map[string]string{"text": note.Text}); err != nil {
			t.Fatal(err)
		}
	}
	if err := notes.Close(); err != nil {
		t.Fatal(err)
	}
	run(t, nil, python, script, "train", "--full", notes.Name(), dir)
	return dir
}

func TestTokenizers(t *testing.T) {
	python := python(t)
	texts := readLines[string](t, "testdata/texts.jsonl")
	var words []string
	for _, text := range texts[:7] {
		words = append(words, strings.Fields(text)...)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		texts = append(texts, randomText(r, words))
	}
	texts = append(texts, strings.Repeat("e\u0301\u0316\u0327", 40), "a"+strings.Repeat("\u0301", 100), strings.Repeat("supercalifragilistic", 250), strings.Repeat("é", 2500), strings.Repeat("\u0301", 70))
	var long strings.Builder
	for range 20000 {
		long.WriteString(words[r.IntN(len(words))])
		long.WriteByte(' ')
	}
	texts = append(texts, long.String())
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for _, text := range texts {
		if err := encoder.Encode(text); err != nil {
			t.Fatal(err)
		}
	}
	made := trained(t, python)
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			tokenizer, err := Open(filepath.Join(made, kind))
			if err != nil {
				t.Fatal(err)
			}
			out := json.NewDecoder(bytes.NewReader(run(t, in.Bytes(), python, script, "encode", filepath.Join(made, kind))))
			wrong := 0
			for i, text := range texts {
				var want answer
				if err := out.Decode(&want); err != nil {
					t.Fatal(err)
				}
				got, err := tokenizer.Encode(text)
				if err == nil {
					err = compare(text, got, want)
				}
				if err != nil {
					if wrong++; wrong <= 10 {
						t.Errorf("text %d, %.200q: %v", i, text, err)
					}
				}
			}
			if wrong > 0 {
				t.Errorf("%d texts are wrong", wrong)
			}
		})
	}
}

// TestComponents compares components that the other tokenizers do not have.
func TestComponents(t *testing.T) {
	python := python(t)
	raw, err := os.ReadFile("testdata/byte-fallback/tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]json.RawMessage
	if err := json.Unmarshal(raw, &document); err != nil {
		t.Fatal(err)
	}
	texts := readLines[string](t, "testdata/texts.jsonl")
	words := strings.Fields(strings.Join(texts[:7], " "))
	r := rand.New(rand.NewPCG(5, 6))
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for range 400 {
		texts = append(texts, randomText(r, words))
	}
	for _, text := range texts {
		if err := encoder.Encode(text); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ normalizer, split string }{
		{`{"type":"NFD"}`, `{"type":"Whitespace"}`},
		{`{"type":"NFKD"}`, `{"type":"WhitespaceSplit"}`},
		{`{"type":"NFKC"}`, `{"type":"BertPreTokenizer"}`},
		{`{"type":"Nmt"}`, `{"type":"Digits","individual_digits":true}`},
		{`{"type":"Lowercase"}`, `{"type":"Digits","individual_digits":false}`},
		{`{"type":"Sequence","normalizers":[{"type":"NFKD"},{"type":"StripAccents"},{"type":"Strip","strip_left":true,"strip_right":false}]}`, `{"type":"Punctuation","behavior":"MergedWithPrevious"}`},
		{`{"type":"Strip","strip_left":false,"strip_right":true}`, `{"type":"Punctuation","behavior":"MergedWithNext"}`},
		{`{"type":"Prepend","prepend":"x "}`, `{"type":"Punctuation","behavior":"Contiguous"}`},
		{`{"type":"Replace","pattern":{"String":"a"},"content":"bb"}`, `{"type":"Punctuation","behavior":"Removed"}`},
		{`{"type":"Replace","pattern":{"Regex":"(?i:s|k|i|e)"},"content":"é"}`, `{"type":"CharDelimiterSplit","delimiter":"e"}`},
		{`null`, `{"type":"Split","pattern":{"Regex":"\\w+|[^\\w\\s]+"},"behavior":"Removed","invert":true}`},
		{`null`, `{"type":"Split","pattern":{"Regex":"\\d{1,2}(?=\\D)|^.|[\\p{Lu}\\p{Mn}]+?\\b|\\p{Han}$"},"behavior":"MergedWithNext","invert":false}`},
		{`null`, `{"type":"Split","pattern":{"String":" "},"behavior":"MergedWithPrevious","invert":false}`},
		{`null`, `{"type":"Metaspace","replacement":"▁","prepend_scheme":"first","split":true}`},
		{`null`, `{"type":"Metaspace","replacement":"▁","prepend_scheme":"never","split":false}`},
		{`null`, `{"type":"Sequence","pretokenizers":[{"type":"Whitespace"},{"type":"Metaspace","replacement":"_","prepend_scheme":"first","split":true}]}`},
	} {
		t.Run(test.normalizer+test.split, func(t *testing.T) {
			document["normalizer"], document["pre_tokenizer"] = json.RawMessage(test.normalizer), json.RawMessage(test.split)
			content, err := json.Marshal(document)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "tokenizer.json"), content, 0o600); err != nil {
				t.Fatal(err)
			}
			tokenizer, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			out := json.NewDecoder(bytes.NewReader(run(t, in.Bytes(), python, script, "encode", dir)))
			for i, text := range texts {
				var want answer
				if err := out.Decode(&want); err != nil {
					t.Fatal(err)
				}
				got, err := tokenizer.Encode(text)
				if err == nil {
					err = compare(text, got, want)
				}
				if err != nil {
					t.Errorf("text %d, %.200q: %v", i, text, err)
				}
			}
		})
	}
}
