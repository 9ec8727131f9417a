package chart

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/lethe-deid/lethe/internal/wholefile"
)

// SVG returns the chart as an element for an HTML page. It is as wide as there is
// room, its text is real text, and it has a title and description for screen
// readers. The page can set the colours with CSS variables: --chart-ink (text),
// --chart-line (the axis), --chart-grid, and --chart-1 to --chart-6 (the series).
// The background is that of the page.
func (c *Chart) SVG() ([]byte, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	var out svg
	c.draw(&out)
	return out.document(c), nil
}

// Save writes the chart to a file as SVG, PNG or PDF, by the extension of the
// path, dark on a white background. The file appears under its name only when it
// is complete.
func (c *Chart) Save(path string) error {
	encoded, err := c.encode(strings.ToLower(filepath.Ext(path)))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return wholefile.WriteFile(path, encoded, 0o666)
}

func (c *Chart) encode(extension string) ([]byte, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	w, h := c.size()
	switch extension {
	case ".svg":
		var out svg
		out.fill(box{0, 0, w, h}.corners(), paper, 1)
		c.draw(&out)
		return out.document(c), nil
	case ".png":
		out := newPixels(w, h)
		c.draw(out)
		return out.encode()
	case ".pdf":
		out := &page{}
		c.draw(out)
		return out.document(c), nil
	}
	return nil, fmt.Errorf("a chart requires the extension .svg, .png or .pdf, not %q", extension)
}

// size returns the size of the chart in points.
func (c *Chart) size() (w, h float64) {
	w, h = c.Width, c.Height
	if w == 0 {
		w = 400
	}
	if h == 0 {
		h = 250
	}
	return w, h
}
