//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Limits of time and memory for every command line. The first one is far above what any of them takes: it ends those that hang.
const (
	mostTime   = 5 * time.Minute
	serveTime  = 3 * time.Second // after which a service is told to stop
	mostMemory = 500 << 20
)

// Command lines with any commands and flags, and with hostile files and numbers, end in time, within bounds of memory,
// with one of the program's exit codes, and without incomplete output. LETHE_HOSTILE is the number of command lines
// (default 40) and LETHE_HOSTILE_SEED the seed (default 1); the names of the cases contain both.
func TestHostileCommandLines(t *testing.T) {
	number := func(name string, fallback int) int {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n
		}
		return fallback
	}
	n, seed := number("LETHE_HOSTILE", 40), number("LETHE_HOSTILE_SEED", 1)
	program, err := exec.LookPath("lethe")
	if err != nil {
		t.Fatal(err)
	}
	h := newHostile(t)
	for i := range n {
		t.Run(fmt.Sprintf("%d-%d", seed, i), func(t *testing.T) {
			h.try(t, program, rand.New(rand.NewPCG(uint64(seed), uint64(i))))
		})
	}
}

// hostile generates the command lines.
type hostile struct {
	commands []*cobra.Command // that do something
	paths    []string         // absolute
	numbers  []string
	words    []string
	dir      string
}

func newHostile(t *testing.T) *hostile {
	t.Helper()
	h := &hostile{dir: t.TempDir()}
	var collect func(c *cobra.Command)
	collect = func(c *cobra.Command) {
		if c.Runnable() && c.HasParent() {
			h.commands = append(h.commands, c)
		}
		for _, below := range c.Commands() {
			collect(below)
		}
	}
	collect(newRoot())
	h.numbers = []string{"-1", "0", "1", "2", "3", "7", "0.5", "1e-300", "NaN", "Inf", "-Inf", "1e309", "1000000000000000000", "9223372036854775807", "-9223372036854775808",
		"18446744073709551616", "0x10", "1,2", "1,1", "9223372036854775807,1", "50%", "NaN%", ""}
	h.words = []string{"", "x", "any", "i2b2", "i2b2-2014", "meddocan", "brat", "conll", "jsonl", "text", "csv", "hl7", "fhir", "auto", "off", "patient", "document", "train", "dev", "test",
		"strict", "token", "a=b", "seed=2", "seed=-1", "corpus.seed=NaN", "system.crf.training.iterations=9223372036854775807", "corpus.copies={number: 1000000000}", "corpus.splits.dev=/dev/zero",
		"corpus.fold={number: 1, of: 9223372036854775807}", "system=" + strings.Repeat("[", 5000), "DATE=keep", "DATE=", "=", "keep", "redact", "surrogate", "numbered", "ptb", "glove", "word2vec",
		"../..", "\x01", "\u202e", strings.Repeat("x", 5000), "(((((", "[", "*", "%s%n"}
	h.files(t)
	return h
}

// files creates the folder of inputs.
func (h *hostile) files(t *testing.T) {
	in := filepath.Join(h.dir, "in")
	for _, dir := range []string{"folder", "cut", "devices", "none"} {
		if err := os.MkdirAll(filepath.Join(in, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	config := write(t, filepath.Join(in, "good.yaml"), strings.NewReplacer("train: 40", "train: 12", "epochs: 2", "epochs: 1").Replace(tiny))
	run := filepath.Join(in, "run")
	train(t, config, "--out", run)
	model := filepath.Join(run, "model", "best")
	note := `{"id":"a","text":"Mr. Roe came on 2087-02-03.","spans":[{"start":4,"end":7,"type":"PATIENT"}]}` + "\n"
	files := map[string]string{
		"empty": "", "garbage.bin": "\x00\xff\xfe\x01\x80" + strings.Repeat("\x00\xc3", 500), "good.jsonl": note, "good.txt": "Mr. Roe came on 2087-02-03.\n",
		"good.conll": "-DOCSTART- a O\n\nRoe B-PER\n", "good.csv": "id,note\n1,Mr. Roe came\n", "nested.json": strings.Repeat(`{"a":[`, 100_000), "nested.yaml": strings.Repeat("{a: ", 100_000),
		"dashes.yaml": strings.Repeat("- ", 100_000), "keys.yaml": strings.Repeat("name: 1\n", 500_000), "long.txt": strings.Repeat("x", 3<<20), "lines.txt": strings.Repeat("a\n", 1<<20),
		"keys.jsonl": `{"text":"x"` + strings.Repeat(`,"text":"x"`, 100_000) + "}\n", "big.yaml": "name: x\ncorpus: {format: synth, notes: {train: 1000000000000000, dev: 1}}\nsystem: {crf: {}}\n",
		"pool.yaml":   strings.Replace(tiny, "epochs: 2", "epochs: 1, pool: 9223372036854775807", 1),
		"zero.yaml":   "name: x\ncorpus: {format: jsonl, types: any, splits: {train: /dev/zero, dev: /dev/zero}}\nsystem: {crf: {features: [{family: word}]}}\n",
		"fifo.yaml":   "name: x\ncorpus: {format: text, types: any, splits: {train: " + filepath.Join(in, "fifo") + ", dev: /dev/zero}}\nsystem: {rules: {set: english}}\n",
		"vectors.txt": "a 1 2\nb nan 1\n", "vectors.good": "a 1 2\nb 2 1\n", "head.bin": "9223372036854775807 4096\n", "key": strings.Repeat("k", 32), "a.xml": "<deIdi2b2><TEXT>x</TEXT></deIdi2b2>", "latin1.txt": "Jos\xe9\n",
		"folder/a.txt": "Mr. Roe.\n", "folder/b.jsonl": note, "folder/c.xml": "<a>", "folder/d.ann": "T1\tX 0 99\tx\n",
		"cut/weights.safetensors": "\xff\xff\xff\xff\xff\xff\xff\x7f{}", "cut/system.yaml": strings.Repeat("[", 100_000), "cut/config.yaml": "name: [",
	}
	for name, content := range files {
		write(t, filepath.Join(in, name), content)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(syscall.Mkfifo(filepath.Join(in, "fifo"), 0o600))
	must(os.Symlink("/dev/zero", filepath.Join(in, "devices", "a.txt")))
	must(os.Symlink("/dev/zero", filepath.Join(in, "devices", "a.xml")))
	must(os.Symlink("/dev/zero", filepath.Join(in, "devices", "a.jsonl")))
	must(syscall.Mkfifo(filepath.Join(in, "devices", "b.txt"), 0o600))
	must(syscall.Mkfifo(filepath.Join(in, "devices", "b.xml"), 0o600))
	must(os.Symlink("loop", filepath.Join(in, "loop")))
	for _, of := range []string{"README.md", "tokenizer.json", "weights.safetensors", "labels.json", "config.json"} { // models with a FIFO, a device, half a file
		for what, spoil := range map[string]func(path string) error{
			"fifo":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
			"device": func(path string) error { return os.Symlink("/dev/zero", path) },
			"half": func(path string) error {
				raw, err := os.ReadFile(filepath.Join(model, of))
				if err != nil {
					return nil //nolint:nilerr // the model has no such file
				}
				return os.WriteFile(path, raw[:len(raw)/2], 0o600)
			},
		} {
			to := filepath.Join(in, what+"-"+of)
			must(os.CopyFS(to, os.DirFS(model)))
			must(os.RemoveAll(filepath.Join(to, of)))
			must(spoil(filepath.Join(to, of)))
			h.paths = append(h.paths, to)
		}
	}
	entries, err := os.ReadDir(in)
	must(err)
	for _, e := range entries {
		if path := filepath.Join(in, e.Name()); !slices.Contains(h.paths, path) {
			h.paths = append(h.paths, path)
		}
	}
	good := []string{config, run, model, filepath.Join(in, "good.jsonl"), filepath.Join(in, "folder"), filepath.Join(in, "good.txt")}
	h.paths = append(h.paths, slices.Repeat(good, 4)...) // so that some get further
	h.paths = append(h.paths, "/dev/zero", "/dev/full", "/dev/null", "/dev/stdin", "-", "nowhere", "", ".", "/", "/proc/self/mem", "/dev/fd/99", "a\x00b", strings.Repeat("d/", 3000))
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// positional returns the positional arguments in the first line of a command's help, without alternatives. Optional
// arguments start with their bracket.
func positional(use string) (names []string) {
	use, _, _ = strings.Cut(use, "{")
	fields := strings.Fields(use)[1:]
	for i, name := range fields {
		if bare := strings.Trim(strings.TrimSuffix(name, ".yaml"), "[]."); bare == strings.ToUpper(bare) && !strings.HasPrefix(name, "-") && (i == 0 || !strings.Contains(fields[i-1], "--")) {
			names = append(names, name)
		}
	}
	return names
}

// of returns a random path for an argument or flag with this name, usually of the kind that it expects.
func (h *hostile) of(r *rand.Rand, name string) string {
	kind := ""
	switch name = strings.ToLower(name); {
	case r.IntN(4) == 0:
	case strings.Contains(name, "config"):
		kind = ".yaml"
	case strings.Contains(name, "run") || strings.Contains(name, "model"):
		kind = "model"
	case r.IntN(2) == 0:
		kind = "good"
	}
	fits := slices.DeleteFunc(slices.Clone(h.paths), func(path string) bool {
		isModel := strings.Contains(path, "/run") || strings.Contains(path, "/fifo-") || strings.Contains(path, "/device-") || strings.Contains(path, "/half-") || strings.Contains(path, "/cut")
		return kind == "model" && !isModel || kind != "model" && !strings.Contains(path, kind)
	})
	return pick(r, fits)
}

// line returns a command line and the files that it may create.
func (h *hostile) line(r *rand.Rand, out string) (args, outputs []string) {
	c := pick(r, h.commands)
	args = strings.Fields(c.CommandPath())[1:]
	if strings.HasPrefix(c.CommandPath(), "lethe bench") {
		args = append(args, "--seconds=0.1")
	}
	output := func() string {
		path := filepath.Join(out, pick(r, []string{"new", "new.jsonl", "new.txt", "sub/new.html"}))
		if r.IntN(5) == 0 {
			path = pick(r, []string{"/dev/full", "/dev/null", "-", filepath.Join(h.dir, "in", "fifo"), filepath.Join(h.dir, "in", "none")})
		} else {
			outputs = append(outputs, path)
		}
		return path
	}
	value := func(f *pflag.Flag) string {
		switch {
		case f.Value.Type() == "bool":
			return pick(r, []string{"true", "true", "true", "true", "false", "maybe"})
		case f.Name == "audit" || f.Name == "map": // an audit says what was done before the failure, too
			return filepath.Join(out, "audit")
		case f.Name == "output" || f.Name == "out":
			return output()
		case f.Name == "workers": // each takes memory, and some hundreds may be had
			return pick(r, []string{"-1", "0", "1", "2", "3", "8", "1000000", "9223372036854775807", "x"})
		case strings.Contains(f.Value.Type(), "float"):
			return pick(r, h.numbers)
		case strings.Contains(f.Value.Type(), "int"):
			if r.IntN(8) > 0 {
				return pick(r, []string{"-1", "0", "1", "2", "3", "100", "1000000", "1000000000", "1000000000000000000", "9223372036854775807", "-9223372036854775808"})
			}
			return pick(r, h.numbers)
		case r.IntN(3) == 0:
			return pick(r, h.words)
		case r.IntN(6) == 0:
			return pick(r, h.numbers)
		}
		return h.of(r, f.Name)
	}
	var flags []*pflag.Flag
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "output" || f.Name == "out" {
			args = append(args, "--"+f.Name+"="+output())
		} else {
			flags = append(flags, f)
		}
	})
	for range r.IntN(4) {
		if len(flags) > 0 {
			f := pick(r, flags)
			args = append(args, "--"+f.Name+"="+value(f))
		}
	}
	for _, required := range []string{"gold", "system", "model", "input", "config"} {
		if f := c.Flags().Lookup(required); f != nil && r.IntN(3) > 0 {
			args = append(args, "--"+required+"="+h.of(r, required))
		}
	}
	if f := c.Flags().Lookup("format"); f != nil && r.IntN(3) > 0 {
		args = append(args, "--format="+pick(r, []string{"i2b2", "brat", "conll", "jsonl", "text", "csv", "hl7", "fhir"}))
	}
	for _, name := range positional(c.Use) {
		if optional := name[0] == '['; optional && r.IntN(3) == 0 || !optional && r.IntN(15) > 0 {
			args = append(args, h.of(r, name))
		}
	}
	if r.IntN(20) == 0 {
		args = append(args, pick(r, h.paths))
	}
	return slices.DeleteFunc(args, func(a string) bool { return strings.ContainsRune(a, 0) }), outputs
}

// crash matches messages of the Go runtime about a crash.
var crash = regexp.MustCompile(`(?m)^(panic: |fatal error: |goroutine \d+ |runtime: |unexpected fault)`)

func (h *hostile) try(t *testing.T, program string, r *rand.Rand) {
	work := t.TempDir()
	args, outputs := h.line(r, work)
	limit, serves := mostTime, args[0] == "serve" || len(args) > 1 && args[1] == "open"
	if serves {
		limit = serveTime
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	if serves {
		cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(syscall.SIGTERM) }, mostTime
	}
	cmd.Dir, cmd.Stdin = work, strings.NewReader("Mr. Roe came.\n")
	if r.IntN(10) == 0 {
		zero, err := os.Open("/dev/zero")
		if err != nil {
			t.Fatal(err)
		}
		defer zero.Close()
		cmd.Stdin = zero
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var told []string
	for _, a := range args {
		told = append(told, fmt.Sprintf("%.100q", a))
	}
	fail := func(format string, values ...any) {
		t.Errorf("%s\nlethe %s\n%.2000s", fmt.Sprintf(format, values...), strings.Join(told, " "), stderr.String())
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) && !errors.Is(err, context.DeadlineExceeded) {
		fail("it did not start: %v", err)
		return
	}
	code := cmd.ProcessState.ExitCode()
	t.Logf("exit code %d: lethe %s\n%.300s", code, strings.Join(told, " "), stderr.String())
	if ctx.Err() != nil && !serves {
		fail("it took more than %v", mostTime)
	} else if code < exitDone || code > exitUnexamined {
		fail("exit code %d", code)
	}
	if crash.Match(stderr.Bytes()) {
		fail("it crashed")
	}
	if code == exitFailed && stderr.Len() == 0 {
		fail("it failed without a word")
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok && usage.Maxrss<<10 > mostMemory {
		fail("it took %d MiB", usage.Maxrss>>10)
	}
	for _, path := range outputs {
		if info, err := os.Stat(path); code == exitFailed && err == nil && info.Mode().IsRegular() {
			fail("it failed and left an output")
		}
	}
}
