package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/lethe-deid/lethe/checkpoints"
	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/models"
	"github.com/lethe-deid/lethe/nn/kernel"
)

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Say which version this is, and what it was built from",
		Long: `Print the version of the program, of Go, of the models that come with it and of every
module that was compiled into it. lethe --version prints the first of these alone.

The JSON is meant for inventories: it names each module with its version and the checksum
that go.sum has for it, and each model with its SHA-256.`,
		Example: `  lethe version
  lethe version --json`,
		Args: wants(),
		RunE: func(*cobra.Command, []string) error {
			build, err := readBuild()
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(build)
			}
			return printBuild(build)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON (default a table)")
	return cmd
}

// build is what a program was built from. Its JSON is part of what docs/releases.md promises.
type build struct {
	Version string        `json:"version"`
	Go      string        `json:"go"`
	OS      string        `json:"os"`
	Arch    string        `json:"arch"`
	Kernel  string        `json:"kernel"` // of nn/kernel, which depends on the processor
	Models  []buildModel  `json:"models"`
	Modules []buildModule `json:"modules"`
}

type buildModel struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

type buildModule struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Sum     string `json:"sum,omitempty"`
}

func readBuild() (*build, error) {
	b := &build{Version: experiments.Version(version), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Kernel: kernel.Name(), Modules: []buildModule{}}
	for _, name := range checkpoints.Builtin() {
		digest, err := models.BuiltinDigest(name)
		if err != nil {
			return nil, err
		}
		b.Models = append(b.Models, buildModel{name, digest})
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			b.Modules = append(b.Modules, buildModule{m.Path, m.Version, m.Sum})
		}
	}
	return b, nil
}

func printBuild(b *build) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
	fmt.Fprintf(w, "lethe\t%s\n", b.Version)
	fmt.Fprintf(w, "go\t%s\n", b.Go)
	fmt.Fprintf(w, "system\t%s/%s\n", b.OS, b.Arch)
	fmt.Fprintf(w, "kernels\t%s\n", b.Kernel)
	for _, m := range b.Models {
		fmt.Fprintf(w, "model %s\t%.19s\n", m.Name, m.Digest)
	}
	for _, m := range b.Modules {
		fmt.Fprintf(w, "%s\t%s\n", m.Path, m.Version)
	}
	return w.Flush()
}
