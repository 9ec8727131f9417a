package c45

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

func TestARFF(t *testing.T) {
	d := mustRead(t, "\uFEFF% a comment\r\n"+
		"\n@RELATION 'the \\'relation\\''\r\n"+
		"@Attribute \"a b\" REAL % another\r\n"+
		"@attribute n integer\n"+
		"@attribute 'color, main' { red,'light blue' , \"50\\% grey\" }\n"+
		"@ATTRIBUTE Class\t{yes,no,'?'}\n"+
		"@DATA\n"+
		"% no instance\n"+
		"1.5 , -2,red,yes\n"+
		"1e-3,\t4, 'light blue', no , {2.5}\n"+
		"\n"+
		".5 7 '50% grey' '?'") // blanks instead of commas; no line feed at the end
	want := &Data{
		Relation: "the 'relation'",
		Attributes: []Attribute{
			{Name: "a b"}, {Name: "n"}, {Name: "color, main", Values: []string{"red", "light blue", "50% grey"}},
		},
		ClassName: "Class",
		Classes:   []string{"yes", "no", "?"},
		Columns:   [][]float32{{1.5, 1e-3, 0.5}, {-2, 4, 7}, {0, 1, 2}},
		Class:     []int32{0, 1, 2},
		Weights:   []float64{1, 2.5, 1},
	}
	if !reflect.DeepEqual(d, want) {
		t.Errorf("got\n%+v\nwant\n%+v", d, want)
	}
}

func TestBadARFF(t *testing.T) {
	header := "@relation r\n@attribute x numeric\n@attribute n {a,b}\n@attribute c {p,q}\n@data\n" // 5 lines
	for _, c := range []struct{ arff, want string }{
		{"", "f.arff:0: the file ends before @data"},
		{"@relation r\n", "f.arff:1: the file ends before @data"},
		{"@relation r\n@relation s\n", "f.arff:2: duplicate @relation"},
		{"@relation\n", "f.arff:1: expected the name of the relation"},
		{"@relation r s\n", "f.arff:1: expected the end of the line"},
		{"@relation 'r\n", "f.arff:1: a quote is not closed"},
		{"hello\n", "f.arff:1: expected @relation, @attribute or @data"},
		{"{\n", "f.arff:1: expected a declaration"},
		{"@attribute\n", "f.arff:1: expected the name of an attribute"},
		{"@attribute x\n", "f.arff:1: expected a type"},
		{"@attribute x numeric 5\n", "f.arff:1: expected the end of the line"},
		{"@attribute x STRING\n", `f.arff:1: attribute "x" has the type string, expected numeric or a list of values`},
		{"@attribute x date 'yyyy'\n", `f.arff:1: attribute "x" has the type date, expected numeric or a list of values`},
		{"@attribute x relational\n", `f.arff:1: attribute "x" has the type relational, expected numeric or a list of values`},
		{"@attribute x number\n", `f.arff:1: attribute "x" has an unknown type, expected numeric or a list of values`},
		{"@attribute x {a,b\n", "f.arff:1: expected a value or } of attribute x"},
		{"@attribute x {a,,b}\n", "f.arff:1: expected a value or } of attribute x"},
		{"@attribute x {a,b,a}\n", `f.arff:1: attribute "x" has value 3 twice`},
		{"@attribute x {}\n", `f.arff:1: nominal attribute "x" has no values`},
		{"@attribute x real\n@attribute x real\n", `f.arff:2: duplicate attribute "x"`},
		{"@attribute c {a,b}\n@data\n", "f.arff:2: expected at least one attribute and the class before @data"},
		{"@attribute x real\n@attribute c real\n@data\n", `f.arff:3: the last attribute, "c", is the class and must be nominal`},
		{"@attribute x real\n@attribute c {p}\n@data\n1,p\n", "f.arff:4: a tree requires at least two classes, got 1"},
		{header, "f.arff:5: no instances"},
		{header + "1,a,p\n?,a,p\n", `f.arff:7: attribute "x": missing values are not supported`},
		{header + "1,?,p\n", `f.arff:6: attribute "n": missing values are not supported`},
		{header + "1,a,?\n", `f.arff:6: attribute "c": missing values are not supported`},
		{header + "1,secret,p\n", `f.arff:6: attribute "n" has a value that its declaration does not list`},
		{header + "1,a,secret\n", `f.arff:6: attribute "c" has a value that its declaration does not list`},
		{header + "secret,a,p\n", `f.arff:6: attribute "x": expected a finite number in single precision`},
		{header + "NaN,a,p\n", `f.arff:6: attribute "x": expected a finite number in single precision`},
		{header + "1e39,a,p\n", `f.arff:6: attribute "x": expected a finite number in single precision`},
		{header + "0x1p3,a,p\n", `f.arff:6: attribute "x": expected a finite number in single precision`},
		{header + "1,a\n", "f.arff:6: expected 3 values, got 2"},
		{header + "1,a,p,q\n", "f.arff:6: expected 3 values, got more"},
		{header + "1,,p\n", "f.arff:6: expected a value of attribute n"},
		{header + "1,'a,p\n", "f.arff:6: a quote is not closed"},
		{header + "1,'a,p\n',p\n", "f.arff:6: a quote is not closed"},
		{header + "{0 1, 2 p}\n", "f.arff:6: sparse instances are not supported"},
		{header + "1,a,p,{0}\n", "f.arff:6: the weight of an instance must be a number above 0"},
		{header + "1,a,p,{inf}\n", "f.arff:6: the weight of an instance must be a number above 0"},
		{header + "1,a,p,{1\n", "f.arff:6: expected } after the weight of an instance"},
		{header + "1,a,p,{1},2\n", "f.arff:6: expected 3 values, got more"},
	} {
		if _, err := ReadARFF(strings.NewReader(c.arff), "f.arff"); err == nil || err.Error() != c.want {
			t.Errorf("%q: got %v, want %s", c.arff, err, c.want)
		}
	}
	broken := io.MultiReader(strings.NewReader(header), iotest.ErrReader(errors.New("broken")))
	if _, err := ReadARFF(broken, "f.arff"); err == nil || err.Error() != "f.arff:6: broken" {
		t.Errorf("a broken reader: %v", err)
	}
}

func TestARFFAndBack(t *testing.T) {
	weighted := randomData(rand.New(rand.NewPCG(9, 10)), 50, true)
	weighted.Relation, weighted.ClassName = "", "the \\ class"
	weighted.Attributes[1].Name = "naïve 'name'\n\"quoted\""
	weighted.Attributes[4].Values = []string{"", "?", "a%b", "{c}"}
	for _, d := range []*Data{mustRead(t, golf), weighted} {
		var out bytes.Buffer
		if err := d.WriteARFF(&out); err != nil {
			t.Fatal(err)
		}
		if again := mustRead(t, out.String()); !reflect.DeepEqual(d, again) {
			t.Errorf("got\n%+v\nwant\n%+v", again, d)
		}
	}
}

func TestNamesThatAReaderCannotTellApartAreNotWritten(t *testing.T) {
	for _, spoil := range []func(*Data){
		func(d *Data) { d.Attributes[1].Name = "class" },
		func(d *Data) { d.Attributes[1].Name = d.Attributes[0].Name },
		func(d *Data) { d.Attributes[0].Values[1] = "sunny" },
		func(d *Data) { d.Classes[1] = d.Classes[0] },
		func(d *Data) { d.Class = nil },
	} {
		d := mustRead(t, golf)
		spoil(d)
		var out bytes.Buffer
		if err := d.WriteARFF(&out); err == nil || out.Len() > 0 {
			t.Errorf("%d bytes, %v", out.Len(), err)
		}
	}
}

func FuzzReadARFF(f *testing.F) {
	f.Add(golf)
	f.Add("@relation 'a b'\r\n@attribute \"x\\'\" REAL\r\n@attribute c {'?',b}\r\n@data\r\n1 '?' {2}\r\n")
	f.Fuzz(func(t *testing.T, arff string) {
		d, err := ReadARFF(strings.NewReader(arff), "f.arff")
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := d.WriteARFF(&out); err != nil {
			t.Fatal(err)
		}
		again, err := ReadARFF(&out, "again")
		if err != nil {
			t.Fatal(err)
		}
		// An empty name of the class is written as "class".
		again.ClassName = d.ClassName
		if !reflect.DeepEqual(d, again) {
			t.Errorf("got\n%+v\nwant\n%+v", again, d)
		}
	})
}
