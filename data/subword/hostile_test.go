package subword

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// The files that older models have instead of tokenizer.json must lead to the same tokens.
func TestVocabularyFiles(t *testing.T) {
	texts := readLines[string](t, "testdata/texts.jsonl")
	for _, kind := range []string{"bert", "bert-cased", "roberta", "roberta-prefix", "xlm-roberta", "camembert", "deberta-v2"} {
		t.Run(kind, func(t *testing.T) {
			whole, err := Open(filepath.Join("testdata", kind))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", kind))); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(filepath.Join(dir, "tokenizer.json")); err != nil {
				t.Fatal(err)
			}
			files, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range texts {
				want, err := whole.Encode(text)
				if err != nil {
					t.Fatal(err)
				}
				got, err := files.Encode(text)
				if err != nil || len(got) != len(want) {
					t.Fatalf("text %d: %d tokens, not %d: %v", i, len(got), len(want), err)
				}
				for k := range got {
					if got[k] != want[k] {
						t.Fatalf("text %d: token %d is %v, not %v", i, k, got[k], want[k])
					}
				}
			}
			b, a := files.Frame()
			wb, wa := whole.Frame()
			if len(b) != 1 || len(a) != 1 || b[0] != wb[0] || a[0] != wa[0] || files.Size() != whole.Size() {
				t.Errorf("frame %v %v of %d, not %v %v of %d", b, a, files.Size(), wb, wa, whole.Size())
			}
			if files.Digest() == whole.Digest() || len(files.Digest()) != 64 {
				t.Errorf("digest %q", files.Digest())
			}
		})
	}
}

// small is a complete tokenizer.json.
const small = `{"version":"1.0","truncation":null,"padding":null,"added_tokens":[{"id":1,"content":"[UNK]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],
"normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true},
"pre_tokenizer":{"type":"BertPreTokenizer"},
"post_processor":{"type":"BertProcessing","sep":["a",2],"cls":["b",3]},
"decoder":{"type":"WordPiece","prefix":"##","cleanup":true},
"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":{"[PAD]":0,"[UNK]":1,"a":2,"b":3,"##c":4}}}`

const smallBPE = `{"added_tokens":[],"normalizer":null,"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":true},"post_processor":null,
"model":{"type":"BPE","dropout":null,"unk_token":null,"continuing_subword_prefix":null,"end_of_word_suffix":null,"fuse_unk":false,"vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]}}`

const smallUnigram = `{"added_tokens":[],"normalizer":null,"pre_tokenizer":{"type":"Metaspace","replacement":"▁","add_prefix_space":true},"post_processor":null,
"model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0.0],["▁",-1.5],["a",-2]]}}`

func openJSON(t *testing.T, content string) (*Tokenizer, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tokenizer.json"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return Open(dir)
}

func TestErrorsOfTokenizerJSON(t *testing.T) {
	for _, test := range []struct{ content, old, new, want string }{
		{small, `"BertNormalizer"`, `"Bert"`, `normalizer: type "Bert" is not supported`},
		{small, `"clean_text":true`, `"clean":true`, `normalizer: BertNormalizer: unknown key "clean"`},
		{small, `"clean_text":true`, `"clean_text":"yes"`, `normalizer: BertNormalizer: the value of "clean_text" is not of the right kind`},
		{small, `"BertPreTokenizer"`, `"UnicodeScripts"`, `pre_tokenizer: UnicodeScripts: this type is not supported`},
		{small, `"BertPreTokenizer"`, `"ByteLevel"`, `model: type: WordPiece is not supported with ByteLevel`},
		{small, `{"type":"BertPreTokenizer"}`, `{"type":"Sequence","pretokenizers":[{"type":"ByteLevel"},{"type":"Digits"}]}`, `pre_tokenizer: ByteLevel is not the last of a sequence`},
		{small, `{"type":"BertPreTokenizer"}`, `{"type":"Split","pattern":{"Regex":"a++"},"behavior":"Isolated","invert":false}`, `pre_tokenizer: Split: the regular expression has possessive`},
		{small, `{"type":"BertPreTokenizer"}`, `{"type":"Split","pattern":{"Regex":"["},"behavior":"Isolated","invert":false}`, `pre_tokenizer: Split: the regular expression has a class without`},
		{small, `{"type":"BertPreTokenizer"}`, `{"type":"Split","pattern":{"Regex":"a"},"behavior":"Kept","invert":false}`, `behavior: "Kept" is not supported`},
		{small, `{"type":"BertPreTokenizer"}`, strings.Repeat(`{"type":"Sequence","pretokenizers":[`, 20) + strings.Repeat(`]}`, 20), `too many sequences in sequences`},
		{small, `"BertProcessing"`, `"Other"`, `post_processor: type "Other" is not supported`},
		{small, `["a",2]`, `["a",5]`, `post_processor: the id 5 is not in the vocabulary`},
		{small, `["a",2]`, `["a",-1]`, `post_processor: the id -1 is not in the vocabulary`},
		{small, `"WordPiece","unk_token"`, `"WordLevel","unk_token"`, `model: type: "WordLevel" is not supported`},
		{small, `"unk_token":"[UNK]"`, `"unk_token":"[unk]"`, `model: unk_token: the token is not in the vocabulary`},
		{small, `"unk_token"`, `"unknown"`, `model: unknown key "unknown"`},
		{small, `"a":2`, `"a":-2`, `model: vocab: entry 2: the id -2 is not between 0 and 1048575`},
		{small, `"a":2`, `"a":2147483648`, `model: vocab: entry 2: the id 2147483648 is not between 0 and 1048575`},
		{small, `"a":2`, `"a":9223372036854775808`, `model: vocab: entry 2: the id is not an integer`},
		{small, `"a":2`, `"a":2.0`, `model: vocab: entry 2: the id is not an integer`},
		{small, `"a":2`, `"a":3`, `model: vocab: entry 3: the id 3 occurs twice`},
		{small, `"b":3`, `"a":3`, `model: vocab: entry 3: the tokens with the ids 2 and 3 are the same`},
		{small, `"a":2`, `"":2`, `model: vocab: entry 2: the token is empty`},
		{small, `"a":2`, `"` + strings.Repeat("a", 2000) + `":2`, `model: vocab: entry 2: the token is longer than 1024 bytes`},
		{small, `"id":1`, `"id":2`, `added_tokens: entry 0: the token has the id 2, and 1 in the vocabulary`},
		{small, `"id":1,"content":"[UNK]"`, `"id":9,"content":"[NEW]"`, `added_tokens: entry 0: the id is 9, but the next free one is 5`},
		{small, `"id":1,`, ``, `added_tokens: entry 0: "id" or "content" is missing`},
		{small, `"single_word"`, `"double_word"`, `added_tokens: entry 0: unknown key "double_word"`},
		{small, `"version"`, `"vision"`, `vision: unknown key`},
		{small, `"padding"`, `"truncation"`, `duplicate key "truncation"`},
		{small, `"model":`, `"decoder":`, `duplicate key "decoder"`},
		{small, `"model":{`, `"model":{{`, `tokenizer.json: jsontext: `},
		{small, `"vocab":{`, `"vocab":7,"x":{`, `model: vocab: neither an object nor a list`},
		{small, `##c":4}}}`, `##c":4}}}]`, `text after the end`},
		{smallBPE, `"a b"`, `"a b c"`, `model: merges: entry 0: not two tokens with a space`},
		{smallBPE, `"a b"`, `["a"]`, `model: merges: entry 0: not a list of two tokens`},
		{smallBPE, `"a b"`, `"b a"`, `model: merges: entry 0: a part or the result is not in the vocabulary`},
		{smallBPE, `"dropout":null`, `"dropout":0.1`, `model: dropout: is not supported`},
		{smallBPE, `"end_of_word_suffix":null`, `"end_of_word_suffix":"</w>"`, `model: end_of_word_suffix: is not supported`},
		{smallBPE, `{"a":0,"b":1,"ab":2}`, `[["a",0],["b",1],["ab",2]]`, `model: vocab: not of the kind that BPE has`},
		{smallUnigram, `"unk_id":0`, `"unk_id":null`, `model: unk_id: is not the id of a token`},
		{smallUnigram, `"unk_id":0`, `"unk_id":3`, `model: unk_id: is not the id of a token`},
		{smallUnigram, `["a",-2]`, `["a","b"]`, `model: vocab: entry 2: not a list of a token and a score`},
		{smallUnigram, `["a",-2]`, `["a",-1e999]`, `model: vocab: entry 2: the score is not a number`},
		{smallUnigram, `["a",-2]`, `["▁",-2]`, `model: vocab: entry 2: the tokens with the ids 1 and 2 are the same`},
		{smallUnigram, `"normalizer":null`, `"normalizer":{"type":"Precompiled","precompiled_charsmap":"AAAA"}`, `normalizer: Precompiled: precompiled_charsmap is truncated`},
		{smallUnigram, `"normalizer":null`, `"normalizer":{"type":"Precompiled","precompiled_charsmap":"/////wAA"}`, `normalizer: Precompiled: precompiled_charsmap has a wrong size`},
		{smallUnigram, `"normalizer":null`, `"normalizer":{"type":"Replace","pattern":{"Regex":"(?<x>a)"},"content":""}`, `normalizer: Replace: the regular expression has a kind of group`},
	} {
		content := strings.Replace(test.content, test.old, test.new, 1)
		if content == test.content {
			t.Errorf("%q does not occur", test.old)
		}
		if _, err := openJSON(t, content); err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "tokenizer.json: ") {
			t.Errorf("%.60s: %v, not %q", test.new, err, test.want)
		}
	}
	for _, content := range []string{small, smallBPE, smallUnigram} {
		if _, err := openJSON(t, content); err != nil {
			t.Error(err)
		}
		for n := range len(content) - 1 {
			if _, err := fromJSON([]byte(content[:n]), &config{}); err == nil {
				t.Fatalf("no error for the first %d bytes", n)
			}
		}
	}
}

func TestErrorsOfOtherFiles(t *testing.T) {
	for _, test := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{}, "contains neither tokenizer.json nor"},
		{map[string]string{"vocab.txt": "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\na\n"}, "vocab.txt: line 6: the tokens with the ids 4 and 5 are the same"},
		{map[string]string{"vocab.txt": "[PAD]\n[CLS]\n[SEP]\na\n"}, "vocab.txt: unk_token: the token is not in the vocabulary"},
		{map[string]string{"vocab.txt": "[UNK]\n\xff\n"}, "vocab.txt: line 2: the token is not UTF-8"},
		{map[string]string{"vocab.txt": "[UNK]\n", "tokenizer_config.json": `{"tokenizer_class":"PhobertTokenizer"}`}, `tokenizer_config.json: tokenizer_class: "PhobertTokenizer" is not supported with vocab.txt`},
		{map[string]string{"vocab.txt": "[UNK]\n", "tokenizer_config.json": `{"do_basic_tokenize":false}`}, "tokenizer_config.json: do_basic_tokenize and never_split are not supported"},
		{map[string]string{"vocab.txt": "[UNK]\n", "tokenizer_config.json": `{"do_lower_case":"no"}`}, `tokenizer_config.json: the value of "do_lower_case" is not of the right kind`},
		{map[string]string{"vocab.txt": "[UNK]\n", "added_tokens.json": `{"x":1.5}`}, `added_tokens.json: the value of "x" is not of the right kind`},
		{map[string]string{"vocab.txt": "[UNK]\n[SEP]\n[CLS]\n", "added_tokens.json": `{"x":7}`}, "the added token 7: the id is 7, but the next free one is 3"},
		{map[string]string{"vocab.json": `{"a":0}`}, "vocab.json: merges.txt is missing"},
		{map[string]string{"vocab.json": `{"a":0}`, "merges.txt": "#version: 0.2\na\n"}, "merges.txt: line 2: not two tokens"},
		{map[string]string{"vocab.json": `{"a":0}`, "merges.txt": "#version: 0.2\na b\n"}, "merges.txt: entry 0: a part or the result is not in the vocabulary"},
		{map[string]string{"spm.model": ""}, "spm.model: there are no pieces"},
		{map[string]string{"spm.model": "\x0a\x7fabc"}, "spm.model: the file is truncated or not a model of SentencePiece"},
		{map[string]string{"spm.model": "\x0a\x03\x0a\x01a\x12\x02\x18\x02"}, "spm.model: trainer_spec.model_type is 2"},
		{map[string]string{"spm.model": "\x0a\x03\x0a\x01a\x12\x03\xc0\x02\x05"}, "spm.model: trainer_spec.unk_id is not the number of a piece"},
	} {
		dir := t.TempDir()
		for name, content := range test.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, not %q", err, test.want)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("no error for a folder that does not exist")
	}
}

// allocated returns how many bytes a function allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestLargeFilesAreNotRead(t *testing.T) {
	for _, name := range []string{"tokenizer.json", "tokenizer_config.json", "vocab.txt", "vocab.json", "sentencepiece.bpe.model", "spm.model"} {
		path := filepath.Join(t.TempDir(), name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(1 << 30); err != nil {
			t.Skip(err)
		}
		f.Close()
		n := allocated(func() { _, err = Open(filepath.Dir(path)) })
		if err == nil || !strings.Contains(err.Error(), "is larger than 64 MiB") || n > 1<<20 {
			t.Errorf("%s: %v, with %d bytes", name, err, n)
		}
	}
}

func TestHostileVocabulariesNeedLittleMemory(t *testing.T) {
	for name, content := range map[string]string{
		"a large id":   strings.Replace(small, `"a":2`, `"a":1048575,"x":1048576`, 1),
		"a deep value": strings.Replace(small, `"decoder":{`, `"decoder":`+strings.Repeat("[", 5<<20)+`{`, 1),
		"a long token": strings.Replace(small, `"a":2`, `"`+strings.Repeat("a", 20<<20)+`":2`, 1),
		"a long charsmap": strings.Replace(smallUnigram, `"normalizer":null`, `"normalizer":{"type":"Precompiled","precompiled_charsmap":"`+
			strings.Repeat("A", 20<<20)+`"}`, 1),
	} {
		var err error
		n := allocated(func() { _, err = fromJSON([]byte(content), &config{}) })
		if err == nil || n > 100<<20 {
			t.Errorf("%s: %v, with %d bytes", name, err, n)
		}
	}
}

func TestTextThatIsNotUTF8(t *testing.T) {
	tokenizer, err := openJSON(t, small)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tokenizer.Encode("a \xff"); err == nil || err.Error() != "byte 2 of the text is not UTF-8" {
		t.Error(err)
	}
	if tokens, err := tokenizer.Encode("a \ufffd"); err != nil || len(tokens) != 1 {
		t.Error(tokens, err)
	}
}

func TestConfigurationGoesBeforeTokenizerJSON(t *testing.T) {
	for _, test := range []struct {
		config string
		want   int32 // the id of Á
	}{{`{}`, 2}, {`{"do_lower_case":false}`, 1}, {`{"strip_accents":false}`, 1}, {`{"do_lower_case":false,"tokenizer_class":"PreTrainedTokenizerFast"}`, 2},
		{`{"added_tokens_decoder":{"5":{"content":"Á","special":true}}}`, 5}} {
		dir := t.TempDir()
		for name, content := range map[string]string{"tokenizer.json": small, "tokenizer_config.json": test.config} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		tokenizer, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := tokenizer.Encode("Á"); err != nil || len(got) != 1 || got[0] != (Token{test.want, 0, 2}) {
			t.Errorf("%s: %v %v", test.config, got, err)
		}
	}
}

func TestSeveralGoroutines(t *testing.T) {
	texts := readLines[string](t, "testdata/texts.jsonl")
	for _, kind := range kinds {
		tokenizer, err := Open(filepath.Join("testdata", kind))
		if err != nil {
			t.Fatal(err)
		}
		want := readLines[answer](t, filepath.Join("testdata", kind, "golden.jsonl"))
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for i, text := range texts {
					if got, err := tokenizer.Encode(text); err != nil || compare(text, got, want[i]) != nil {
						t.Errorf("%s: text %d: %v", kind, i, err)
					}
				}
			})
		}
		all.Wait()
	}
}
