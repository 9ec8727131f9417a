package c45

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteARFF writes the data in the ARFF format, with the class as the last
// attribute. It returns an error for data that Data.Check refuses, or whose
// attributes do not have different names.
func (d *Data) WriteARFF(w io.Writer) error {
	if err := d.Check(); err != nil {
		return err
	}
	if err := d.checkNames(); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "@relation %s\n\n", quote(d.Relation))
	for i := range d.Attributes {
		writeAttribute(out, &d.Attributes[i])
	}
	writeAttribute(out, &Attribute{Name: d.className(), Values: d.Classes})
	fmt.Fprint(out, "\n@data\n")
	values := make([][]string, len(d.Attributes)) // quoted
	for a := range d.Attributes {
		values[a] = quoteAll(d.Attributes[a].Values)
	}
	classes := quoteAll(d.Classes)
	var line []byte
	for i, class := range d.Class {
		line = line[:0]
		for a, column := range d.Columns {
			if values[a] != nil {
				line = append(line, values[a][int(column[i])]...)
			} else {
				line = strconv.AppendFloat(line, float64(column[i]), 'g', -1, 32)
			}
			line = append(line, ',')
		}
		line = append(line, classes[class]...)
		if d.Weights != nil {
			line = append(strconv.AppendFloat(append(line, ",{"...), d.Weights[i], 'g', -1, 64), '}')
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

func (d *Data) className() string {
	if d.ClassName == "" {
		return "class"
	}
	return d.ClassName
}

// checkNames returns an error for names and values that a reader could not tell
// apart.
func (d *Data) checkNames() error {
	names := map[string]bool{d.className(): true}
	for _, a := range d.Attributes {
		if names[a.Name] {
			return fmt.Errorf("duplicate attribute %q", a.Name)
		}
		names[a.Name] = true
		if err := checkDistinct(a.Name, a.Values); err != nil {
			return err
		}
	}
	return checkDistinct(d.className(), d.Classes)
}

func checkDistinct(attribute string, values []string) error {
	seen := map[string]bool{}
	for i, v := range values {
		if seen[v] {
			return fmt.Errorf("attribute %q has value %d twice", attribute, i+1)
		}
		seen[v] = true
	}
	return nil
}

func writeAttribute(out *bufio.Writer, a *Attribute) {
	kind := "numeric"
	if a.Nominal() {
		kind = "{" + strings.Join(quoteAll(a.Values), ",") + "}"
	}
	fmt.Fprintf(out, "@attribute %s %s\n", quote(a.Name), kind)
}

func quoteAll(list []string) []string {
	var quoted []string
	for _, s := range list {
		quoted = append(quoted, quote(s))
	}
	return quoted
}

var escapes = strings.NewReplacer(`\`, `\\`, `'`, `\'`, `"`, `\"`, "%", `\%`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// quote returns a name or value as it is written in a file.
func quote(s string) string {
	special := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`,{}%'"\?@`, r) }
	if s != "" && strings.IndexFunc(s, special) < 0 {
		return s
	}
	return "'" + escapes.Replace(s) + "'"
}
