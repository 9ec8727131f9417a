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
	fmt.Fprintf(&b, "`lethe deidentify --min-recall R` takes more for PHI than the model thinks likeliest. What that gains and costs was measured on %s: "+
		"%d notes with %d PHI tokens.\n\n", c.Measured(), c.Documents, c.Tokens)
	fmt.Fprint(&b, "| R | probability from | recall | 95 % interval | precision |\n|---|--:|--:|--:|--:|\n")
	for _, p := range c.Points {
		wanted, from := p.Names()
		fmt.Fprintf(&b, "| %s | %s | %.4f | [%.4f, %.4f] | %.4f |\n", wanted, from, p.Recall, p.Low, p.High, p.Precision)
	}
	fmt.Fprintf(&b, "\nRecall and precision are of tokens, PHI or not, each note's by the calibration and the threshold that other notes chose; the interval is a bootstrap "+
		"over notes. The expected calibration error is %.4f (spans %.4f, doubts %.4f; of the scores before calibration: spans %.4f, doubts %.4f).\n\n",
		c.Error, c.SpansWorth.Calibrated.Error, c.DoubtsWorth.Calibrated.Error, c.SpansWorth.Raw.Error, c.DoubtsWorth.Raw.Error)
	fmt.Fprint(&b, `What this does not promise:

- The recall for other notes. It holds for notes drawn as these were; another hospital's need a calibration on some of their own.
- The recall for each note, or for each type: rare types and unusual notes fall below that of all tokens together.
- That nothing is left. At every point something is, and what the model gives no probability to is out of reach of all of them.
`)
	if c.Split == "dev" {
		fmt.Fprint(&b, "- Quite these figures: where the best epoch or the settings were chosen on this split, too, new notes fare somewhat worse.\n")
	}
	return b.Bytes()
}
