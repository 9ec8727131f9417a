package main

import (
	"fmt"
	"os/exec"
	"path"
	"regexp"
	"strings"
)

const (
	commandFolder = "docs/commands"
	commandIndex  = commandFolder + "/README.md"
)

// help is what a command prints with --help.
type help struct {
	words   []string // the command, with those above it
	short   string   // what the list of the command above says
	about   string
	usage   string
	example string
	flags   []flagHelp
	global  []flagHelp
	below   []*help
}

type flagHelp struct{ name, value, about string }

var (
	listed   = regexp.MustCompile(`(?m)^  ([a-z0-9-]+) +(.*)$`)
	flagLine = regexp.MustCompile(`^ +(?:-(\w), )?--([a-z0-9-]+)(?: (\S+))?(?:  +(.*))?$`)
)

// readHelp reads the help of a command, and of those below it.
func readHelp(program, short string, words ...string) (*help, error) {
	out, err := exec.Command(program, append(words, "--help")...).Output()
	if err != nil {
		return nil, fmt.Errorf("lethe %s --help: %w", strings.Join(words, " "), err)
	}
	h := &help{words: append([]string{"lethe"}, words...), short: short}
	about, rest, ok := strings.Cut(string(out), "\nUsage:\n")
	if !ok {
		return nil, fmt.Errorf("lethe %s --help prints no usage", strings.Join(words, " "))
	}
	h.about = strings.TrimSpace(about)
	for part := range strings.SplitSeq("Usage:\n"+rest, "\n\n") {
		title, body, _ := strings.Cut(part, "\n")
		switch title {
		case "Usage:":
			h.usage = body
		case "Examples:":
			h.example = body
		case "Available Commands:":
			for _, m := range listed.FindAllStringSubmatch(body, -1) {
				if m[1] == "help" || m[1] == "completion" {
					continue // of every program made with the same library
				}
				below, err := readHelp(program, m[2], append(words[:len(words):len(words)], m[1])...)
				if err != nil {
					return nil, err
				}
				h.below = append(h.below, below)
			}
		case "Flags:":
			if h.flags, err = readFlags(body); err != nil {
				return nil, fmt.Errorf("lethe %s --help: %w", strings.Join(words, " "), err)
			}
		case "Global Flags:":
			if h.global, err = readFlags(body); err != nil {
				return nil, fmt.Errorf("lethe %s --help: %w", strings.Join(words, " "), err)
			}
		}
	}
	return h, nil
}

func readFlags(body string) ([]flagHelp, error) {
	var flags []flagHelp
	for line := range strings.SplitSeq(strings.TrimRight(body, "\n"), "\n") {
		m := flagLine.FindStringSubmatch(line)
		switch {
		case m != nil:
			flags = append(flags, flagHelp{name: m[2], value: m[3], about: m[4]})
		case len(flags) > 0:
			flags[len(flags)-1].about += " " + strings.TrimSpace(line)
		default:
			return nil, fmt.Errorf("this line is not understood: %s", line)
		}
	}
	return flags, nil
}

// commandPages returns a page for each command, and a list of all.
func commandPages(program string) (map[string]string, error) {
	root, err := readHelp(program, "")
	if err != nil {
		return nil, err
	}
	pages := map[string]string{}
	var list strings.Builder
	list.WriteString("# Commands\n\nThese pages are what `lethe COMMAND --help` prints.\n\n| command | |\n|---|---|\n")
	var add func(h *help)
	add = func(h *help) {
		name := strings.Join(h.words[1:], "-") + ".md"
		pages[path.Join(commandFolder, name)] = h.page()
		fmt.Fprintf(&list, "| [%s](%s) | %s |\n", strings.Join(h.words, " "), name, cell(h.short))
		for _, below := range h.below {
			add(below)
		}
	}
	for _, below := range root.below {
		add(below)
	}
	about := strings.SplitN(root.about, "\n\n", 2)
	fmt.Fprintf(&list, "\n## Output and exit codes\n\n~~~~~~\n%s\n~~~~~~\n", about[len(about)-1])
	pages[commandIndex] = list.String()
	return pages, nil
}

// page returns the page of a command.
func (h *help) page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s.\n\n~~~~~~\n%s\n~~~~~~\n\n", strings.Join(h.words, " "), plain(h.short), unindent(h.usage))
	if h.about != h.short {
		for paragraph := range strings.SplitSeq(h.about, "\n\n") {
			if strings.Contains("\n"+paragraph, "\n ") {
				fmt.Fprintf(&b, "~~~~~~\n%s\n~~~~~~\n\n", unindent(paragraph)) // its lines are aligned
				continue
			}
			fmt.Fprintf(&b, "%s\n\n", plain(paragraph))
		}
	}
	if h.example != "" {
		fmt.Fprintf(&b, "## Examples\n\n~~~~~~\n%s\n~~~~~~\n\n", unindent(h.example))
	}
	if len(h.below) > 0 {
		b.WriteString("## Commands\n\n| command | |\n|---|---|\n")
		for _, below := range h.below {
			fmt.Fprintf(&b, "| [%s](%s.md) | %s |\n", strings.Join(below.words, " "), strings.Join(below.words[1:], "-"), cell(below.short))
		}
		b.WriteByte('\n')
	}
	if len(h.flags) > 0 {
		b.WriteString("## Flags\n\n")
	}
	for _, f := range append(h.flags, h.global...) {
		fmt.Fprintf(&b, "### `%s` {#--%s}\n\n%s\n\n", strings.TrimSpace("--"+f.name+" "+f.value), f.name, plain(f.about))
	}
	return b.String()
}

// unindent removes the spaces that all lines begin with, except for those that are empty.
func unindent(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	least := -1
	for _, line := range lines {
		if n := len(line) - len(strings.TrimLeft(line, " ")); strings.TrimSpace(line) != "" && (least < 0 || n < least) {
			least = n
		}
	}
	for i := range lines {
		lines[i] = lines[i][min(max(least, 0), len(lines[i])):]
	}
	return strings.Join(lines, "\n")
}

// plain returns Markdown that shows a text as it is.
func plain(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\`*_{}[]<>#|~&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// cell is plain text on one line, for a table.
func cell(s string) string { return plain(strings.Join(strings.Fields(s), " ")) }
