// Package report describes one or several runs in one HTML file: scores, PHI left in the text,
// errors, the system's confidence, the comparison of the runs, training, configuration and machine.
//
// The file requires no network and no scripts, supports print, dark mode and small screens, and
// contains no text of notes unless Options.ShowText is set. The same runs produce the same bytes.
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

// Options are the options of New.
type Options struct {
	Split    string      // the split of the runs' corpus to report on; "": the first run's PredictedSplit
	ShowText bool        // quote notes as examples of errors
	Version  string      // of the program, shown at the end of the page
	Warn     func(error) // called for each section that is left out because its input is missing; may be nil
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

// New reads the runs and makes the report: the first run in detail, and how the others differ from
// it. It is an error if a run has not predicted the split, or if the runs have documents with
// different names.
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

// HTML returns the content of the file.
func (r *Report) HTML() []byte { return r.html }

// Save writes the file atomically, creating its folder if necessary.
func (r *Report) Save(path string) error {
	return wholefile.WriteFile(path, r.html, 0o666)
}

// SavePlots writes the report's charts as svg, png or pdf files into a folder, creating it if
// necessary, and returns their paths.
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
