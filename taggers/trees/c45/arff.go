package c45

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/lethe-deid/lethe/internal/bounded"
)

// ReadARFF reads data in the ARFF format of WEKA. It accepts numeric, real, integer
// and nominal attributes, quoted names and values, comments, and weights in braces at
// the end of an instance. The last attribute is the class and must be nominal. Missing
// values, sparse instances, and attributes of the types string, date and relational are
// errors. Errors name the file, the line and the attribute, but contain no values.
func ReadARFF(r io.Reader, file string) (*Data, error) {
	p := &arff{in: bufio.NewReader(r), data: &Data{}, names: map[string]bool{}}
	if err := p.read(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", file, p.line, err)
	}
	return p.data, nil
}

// An arff is the state of reading.
type arff struct {
	in     *bufio.Reader
	line   int
	tokens tokens
	data   *Data

	hasRelation bool
	names       map[string]bool // of the attributes
	// indices contains for each attribute, the class included, its nominal values,
	// or nil.
	indices []map[string]int32
}

func (p *arff) read() error {
	for {
		ended, err := p.next()
		if err != nil {
			return err
		}
		if ended {
			return errors.New("the file ends before @data")
		}
		keyword, err := p.tokens.word("a declaration")
		if err != nil {
			return err
		}
		switch strings.ToLower(keyword.text) {
		case "@relation":
			err = p.relation()
		case "@attribute":
			err = p.attribute()
		case "@data":
			if err := p.tokens.end(); err != nil {
				return err
			}
			return p.body()
		default:
			err = errors.New("expected @relation, @attribute or @data")
		}
		if err != nil {
			return err
		}
	}
}

// next reads the next line with tokens.
func (p *arff) next() (ended bool, err error) {
	for {
		line, err := bounded.ReadLine(p.in, bounded.MaxNote)
		if err != nil && err != io.EOF {
			p.line++
			return false, err
		}
		if err == io.EOF && len(line) == 0 {
			return true, nil
		}
		p.line++
		if p.line == 1 {
			line = []byte(strings.TrimPrefix(string(line), "\uFEFF"))
		}
		p.tokens = tokens{rest: string(line)}
		if p.tokens.peek() != 0 {
			return false, nil
		}
	}
}

func (p *arff) relation() error {
	name, err := p.tokens.word("the name of the relation")
	if err != nil {
		return err
	}
	if p.hasRelation {
		return errors.New("duplicate @relation")
	}
	p.hasRelation, p.data.Relation = true, name.text
	return p.tokens.end()
}

func (p *arff) attribute() error {
	name, err := p.tokens.word("the name of an attribute")
	if err != nil {
		return err
	}
	if p.names[name.text] {
		return fmt.Errorf("duplicate attribute %q", name.text)
	}
	p.names[name.text] = true
	a := Attribute{Name: name.text}
	var index map[string]int32
	if p.tokens.peek() == '{' {
		if index, err = p.values(&a); err != nil {
			return err
		}
	} else if err := p.kind(a.Name); err != nil {
		return err
	}
	p.data.Attributes = append(p.data.Attributes, a)
	p.indices = append(p.indices, index)
	return p.tokens.end()
}

// kind reads the type of an attribute that is not nominal.
func (p *arff) kind(name string) error {
	kind, err := p.tokens.word("a type")
	if err != nil {
		return err
	}
	switch k := strings.ToLower(kind.text); k {
	case "numeric", "real", "integer":
		return nil
	case "string", "date", "relational":
		return fmt.Errorf("attribute %q has the type %s, expected numeric or a list of values", name, k)
	default:
		return fmt.Errorf("attribute %q has an unknown type, expected numeric or a list of values", name)
	}
}

// values reads the values of a nominal attribute.
func (p *arff) values(a *Attribute) (map[string]int32, error) {
	p.tokens.skip('{')
	index := map[string]int32{}
	for p.tokens.peek() != '}' {
		value, err := p.tokens.word("a value or } of attribute", a.Name)
		if err != nil {
			return nil, err
		}
		if _, duplicate := index[value.text]; duplicate {
			return nil, fmt.Errorf("attribute %q has value %d twice", a.Name, len(a.Values)+1)
		}
		index[value.text] = int32(len(a.Values))
		a.Values = append(a.Values, value.text)
		p.tokens.separator()
	}
	p.tokens.skip('}')
	if len(a.Values) == 0 {
		return nil, fmt.Errorf("nominal attribute %q has no values", a.Name)
	}
	return index, nil
}

// body reads the instances.
func (p *arff) body() error {
	d := p.data
	last := len(d.Attributes) - 1
	if last < 1 {
		return errors.New("expected at least one attribute and the class before @data")
	}
	class := d.Attributes[last]
	if !class.Nominal() {
		return fmt.Errorf("the last attribute, %q, is the class and must be nominal", class.Name)
	}
	d.Attributes, d.ClassName, d.Classes = d.Attributes[:last:last], class.Name, class.Values
	d.Columns = make([][]float32, last)
	for {
		ended, err := p.next()
		if err != nil {
			return err
		}
		if ended {
			return d.Check()
		}
		if err := p.instance(); err != nil {
			return err
		}
	}
}

func (p *arff) instance() error {
	if p.tokens.peek() == '{' {
		return errors.New("sparse instances are not supported")
	}
	d := p.data
	for a := range d.Attributes {
		v, err := p.value(a, d.Attributes[a].Name)
		if err != nil {
			return err
		}
		d.Columns[a] = append(d.Columns[a], v)
	}
	class, err := p.value(len(d.Attributes), d.ClassName)
	if err != nil {
		return err
	}
	d.Class = append(d.Class, int32(class))
	if p.tokens.peek() == '{' {
		if err := p.weight(); err != nil {
			return err
		}
	} else if d.Weights != nil {
		d.Weights = append(d.Weights, 1)
	}
	if p.tokens.peek() != 0 {
		return fmt.Errorf("expected %d values, got more", len(p.indices))
	}
	return nil
}

// value reads the value of an attribute, or of the class, which is the last one.
func (p *arff) value(a int, name string) (float32, error) {
	if p.tokens.peek() == 0 {
		return 0, fmt.Errorf("expected %d values, got %d", len(p.indices), a)
	}
	value, err := p.tokens.word("a value of attribute", name)
	if err != nil {
		return 0, err
	}
	p.tokens.separator()
	if value.text == "?" && !value.quoted {
		return 0, fmt.Errorf("attribute %q: missing values are not supported", name)
	}
	if index := p.indices[a]; index != nil {
		i, known := index[value.text]
		if !known {
			return 0, fmt.Errorf("attribute %q has a value that its declaration does not list", name)
		}
		return float32(i), nil
	}
	v, err := strconv.ParseFloat(value.text, 32)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || strings.ContainsAny(value.text, "_xX") {
		return 0, fmt.Errorf("attribute %q: expected a finite number in single precision", name)
	}
	return float32(v), nil
}

// weight reads the weight of an instance.
func (p *arff) weight() error {
	p.tokens.skip('{')
	value, err := p.tokens.word("a weight")
	if err != nil {
		return err
	}
	w, err := strconv.ParseFloat(value.text, 64)
	if err != nil || !(w > 0) || math.IsInf(w, 0) {
		return errors.New("the weight of an instance must be a number above 0")
	}
	if p.tokens.peek() != '}' {
		return errors.New("expected } after the weight of an instance")
	}
	p.tokens.skip('}')
	d := p.data
	for len(d.Weights) < len(d.Class)-1 {
		d.Weights = append(d.Weights, 1)
	}
	d.Weights = append(d.Weights, w)
	return nil
}

// tokens are the words and braces of a line.
type tokens struct{ rest string }

type word struct {
	text   string
	quoted bool
}

const blanks = " \t\r\n\v\f"

// peek returns the first character of the next token, or 0 at the end of the line.
// A percent sign starts a comment.
func (t *tokens) peek() byte {
	t.rest = strings.TrimLeft(t.rest, blanks)
	if t.rest == "" || t.rest[0] == '%' {
		return 0
	}
	return t.rest[0]
}

func (t *tokens) skip(c byte) {
	if t.peek() == c {
		t.rest = t.rest[1:]
	}
}

// separator skips the comma after a value. WEKA also reads values that only blanks
// separate.
func (t *tokens) separator() { t.skip(',') }

func (t *tokens) end() error {
	if t.peek() != 0 {
		return errors.New("expected the end of the line")
	}
	return nil
}

// word reads a name or value, which is quoted if it contains blanks, commas, braces,
// quotes or percent signs.
//
// The words of expected are joined by blanks to say what an error expected.
func (t *tokens) word(expected ...string) (word, error) {
	switch c := t.peek(); c {
	case 0, ',', '{', '}':
		return word{}, fmt.Errorf("expected %s", strings.Join(expected, " "))
	case '\'', '"':
		return t.quoted(c)
	}
	end := strings.IndexAny(t.rest, blanks+",{}%'\"")
	if end < 0 {
		end = len(t.rest)
	}
	w := word{text: t.rest[:end]}
	t.rest = t.rest[end:]
	return w, nil
}

func (t *tokens) quoted(quote byte) (word, error) {
	var text strings.Builder
	for i := 1; i < len(t.rest); i++ {
		switch c := t.rest[i]; {
		case c == quote:
			t.rest = t.rest[i+1:]
			return word{text: text.String(), quoted: true}, nil
		case c == '\n' || c == '\r':
			return word{}, errors.New("a quote is not closed")
		case c == '\\' && i+1 < len(t.rest):
			i++
			text.WriteByte(unescape(t.rest[i]))
		default:
			text.WriteByte(c)
		}
	}
	return word{}, errors.New("a quote is not closed")
}

func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	default:
		return c
	}
}
