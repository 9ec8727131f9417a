// Command average writes the mean of the weights of networks that were trained on the same notes from the same start with
// different seeds ("model soups": Wortsman et al. 2022, section 3.1). It is as large and as fast as one of them:
//
//	average OUTPUT MODEL MODEL...
//
// Each MODEL is the folder of a network, such as runs/RUN/model/best/members/first. They must have the same tokens, characters,
// features and labels; everything but the weights is that of the first. OUTPUT may be one of them.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/lethe-deid/lethe/checkpoints"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: average OUTPUT MODEL MODEL...")
		os.Exit(2)
	}
	if err := average(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "average:", err)
		os.Exit(1)
	}
}

func average(output string, dirs []string) error {
	mean, err := checkpoints.Load(dirs[0])
	if err != nil {
		return err
	}
	for _, dir := range dirs[1:] {
		m, err := checkpoints.Load(dir)
		if err != nil {
			return err
		}
		if err := alike(dirs[0], mean, dir, m); err != nil {
			return err
		}
		for i, t := range m.Tensors {
			for k, x := range t.Data {
				mean.Tensors[i].Data[k] += x
			}
		}
	}
	for _, t := range mean.Tensors {
		for k := range t.Data {
			t.Data[k] /= float32(len(dirs))
		}
	}
	mean.Extra = func(dir string) error {
		features := filepath.Join(dirs[0], checkpoints.FeaturesFile)
		if err := checkpoints.CopyFile(filepath.Join(dir, checkpoints.FeaturesFile), features); err != nil {
			return err
		}
		return os.CopyFS(filepath.Join(dir, checkpoints.ResourcesFolder), os.DirFS(filepath.Join(dirs[0], checkpoints.ResourcesFolder)))
	}
	return checkpoints.Save(output, mean)
}

// alike returns an error unless two networks differ in nothing but weights.
func alike(dir string, m *checkpoints.Model, other string, n *checkpoints.Model) error {
	shapes := func(m *checkpoints.Model) (all []string) {
		for _, t := range m.Tensors {
			all = append(all, fmt.Sprint(t.Name, t.Shape))
		}
		return all
	}
	features, err := os.ReadFile(filepath.Join(dir, checkpoints.FeaturesFile))
	if err != nil {
		return err
	}
	others, err := os.ReadFile(filepath.Join(other, checkpoints.FeaturesFile))
	if err != nil {
		return err
	}
	for _, x := range []struct {
		what string
		same bool
	}{
		{"weights", slices.Equal(shapes(m), shapes(n))}, {"tokens", slices.Equal(m.Tokens, n.Tokens)}, {"characters", slices.Equal(m.Characters, n.Characters)},
		{"labels", slices.Equal(m.Labels, n.Labels)}, {"features", bytes.Equal(features, others)},
	} {
		if !x.same {
			return fmt.Errorf("%s and %s have different %s", dir, other, x.what)
		}
	}
	return nil
}
