package c45

import (
	"errors"
	"fmt"
	"math"
)

// An Attribute is a property of the instances, numeric or nominal.
type Attribute struct {
	Name string
	// Values are the values of a nominal attribute. Nil means that the attribute is
	// numeric.
	Values []string
}

// Nominal reports whether the attribute has a closed list of values.
func (a *Attribute) Nominal() bool { return a.Values != nil }

// Data is a set of instances with their classes.
type Data struct {
	Relation   string
	Attributes []Attribute // without the class
	// ClassName is the name of the class attribute in an ARFF file. If it is empty,
	// the name is "class".
	ClassName string
	Classes   []string
	// Columns contains the values by attribute, then by instance: numbers, or
	// indices in Values. NaN and infinite values are refused.
	Columns [][]float32
	Class   []int32   // by instance: an index in Classes
	Weights []float64 // by instance, above 0; nil if each weight is 1
}

// Len returns the number of instances.
func (d *Data) Len() int { return len(d.Class) }

// Check returns an error if no tree can be grown on the data: if it has no instances,
// no attributes, fewer than two classes, a column of the wrong length, a missing or
// infinite value, an index out of range, or a weight that is not above 0. Classes
// without instances are allowed.
func (d *Data) Check() error {
	if err := d.checkHeader(); err != nil {
		return err
	}
	n := d.Len()
	if n == 0 {
		return errors.New("no instances")
	}
	if len(d.Columns) != len(d.Attributes) {
		return fmt.Errorf("%d columns for %d attributes", len(d.Columns), len(d.Attributes))
	}
	for a := range d.Columns {
		if err := d.checkColumn(a); err != nil {
			return err
		}
	}
	for i, c := range d.Class {
		if c < 0 || int(c) >= len(d.Classes) {
			return fmt.Errorf("instance %d has class %d, expected 0 to %d", i+1, c, len(d.Classes)-1)
		}
	}
	if d.Weights != nil && len(d.Weights) != n {
		return fmt.Errorf("%d weights for %d instances", len(d.Weights), n)
	}
	for i, w := range d.Weights {
		if !(w > 0) || math.IsInf(w, 0) {
			return fmt.Errorf("instance %d has weight %v, expected a number above 0", i+1, w)
		}
	}
	return nil
}

// checkHeader checks what a model keeps of its training data.
func (d *Data) checkHeader() error {
	if len(d.Attributes) == 0 {
		return errors.New("no attributes")
	}
	if len(d.Classes) < 2 {
		return fmt.Errorf("a tree requires at least two classes, got %d", len(d.Classes))
	}
	for i := range d.Attributes {
		if a := &d.Attributes[i]; a.Nominal() && len(a.Values) == 0 {
			return fmt.Errorf("nominal attribute %q has no values", a.Name)
		}
	}
	return nil
}

func (d *Data) checkColumn(a int) error {
	attribute, column := &d.Attributes[a], d.Columns[a]
	if len(column) != d.Len() {
		return fmt.Errorf("attribute %q has %d values for %d instances", attribute.Name, len(column), d.Len())
	}
	for i, v := range column {
		switch {
		case v != v:
			return fmt.Errorf("attribute %q of instance %d: missing values are not supported", attribute.Name, i+1)
		case math.IsInf(float64(v), 0):
			return fmt.Errorf("attribute %q of instance %d is infinite", attribute.Name, i+1)
		case attribute.Nominal() && attribute.index(v) < 0:
			return fmt.Errorf("attribute %q of instance %d is %v, expected an index from 0 to %d",
				attribute.Name, i+1, v, len(attribute.Values)-1)
		}
	}
	return nil
}

// index returns the value of a nominal attribute as an index in Values, or -1 if it
// is not a valid one.
func (a *Attribute) index(v float32) int {
	if !(v >= 0 && v < float32(len(a.Values))) || v != float32(int(v)) {
		return -1
	}
	return int(v)
}
