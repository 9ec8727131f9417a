// Package report writes what there is to know about a run, or several, as one
// HTML file: scores, what is left in the text, errors, how sure the system was,
// the comparison of the runs, the training, configuration and machine.
//
// The file needs no network and no script, reads well on paper, in the dark and
// on a phone, and holds no text of a note unless Options.ShowText asks for it.
// The same runs give the same bytes.
package report

import (
	"bytes"
	"context"
	_ "embed" // the page and its style
	"fmt"
	"html/template"
	"os"
	"path/filepath"

	"github.com/lethe-deid/lethe/experiments"
	"github.com/lethe-deid/lethe/internal/chart"
	"github.com/lethe-deid/lethe/internal/wholefile"
	"github.com/lethe-deid/lethe/models"
)

// Options say what to report.
type Options struct {
	Split    string      // of the runs' corpus; "": the first run's PredictedSplit
	ShowText bool        // quote notes as examples of errors
	Version  string      // of the program, for the last line
	Warn     func(error) // is told of what is left out because it is missing; may be nil
	Progress models.Progress
}

// Report is a finished report.
type Report struct {
	html  []byte
	plots []plot
}

type plot struct {
	name string // of its file, without extension
	*chart.Chart
}

var (
	//go:embed report.html.tmpl
	pageSource string
	//go:embed style.css
	style string

	pageTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(style) },
		"svg": func(c *chart.Chart) (template.HTML, error) {
			svg, err := c.SVG()
			return template.HTML(svg), err
		},
		"add": func(a, b int) int { return a + b },
	}).Parse(pageSource))
)

// New reads the runs and makes the report: of the first in detail, and of how the
// others differ from it. It is an error when the split was not predicted or, by
// the names of documents, when the runs have different ones.
func New(ctx context.Context, runs []*experiments.Run, opt Options) (*Report, error) {
	m, err := read(runs, opt)
	if err != nil {
		return nil, err
	}
	p, err := m.page(ctx)
	if err != nil {
		return nil, err
	}
	var html bytes.Buffer
	if err := pageTemplate.Execute(&html, p); err != nil {
		return nil, err
	}
	return &Report{html.Bytes(), p.plots}, nil
}

// HTML is the file.
func (r *Report) HTML() []byte { return r.html }

// Save writes the file, whole or not at all, and makes its folder if need be.
func (r *Report) Save(path string) error {
	return wholefile.WriteFile(path, r.html, 0o666)
}

// SavePlots writes the report's charts into a folder, which it makes, as svg,
// png or pdf. It returns the paths.
func (r *Report) SavePlots(dir, format string) (paths []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	for _, p := range r.plots {
		path := filepath.Join(dir, fmt.Sprintf("%s.%s", p.name, format))
		if err := p.Save(path); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
