package studies

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/lethe-deid/lethe/internal/bounded"
	"github.com/lethe-deid/lethe/internal/strictyaml"
)

// Space lists the keys that Search varies, with their possible values.
type Space []dimension

// dimension is one key with its values.
type dimension struct {
	path string
	spec string   // as in the file, for comparison
	kind string   // choice, or one of ranges
	from []string // values of a choice, in YAML
	low  float64
	high float64
	// steps is the number of values of a grid; 0: not given.
	steps int
}

// ranges are the kinds of dimensions whose values are numbers between two others.
var ranges = []string{"uniform", "log_uniform", "integer", "log_integer"}

// maxValues bounds the values of a choice and the steps of a range.
const maxValues = 10_000

// LoadSpace reads a space from a YAML file: a mapping from the paths of keys, as in a setting, to
// their values.
//
//	system.ann.optimizer.learning_rate: {log_uniform: [0.0005, 0.05]}
//	system.ann.network.dropout: {uniform: [0.2, 0.7]}
//	system.ann.network.token_lstm: {integer: [50, 300]}
//	system.ann.training.batch: {log_integer: [4, 64], steps: 5}
//	system.ann.network.crf: [true, false]
//
// The last form is a choice. steps is the number of values in a grid search.
func LoadSpace(path string) (Space, error) {
	raw, err := bounded.ReadFile(path, bounded.MaxConfig)
	if err != nil {
		return nil, err
	}
	return parseSpace(path, raw)
}

// ParseDimension reads one key of a space in the form path=values, as in
// system.ann.network.dropout={uniform: [0.2, 0.7]}.
func ParseDimension(text string) (Space, error) {
	path, values, ok := strings.Cut(text, "=")
	if !ok {
		return nil, fmt.Errorf("%s: not of the form path=values", text)
	}
	return parseSpace("", fmt.Appendf(nil, "%q: %s\n", path, values))
}

func parseSpace(file string, raw []byte) (Space, error) {
	var entries yaml.MapSlice
	if err := strictyaml.Parse(file, raw, &entries); err != nil {
		return nil, err
	}
	var space Space
	for _, e := range entries {
		path := fmt.Sprint(e.Key)
		d := dimension{path: path}
		err := d.parse(e.Value)
		if _, ok := strictyaml.ParsePath(path); !ok {
			err = errors.New("not a path of keys, such as system.ann.network.dropout")
		}
		if err != nil && file != "" {
			if line, column := strictyaml.LocateKey(raw, path); line > 0 {
				return nil, fmt.Errorf("%s:%d:%d: %s: %w", file, line, column, path, err)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		space = append(space, d)
	}
	return space, nil
}

// parse reads the values of a key.
func (d *dimension) parse(value any) (err error) {
	if d.spec, err = inline(value); err != nil {
		return err
	}
	options, ok := value.(map[string]any)
	if !ok {
		options = map[string]any{"choice": value}
	}
	for key, v := range options {
		switch {
		case key == "steps":
			n, ok := wholeNumber(v)
			if !ok || n < 2 || n > maxValues {
				return fmt.Errorf("steps: not a whole number in [2, %d]", maxValues)
			}
			d.steps = n
		case key != "choice" && !slices.Contains(ranges, key):
			return fmt.Errorf("%s: unknown key (have choice, %s, steps)", key, strings.Join(ranges, ", "))
		case d.kind != "":
			return errors.New("must have just one of choice, " + strings.Join(ranges, ", "))
		default:
			d.kind = key
			if err := d.values(v); err != nil {
				return err
			}
		}
	}
	switch {
	case d.kind == "":
		return errors.New("must have one of choice, " + strings.Join(ranges, ", "))
	case d.kind == "choice" && d.steps > 0:
		return errors.New("steps: only allowed for a range")
	}
	return nil
}

// values reads the list of a choice, or the ends of a range.
func (d *dimension) values(value any) error {
	list, ok := value.([]any)
	if d.kind == "choice" {
		if !ok || len(list) == 0 || len(list) > maxValues {
			return fmt.Errorf("not a list of 1 to %d values", maxValues)
		}
		for _, v := range list {
			text, err := inline(v)
			if err != nil {
				return err
			}
			if slices.Contains(d.from, text) {
				return fmt.Errorf("duplicate value %s", text)
			}
			d.from = append(d.from, text)
		}
		return nil
	}
	ends := make([]float64, 0, 2)
	for _, v := range list {
		x, ok := number(v)
		if !ok {
			return fmt.Errorf("%s: not a list of two numbers", d.kind)
		}
		ends = append(ends, x)
	}
	if len(ends) != 2 {
		return fmt.Errorf("%s: not a list of two numbers", d.kind)
	}
	d.low, d.high = ends[0], ends[1]
	switch {
	case !(d.low < d.high) || math.IsInf(d.low, 0) || math.IsInf(d.high, 0):
		return fmt.Errorf("%s: the second number must be larger than the first", d.kind)
	case d.logarithmic() && d.low <= 0:
		return fmt.Errorf("%s: must be positive", d.kind)
	case d.whole() && (d.low != math.Trunc(d.low) || d.high != math.Trunc(d.high) || math.Abs(d.low) > 1<<52 || math.Abs(d.high) > 1<<52):
		return fmt.Errorf("%s: must be whole numbers", d.kind)
	}
	return nil
}

func (d dimension) logarithmic() bool { return strings.HasPrefix(d.kind, "log_") }
func (d dimension) whole() bool       { return strings.HasSuffix(d.kind, "integer") }

// number converts a number that the YAML parser returns.
func number(v any) (float64, bool) {
	switch x := v.(type) {
	case int64:
		return float64(x), true
	case uint64:
		return float64(x), true
	case float64:
		return x, !math.IsNaN(x)
	case string: // 1e-3, which the parser takes for text
		f, err := strconv.ParseFloat(x, 64)
		return f, err == nil && !math.IsNaN(f)
	}
	return 0, false
}

func wholeNumber(v any) (int, bool) {
	x, ok := number(v)
	return int(x), ok && x == math.Trunc(x) && math.Abs(x) <= 1<<31
}

// inline returns a value as YAML on one line.
func inline(v any) (string, error) {
	encoded, err := yaml.MarshalWithOptions(v, yaml.Flow(true))
	text := strings.TrimSpace(string(encoded))
	if err == nil && strings.Contains(text, "\n") {
		err = errors.New("a value must fit on one line")
	}
	return text, err
}

// at returns the value at a point in [0, 1] of a range. Numbers have four significant digits, so that
// they can be quoted.
func (d dimension) at(x float64) string {
	from, to := d.low, d.high
	if d.whole() && d.steps == 0 { // each whole number gets a part of equal size
		from, to = from-0.5, to+0.5
	}
	value := from + x*(to-from)
	if d.logarithmic() {
		from = max(from, d.low/2)
		value = from * math.Pow(to/from, x)
	}
	if d.whole() {
		return strconv.FormatFloat(min(max(math.Round(value), d.low), d.high), 'f', -1, 64)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(value, 'g', 4, 64), 64)
	return strconv.FormatFloat(min(max(rounded, d.low), d.high), 'g', -1, 64)
}

// draw returns random settings.
func (s Space) draw(random *rand.Rand) []string {
	var settings []string
	for _, d := range s {
		x := random.Float64()
		value := ""
		if d.kind == "choice" {
			value = d.from[int(x*float64(len(d.from)))]
		} else {
			value = d.at(x)
		}
		settings = append(settings, d.path+"="+value)
	}
	return settings
}

// grid returns all combinations of values. The last key varies fastest.
func (s Space) grid() ([][]string, error) {
	all := [][]string{nil}
	for _, d := range s {
		values := d.from
		if d.kind != "choice" {
			if d.steps == 0 {
				return nil, fmt.Errorf("%s: a grid requires steps, the number of values between %v and %v", d.path, d.low, d.high)
			}
			for i := range d.steps {
				if v := d.at(float64(i) / float64(d.steps-1)); !slices.Contains(values, v) {
					values = append(values, v)
				}
			}
		}
		if len(all)*len(values) > maxValues {
			return nil, fmt.Errorf("the grid has more than %d combinations", maxValues)
		}
		var more [][]string
		for _, settings := range all {
			for _, v := range values {
				more = append(more, append(slices.Clone(settings), d.path+"="+v))
			}
		}
		all = more
	}
	return all, nil
}
