package operating

import (
	"bytes"
	"fmt"
)

// Measured describes the documents that the curve was measured on.
func (c *Curve) Measured() string {
	if c.Split == "" {
		return "notes that are not of the corpus"
	}
	return "the " + c.Split + " split"
}

// card returns the section on the curve in a model card, in Markdown.
func (c *Curve) card() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "`lethe deidentify --min-recall R` also replaces tokens that are more likely not PHI than PHI, so that more PHI is found. The gain and the cost were measured on %s: "+
		"%d notes with %d PHI tokens.\n\n", c.Measured(), c.Documents, c.Tokens)
	fmt.Fprint(&b, "| R | probability from | recall | 95 % interval | precision |\n|---|--:|--:|--:|--:|\n")
	for _, p := range c.Points {
		wanted, from := p.Names()
		fmt.Fprintf(&b, "| %s | %s | %.4f | [%.4f, %.4f] | %.4f |\n", wanted, from, p.Recall, p.Low, p.High, p.Precision)
	}
	fmt.Fprintf(&b, "\nRecall and precision are those of single tokens. For each note, the calibration and the threshold come from other notes; the interval is a bootstrap "+
		"over notes. The expected calibration error is %.4f (spans %.4f, doubts %.4f; of the scores before calibration: spans %.4f, doubts %.4f).\n\n",
		c.Error, c.SpansWorth.Calibrated.Error, c.DoubtsWorth.Calibrated.Error, c.SpansWorth.Raw.Error, c.DoubtsWorth.Raw.Error)
	fmt.Fprint(&b, `What this does not promise:

- The same recall for other notes. It holds for notes from the same source; the notes of another hospital require a calibration of their own.
- The same recall for each note or type: it is lower for rare types and unusual notes.
- That no PHI is left. Some is left at every point, and no point finds PHI to which the model gives no probability.
`)
	if c.Split == "dev" {
		fmt.Fprint(&b, "- Exactly these figures: if the best epoch or the settings were chosen on this split too, results on new notes are somewhat worse.\n")
	}
	return b.Bytes()
}
