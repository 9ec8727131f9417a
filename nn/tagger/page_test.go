package tagger

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/lethe-deid/lethe/nn"
)

// docs/model-folder.md and docs/cells.md name every tensor of every network.
func TestPagesNameAllTensors(t *testing.T) {
	read := func(name string) string {
		raw, err := os.ReadFile("../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	folder, cells := read("model-folder.md"), read("cells.md")
	direction := regexp.MustCompile(`^(character|token)_lstm2?\.(forward|backward)\.`)
	seen := map[string]bool{}
	for _, cell := range []nn.Cell{nn.Coupled, nn.Peephole, nn.Standard, nn.FullPeephole} {
		for _, kind := range []Characters{CharacterLSTM, CharacterCNN} {
			cfg := DefaultConfig()
			cfg.Cell, cfg.Characters, cfg.LayerNorm = cell, kind, true
			net, err := New(cfg, Sizes{Characters: 3, Tokens: 3, Labels: 3, Features: Features{Values: []int{2}, Dimension: 2}}, 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range net.Tensors() {
				seen[p.Name] = true
			}
		}
	}
	if len(seen) < 20 {
		t.Fatalf("only %d tensors", len(seen))
	}
	for name := range seen {
		page, want := folder, "`"+name+"`"
		if part := direction.FindString(name); part != "" {
			page, want = cells, "`token_lstm.forward."+strings.TrimPrefix(name, part)+"`"
		}
		if !strings.Contains(page, want) {
			t.Errorf("no page names %s", name)
		}
	}
	for _, cell := range []nn.Cell{nn.Coupled, nn.Peephole, nn.Standard, nn.FullPeephole} {
		if !strings.Contains(cells, "\n| `"+string(cell)+"` | j") {
			t.Errorf("docs/cells.md lacks the equations of %s", cell)
		}
	}
}
