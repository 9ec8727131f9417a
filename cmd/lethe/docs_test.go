package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// pagesOfDocs lists the pages of the repository whose commands users type.
func pagesOfDocs(t *testing.T) []string {
	t.Helper()
	pages := []string{"../../README.md", "../../CONTRIBUTING.md", "../../SECURITY.md"}
	for _, pattern := range []string{"*.md", "*/*.md"} {
		found, err := filepath.Glob("../../docs/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	if len(pages) < 60 {
		t.Fatalf("only %d pages", len(pages))
	}
	return pages
}

// line is a command in a block of code of a page.
type line struct {
	number int    // in the page, from 1
	text   string // without the prompt; lines that end with a backslash are joined
	shown  string // what the page shows below, if there was a prompt
}

var (
	fence        = regexp.MustCompile("^\\s*(```+|~~~+)\\s*(\\w*)")
	begins       = regexp.MustCompile(`^(?:[A-Z_]+=\S* )*([a-z][\w./-]*)(?: |$)`)
	inRepository = regexp.MustCompile(`(?:^|[ ./])((?:scripts|experiments/configs|nn/examples)/[\w./+-]*\w)`)
	inQuote      = regexp.MustCompile("`([^`\n]+)`")
)

// programs are the programs that begin a command. Other lines of blocks are output, or another language.
var programs = strings.Fields("lethe ./lethe ./reader age age-keygen apt-get brew cat cosign cp curl docker dpkg echo export for gh git go goreleaser gunzip head java jq kubectl " +
	"make mkdir npm openssl pip printf python python3 rpm sbatch scoop sha256sum spark-submit sudo tar unzip wget")

// commandLines returns the commands in the blocks of a page that are indented, or fenced without a language or as a shell's.
func commandLines(page string) (found []line) {
	inside, language, blank := "", "", true
	lines := strings.Split(page, "\n")
	for i := 0; i < len(lines); i++ {
		text := lines[i]
		if m := fence.FindStringSubmatch(text); m != nil {
			if inside == "" {
				inside, language = m[1], m[2]
			} else if strings.HasPrefix(strings.TrimSpace(text), inside) {
				inside = ""
			}
			continue
		}
		code := inside != "" && (language == "" || language == "sh" || language == "console") || inside == "" && strings.HasPrefix(text, "    ") && blank
		if inside == "" {
			blank = strings.TrimSpace(text) == "" || code
		}
		if !code {
			continue
		}
		number := i + 1
		text, prompt := strings.CutPrefix(strings.TrimSpace(text), "$ ")
		m := begins.FindStringSubmatch(text)
		if m == nil || !slices.Contains(programs, m[1]) && !strings.HasPrefix(m[1], "scripts/") {
			continue
		}
		for ; i+1 < len(lines); i++ {
			if short, ok := strings.CutSuffix(text, "\\"); ok {
				text = short + strings.TrimSpace(lines[i+1])
			} else if _, err := shellWords(text); err != nil { // a quote ends on another line
				text += "\n" + strings.TrimSpace(lines[i+1])
			} else {
				break
			}
		}
		l := line{number: number, text: text}
		for ; prompt && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "    "); i++ {
			l.shown += strings.TrimPrefix(lines[i+1], "    ") + "\n"
		}
		found = append(found, l)
	}
	return found
}

// calls returns the arguments of each call of lethe in a line of a shell: those after "lethe", up to a pipe, a redirection
// or the end of the command.
func calls(text string) (all [][]string, err error) {
	words, err := shellWords(text)
	if err != nil {
		return nil, err
	}
	first, inside := true, false
	for _, w := range words {
		switch {
		case w.operator:
			inside = false
			first = w.text != "<" && w.text != ">"
		case inside:
			all[len(all)-1] = append(all[len(all)-1], w.text)
		case first && (w.text == "lethe" || w.text == "./lethe"):
			all = append(all, nil)
			inside = true
		case first && (w.text == "do" || w.text == "then" || strings.Contains(w.text, "=")):
		default:
			first = false
		}
	}
	return all, nil
}

type shellWord struct {
	text     string
	operator bool
}

// shellWords divides a line as a shell does. Variables and the output of commands stay as they are written.
func shellWords(text string) (words []shellWord, err error) {
	var word strings.Builder
	started := false
	end := func() {
		if started {
			words = append(words, shellWord{text: word.String()})
		}
		word.Reset()
		started = false
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == ' ' || c == '\t':
			end()
		case c == '#' && !started:
			return words, nil
		case c == '\'' || c == '"':
			n := strings.IndexByte(text[i+1:], c)
			if n < 0 {
				return nil, errors.New("a quote is not closed")
			}
			word.WriteString(text[i+1 : i+1+n])
			started = true
			i += n + 1
		case c == '$' && strings.HasPrefix(text[i:], "$("):
			n := strings.IndexByte(text[i:], ')')
			if n < 0 {
				return nil, errors.New("$( is not closed")
			}
			word.WriteString(text[i : i+n+1])
			started = true
			i += n
		case strings.IndexByte("|;&<>", c) >= 0:
			end()
			words = append(words, shellWord{text: string(c), operator: true})
		default:
			word.WriteByte(c)
			started = true
		}
	}
	end()
	return words, nil
}

// synopsis matches commands that are described rather than given, such as "lethe check CONFIG.yaml [--json]".
var synopsis = regexp.MustCompile(`^lethe.*( DIR |\[[-A-Z|.(]|[\[{]\w+[| ]|\.\.\.|\w\|\w)`)

// checkCall compares a call with the command line of the program: the command exists, all flags are flags of it whose
// values can be read, and the arguments are accepted.
func checkCall(args []string) error {
	root := newRoot()
	root.InitDefaultVersionFlag()
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return nil
		}
		return err
	}
	if cmd.Args == nil {
		return nil
	}
	return cmd.Args(cmd, cmd.Flags().Args())
}

var flagIn = regexp.MustCompile(`(?:^|[\s\[|({])--([a-z][a-z0-9-]*)`)

// checkSynopsis checks that the command of a synopsis exists, and that it or a command below it has all flags.
func checkSynopsis(text string) error {
	root := newRoot()
	root.InitDefaultHelpCmd()
	root.InitDefaultVersionFlag()
	described := []*cobra.Command{root}
	for _, names := range strings.Fields(text)[1:] {
		if names == "COMMAND" || strings.HasPrefix(names, "-") {
			break
		}
		var below []*cobra.Command
		for name := range strings.SplitSeq(names, "|") {
			for _, cmd := range described {
				below = append(below, slices.DeleteFunc(slices.Clone(cmd.Commands()), func(c *cobra.Command) bool { return c.Name() != name })...)
			}
		}
		if len(below) == 0 {
			if described[0] == root {
				return fmt.Errorf("there is no command %s", names)
			}
			break
		}
		described = below
	}
	for _, cmd := range described {
		described = append(described, cmd.Commands()...)
	}
	for _, m := range flagIn.FindAllStringSubmatch(text, -1) {
		if !slices.ContainsFunc(described, func(cmd *cobra.Command) bool {
			cmd.InitDefaultHelpFlag()
			return cmd.Flags().Lookup(m[1]) != nil || cmd.InheritedFlags().Lookup(m[1]) != nil
		}) {
			return fmt.Errorf("%s has no flag --%s", described[0].CommandPath(), m[1])
		}
	}
	return nil
}

// checkLine checks every call of lethe in a line, and that the scripts, configurations and targets that it names exist. It
// returns the number of calls.
func checkLine(text, makefile string) (n int, err error) {
	if synopsis.MatchString(text) {
		return 1, checkSynopsis(text)
	}
	for _, m := range inRepository.FindAllStringSubmatch(text, -1) {
		if _, problem := os.Stat("../../" + m[1]); problem != nil {
			err = errors.Join(err, fmt.Errorf("there is no %s", m[1]))
		}
	}
	if targets, ok := strings.CutPrefix(text, "make "); ok {
		for target := range strings.FieldsSeq(regexp.MustCompile(`#|&&`).Split(targets, 2)[0]) {
			if !strings.Contains(makefile, "\n"+target+":") {
				err = errors.Join(err, fmt.Errorf("the Makefile has no %s", target))
			}
		}
	}
	all, problem := calls(text)
	err = errors.Join(err, problem)
	for _, args := range all {
		err = errors.Join(err, checkCall(args))
	}
	return len(all), err
}

// The documentation named flags that do not exist. Every call of lethe in a block of code, and in a sentence, is one that
// the command line accepts.
func TestDocsNameOnlyWhatExists(t *testing.T) {
	flags := map[string]bool{}
	for _, name := range strings.Fields("array partitions list changed lang spans write data") {
		flags[name] = true // of sbatch, and of programs in scripts
	}
	var collect func(cmd *cobra.Command)
	collect = func(cmd *cobra.Command) {
		cmd.InitDefaultHelpFlag()
		cmd.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
		for _, below := range cmd.Commands() {
			collect(below)
		}
	}
	root := newRoot()
	root.InitDefaultVersionFlag()
	collect(root)

	makefile := string(read(t, "../../Makefile"))
	total := 0
	for _, path := range pagesOfDocs(t) {
		page := string(read(t, path))
		lines := commandLines(page)
		for i, text := range strings.Split(page, "\n") {
			for _, m := range inQuote.FindAllStringSubmatch(text, -1) {
				if name := flagIn.FindStringSubmatch(m[1]); strings.HasPrefix(m[1], "--") && !flags[name[1]] {
					t.Errorf("%s:%d: no command has the flag --%s", path, i+1, name[1])
				}
				if strings.HasPrefix(m[1], "lethe ") && !strings.HasPrefix(text, "    ") {
					lines = append(lines, line{number: i + 1, text: m[1] + " ..."}) // often without its arguments
				}
			}
		}
		for _, l := range lines {
			n, err := checkLine(l.text, makefile)
			if err != nil {
				t.Errorf("%s:%d: %s\n\t%v", path, l.number, l.text, err)
			}
			total += n
		}
	}
	if total < 400 {
		t.Errorf("only %d calls were found", total)
	}
}

// What TestDocsNameOnlyWhatExists reports, and what it accepts.
func TestLinesOfDocs(t *testing.T) {
	page := "# Page\n\n    $ lethe types --json   # all\n    i2b2\n\n```sh\nlethe deidentify --field 'a b=keep' \\\n  note.txt >clean | gzip\n```\n\n```yaml\nlethe: no\n```\n\n    T1\tDATE\n"
	want := []line{{3, "lethe types --json   # all", "i2b2\n"}, {7, "lethe deidentify --field 'a b=keep' note.txt >clean | gzip", ""}}
	if diff := cmp.Diff(want, commandLines(page), cmp.AllowUnexported(line{})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for text, want := range map[string]string{
		"lethe types --json":                           "",
		"echo x | lethe deidentify --quiet <a >b":      "",
		"for r in a b; do lethe predict $r; done":      "",
		"lethe check {CONFIG.yaml | PATH...} [--json]": "",
		"make test lint # both":                        "",
		"lethe typos":                                  `unknown command "typos"`,
		"lethe types --xml":                            "unknown flag: --xml",
		"zcat a | lethe deidentify --colum note":       "unknown flag: --colum",
		"lethe synth --notes many --output x":          `invalid argument "many"`,
		"lethe types a b c":                            "unexpected argument",
		"lethe check CONFIG.yaml [--jason]":            "lethe check has no flag --jason",
		"lethe chekc CONFIG.yaml [--json]":             "there is no command chekc",
		"lethe train experiments/configs/nowhere.yaml": "there is no experiments/configs/nowhere.yaml",
		"LETHE_CORPORA=/data scripts/nowhere.sh":       "there is no scripts/nowhere.sh",
		"make tset":                                    "the Makefile has no tset",
		"lethe deidentify 'a":                          "a quote is not closed",
	} {
		_, err := checkLine(text, "\ntest:\nlint:\n")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// notRun lists the commands that TestDocs does not run: the page or folder, or "" for all; a pattern of the line; the reason.
var notRun = [][3]string{
	{"", `^(?:\w+=\S* )*(docker|git|go|kubectl|make|npm|python|sbatch|scripts/\S+|tar)\b`, "not the program itself: it needs a network, a cluster or corpora"},
	{"", `^(cosign|gh|sha256sum|TAP_TOKEN)`, "needs a release"},
	{"", `^(age|age-keygen|jq) `, "needs programs that are seldom installed"},
	{"", `^openssl rand`, "makes another key in each run, and what follows from it differs: testdata/docs/all.txtar has a key"},
	{"", `^curl`, "needs the service, which TestPageOfTheService starts"},
	{"", `^lethe (serve|review open)`, "runs until it is stopped: see serve_test.go and review_open_test.go"},
	{"", `experiments/configs|LETHE_CORPORA|LETHE_RESOURCES|SPANISH|ENGLISH`, "needs corpora that are not part of the repository"},
	{"", `--resume`, "continues a run that was stopped: see deidentify_record_test.go"},
	{"docs/papers", `.`, "needs these corpora"},
	{"docs/distillation", `.`, "needs these corpora: see distill.txtar"},
	{"docs/neuroner", `.`, "needs a model that others have released: see import.txtar"},
	{"docs/pretraining", `runs/meddocan`, "needs these corpora: see pretrain.txtar"},
	{"docs/formats", `ward\.zip`, "needs an exported project: see project.txtar"},
	{"", `^lethe search`, "takes a minute: see search.txtar"},
	{"docs/studies", `search/best`, "follows from lethe search"},
	{"README", `^lethe review bound`, "needs people: see review.txtar"},
	{"docs/review", `.`, "needs people, and a minute of training: see review.txtar and docs/tutorial-engineer.md"},
	{"docs/models", `^lethe review train`, "needs a review: see review.txtar"},
	{"docs/privacy", `^lethe memory \S+\.yaml`, "trains with canaries, which takes long: see memory.txtar"},
	{"docs/results/", `.`, "needs corpora, or takes hours"},
	{"docs/benchmarks/", `.`, "needs corpora, or takes hours"},
}

// isRun reports whether TestDocs runs a line of a page, and notes the row of notRun that excludes it.
func isRun(page, text string, used map[int]bool) bool {
	for i, row := range notRun {
		if (row[0] == "" || strings.HasPrefix(page, row[0])) && regexp.MustCompile(row[1]).MatchString(text) {
			used[i] = true
			return false
		}
	}
	return !synopsis.MatchString(text)
}

// own are the pages whose commands run with the program's own model, and not with a smaller one that is quicker to load.
var own = []string{"README", "docs/operating-points", "docs/tutorial-engineer"}

// TestDocs runs the commands of the pages that have no test of their own, each page in a folder with the files in
// testdata/docs and its own configurations. What a command writes is removed before the next one that writes it. The output
// of a command that pipes a note into Lethe is the one that the page shows.
func TestDocs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a shell")
	}
	for _, program := range []string{"sh", "gzip"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	_, shared, _ := strings.Cut(string(read(t, "testdata/docs/all.txtar")), "\n--")
	run := filepath.Join(t.TempDir(), "run")
	train(t, write(t, filepath.Join(t.TempDir(), "tiny.yaml"), tiny), "--out", run)
	dir := t.TempDir()
	used, lines := map[int]bool{}, 0
	for _, path := range pagesOfDocs(t) {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(path), "../../"), ".md")
		if name == "docs/tutorial" || name == "docs/hf" {
			continue // TestTutorial and TestHuggingFacePage
		}
		page := string(read(t, path))
		var script, files strings.Builder
		for _, l := range commandLines(page) {
			if !isRun(name, l.text, used) {
				continue
			}
			lines++
			fmt.Fprintf(&script, "exec sh line-%d\n", l.number)
			fmt.Fprintf(&files, "-- line-%d --\n", l.number)
			for _, written := range outputs(t, l.text) {
				fmt.Fprintf(&files, "rm -rf %s\n", written)
			}
			text := l.text
			if l.shown != "" && regexp.MustCompile(`^(echo|printf) `).MatchString(text) { // the page has all that the command reads
				fmt.Fprintf(&script, "cmp stdout want-%d\n", l.number)
				files.WriteString(text + "\n" + fmt.Sprintf("-- want-%d --\n", l.number) + l.shown)
				continue
			}
			if !slices.Contains(own, name) && !regexp.MustCompile(`--(model|marked|config|print-config)\b`).MatchString(text) {
				text = strings.ReplaceAll(text, "lethe deidentify", "lethe deidentify --model RUN")
			}
			files.WriteString(text + "\n")
		}
		if script.Len() == 0 {
			continue
		}
		file := strings.ReplaceAll(name, "/", "-") + ".txtar"
		before, after, more := pageScript("testdata/docs/" + file)
		write(t, filepath.Join(dir, file), before+script.String()+after+"\n--"+shared+pageFiles(page)+files.String()+more)
	}
	for i, row := range notRun {
		if !used[i] {
			t.Errorf("no command is excluded because it %s (%s)", row[2], row[1])
		}
	}
	if lines < 120 {
		t.Errorf("only %d commands were found", lines)
	}
	testscript.Run(t, testscript.Params{Dir: dir, ContinueOnError: true, Setup: func(env *testscript.Env) error {
		var err error
		for _, name := range []string{"RUN", "runs/ward", "runs/meddocan"} {
			err = errors.Join(err, os.CopyFS(filepath.Join(env.WorkDir, name), os.DirFS(run)))
		}
		return errors.Join(err, os.CopyFS(filepath.Join(env.WorkDir, "MODEL"), os.DirFS(filepath.Join(run, "model", "best"))))
	}, Cmds: map[string]func(*testscript.TestScript, bool, []string){"parquet": toParquet}})
}

// pageScript returns what a file in testdata/docs adds to the commands of a page: commands before them, commands after them
// (below a line "# then"), and files.
func pageScript(path string) (before, after, files string) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", "", ""
	}
	script, files, found := strings.Cut("\n"+string(raw), "\n-- ")
	if found {
		files = "-- " + files
	}
	before, after, _ = strings.Cut(script+"\n", "# then\n")
	return before, after, files
}

// outputs returns the files and folders that a line writes, except if it resumes a run.
func outputs(t *testing.T, text string) (paths []string) {
	all, err := calls(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range all {
		cmd, rest, err := newRoot().Find(args)
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err != nil {
			t.Fatal(err)
		}
		if resume := cmd.Flags().Lookup("resume"); resume != nil && resume.Changed {
			continue
		}
		for _, name := range []string{"output", "out", "audit"} {
			if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
				paths = append(paths, f.Value.String())
			}
		}
	}
	return paths
}
