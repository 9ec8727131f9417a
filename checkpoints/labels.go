package checkpoints

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/lethe-deid/lethe/data"
)

// labels is the content of labels.json: the meaning of the network's ids, except
// those of tokens.
type labels struct {
	Types      data.TypeSetConfig `json:"types"`
	Scheme     data.Scheme        `json:"scheme"`
	Tokenizer  string             `json:"tokenizer"`
	Labels     []string           `json:"labels"`
	Characters []string           `json:"characters"`
}

func decodeLabels(b []byte) (labels, error) {
	var l labels
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&l); err != nil {
		return labels{}, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return labels{}, fmt.Errorf("more than one JSON value")
	}
	return l, l.check()
}

func (l *labels) check() error {
	types, err := l.Types.Stored()
	if err != nil {
		return err
	}
	if scheme, err := data.ParseScheme(string(l.Scheme)); err != nil {
		return err
	} else if scheme != l.Scheme {
		return fmt.Errorf("no label scheme %q: did you mean %s?", l.Scheme, scheme)
	}
	if l.Labels == nil {
		return fmt.Errorf("no labels")
	}
	for id, label := range l.Labels {
		prefix, typ := data.SplitLabel(label)
		legal := label == "O" || types.Has(typ) && len(prefix) == 1 && strings.Contains(prefixes[l.Scheme], prefix)
		if !legal {
			return fmt.Errorf("label %d, %q, is not one of %s over the types %s", id, label, l.Scheme, types.Name)
		}
	}
	if err := checkDistinct("label", l.Labels); err != nil {
		return err
	}
	return checkDistinct("character", l.Characters)
}

var prefixes = map[data.Scheme]string{data.IO: "I", data.BIO: "BI", data.BIOES: "BIES"}
