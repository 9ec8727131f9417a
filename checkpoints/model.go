// Package checkpoints stores models and training states on disk. It does not
// depend on any network: it stores named float32 tensors and the meaning of their
// ids.
//
// A model is a folder:
//
//	weights.safetensors  the tensors
//	tokenizer.json       the tokens and their ids, as Hugging Face writes them
//	labels.json          labels, scheme, type set, tokenizer, characters
//	config.yaml          the resolved configuration, as passed by the caller
//	README.md            the model card; see Card
//	features.json        features of the text that the network reads, if it has any
//	resources/           what these features require
//
// The caller writes and reads the last two; see Model.Extra. The header of
// weights.safetensors contains the SHA-256 digests of the file itself and of each
// other file except the card, so Load detects files that were damaged, edited, or
// copied from another model. (The digests are not a signature: anyone who can
// write to the folder can change them.) The card is for people; it may be edited
// or missing and is not checked.
//
// # Privacy
//
// The tokens and characters of a model come from its training notes and can
// contain names. The trainer decides which ones are kept, and Card.VocabularyNote
// must say how. No error of this package quotes a token.
package checkpoints

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lethe-deid/lethe/data"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/tensorfile"
)

// Model is everything that a model folder contains.
type Model struct {
	Tensors  []Tensor          // Load sorts them by name
	Half     bool              // Save stores the numbers as float16, rounded to the nearest one; Load does not set it
	Metadata map[string]string // about the weights; keys must not start with "sha256"

	Tokens       []string // token of each id; distinct, UTF-8
	UnknownToken string   // the token in Tokens that represents all others
	Characters   []string // character of each id, or any other string for special ids such as padding; distinct, UTF-8

	Types     *data.TypeSet
	Scheme    data.Scheme // label scheme of Labels
	Tokenizer string      // name of the tokenizer, e.g. letters-digits
	Labels    []string    // label of each id; distinct; empty, but not nil, for a network that is not trained for labels yet

	Config []byte // config.yaml
	README []byte // README.md; see Card.Markdown. Save removes its section about operating points, which are not saved

	// Extra writes FeaturesFile or ResourcesFolder or both into a folder; nil: there
	// are none. Load verifies them, but leaves reading them to the caller.
	Extra func(dir string) error
}

// CardFile is the file of the model card: see Card.
const CardFile = "README.md"

// TokenizerFile has the tokens of a model.
const TokenizerFile = "tokenizer.json"

// The file and the folder that Model.Extra may write.
const (
	FeaturesFile    = "features.json"
	ResourcesFolder = "resources"
)

// WeightsFile is the file that every model folder of this package has: see IsModel.
const WeightsFile = "weights.safetensors"

const (
	labelsFile = "labels.json"
	configFile = "config.yaml"
)

var (
	signedFiles = []string{TokenizerFile, labelsFile, configFile}                                           // files with a digest in the weights' header
	extraFiles  = []string{FeaturesFile, ResourcesFolder}                                                   // each file in them has one as well
	allFiles    = slices.Concat([]string{WeightsFile, CardFile, "operating.json"}, signedFiles, extraFiles) // operating.json belongs to package taggers/operating
)

// Save writes a model folder. It writes a new folder next to dir, .NAME.new, and
// renames it when all files are complete and on disk. It first renames an
// existing model at dir to .NAME.old, which it removes at the end. Between the
// two renames there is nothing at dir; if the program dies at this point, Load
// uses .NAME.old instead. Save returns an error, and changes nothing, if there is
// anything at dir other than an empty folder or a folder with only the files of a
// model. Only one program at a time may save to dir.
func Save(dir string, m *Model) error {
	files, err := m.encode()
	if err != nil {
		return fmt.Errorf("model %s: %w", dir, err)
	}
	if dir, err = filepath.Abs(dir); err != nil { // for example, "." cannot be renamed
		return err
	}
	replace, err := mayReplace(dir)
	if err != nil {
		return fmt.Errorf("model %s: not saved: %w", dir, err)
	}
	return swap(dir, replace, func(fresh string) error { return m.write(fresh, files) })
}

// Replace replaces the folder dir in the same way as Save: write fills a folder
// next to it. The old folder is removed.
func Replace(dir string, write func(fresh string) error) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	_, err = os.Lstat(dir)
	return swap(dir, err == nil, func(fresh string) error {
		if err := os.RemoveAll(fresh); err != nil { // left by a program that was killed
			return err
		}
		if err := os.MkdirAll(fresh, 0o755); err != nil {
			return err
		}
		return write(fresh)
	})
}

func swap(dir string, replace bool, write func(fresh string) error) error {
	fresh := beside(dir, "new")
	defer os.RemoveAll(fresh)
	if err := write(fresh); err != nil {
		return fmt.Errorf("model %s: not saved: %w", dir, err)
	}
	if err := moveIn(fresh, dir, replace); err != nil {
		return fmt.Errorf("model %s: not saved: %w", dir, err)
	}
	return nil
}

// Locate returns the path of the model of a folder: dir itself or, if a program
// died between the two renames of Save, the folder next to it.
func Locate(dir string) string {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		if old := beside(dir, "old"); isDir(old) {
			return old
		}
	}
	return dir
}

// beside returns the path, next to dir, of a folder that is not yet, or no
// longer, at dir.
func beside(dir, state string) string {
	dir = filepath.Clean(dir)
	return filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+"."+state)
}

// encode checks the model and returns all of its files except the weights.
func (m *Model) encode() (map[string][]byte, error) {
	for k := range m.Metadata {
		if strings.HasPrefix(k, digestKey) {
			return nil, fmt.Errorf("metadata %q: keys that start with %s are reserved", k, digestKey)
		}
	}
	if err := checkDistinct("token", m.Tokens); err != nil {
		return nil, err
	}
	if !slices.Contains(m.Tokens, m.UnknownToken) {
		return nil, errors.New("the unknown token is not one of the tokens")
	}
	if m.Types == nil {
		return nil, errors.New("no type set")
	}
	l := labels{m.Types.Config(), m.Scheme, m.Tokenizer, m.Labels, append([]string{}, m.Characters...)}
	if err := l.check(); err != nil {
		return nil, err
	}
	tokenizerJSON, err := encodeTokenizer(m.Tokens, m.UnknownToken, m.Tokenizer)
	if err != nil {
		return nil, err
	}
	labelsJSON, err := encodeJSON(l)
	if err != nil {
		return nil, err
	}
	if m.Half { // a third of the file is white space
		var compact bytes.Buffer
		if err := json.Compact(&compact, tokenizerJSON); err != nil {
			return nil, err
		}
		tokenizerJSON = compact.Bytes()
	}
	return map[string][]byte{TokenizerFile: tokenizerJSON, labelsFile: labelsJSON, configFile: m.Config, CardFile: withoutOperatingPoints(m.README)}, nil
}

func (m *Model) write(dir string, files map[string][]byte) error {
	if err := os.RemoveAll(dir); err != nil { // left by a program that was killed
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	metadata := maps.Clone(m.Metadata)
	if metadata == nil {
		metadata = map[string]string{}
	}
	for _, name := range signedFiles {
		metadata[digestOf(name)] = digest(files[name])
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		err := writeFile(filepath.Join(dir, name), func(w io.Writer) error {
			_, err := w.Write(files[name])
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if m.Extra != nil {
		if err := m.Extra(dir); err != nil {
			return err
		}
		digests, err := extraDigests(dir)
		if err != nil {
			return err
		}
		maps.Copy(metadata, digests)
	}
	as := tensorfile.F32
	if m.Half {
		as = tensorfile.F16
	}
	return writeTensors(filepath.Join(dir, WeightsFile), m.Tensors, metadata, as)
}

func digestOf(file string) string { return digestKey + ":" + file }

func digest(b []byte) string {
	d := sha256.Sum256(b)
	return hex.EncodeToString(d[:])
}

// mayReplace reports whether there is a model or an empty folder at dir. It
// returns an error for anything else.
func mayReplace(dir string) (bool, error) {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	if !info.IsDir() {
		return false, errors.New("already exists and is not a folder")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if !slices.Contains(allFiles, e.Name()) {
			return false, fmt.Errorf("the folder already exists and contains %q, which is not part of a model", e.Name())
		}
	}
	return true, nil
}

func moveIn(fresh, dir string, replace bool) error {
	old := beside(dir, "old")
	if replace {
		if err := os.RemoveAll(old); err != nil {
			return err
		}
		if err := os.Rename(dir, old); err != nil {
			return err
		}
	}
	if err := os.Rename(fresh, dir); err != nil {
		if replace {
			return errors.Join(err, os.Rename(old, dir))
		}
		return err
	}
	if err := syncDir(filepath.Dir(dir)); err != nil {
		return err
	}
	return os.RemoveAll(old)
}

// Tokens reads the tokens of a model folder, in the order of their ids and the unknown token among them, and nothing else. It does not verify them.
func Tokens(dir string) ([]string, error) {
	path := filepath.Join(dir, TokenizerFile)
	b, err := bounded.ReadFile(path, bounded.MaxModel)
	if err != nil {
		return nil, err
	}
	t, err := tokenizerIn(path, b)
	if err != nil {
		return nil, defect(path, err)
	}
	return t.tokens, nil
}

// Load reads and verifies a model folder. Errors name the file and the defect.
func Load(dir string) (*Model, error) {
	dir = Locate(dir)
	tensors, metadata, err := ReadTensors(filepath.Join(dir, WeightsFile))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, name := range signedFiles {
		path := filepath.Join(dir, name)
		if files[name], err = bounded.ReadFile(path, bounded.MaxModel); err != nil {
			return nil, err
		}
		want, ok := metadata[digestOf(name)]
		switch delete(metadata, digestOf(name)); {
		case !ok:
			return nil, defect(filepath.Join(dir, WeightsFile), fmt.Errorf("no %s of %s: not the weights of a model folder", digestKey, name))
		case want != digest(files[name]):
			return nil, mismatch(path)
		}
	}
	if err := checkExtra(dir, metadata); err != nil {
		return nil, err
	}
	m := &Model{Tensors: tensors, Metadata: metadata, Config: files[configFile]}
	path := filepath.Join(dir, TokenizerFile)
	t, err := tokenizerIn(path, files[TokenizerFile])
	if err != nil {
		return nil, defect(path, err)
	}
	m.Tokens, m.UnknownToken = slices.Clone(t.tokens), t.unknown
	l, err := decodeLabels(files[labelsFile])
	if err != nil {
		return nil, defect(filepath.Join(dir, labelsFile), err)
	}
	if m.Types, err = l.Types.Stored(); err != nil {
		return nil, defect(filepath.Join(dir, labelsFile), err)
	}
	m.Scheme, m.Tokenizer, m.Labels, m.Characters = l.Scheme, l.Tokenizer, l.Labels, l.Characters
	if card := filepath.Join(dir, CardFile); !isDir(card) { // a folder is not a card
		if m.README, err = bounded.ReadFile(card, bounded.MaxModel); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return m, nil
}

func isDir(path string) bool {
	info, err := bounded.Stat(path)
	return err == nil && info.IsDir()
}

func defect(path string, err error) error {
	e := &data.Error{Path: path, Offset: -1, Reason: "unusable", Err: err}
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		e.Offset = int(syntax.Offset)
	} else if syntax := (*syntaxError)(nil); errors.As(err, &syntax) {
		e.Offset = syntax.offset
	}
	return e
}
