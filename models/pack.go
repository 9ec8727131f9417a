package models

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/strictyaml"
	"github.com/lethe-deid/lethe/nn/tagger"
	"github.com/lethe-deid/lethe/taggers/ann"
	"github.com/lethe-deid/lethe/taggers/operating"
	"github.com/lethe-deid/lethe/taggers/system"
)

// PackOptions are changes of the networks of a model that make the copy smaller or faster, at a small loss.
type PackOptions struct {
	// Words is the number of words of each network's vocabulary to keep, those that are the most frequent in its training
	// notes; 0: all. The copy reads the others as unknown words.
	Words int
	// Int8 makes the copy multiply integers of 8 bits: see kernel.Int8.
	Int8 bool
}

// Pack copies a model into the folder to, which is an error if it exists, with the numbers of its
// networks as float16 (except those of the tagger hf, which are copied as they are). The copy is little more than half as large. Paths in its settings, which
// are no longer used, are cut to the names of the files, because they tell about the computer. Operating points are
// not copied, because they were measured with the original: calibrate the copy.
//
// o says what else to change.
func (m *Model) Pack(to string, o PackOptions) error {
	pack := func(to, from string) error {
		return checkpoints.Pack(to, from, func(network *checkpoints.Model) (err error) {
			if o.Words > 0 {
				keepWords(network, o.Words)
			}
			network.Config, err = settings(network.Config, o.Int8)
			return err
		})
	}
	return m.copy(to, pack, func(string) error { return nil })
}

// keepWords removes the words from number n on, in the order of their ids, which is that of their counts.
func keepWords(network *checkpoints.Model, n int) {
	if slices.Index(network.Tokens, network.UnknownToken) >= n || n >= len(network.Tokens) {
		return
	}
	for i, t := range network.Tensors {
		if t.Name == tagger.TokenVectors && t.Shape[0] == len(network.Tokens) {
			network.Tensors[i].Shape = []int{n, t.Shape[1]}
			network.Tensors[i].Data = t.Data[:n*t.Shape[1]]
		}
	}
	network.Tokens = network.Tokens[:n]
}

// copy copies the model into the folder to, which is an error if it exists. network copies the folder of a network, and finish
// completes the copy before it appears.
func (m *Model) copy(to string, network func(to, from string) error, finish func(fresh string) error) error {
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("%s: already exists", to)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return checkpoints.Replace(to, func(fresh string) error {
		err := bounded.WalkDir(m.Dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, err := bounded.Rel(m.Dir, path)
			if err != nil {
				return err
			}
			copied := filepath.Join(fresh, name)
			switch {
			case entry.IsDir() && checkpoints.IsModel(path):
				if err := network(copied, path); err != nil {
					return err
				}
				return fs.SkipDir
			case entry.Name() == systemFile:
				return system.CopySettings(copied, path)
			case entry.IsDir() || entry.Name() == stateFile || entry.Name() == operating.File:
				return nil
			}
			return checkpoints.CopyFile(copied, path)
		})
		if err != nil {
			return err
		}
		return finish(fresh)
	})
}

// settings returns the settings of a network with its paths cut to the names of the files, and with int8 as asked.
func settings(config []byte, int8 bool) ([]byte, error) {
	network := ann.DefaultConfig()
	if err := strictyaml.Decode("config.yaml", config, &network); err != nil {
		return nil, err
	}
	system.CutPaths(network.Paths())
	network.Network.Int8 = network.Network.Int8 || int8
	return yaml.Marshal(network)
}
